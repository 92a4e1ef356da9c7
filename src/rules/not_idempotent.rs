use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::{Again, Workload},
};
use shell_effects as script;

pub static RULE: Rule = Rule::new(
    "not-idempotent",
    include_str!("../../rules/not-idempotent.yaml"),
    Check::Workload(check),
);

fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    let hint = job.idempotent_hint();
    if hint == Some(true) || job.cleans_up() {
        return;
    }
    let again = job.again();
    let before = found.len();
    for command in job.commands() {
        let hazards = script::not_idempotent(&command.analysis);
        found.extend(hazards.iter().map(|hazard| command.hazard(hazard, &again)));
    }
    if hint == Some(false) && found.len() == before {
        found.extend(stated(job, &again));
    }
}

/// The author says so: worth a word where something runs it again.
fn stated(job: &Workload<'_>, again: &Again) -> Option<Finding> {
    // A `backoffLimit` that is missing is for `default-backoff-limit` to name.
    let severity = match again {
        Again::Loop(_) | Again::Deploy(_) => Severity::Error,
        Again::Retry(_) if job.job.set("backoffLimit").is_some() => Severity::Warning,
        Again::Retry(_) | Again::Schedule | Again::Chance => return None,
    };
    let span = job.hint()?.value.span;
    let label = format!("a second run does harm; {}", again.cause());
    let finding = Finding::new(span, label).deployers(again.deployers().to_vec());
    Some(finding.severity(severity))
}
