use job_lifecycle::{
    Deployer, Hook, Role, Tool,
    annotations::{ARGO_DELETE_POLICY, HELM_DELETE_POLICY},
    workload::Kind,
};

use super::{Check, Rule, stale_hook_blocks::only_speaks};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    words::shown_name,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "generate-name-leaks",
    include_str!("../../rules/generate-name-leaks.yaml"),
    Check::Workload(check),
);

/// When an Argo CD hook with `HookSucceeded` leaves one.
const FAILED: &str = "every failed sync leaves";

const TTL: &str = "ttlSecondsAfterFinished";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let unnamed = job.kind == Kind::Job && job.object.is_unnamed();
    if !unnamed || job.ttl().is_some() || job.is_elsewhere(TTL) {
        return;
    }
    let result = |deployer: &Deployer| {
        let text = leak(job, deployer)?;
        Some(PerDeployer::new(deployer.tool, Severity::Warning, text))
    };
    let results: Vec<_> = job.context.deployers.iter().filter_map(result).collect();
    let (Some(key), Some(first)) = (job.job_key(), results.first()) else { return };
    let name = shown_name(job.object);
    let label = match is_recreated_by_name(job, first.tool) {
        true => format!(
            "{} another `{name}`: `BeforeHookCreation` removes only a Job of the same name, and each has its own",
            first.text
        ),
        false => format!("{} another `{name}`, and nothing removes it", first.text),
    };
    let leaks_failed = first.text == FAILED;
    let seconds = RULE.integer(job.context.policy, "seconds");
    let message = format!("{} another finished {} behind", first.text, job.title());
    let finding = Finding::new(key, label)
        .message(message)
        .help(format!("set `{TTL}: {seconds}`"))
        .deployers(results);
    // What such a Job leaves of a failed sync is what somebody looks for.
    let finding = match leaks_failed && only_speaks(job) {
        true => finding.pedantic(),
        false => finding,
    };
    let edit = fix::insert_first(job.source, job.job, TTL, &seconds.to_string())
        .filter(|_| !job.is_misspelt(TTL));
    found.push(finding.fix_if(format!("add `{TTL}: {seconds}`"), Applicability::Unsafe, edit));
}

/// True for a hook whose author states that the old Job be deleted first.
fn is_recreated_by_name(job: &Subject<'_>, tool: Tool) -> bool {
    let states = |key| job.object.annotation(key).is_some();
    let hook = job.context.deployers.iter().find(|deployer| deployer.tool == tool);
    let hook = hook.and_then(|deployer| job.context.hook(job.object, deployer));
    tool == Tool::Argocd
        && (states(ARGO_DELETE_POLICY) || states(HELM_DELETE_POLICY))
        && hook.is_some_and(|hook| hook.is_recreated())
}

/// When another Job is left behind; `None` if the deployer cannot create it or cleans up.
fn leak(job: &Subject<'_>, deployer: &Deployer) -> Option<&'static str> {
    match job.role(deployer) {
        Role::Hook(hook) if deployer.tool == Tool::Argocd => argocd(&hook),
        Role::Hook(hook) => helm(&hook, deployer),
        Role::Plain if !job.is_created_anew(deployer) => None,
        Role::Plain if deployer.tool == Tool::Argocd => Some("every sync leaves"),
        Role::Plain => Some("every `kubectl create` leaves"),
        Role::Dropped => None,
    }
}

/// `BeforeHookCreation` looks up the name of the new run and never finds an old one.
fn argocd(hook: &Hook) -> Option<&'static str> {
    let has = |policy: &str| hook.policies.iter().any(|own| own == policy);
    match (has("HookSucceeded"), has("HookFailed")) {
        (true, true) => None,
        (true, false) => Some(FAILED),
        (false, true) => Some("every successful sync leaves"),
        (false, false) => Some("every sync leaves"),
    }
}

/// Helm creates a hook without a name only if it never deletes it and does not use server-side apply: observed
/// with 3.22 and 4.3.
fn helm(hook: &Hook, deployer: &Deployer) -> Option<&'static str> {
    let creates = deployer.tool == Tool::Helm3
        || deployer.tool == Tool::Helm4 && deployer.applies_client_side();
    let kept = hook.policies.iter().all(|policy| policy == "hook-failed");
    (creates && kept).then_some("every release leaves")
}
