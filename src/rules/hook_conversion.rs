use std::cell::Cell;

use job_lifecycle::{
    Event, Outcome,
    annotations::HELM_HOOK,
    forecast::{DeployedWorkload, forecast},
    release_changes::HookChange,
};

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-conversion",
    include_str!("../../rules/hook-conversion.yaml"),
    Check::Workload(check),
);

/// A chart that makes a hook of a workload in upgrades alone, or in installs alone, so that the first upgrade fails.
/// `joblint upgrade` reports conversions from one version to another.
fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(changes) = job.changes else { return };
    let is_silent = Cell::new(true);
    let verdicts = job.context.judge(|deployer| {
        changes.under(deployer).upgrade.hook.as_ref()?;
        let role = job.context.role(job.object, deployer);
        let work = DeployedWorkload::new(job.object, role, job.context.from_chart())?;
        let work = work.deleted_by(job.context.deleters(job.object));
        let first = forecast(&work, changes, deployer, Event::Upgrade)?;
        let fails = first.outcome.fails() || first.outcome == Outcome::FalseSuccess;
        is_silent.set(is_silent.get() && first.outcome == Outcome::FalseSuccess);
        fails.then_some((Severity::Error, first.reason))
    });
    let name = job.object.root.at(&["metadata", "name"]);
    let (Some(first), Some(name)) = (verdicts.first(), name) else { return };
    let hook = job.object.annotation(HELM_HOOK).map(|entry| entry.value.span);
    let when = match &changes.upgrade.hook {
        Some(HookChange::Becomes(_)) => "upgrades",
        _ => "installs",
    };
    let title = job.title();
    let message = match is_silent.get() {
        true => format!("the first upgrade does not run {title}, which is a hook in {when} only"),
        false => format!("the first upgrade will fail: {title} is a hook in {when} only"),
    };
    let finding = Finding::new(hook.unwrap_or(name.span), first.text.clone()).message(message);
    found.push(finding.deployers(verdicts));
}
