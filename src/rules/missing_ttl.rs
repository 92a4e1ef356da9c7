use job_lifecycle::{
    Deployer, Tool, deployer::KubectlMode, release_changes::HookChange, workload::Kind,
};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    unit::UnitKind,
    words::shown_name,
    workload::{Rejection, Subject},
};

pub(crate) static RULE: Rule =
    Rule::new("missing-ttl", include_str!("../../rules/missing-ttl.yaml"), Check::Workload(check));

const FIELD: &str = "ttlSecondsAfterFinished";

/// What a TTL changes on the next deploy, and the other fixes, by tool and kubectl's `mode`. Observed with Helm 3.22
/// and 4.3, kubectl 1.36: a missing Job is created and runs again, changed or not.
const AFTER_TTL: &[(Tool, KubectlMode, &str, &str)] = &[
    (Tool::Helm3, KubectlMode::Apply, UPGRADE, HOOK),
    (Tool::Helm4, KubectlMode::Apply, UPGRADE, HOOK),
    (Tool::Kubectl, KubectlMode::Apply, APPLY, DELETE),
    (Tool::Kubectl, KubectlMode::Create, CREATE, DELETE),
    (Tool::Kubectl, KubectlMode::Replace, REPLACE, DELETE),
];
const UPGRADE: &str = "the next `helm upgrade` after that runs the Job again";
const APPLY: &str = "the next `kubectl apply` after that runs the Job again";
const CREATE: &str = "only after that can `kubectl create` run it again";
const REPLACE: &str = "the next `kubectl replace` after that finds no Job";
const HOOK: &str =
    "make it a hook with `before-hook-creation`, or put a hash of its inputs into its name";
const DELETE: &str = "run `kubectl delete` before you change it";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let owned = job.object.root.at(&["metadata", "ownerReferences"]).is_some();
    if job.kind == Kind::CronJob || job.object.is_unnamed() || owned {
        return;
    }
    if job.ttl().is_some() || job.is_elsewhere(FIELD) || job.is_misspelt(FIELD) {
        return;
    }
    // `hook-annotation-without-hook` reports that the delete policy removes nothing.
    if crate::workload::idle_hook::has_policy(job.object) {
        return;
    }
    // Of these, the missing TTL is only a part.
    if super::unreplaceable_job::is_reported(job) {
        return;
    }
    let facts: Vec<_> = job
        .applying()
        .filter(|deployer| !is_renewed(job, deployer) && !is_rejected(job, deployer))
        .filter(|deployer| !job.is_deleted_by_hook(deployer, AFTER_RUN))
        .filter_map(after_ttl)
        .collect();
    let (Some(key), Some((_, next, other))) = (job.job_key(), facts.first()) else { return };
    let seconds = RULE.integer(job.context.policy, "seconds");
    let one = |&(tool, next, _): &(Tool, &str, &str)| {
        PerDeployer::new(tool, Severity::Warning, format!("with a TTL, {next}"))
    };
    let name = shown_name(job.object);
    // Helm removes the old Job, so that this is for kubectl.
    let piles_up = job.has_varying_name();
    let message = match piles_up {
        true => format!("each version leaves another finished {} behind", job.title()),
        false => format!("{} has no TTL and stays in the cluster after it finishes", job.title()),
    };
    let finding = Finding::new(key, format!("`{name}` stays after it has finished: no `{FIELD}`"))
        .message(message)
        .help(format!("set `{FIELD}: {seconds}` ({next}), or {other}"))
        .deployers(facts.iter().map(one).collect());
    let edit = fix::insert_first(job.source, job.job, FIELD, &seconds.to_string())
        .filter(|_| may_fix(job));
    let finding = finding.fix_if(format!("add `{FIELD}: {seconds}`"), Applicability::Unsafe, edit);
    // One finished Job is harmless, and of a manifest nothing says that it is deployed a second time.
    let may_be_once = job.context.kind != UnitKind::Chart && job.context.is_assumed();
    found.push(if piles_up && !may_be_once { finding } else { finding.pedantic() });
}

/// True when another rule reports that the next release of the Job is refused.
fn is_rejected(job: &Subject<'_>, deployer: &Deployer) -> bool {
    let is_reported = |rejection: &Rejection<'_>| {
        rejection.deployer.tool == deployer.tool && rejection.severity > Severity::Info
    };
    !job.has_varying_name() && job.rejections().iter().any(is_reported)
}

/// Hook events that come after a run of the Job, while the release is there.
const AFTER_RUN: &[&str] =
    &["post-install", "pre-upgrade", "post-upgrade", "PreSync", "Sync", "PostSync"];

/// True when the deployer removes the old Job: Helm does if the name changes with the content, if the Job is a hook in
/// upgrades that is deleted before it is created, or if only an install renders it.
fn is_renewed(job: &Subject<'_>, deployer: &Deployer) -> bool {
    let upgrade = job.changes.map(|changes| &changes.under(deployer).upgrade);
    let is_removed = upgrade.is_some_and(|upgrade| {
        let hook = upgrade.hook.as_ref();
        upgrade.gone || matches!(hook, Some(HookChange::Becomes(hook)) if hook.is_recreated())
    });
    deployer.tool != Tool::Kubectl && (is_removed || job.has_varying_name())
}

fn after_ttl(deployer: &Deployer) -> Option<(Tool, &'static str, &'static str)> {
    let mode = match deployer.kubectl_mode() {
        KubectlMode::ServerSide => KubectlMode::Apply,
        mode => mode,
    };
    let row = AFTER_TTL.iter().find(|(tool, of, ..)| *tool == deployer.tool && *of == mode)?;
    Some((row.0, row.2, row.3))
}

/// False where Argo CD, Flux or Fleet deploys the Job or might: with a TTL, they run it in a loop or report drift. And
/// for commands that do harm when they run again, as they do at the first deploy after the TTL.
fn may_fix(job: &Subject<'_>) -> bool {
    let gitops = job.context.deployers.iter().any(|deployer| deployer.tool.is_gitops());
    let does_harm = job.is_idempotent() == Some(false);
    !gitops && !does_harm && !job.context.is_assumed() && job.job.entry(FIELD).is_none()
}
