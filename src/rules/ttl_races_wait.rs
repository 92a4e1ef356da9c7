use job_lifecycle::{Deployer, Role, Tool, workload::Kind};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "ttl-races-wait",
    include_str!("../../rules/ttl-races-wait.yaml"),
    Check::Workload(check),
);

/// Flux's poll interval in seconds: a Job that fails and is removed in between counts as done.
const POLL: i64 = 5;

/// Argo CD up to 2.14 can miss the end of a hook whose TTL is shorter.
const OLD_ARGOCD: i64 = 30;

/// Helm 3 with `--wait-for-jobs` can miss the end of a Job whose TTL is not longer.
const HELM3: i64 = 1;

/// A TTL that is long enough for every deployer.
const ENOUGH: &str = "60";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(ttl) = job.ttl().filter(|_| job.kind == Kind::Job) else { return };
    let Some(seconds) = ttl.value.as_int() else { return };
    let context = job.context;
    let verdicts = context.judge(|deployer| {
        let (severity, text) = match job.role(deployer) {
            Role::Plain => plain(job, deployer, seconds),
            Role::Hook(hook) if !hook.is_test() => of_hook(job, deployer, seconds),
            Role::Hook(_) | Role::Dropped => None,
        }?;
        Some((severity, text.to_owned()))
    });
    let Some(worst) = verdicts.first() else { return };
    let label = format!(
        "gone {seconds} s after its end: {} {}",
        PerDeployer::subject(&verdicts),
        worst.text
    );
    let subject = PerDeployer::subject(&verdicts);
    let message = format!(
        "{subject} may miss the end of {}: its TTL of {seconds} s is too short",
        job.title()
    );
    let finding =
        Finding::new(ttl.key_span.to(ttl.value.span), label).message(message).deployers(verdicts);
    let edit = fix::replace(&ttl.value, ENOUGH);
    found.push(finding.fix(format!("wait {ENOUGH} s"), Applicability::Unsafe, edit));
}

/// What a deployer that waits for an ordinary Job concludes once the Job is gone (observed 3; observed 5;
/// observed k04g; observed h06g; observed n01).
fn plain(job: &Subject<'_>, deployer: &Deployer, ttl: i64) -> Option<(Severity, &'static str)> {
    let vanished = "may count its failure as success";
    match deployer.tool {
        Tool::Helm3 if deployer.waits_for_jobs() && ttl <= HELM3 => {
            Some((Severity::Warning, "may not find it and fail, though it succeeded"))
        }
        Tool::Flux if deployer.is_helm_release(job.context.from_chart()) && ttl < POLL => {
            Some((Severity::Warning, vanished))
        }
        Tool::Flux if deployer.flux().wait == Some(true) && ttl < POLL => {
            Some((Severity::Warning, vanished))
        }
        _ => None,
    }
}

/// The same for a hook, which every deployer waits for (argocd 6.2; observed 2; observed h06d; observed h06e;
/// observed h06f; observed n01).
fn of_hook(job: &Subject<'_>, deployer: &Deployer, ttl: i64) -> Option<(Severity, &'static str)> {
    match deployer.tool {
        Tool::Flux if ttl < POLL => {
            Some((Severity::Error, "may count its failure as success, and goes on"))
        }
        Tool::Helm4 if ttl == 0 && ends_without_pod(job) => {
            Some((Severity::Warning, "may wait for it until the timeout, and fail"))
        }
        Tool::Argocd if !deployer.since(&[3, 0]) && ttl < OLD_ARGOCD => {
            Some((Severity::Warning, "may wait for it without end"))
        }
        _ => None,
    }
}

/// True when the Job finishes within milliseconds, before a watcher starts.
fn ends_without_pod(job: &Subject<'_>) -> bool {
    let is_zero = |key: &str| job.job.get(key).and_then(|node| node.as_int()) == Some(0);
    is_zero("completions") || is_zero("activeDeadlineSeconds")
}
