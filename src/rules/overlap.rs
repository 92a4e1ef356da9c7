use job_lifecycle::{
    Deployer, Tool,
    annotations::{ARGO_SYNC_OPTIONS, FLUX_FORCE, HELM_DELETE_POLICY, HELM_HOOK},
    workload::Kind,
};
use shell_effects as script;
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule =
    Rule::new("overlap", include_str!("../../rules/overlap.yaml"), Check::Workload(check));

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let hint = job.idempotent_hint();
    if hint == Some(true) {
        return;
    }
    let clash = job.commands().iter().find_map(|command| {
        Some((command, script::unsafe_to_overlap(&command.analysis).into_iter().next()?))
    });
    for finding in [schedule(job), replacement(job), redeploy(job)].into_iter().flatten() {
        found.push(match &clash {
            Some((command, hazard)) => {
                command.label(finding, hazard.location, hazard.reason.as_str())
            }
            None => finding,
        });
    }
}

/// The next scheduled run starts while the previous one is active.
fn schedule(job: &Subject<'_>) -> Option<Finding> {
    let cron = job.cron()?;
    let policy = cron.set("concurrencyPolicy");
    let (finding, edit) = match policy.map(Node::as_str) {
        Some(Some("Allow")) => {
            let label = "a run that takes longer than the schedule's interval meets the next one";
            let edit = fix::replace_string(job.source, policy?, "Forbid");
            (Finding::new(policy?.span, label), Some(edit))
        }
        None => {
            let label = "`concurrencyPolicy` is missing and defaults to `Allow`: a long run meets the next one";
            let edit = fix::insert_first(job.source, cron, "concurrencyPolicy", "Forbid");
            (Finding::new(job.object.deepest_key(&["spec"])?, label), edit)
        }
        Some(_) => return None,
    };
    let message = format!("runs of {} may overlap", job.title());
    let finding = finding.message(message).help("set `concurrencyPolicy: Forbid`");
    Some(finding.fix_if("set `concurrencyPolicy: Forbid`", Applicability::Unsafe, edit))
}

/// The Job controller starts a new pod while the old one is terminating. Jobs that run several pods in parallel
/// already have to cope with that.
fn replacement(job: &Subject<'_>) -> Option<Finding> {
    let several = job.job.get("parallelism").and_then(Node::as_int).is_some_and(|pods| pods > 1);
    let policy = job.job.set("podReplacementPolicy");
    if several || job.job.set("podFailurePolicy").is_some() {
        return None;
    }
    let (finding, edit) = match policy.map(Node::as_str) {
        Some(Some("TerminatingOrFailed")) => {
            let label = "a new pod starts while the old one is still terminating";
            let edit = fix::replace_string(job.source, policy?, "Failed");
            (Finding::new(policy?.span, label), Some(edit))
        }
        None => {
            let label = "`podReplacementPolicy` is missing: a new pod starts while the old one is still terminating";
            let edit = fix::insert_first(job.source, job.job, "podReplacementPolicy", "Failed");
            (Finding::new(job.job_key()?, label).severity(Severity::Info), edit)
        }
        Some(_) => return None,
    };
    let message = format!("a retry of {} may start before its old pod has ended", job.title());
    let finding = finding.message(message).help("set `podReplacementPolicy: Failed`");
    Some(finding.fix_if("set `podReplacementPolicy: Failed`", Applicability::Unsafe, edit))
}

/// The deployer deletes the Job and creates it again without waiting for its pod.
fn redeploy(job: &Subject<'_>) -> Option<Finding> {
    if job.kind == Kind::CronJob {
        return None;
    }
    let deployers = job.context.deployers.iter();
    let recreating: Vec<_> =
        deployers.filter(|deployer| job.is_recreated_while_running(deployer)).collect();
    let (keys, _) = how_recreated(job, recreating.first()?);
    let written = keys.iter().find_map(|key| Some(job.object.annotation(key)?.value.span));
    let span = written.or_else(|| job.object.deepest_key(&["metadata", "annotations"]))?;
    let label =
        "a deploy during a run starts a second pod beside the first, until that has stopped";
    let result = |deployer: &&Deployer| {
        PerDeployer::new(deployer.tool, Severity::Warning, how_recreated(job, deployer).1)
    };
    let message = format!("a deploy during a run of {} starts a second pod", job.title());
    let finding = Finding::new(span, label)
        .message(message)
        .help("let the command take a lock, or shorten `terminationGracePeriodSeconds`")
        .deployers(recreating.iter().map(result).collect());
    Some(finding)
}

/// The annotations that make a deployer delete a running Job, the decisive one first, and what happens.
fn how_recreated(
    job: &Subject<'_>,
    deployer: &Deployer,
) -> (&'static [&'static str], &'static str) {
    let is_hook = job.hook(deployer).is_some();
    match deployer.tool {
        _ if is_hook => (
            &[HELM_DELETE_POLICY, HELM_HOOK],
            "`before-hook-creation` deletes the Job and does not wait for its pod",
        ),
        Tool::Argocd if job.is_always_recreated(deployer) => (
            &[ARGO_SYNC_OPTIONS],
            "`Force=true,Replace=true` deletes the Job and does not wait for its pod",
        ),
        Tool::Argocd => {
            (&[ARGO_SYNC_OPTIONS], "`Force=true` deletes the Job and does not wait for its pod")
        }
        _ => (&[FLUX_FORCE], "force deletes the Job and does not wait for its pod"),
    }
}
