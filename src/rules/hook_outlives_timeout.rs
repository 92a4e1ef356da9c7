use job_lifecycle::{Deployer, Tool, workload::Kind};

use super::{Check, Rule};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    words::duration,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-outlives-timeout",
    include_str!("../../rules/hook-outlives-timeout.yaml"),
    Check::Workload(check),
);

/// `--timeout` of Helm and `timeout` of a HelmRelease, in seconds.
const DEFAULT_TIMEOUT: i64 = 300;

/// The default of `backoffLimit`.
const DEFAULT_RETRIES: i64 = 6;

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.kind != Kind::Job {
        return;
    }
    let (deadline, limit) = (job.job.set("activeDeadlineSeconds"), job.job.set("backoffLimit"));
    let written = deadline.or(limit);
    let retries = limit.map_or(Some(DEFAULT_RETRIES), |node| node.as_int());
    let lasts = match deadline {
        Some(deadline) => deadline.as_int(),
        None => retries.map(back_off),
    };
    let (Some(lasts), Some(span)) = (lasts, written.map(|node| node.span).or(job.job_key())) else {
        return;
    };
    let severity = if written.is_some() { Severity::Warning } else { Severity::Info };
    let context = job.context;
    let verdicts = context.judge(|deployer| {
        job.hook(deployer).filter(|hook| !hook.is_test())?;
        let timeout = timeout(deployer).filter(|timeout| lasts > *timeout)?;
        Some((severity, format!("gives up after {}", duration(timeout))))
    });
    let Some(worst) = verdicts.first() else { return };
    let then = format!("{} {}", PerDeployer::subject(&verdicts), worst.text);
    let label = match (deadline, retries) {
        (Some(_), _) => format!("allows {}, {then}", duration(lasts)),
        (None, Some(retries)) => {
            format!("{retries} retries take {} of back-off alone, {then}", duration(lasts))
        }
        (None, None) => return,
    };
    let subject = PerDeployer::subject(&verdicts);
    let message = format!("{subject} {} on {}, which may run longer", worst.text, job.title());
    let is_stated = context.deployers.iter().any(|one| {
        one.timeout().is_some() && verdicts.iter().any(|verdict| verdict.tool == one.tool)
    });
    let finding = Finding::new(span, label).message(message).deployers(verdicts);
    found.push(if is_stated && written.is_some() { finding } else { finding.pedantic() });
}

/// How many seconds the deployer waits for one hook; `None` if it waits forever or the limit is unknown.
fn timeout(deployer: &Deployer) -> Option<i64> {
    let stated = deployer.timeout().and_then(|seconds| i64::try_from(seconds).ok());
    match (deployer.tool, stated) {
        (Tool::Helm3, Some(0)) => None,
        // Helm 4 takes 0 as the default of its watcher.
        (Tool::Helm4, Some(0)) => Some(30),
        (Tool::Helm3 | Tool::Helm4 | Tool::Flux, stated) => Some(stated.unwrap_or(DEFAULT_TIMEOUT)),
        (Tool::Argocd | Tool::Fleet | Tool::Kubectl, _) => None,
    }
}

/// The total back-off of the Job controller in seconds: 10 s before the first retry, then doubled up to 6 minutes.
fn back_off(retries: i64) -> i64 {
    let doubled = (0..retries.clamp(0, 6)).map(|retry| (10 << retry).min(360)).sum::<i64>();
    doubled + (retries - 6).clamp(0, 1 << 40) * 360
}
