use shell_effects as script;

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub static RULE: Rule = Rule::new(
    "unbounded-wait",
    include_str!("../../rules/unbounded-wait.yaml"),
    Check::Workload(check),
);

const FIELD: &str = "activeDeadlineSeconds";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.job.set(FIELD).is_some() || job.is_elsewhere(FIELD) {
        return;
    }
    let waits = job.commands().iter().flat_map(|command| {
        let places = script::unbounded_waits(&command.analysis);
        places.into_iter().map(move |place| (command, place))
    });
    let mut waits = waits;
    let Some((command, place)) = waits.next() else { return };
    let label =
        format!("runs for ever when that never comes: no count, no `timeout`, no `{FIELD}`");
    let finding = command.finding(place, label);
    found.push(
        waits.fold(finding, |finding, (command, place)| command.label(finding, place, "nor this")),
    );
}
