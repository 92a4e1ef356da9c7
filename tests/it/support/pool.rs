/// Runs `work` on threads of its own. A check waits for threads that use those which all of the process share, and must not
/// occupy these itself.
pub fn on_own_threads<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().build().unwrap().install(work)
}
