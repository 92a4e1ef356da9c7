//! The thread that checks. The newest texts win: what they supersede is dropped.

use std::{
    any::Any,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Sender},
    },
    thread,
};

use super::snapshot::{Snapshot, Task};
use crate::progress::Progress;

/// The stack of the thread, as large as that of a main thread.
const STACK: usize = 8 << 20;

/// Gives tasks to the thread that checks.
pub(super) struct Worker {
    tasks: Sender<Task>,
    newest: Arc<AtomicU64>,
    /// Of the task that was submitted last.
    progress: Arc<Progress>,
}

/// Tells whether newer texts have come.
pub(super) struct Freshness {
    newest: Arc<AtomicU64>,
    generation: u64,
}

impl Freshness {
    pub(super) fn is_newest(&self) -> bool {
        self.newest.load(Ordering::SeqCst) == self.generation
    }
}

impl Worker {
    /// Starts the thread. It runs `check` for the newest task, and `done` for what was found, first in part and then
    /// completely, unless a newer task has come. A panic of `check` is a result without findings.
    ///
    /// # Errors
    /// The system has no thread left.
    pub(super) fn start(
        check: impl Fn(&Task, &Freshness, &dyn Fn(Snapshot)) -> Snapshot + Send + 'static,
        done: impl Fn(Snapshot) + Send + 'static,
    ) -> io::Result<Self> {
        let (tasks, queue) = mpsc::channel::<Task>();
        let newest = Arc::new(AtomicU64::new(0));
        let shared = newest.clone();
        let run = move || {
            while let Ok(first) = queue.recv() {
                let task = queue.try_iter().last().unwrap_or(first);
                let generation = task.generation;
                let fresh = Freshness { newest: shared.clone(), generation };
                let failed =
                    |reason| Snapshot { generation, log: vec![reason], ..Snapshot::default() };
                let show = |found| {
                    if fresh.is_newest() {
                        done(found);
                    }
                };
                show(guarded(|| check(&task, &fresh, &show)).unwrap_or_else(failed));
            }
        };
        thread::Builder::new().name("check".to_owned()).stack_size(STACK).spawn(run)?;
        Ok(Self { tasks, newest, progress: Arc::default() })
    }

    /// Checks this next, and drops what is being checked.
    pub(super) fn submit(&mut self, task: Task) {
        self.progress.stop();
        self.progress = task.progress.clone();
        self.newest.store(task.generation, Ordering::SeqCst);
        // The thread only ends together with this sender.
        let _ = self.tasks.send(task);
    }
}

/// Runs something; a panic in it becomes an error that says where.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let reason = |panic: Box<dyn Any + Send>| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        format!("joblint failed: {}; please report it", text.unwrap_or_default())
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(reason)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    fn task(generation: u64) -> Task {
        Task { generation, ..Task::default() }
    }

    #[test]
    fn a_panic_does_not_end_the_thread() {
        let (results, found) = mpsc::channel();
        let check = |task: &Task, _: &Freshness, _: &dyn Fn(Snapshot)| match task.generation {
            1 => panic!("the first"),
            generation => Snapshot { generation, ..Snapshot::default() },
        };
        let mut worker = Worker::start(check, move |one| _ = results.send(one)).unwrap();
        worker.submit(task(1));
        let first = found.recv_timeout(PATIENCE).unwrap();
        assert_eq!(first.log, ["joblint failed: the first; please report it"]);
        worker.submit(task(2));
        assert_eq!(found.recv_timeout(PATIENCE).unwrap().generation, 2);
    }

    #[test]
    fn newer_texts_supersede() {
        let (results, found) = mpsc::channel();
        let (started, start) = mpsc::channel();
        let (go, wait) = mpsc::channel();
        let check = move |task: &Task, _: &Freshness, _: &dyn Fn(Snapshot)| {
            started.send(task.generation).unwrap();
            wait.recv_timeout(PATIENCE).unwrap();
            Snapshot { generation: task.generation, ..Snapshot::default() }
        };
        let mut worker = Worker::start(check, move |one| _ = results.send(one)).unwrap();
        worker.submit(task(1));
        assert_eq!(start.recv_timeout(PATIENCE).unwrap(), 1);
        worker.submit(task(2));
        worker.submit(task(3));
        go.send(()).unwrap();
        assert_eq!(start.recv_timeout(PATIENCE).unwrap(), 3, "2 is never checked");
        go.send(()).unwrap();
        assert_eq!(found.recv_timeout(PATIENCE).unwrap().generation, 3, "1 is dropped");
    }
}
