use job_lifecycle::{
    Deployer, Hook, Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    workload::Kind,
};

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-leftover",
    include_str!("../../rules/hook-leftover.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.kind != Kind::Job || job.job.set("ttlSecondsAfterFinished").is_some() {
        return;
    }
    let context = job.context;
    let verdicts = context.judge(|deployer| {
        let text = leftover(&job.hook(deployer)?, deployer)?;
        if job.is_deleted_by_hook(deployer, AFTER_RUN) {
            return None;
        }
        Some((Severity::Info, text.to_owned()))
    });
    let Some(worst) = verdicts.first() else { return };
    let key = [ARGO_HOOK, HELM_HOOK].into_iter().find_map(|key| job.object.annotation(key));
    if let Some(entry) = key {
        let message =
            format!("{} stays in the cluster when the release or app is deleted", job.title());
        let finding = Finding::new(entry.value.span, worst.text.clone()).message(message);
        found.push(finding.deployers(verdicts));
    }
}

/// Hook events after which the release may be gone.
const AFTER_RUN: &[&str] =
    &["post-install", "post-upgrade", "pre-delete", "post-delete", "PostSync", "PostDelete"];

fn leftover(hook: &Hook, deployer: &Deployer) -> Option<&'static str> {
    if deployer.tool == Tool::Argocd {
        let cleaned = hook.has_policy("HookSucceeded") || hook.has_policy("HookFailed");
        let deletes = hook.listens_to("PostDelete") && !cleaned;
        return deletes.then_some("the Job stays after the app is gone");
    }
    (!hook.has_policy("hook-succeeded")).then_some("the Job stays after the release is gone")
}
