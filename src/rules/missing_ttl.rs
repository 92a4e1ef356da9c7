use job_lifecycle::{Deployer, Tool, deployer::KubectlMode, workload::Kind};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    workload::Subject,
};

pub static RULE: Rule =
    Rule::new("missing-ttl", include_str!("../../rules/missing-ttl.yaml"), Check::Workload(check));

const FIELD: &str = "ttlSecondsAfterFinished";

/// What a TTL changes on the next deploy, and the remedies beside it, by tool and kubectl's `mode`.
/// Observed with Helm 3.22 and 4.3, kubectl 1.36: a Job that is gone is created and runs again,
/// changed or not.
const AFTER_TTL: &[(Tool, KubectlMode, &str, &str)] = &[
    (
        Tool::Helm3,
        KubectlMode::Apply,
        "the next `helm upgrade` after that creates the Job again and runs it",
        HOOK,
    ),
    (
        Tool::Helm4,
        KubectlMode::Apply,
        "the next `helm upgrade` after that creates the Job again and runs it",
        HOOK,
    ),
    (
        Tool::Kubectl,
        KubectlMode::Apply,
        "the next `kubectl apply` after that creates the Job again and runs it",
        DELETE,
    ),
    (
        Tool::Kubectl,
        KubectlMode::Create,
        "only after that can `kubectl create` run it again",
        DELETE,
    ),
    (
        Tool::Kubectl,
        KubectlMode::Replace,
        "the next `kubectl replace` after that finds no Job",
        DELETE,
    ),
];
const HOOK: &str =
    "a hook with `before-hook-creation`, or a name that contains a hash of its inputs";
const DELETE: &str = "`kubectl delete` the Job before it changes";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let owned = job.object.root.at(&["metadata", "ownerReferences"]).is_some();
    if job.kind == Kind::CronJob || job.object.is_unnamed() || owned {
        return;
    }
    if job.ttl().is_some() || job.is_elsewhere(FIELD) {
        return;
    }
    let facts: Vec<_> = job
        .context
        .applying(job.object)
        .filter(|deployer| !is_renewed(job, deployer))
        .filter_map(after_ttl)
        .collect();
    let (Some(key), Some((_, next, other))) = (job.job_key(), facts.first()) else { return };
    let seconds = RULE.integer(job.context.policy, "seconds");
    let one = |&(tool, next, _): &(Tool, &str, &str)| {
        PerDeployer::new(tool, Severity::Warning, format!("with a TTL, {next}"))
    };
    let name = job.object.display_name();
    let finding = Finding::new(key, format!("`{name}` stays after it has finished: no `{FIELD}`"))
        .help(format!("set `{FIELD}: {seconds}`: {next}. Other ways: {other}"))
        .deployers(facts.iter().map(one).collect());
    found.push(match fix::insert_first(job.source, job.job, FIELD, &seconds.to_string()) {
        Some(edit) if may_fix(job) => {
            finding.fix(format!("add `{FIELD}: {seconds}`"), Applicability::Unsafe, edit)
        }
        _ => finding,
    });
}

/// Helm removes the old Job when the name changes with the content.
fn is_renewed(job: &Subject<'_>, deployer: &Deployer) -> bool {
    deployer.tool != Tool::Kubectl && job.has_varying_name()
}

fn after_ttl(deployer: &Deployer) -> Option<(Tool, &'static str, &'static str)> {
    let mode = match deployer.kubectl_mode() {
        KubectlMode::ServerSide => KubectlMode::Apply,
        mode => mode,
    };
    let row = AFTER_TTL.iter().find(|(tool, of, ..)| *tool == deployer.tool && *of == mode)?;
    Some((row.0, row.2, row.3))
}

/// A TTL under Argo CD, Flux or Fleet makes the Job run in a loop or show as drift: no fix where one
/// of them deploys it, or might.
fn may_fix(job: &Subject<'_>) -> bool {
    let gitops = job.context.deployers.iter().any(|deployer| deployer.tool.is_gitops());
    !gitops && !job.context.is_assumed() && job.job.entry(FIELD).is_none()
}
