use job_lifecycle::Deployer;

use super::{Check, Rule};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    words::{duration, shown_name},
    workload::{AfterTtl, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "edit-within-ttl",
    include_str!("../../rules/edit-within-ttl.yaml"),
    Check::Workload(check),
);

/// `ttl-reruns` and `ttl-out-of-sync` cover deployers that notice the missing Job, and
/// `template-changes-under-fixed-name` covers releases that change it.
fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.has_varying_name() || !job.rejections().is_empty() {
        return;
    }
    let unnoticed = |(deployer, after): &(&Deployer, AfterTtl)| {
        *after == AfterTtl::Unnoticed && job.is_patched(deployer)
    };
    let patching: Vec<_> = job.after_ttl().into_iter().filter(unnoticed).collect();
    let Some(ttl) = job.ttl() else { return };
    let (false, Some(seconds)) = (patching.is_empty(), ttl.value.as_int()) else { return };
    let (name, time) = (shown_name(job.object), duration(seconds));
    let label = format!("`{name}` stays for {time} after a run, and its pod template is immutable");
    let text = "a deploy that changes the pod template before the TTL has passed is rejected";
    let verdict = |(deployer, _): &(&Deployer, AfterTtl)| {
        PerDeployer::new(deployer.tool, Severity::Info, text)
    };
    let message = format!("an edit of {} is rejected within {time} of its last run", job.title());
    let finding = Finding::new(ttl.key_span.to(ttl.value.span), label).message(message);
    found.push(finding.deployers(patching.iter().map(verdict).collect()));
}
