//! Shows how far a run is, on standard error.

use std::{
    io::{self, IsTerminal, Write},
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use crate::progress::Progress;

/// A run that takes longer than this shows its progress.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two updates.
const BEAT: Duration = Duration::from_millis(100);
/// Moves the cursor to the start of the line, and empties the line.
const CLEAR: &str = "\r\x1b[K";

/// A line on standard error that says how far a run is, until it is dropped.
pub(crate) struct Waiting {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiting {
    /// Shows the progress of a run after a second if standard error is a terminal.
    pub(crate) fn on(progress: &Arc<Progress>, quiet: bool) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self { end: None, thread: None };
        }
        let (end, ended) = mpsc::channel();
        let progress = Arc::clone(progress);
        let thread = thread::spawn(move || {
            let mut wait = PATIENCE;
            let mut is_shown = false;
            let mut last = None;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let seen = Some(progress.seen());
                if last != seen {
                    let _ = write!(io::stderr().lock(), "{CLEAR}{}", line(progress.seen()));
                    last = seen;
                }
                (wait, is_shown) = (BEAT, true);
            }
            if is_shown {
                let _ = write!(io::stderr().lock(), "{CLEAR}");
            }
        });
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn line((done, total): (usize, usize)) -> String {
    match total {
        0 => "Looking for manifests…".to_owned(),
        1 => "Checking…".to_owned(),
        total => format!("Checking… {done} of {total} charts and folders"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts_once_there_is_something_to_count() {
        let progress = Progress::default();
        assert_eq!(line(progress.seen()), "Looking for manifests…");
        progress.start(12);
        progress.step();
        assert_eq!(line(progress.seen()), "Checking… 1 of 12 charts and folders");
    }
}
