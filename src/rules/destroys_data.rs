use shell_effects::{self as script, Verdict};

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "destroys-data",
    include_str!("../../rules/destroys-data.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.cleans_up() {
        return;
    }
    let rerun = job.rerun();
    let hint = job.hint().filter(|_| job.idempotent_hint() == Some(true));
    for command in job.commands() {
        for hazard in script::destroys_data(&command.analysis) {
            let finding = command.hazard(&hazard, &rerun, job.context);
            // Whoever switches on a Job that does nothing else wants what it does.
            let finding = match job.context.tried && job.commands().len() == 1 {
                true => finding.severity(Severity::Info),
                false => finding,
            };
            let finding = match rerun.severity(Verdict::Destroys) {
                (_, true) => finding,
                _ => finding.pedantic(),
            };
            found.push(match hint {
                Some(hint) => finding.label(hint.value.span, "yet this says that it does no harm"),
                None => finding,
            });
        }
    }
}
