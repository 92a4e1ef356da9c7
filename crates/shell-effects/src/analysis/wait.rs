//! Loops that wait.

use crate::text::ElementSpan;

/// A loop that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// The whole loop.
    pub location: ElementSpan,
    /// Only success ends it.
    pub(crate) unbounded: bool,
    /// It waits for nothing, and only passes time.
    pub(crate) idles: bool,
    /// Nothing leaves it, whatever its tests tell: it repeats its work rather than waits.
    pub is_never_left: bool,
    /// What each turn does.
    pub turn: Turn,
}

/// What each turn of a loop that waits does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Turn {
    /// It passes time.
    pub pauses: bool,
    /// The log tells what is not there yet, and why as far as what it runs knows that.
    pub says_why: bool,
    /// An error that would say more than that something is not up goes to `/dev/null`, such as that of a wrong password.
    pub hides_refusal: bool,
    /// It asks for a port of the pod itself.
    pub asks_localhost: bool,
    /// It asks for a file.
    pub asks_for_file: bool,
    /// It only asks whether something is up: a wrong password or a missing table does not keep it going.
    pub only_probes: bool,
    /// It looks at `SECONDS`, which the shell does not count up.
    pub stopped_clock: bool,
    /// It waits for an answer to differ from that of the same query, asked at the same moment.
    pub compares_itself: bool,
}
