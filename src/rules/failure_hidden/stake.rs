//! What a failure leaves undone, and which of several commands names the finding.

use shell_effects::{HiddenFailure, Verdict};

use crate::command::Command;

/// What a failure leaves undone, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stake {
    /// Nothing that anybody misses at once: old files, labels, a message.
    Little,
    /// Files.
    Files,
    /// A request.
    Request,
    /// Something else outside the pod.
    Remote,
    /// A backup.
    Backup,
}

/// The most that one of the commands has at stake.
pub(super) fn stake(all: &[HiddenFailure]) -> Stake {
    let of_one = |one: &HiddenFailure| match one {
        one if one.is_dump => Stake::Backup,
        one if one.is_minor || one.is_report => Stake::Little,
        one if one.is_remote && one.is_request => Stake::Request,
        one if one.is_remote => Stake::Remote,
        _ => Stake::Files,
    };
    all.iter().map(of_one).max().unwrap_or(Stake::Little)
}

/// Commands that prepare files for others.
pub(super) const PREPARES: [&str; 6] = ["chmod", "chown", "ln", "mkdir", "rm", "touch"];

/// Puts the first of the commands with the most at stake in front.
pub(super) fn put_first(group: &mut [HiddenFailure]) {
    let most = stake(group);
    let first = group.iter().position(|one| own_stake(one) == most).unwrap_or_default();
    group[..=first].rotate_right(1);
}

/// Which command names the finding about a missing `set -e`: the one with the most at stake outside the pod, of several the
/// last, of equal ones the first; else the first that does more than prepare for others. Not one that is expected to fail on a
/// second run.
pub(super) fn named_by(command: &Command<'_>, all: &[HiddenFailure]) -> Option<usize> {
    let prepares = |one: &HiddenFailure| PREPARES.contains(&command.text(one.location));
    // It fails on every run but the first: `restic init` before `restic backup`.
    let is_expected = |one: &HiddenFailure| {
        one.verdict == Verdict::FailsWhenRepeated && command.text(one.location) == "init"
    };
    let works = |one: &HiddenFailure| !prepares(one) && !one.only_enters;
    let matters =
        |one: &HiddenFailure| works(one) && !is_expected(one) && own_stake(one) >= Stake::Request;
    let with_most = all.iter().filter(|one| matters(one)).max_by_key(|one| own_stake(one));
    let most = with_most.and_then(|last| {
        let name = command.named(last.location);
        let is_equal = |one: &HiddenFailure| {
            matters(one) && own_stake(one) == own_stake(last) && command.named(one.location) == name
        };
        all.iter().position(is_equal)
    });
    let first = |wanted: &dyn Fn(&HiddenFailure) -> bool| all.iter().position(wanted);
    most.or_else(|| first(&|one| works(one) && !is_expected(one)))
        .or_else(|| first(&works))
        .or_else(|| first(&|one| !prepares(one)))
}

fn own_stake(one: &HiddenFailure) -> Stake {
    stake(std::slice::from_ref(one))
}
