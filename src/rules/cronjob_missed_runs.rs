use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "cronjob-missed-runs",
    include_str!("../../rules/cronjob-missed-runs.yaml"),
    Check::Workload(check),
);

const FIELD: &str = "startingDeadlineSeconds";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(cron) = job.cron() else { return };
    match cron.set(FIELD) {
        // The controller checks every 10 s: kubernetes.io, "Deadline for delayed Job start".
        Some(value) if value.as_int().is_some_and(|seconds| (0..10).contains(&seconds)) => {
            let label = "below 10 s the controller may never see a start in time";
            let message = format!("{} may never start: `{FIELD}` is below 10", job.title());
            let finding = Finding::new(value.span, label).message(message);
            found.push(finding.help(format!("set `{FIELD}` to 60 or more")));
        }
        Some(_) => {}
        None => {
            let Some(key) = job.object.deepest_key(&["spec"]) else { return };
            let label = format!("no `{FIELD}`: a missed run starts however late");
            let message = format!("a missed run of {} starts however late it is", job.title());
            found.push(Finding::new(key, label).message(message));
        }
    }
}
