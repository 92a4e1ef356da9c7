//! How far a run is. The pipeline counts; the command line shows.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The charts and folders of a run: how many there are, and how many are done. Zero of zero until they are known.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicUsize,
    total: AtomicUsize,
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

    /// How many charts and folders are done, and how many there are.
    pub fn seen(&self) -> (usize, usize) {
        (self.done.load(Relaxed), self.total.load(Relaxed))
    }
}
