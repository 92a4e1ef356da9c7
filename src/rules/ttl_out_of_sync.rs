use job_lifecycle::Tool;

use super::{Check, Rule, fleet_compare_patch};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    words::duration,
    workload::{AfterTtl, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "ttl-out-of-sync",
    include_str!("../../rules/ttl-out-of-sync.yaml"),
    Check::Workload(check),
);

/// What brings the Job back, as observed with Argo CD 3.5, helm-controller 1.6 and Fleet 0.16.
const NEXT_RUN: [(Tool, &str); 3] = [
    (Tool::Argocd, "the next full sync runs it again: by hand, or with any commit"),
    (Tool::Flux, "the next upgrade runs it again"),
    (Tool::Fleet, "the next changed deployment runs it again"),
];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let gone = job.after_ttl();
    // If one deployer recreates the Job in a loop, `ttl-reruns` covers the others too.
    if gone.iter().any(|(_, gone)| matches!(gone, AfterTtl::Recreated(_))) {
        return;
    }
    let mut results: Vec<_> = gone.iter().filter_map(|(of, gone)| result(of.tool, gone)).collect();
    results.dedup();
    // The author has stated that the TTL stays.
    if fleet_compare_patch::is_reported(job) {
        results.retain(|one| one.tool != Tool::Fleet);
    }
    let Some(ttl) = job.ttl().filter(|ttl| ttl.value.as_int().is_some()) else { return };
    let Some(first) = results.first() else { return };
    let time = duration(ttl.value.as_int().unwrap_or_default());
    let label = format!("{time} after it has finished the Job is gone: {}", first.text);
    let reported = first.text.split(';').next().unwrap_or_default();
    let message = format!("{reported} once the TTL has removed {}", job.title());
    let finding = Finding::new(ttl.key_span.to(ttl.value.span), label).message(message);
    let finding = match fleet_compare_patch::missing_entry(job) {
        Some(entry) => finding.help(format!(
            "Make the Job a hook, or add to `diff.comparePatches` of its bundle: {entry}"
        )),
        None => finding,
    };
    let finding = finding.deployers(results);
    // Nobody is known to turn it on, least of all under this deployer; and another run may do no harm, where without the
    // TTL the next edit is refused.
    let is_aside = job.context.enabled || job.is_idempotent() == Some(true);
    found.push(if is_aside { finding.pedantic() } else { finding });
}

fn result(tool: Tool, gone: &AfterTtl) -> Option<PerDeployer> {
    let AfterTtl::Reported(state) = gone else { return None };
    let (_, next) = NEXT_RUN.iter().find(|(of, _)| *of == tool)?;
    let text = format!("{} reports {state}; {next}", tool.title());
    Some(PerDeployer::new(tool, Severity::Warning, text))
}
