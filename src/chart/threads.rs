//! Threads with enough stack to render a chart.

#[cfg(not(target_family = "wasm"))]
pub use native::with_stack;
#[cfg(target_family = "wasm")]
pub use wasm::with_stack;

#[cfg(not(target_family = "wasm"))]
pub(super) use native::in_parallel;
#[cfg(target_family = "wasm")]
pub(super) use wasm::in_parallel;

/// The part of a rendering thread's stack that templates may use, in bytes. A browser gives about 1 MB to its own stack,
/// which grows with that of the module.
pub(crate) const MAX_STACK: usize = if cfg!(target_family = "wasm") { 512 << 10 } else { 48 << 20 };

#[cfg(not(target_family = "wasm"))]
mod native {
    use std::{
        panic,
        sync::{
            LazyLock, OnceLock,
            atomic::{AtomicUsize, Ordering::Relaxed},
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

    /// Runs a task on a thread whose stack is large enough to render a chart.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn with_stack<T: Send>(task: impl FnOnce() -> T + Send) -> std::io::Result<T> {
        thread::scope(|scope| {
            let thread = builder().spawn_scoped(scope, || counted(task))?;
            Ok(thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
        })
    }

    /// Applies a task to each item, on this thread and on as many others as there are cores without a chart to render.
    pub(in super::super) fn in_parallel<T: Sync, R: Send + Sync>(
        items: &[T],
        task: impl Fn(&T) -> R + Sync,
    ) -> Vec<R> {
        let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let left = std::iter::from_fn(|| {
                let at = next.fetch_add(1, Relaxed);
                items.get(at).zip(results.get(at))
            });
            left.for_each(|(item, result)| drop(result.set(task(item))));
        };
        let free = CORES.saturating_sub(BUSY.load(Relaxed)).min(items.len().saturating_sub(1));
        thread::scope(|scope| {
            for _ in 0..free {
                // Without another thread, this one does all.
                let _ = builder().spawn_scoped(scope, || counted(work));
            }
            work();
        });
        results.into_iter().filter_map(OnceLock::into_inner).collect()
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
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::in_parallel;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(in_parallel(&items, |item| item * 2), (0..200).step_by(2).collect::<Vec<_>>());
        assert!(in_parallel(&[], |item: &u32| *item).is_empty());
    }
}
