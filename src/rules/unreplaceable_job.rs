use job_lifecycle::{Deployer, annotations::ARGO_HOOK, workload::Kind};

use super::{Check, Rule, rejected::once};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    template_fix::{self, DeployerFix},
    workload::{Subject, idle_hook},
};

pub(crate) static RULE: Rule = Rule::new(
    "unreplaceable-job",
    include_str!("../../rules/unreplaceable-job.yaml"),
    Check::Workload(check),
);

/// Whether the rule reports the Job.
pub(super) fn is_reported(job: &Subject<'_>) -> bool {
    !stuck(job).is_empty()
}

/// The deployers that an edit of the Job stops.
fn stuck<'a>(job: &Subject<'a>) -> Vec<&'a Deployer> {
    if job.kind == Kind::CronJob || job.ttl().is_some() || job.has_varying_name() {
        return Vec::new();
    }
    let rejections = job.rejections();
    let is_rejected = |deployer: &Deployer| {
        rejections.iter().any(|rejection| rejection.deployer.tool == deployer.tool)
    };
    job.applying().filter(|deployer| is_stuck(job, deployer) && !is_rejected(deployer)).collect()
}

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let stuck = stuck(job);
    let (Some(first), Some(name)) = (stuck.first(), job.object.name()) else { return };
    let Some(key) = job.object.deepest_key(&["metadata", "annotations"]) else { return };
    let deployer_fix = template_fix::deployer_fix(first, job.context.from_chart());
    let (annotations, title) = deployer_fix;
    // A sync would wait for what the Job waits for.
    let is_no_hook = annotations.iter().any(|(key, _)| *key == ARGO_HOOK) && !job.may_be_hook();
    let result = |deployer: &&Deployer| {
        let text =
            format!("{} keeps `{name}` and reports an immutable field", deployer.tool.title());
        PerDeployer::new(deployer.tool, Severity::Warning, text)
    };
    let written: Vec<_> =
        annotations.iter().map(|(key, value)| format!("`{key}: {value}`")).collect();
    let message = format!(
        "an edit of {} will be rejected: nothing lets {} replace it",
        job.title(),
        first.tool.title()
    );
    let finding =
        Finding::new(key, format!("nothing lets {} replace `{name}`", first.tool.title()))
            .message(message)
            .help(match job.may_spoil() {
                true => once(first.tool).to_owned(),
                false if is_no_hook => "Put a hash of its inputs into the name".to_owned(),
                false => format!(
                    "{title} ({}), or put a hash of its inputs into the name",
                    written.join(", ")
                ),
            })
            .deployers(stuck.iter().map(result).collect());
    let finding = match is_no_hook {
        true => finding,
        false => with_fix(job, finding, deployer_fix),
    };
    // `hook-annotation-without-hook` says that the Job was meant to be a hook.
    let is_meant_as_hook = idle_hook::annotation(job.object, job.context).is_some();
    let is_guess = stuck.iter().all(|deployer| deployer.assumed) && is_literal(job);
    let is_shown = job.has_versioned_image() && !is_meant_as_hook && !is_guess;
    found.push(if is_shown { finding } else { finding.pedantic() });
}

/// Whether no value reaches the pod template: only an edit of the template changes it.
fn is_literal(job: &Subject<'_>) -> bool {
    let origin = job.source.origin.as_deref();
    origin.is_none_or(|origin| origin.inputs(job.pod.span).is_empty())
}

/// Adds the annotations as a fix if only one deployer is in force.
fn with_fix(job: &Subject<'_>, mut finding: Finding, (annotations, title): DeployerFix) -> Finding {
    if job.context.tools().len() != 1 || job.may_spoil() {
        return finding;
    }
    if template_fix::is_enabled(job) {
        finding.fixes.extend(template_fix::annotated(job, (annotations, title)));
        return finding;
    }
    let metadata = job.object.root.get("metadata");
    match metadata.and_then(|metadata| fix::annotate(job.source, metadata, annotations)) {
        Some(edits) => finding.fix_all(title, Applicability::Unsafe, edits),
        None => finding,
    }
}

fn is_stuck(job: &Subject<'_>, deployer: &Deployer) -> bool {
    deployer.tool.is_gitops()
        && job.is_patched(deployer)
        && !job.changes.is_some_and(|changes| changes.under(deployer).upgrade.gone)
}
