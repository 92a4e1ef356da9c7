use shell_effects as script;

use super::{Check, Rule};
use crate::{
    finding::{Confidence, Finding},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "retry-cannot-help",
    include_str!("../../rules/retry-cannot-help.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let retries = job.retries();
    if retries == 0 {
        return;
    }
    let times = if retries == 1 { "once".to_owned() } else { format!("{retries} times") };
    for command in job.commands() {
        let hazards = script::retry_cannot_help(&command.analysis);
        let Some((first, others)) = hazards.split_first() else { continue };
        let label = format!("{}, and the Job tries {times} more", first.reason);
        let message = format!("retries of {} cannot help: {}", job.title(), first.reason);
        let mut finding =
            command.finding(first.location, label).message(message).confidence(first.confidence);
        for other in others {
            finding = command.label(finding, other.location, "the same here");
        }
        if let Some(limit) = job.job.entry("backoffLimit") {
            finding = finding.label(limit.value.span, "the retries");
        }
        // The first failure may be another one, which the next try does not meet.
        let is_certain = first.confidence == Confidence::High;
        found.push(if is_certain { finding } else { finding.pedantic() });
    }
}
