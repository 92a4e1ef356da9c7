use shell_effects::{self as script, ElementSpan};

use super::{Check, Rule};
use crate::{
    command::{Command, are_fresh},
    finding::Finding,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "backup-lost-with-pod",
    include_str!("../../rules/backup-lost-with-pod.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for command in job.commands() {
        let Some((dump, file)) = lost(job, command) else { continue };
        let program = command.named(dump);
        let target = file.map_or_else(|| "its file".to_owned(), |path| format!("`{path}`"));
        let finding = command
            .finding(dump, format!("writes {target}, which no volume keeps and nothing takes away"))
            .message(format!(
                "{} keeps no backup: what {program} writes goes with the pod",
                job.title()
            ));
        found.push(match may_be_mounted(job, command) {
            true => finding.pedantic(),
            false => finding,
        });
    }
}

/// The command that makes a backup which is gone with the pod, and the file, if its path is stated.
pub(super) fn lost<'c>(
    job: &Subject<'_>,
    command: &'c Command<'_>,
) -> Option<(ElementSpan, Option<&'c str>)> {
    let is_alone = !command.init && job.containers().len() == 1;
    let is_lost = is_alone && are_fresh(job, command.container);
    script::lost_backup(&command.analysis).filter(|_| is_lost)
}

/// Whether a template mounts a volume under other values than those that it was rendered with.
fn may_be_mounted(job: &Subject<'_>, command: &Command<'_>) -> bool {
    let origin = job.source.origin.as_deref();
    command.container.get("volumeMounts").is_none()
        && origin.is_some_and(|origin| {
            let template = origin.written(command.container.span).at.source;
            template.text.contains("volumeMounts")
        })
}
