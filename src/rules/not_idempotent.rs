use shell_effects as script;

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::{Rerun, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "not-idempotent",
    include_str!("../../rules/not-idempotent.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let hint = job.idempotent_hint();
    if hint == Some(true) || job.cleans_up() {
        return;
    }
    let rerun = job.rerun();
    let before = found.len();
    for command in job.commands() {
        let hazards = script::not_idempotent(&command.analysis);
        found.extend(hazards.iter().map(|hazard| command.hazard(hazard, &rerun, job.context)));
    }
    if hint == Some(false) && found.len() == before {
        found.extend(stated(job, &rerun));
    }
}

/// The finding about a Job that its author states not to be idempotent, if something runs it again.
fn stated(job: &Subject<'_>, rerun: &Rerun) -> Option<Finding> {
    let severity = match rerun {
        Rerun::Loop(_) | Rerun::Deploy(_) => Severity::Error,
        Rerun::Retry(_) => Severity::Warning,
        Rerun::Schedule | Rerun::Chance => return None,
    };
    let span = job.hint()?.value.span;
    let label = format!("a second run does harm; {}", rerun.cause());
    let message = format!("a second run of {} does harm, and {}", job.title(), rerun.cause());
    let finding = Finding::new(span, label).message(message);
    let finding = finding.deployers(rerun.deployers().to_vec());
    Some(finding.severity(severity))
}
