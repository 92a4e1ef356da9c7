//! Waits that a script is for, and whose failure nothing notices: `kubectl wait --for=condition=Ready shop/main; echo ready`.
//! And those whose failure it would notice, were it not hidden before: `kubectl wait … || true; if [ $? -ne 0 ]; then exit 1; fi`.

use crate::{
    analysis::{Action, Analysis, HiddenBy, Invocation, Propagation},
    catalogue::Verdict,
    text::ElementSpan,
};

/// Programs that wait for objects of a cluster, and fail if their time is up.
const WAITERS: [&str; 2] = ["kubectl", "oc"];

/// Programs that say something, or pass time.
const PRINTERS: [&str; 6] = ["cat", "date", "echo", "printf", "sleep", "true"];

/// What a command does that only asks.
const ANSWERS: [Verdict; 2] = [Verdict::ReadOnly, Verdict::Readiness];

/// The waits of a script that does nothing else, or that tests their status in vain, each with what hides its failure.
pub(crate) fn all(analysis: &Analysis) -> Vec<(ElementSpan, HiddenBy)> {
    let only_asks = |one: &Invocation| {
        let asks = one.actions.iter().all(|own| ANSWERS.contains(&own.verdict));
        let is_own =
            PRINTERS.contains(&one.program_name()) || WAITERS.contains(&one.program_name());
        one.recognised && asks && is_own && one.target.is_none()
    };
    let is_sole = analysis.waits.is_empty()
        && analysis.unknown.is_empty()
        && analysis.invocations.iter().all(only_asks);
    analysis.invocations.iter().filter_map(|one| unseen(one, is_sole)).collect()
}

fn unseen(one: &Invocation, is_sole: bool) -> Option<(ElementSpan, HiddenBy)> {
    let is_wait = |action: &&Action| {
        action.verdict == Verdict::Readiness && WAITERS.contains(&one.program_name())
    };
    let wait = one.actions.iter().find(is_wait)?;
    match one.propagation {
        Propagation::Hidden(by @ HiddenBy::LaterCommand)
            if is_sole && one.guards.is_empty() && !one.never_succeeds =>
        {
            Some((wait.location, by))
        }
        // By then `$?` is the status of what follows `||`.
        Propagation::Hidden(by @ (HiddenBy::OrTrue | HiddenBy::OrMessage))
            if one.gives_up_on_status && !one.never_succeeds =>
        {
            Some((wait.location, by))
        }
        _ => None,
    }
}
