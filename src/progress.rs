//! How far a run is. The pipeline counts; the command line shows.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

/// The charts and folders of a run: how many there are, and how many are done. Zero of zero until they are known.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
    is_stopped: Arc<AtomicBool>,
}

impl Progress {
    /// Starts anew, with this many charts and folders.
    pub(crate) fn start(&self, total: usize) {
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    /// Counts one chart or folder as done.
    pub(crate) fn step(&self) {
        self.done.fetch_add(1, Relaxed);
    }

    /// Leaves out the charts and folders that are not begun, and the renders of the others: nobody wants the result any
    /// more.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }

    /// Whether nobody wants the result any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    /// Set once nobody wants the result any more.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        self.is_stopped.clone()
    }

    /// How many charts and folders are done, and how many there are.
    pub fn seen(&self) -> (usize, usize) {
        (self.done.load(Relaxed), self.total.load(Relaxed))
    }
}
