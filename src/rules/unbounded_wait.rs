use shell_effects as script;

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "unbounded-wait",
    include_str!("../../rules/unbounded-wait.yaml"),
    Check::Workload(check),
);

const FIELD: &str = "activeDeadlineSeconds";

/// Whether a script waits without a limit and the Job has no deadline.
pub(super) fn is_reported(job: &Subject<'_>) -> bool {
    let mut waits = job.commands().iter().flat_map(|one| script::unbounded_waits(&one.analysis));
    !has_deadline(job) && waits.next().is_some()
}

fn has_deadline(job: &Subject<'_>) -> bool {
    job.job.set(FIELD).is_some() || job.is_elsewhere(FIELD)
}

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if has_deadline(job) {
        return;
    }
    let mut waits = job.commands().iter().flat_map(|command| {
        let locations = script::unbounded_waits(&command.analysis);
        locations.into_iter().map(move |location| (command, location))
    });
    let Some((command, location)) = waits.next() else { return };
    let label =
        format!("runs for ever when that never comes: no count, no `timeout`, no `{FIELD}`");
    let message = format!("{} may wait forever: nothing limits its wait", job.title());
    let mut finding = command.finding(location, label).message(message);
    if command.init {
        finding = finding.severity(Severity::Info);
    }
    found.push(waits.fold(finding, |finding, (command, location)| {
        command.label(finding, location, "nor this")
    }));
}
