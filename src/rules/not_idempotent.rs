use shell_effects::{self as script, Hazard, Verdict};

use super::{Check, Rule};
use crate::{
    command::Command,
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
        found.extend(hazards.iter().map(|hazard| {
            let finding = command.hazard(hazard, &rerun, job.context);
            match is_retried_after_itself(command, hazard, &rerun) {
                true => finding.pedantic(),
                false => finding,
            }
        }));
    }
    if hint == Some(false) && found.len() == before {
        found.extend(stated(job, &rerun));
    }
}

/// True for the last command of a script that only a failure repeats: once it has succeeded, nothing is left that fails.
fn is_retried_after_itself(command: &Command<'_>, hazard: &Hazard, rerun: &Rerun) -> bool {
    let last = command.analysis.invocations.last();
    matches!(rerun, Rerun::Retry(_))
        && hazard.verdict == Verdict::FailsWhenRepeated
        && !command.init
        && last.is_some_and(|last| last.holds(hazard.location))
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
