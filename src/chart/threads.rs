//! Threads with enough stack to render a chart.

#[cfg(not(target_family = "wasm"))]
pub use native::with_stack;
#[cfg(target_family = "wasm")]
pub use wasm::with_stack;

#[cfg(not(target_family = "wasm"))]
pub(super) use native::in_parallel;
#[cfg(not(target_family = "wasm"))]
pub(crate) use native::on_large_stacks;
#[cfg(target_family = "wasm")]
pub(super) use wasm::in_parallel;
#[cfg(target_family = "wasm")]
pub(crate) use wasm::on_large_stacks;

/// The part of a rendering thread's stack that templates may use, in bytes. A browser gives about 1 MB to its own stack,
/// which grows with that of the module.
pub(crate) const MAX_STACK: usize = if cfg!(target_family = "wasm") { 512 << 10 } else { 48 << 20 };

#[cfg(not(target_family = "wasm"))]
mod native {
    use std::{
        cell::Cell,
        panic,
        sync::{
            LazyLock, OnceLock,
            atomic::{AtomicUsize, Ordering::Relaxed},
            mpsc,
        },
        thread,
    };

    /// Native stack of a rendering thread, in bytes. Helm allows a thousand nested template includes.
    const STACK: usize = 64 << 20;

    /// How many threads may run at once. The system reads three files to tell.
    static CORES: LazyLock<usize> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));

    /// How many threads render charts.
    static BUSY: AtomicUsize = AtomicUsize::new(0);

    thread_local! {
        /// Whether this thread has a large stack of which nothing is used yet.
        static IS_FRESH: Cell<bool> = const { Cell::new(false) };
    }

    /// Runs a task on a thread whose stack is large enough to render a chart.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn with_stack<T: Send>(task: impl FnOnce() -> T + Send) -> std::io::Result<T> {
        if IS_FRESH.replace(false) {
            let result = counted(task);
            IS_FRESH.set(true);
            return Ok(result);
        }
        thread::scope(|scope| {
            let thread = builder().spawn_scoped(scope, || counted(task))?;
            Ok(joined(thread))
        })
    }

    /// Applies a task to each item, on as many threads as there are cores. Charts are rendered there without another thread.
    pub(crate) fn on_large_stacks<T: Sync, R: Send + Sync>(
        items: &[T],
        task: impl Fn(&T) -> R + Sync,
    ) -> Vec<R> {
        let threads = rayon::current_num_threads().min(items.len());
        if threads < 2 {
            return items.iter().map(task).collect();
        }
        let queue = Queue::new(items);
        let (ended, is_done) = mpsc::channel();
        thread::scope(|scope| {
            let start = |index: usize| {
                let (ended, queue, task) = (ended.clone(), &queue, &task);
                let work = move || {
                    IS_FRESH.set(true);
                    let worked = panic::catch_unwind(panic::AssertUnwindSafe(|| queue.work(task)));
                    // The receiver outlives the threads.
                    let _ = ended.send(index);
                    worked.unwrap_or_else(|reason| panic::resume_unwind(reason));
                };
                builder().spawn_scoped(scope, work).ok()
            };
            let mut started: Vec<_> = (0..threads).map(start).collect();
            let count = started.iter().flatten().count();
            // A thread keeps its stack until it is joined.
            for index in is_done.iter().take(count) {
                started.get_mut(index).and_then(Option::take).map(joined);
            }
        });
        // Without another thread, this one does all.
        queue.work(&task);
        queue.results()
    }

    /// Applies a task to each item, on this thread and on as many others as there are cores without a chart to render.
    pub(in super::super) fn in_parallel<T: Sync, R: Send + Sync>(
        items: &[T],
        task: impl Fn(&T) -> R + Sync,
    ) -> Vec<R> {
        let queue = Queue::new(items);
        let work = || queue.work(&task);
        let free = CORES.saturating_sub(BUSY.load(Relaxed)).min(items.len().saturating_sub(1));
        thread::scope(|scope| {
            for _ in 0..free {
                // Without another thread, this one does all.
                let _ = builder().spawn_scoped(scope, || counted(work));
            }
            work();
        });
        queue.results()
    }

    /// Items that threads take one by one, and what becomes of them.
    struct Queue<'a, T, R> {
        items: &'a [T],
        results: Vec<OnceLock<R>>,
        next: AtomicUsize,
    }

    impl<'a, T, R> Queue<'a, T, R> {
        fn new(items: &'a [T]) -> Self {
            let results = items.iter().map(|_| OnceLock::new()).collect();
            Self { items, results, next: AtomicUsize::new(0) }
        }

        /// Applies a task to the items that are left.
        fn work(&self, task: impl Fn(&T) -> R) {
            let left = std::iter::from_fn(|| {
                let at = self.next.fetch_add(1, Relaxed);
                self.items.get(at).zip(self.results.get(at))
            });
            left.for_each(|(item, result)| drop(result.set(task(item))));
        }

        /// The results in the order of the items.
        fn results(self) -> Vec<R> {
            self.results.into_iter().filter_map(OnceLock::into_inner).collect()
        }
    }

    /// What a thread returns. Its panic is one of this thread.
    fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
        thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
    }

    fn builder() -> thread::Builder {
        thread::Builder::new().stack_size(STACK)
    }

    fn counted<T>(task: impl FnOnce() -> T) -> T {
        BUSY.fetch_add(1, Relaxed);
        let result = panic::catch_unwind(panic::AssertUnwindSafe(task));
        BUSY.fetch_sub(1, Relaxed);
        result.unwrap_or_else(|panic| panic::resume_unwind(panic))
    }
}

#[cfg(target_family = "wasm")]
mod wasm {
    /// Runs a task. WebAssembly has one thread, whose stack the module itself sets.
    ///
    /// # Errors
    /// None.
    pub fn with_stack<T: Send>(task: impl FnOnce() -> T + Send) -> std::io::Result<T> {
        Ok(task())
    }

    pub(in super::super) fn in_parallel<T, R>(items: &[T], task: impl Fn(&T) -> R) -> Vec<R> {
        items.iter().map(task).collect()
    }

    pub(crate) fn on_large_stacks<T, R>(items: &[T], task: impl Fn(&T) -> R) -> Vec<R> {
        items.iter().map(task).collect()
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use std::thread;

    use super::{in_parallel, on_large_stacks, with_stack};

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        let doubled: Vec<_> = (0..200).step_by(2).collect();
        assert_eq!(in_parallel(&items, |item| item * 2), doubled);
        assert_eq!(on_large_stacks(&items, |item| item * 2), doubled);
        assert!(in_parallel(&[], |item: &u32| *item).is_empty());
        assert!(on_large_stacks(&[], |item: &u32| *item).is_empty());
    }

    /// A task within a task does not share its stack.
    #[test]
    fn a_large_stack_is_used_once() {
        let here = || thread::current().id();
        let of_task = |_: &()| {
            let inner = with_stack(|| (here(), with_stack(here).unwrap())).unwrap();
            (here(), inner, with_stack(here).unwrap())
        };
        for (own, (task, within), next) in on_large_stacks(&[(), ()], of_task) {
            let is_fresh = own == task;
            assert_eq!(
                (is_fresh, within == task, next == own),
                (rayon::current_num_threads() > 1, false, is_fresh)
            );
        }
    }

    #[test]
    fn a_panic_keeps_its_reason() {
        let failed =
            std::panic::catch_unwind(|| on_large_stacks(&[1, 2], |item| assert!(*item < 2, "two")));
        assert_eq!(failed.unwrap_err().downcast_ref::<&str>(), Some(&"two"));
    }
}
