use job_lifecycle::{Deployer, workload::Kind};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    template_fix::{self, DeployerFix},
    workload::Subject,
};

pub static RULE: Rule = Rule::new(
    "unreplaceable-job",
    include_str!("../../rules/unreplaceable-job.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.kind == Kind::CronJob || job.ttl().is_some() || job.has_varying_name() {
        return;
    }
    let refusals = job.rejections();
    let is_refused =
        |deployer: &Deployer| refusals.iter().any(|refusal| refusal.deployer.tool == deployer.tool);
    let stuck: Vec<_> = job
        .context
        .applying(job.object)
        .filter(|deployer| is_stuck(job, deployer) && !is_refused(deployer))
        .collect();
    let (Some(first), Some(name)) = (stuck.first(), job.object.name()) else { return };
    let Some(key) = job.object.deepest_key(&["metadata", "annotations"]) else { return };
    let remedy = template_fix::deployer_fix(first, job.context.from_chart());
    let (annotations, title) = remedy;
    let result = |deployer: &&Deployer| {
        let text =
            format!("{} keeps `{name}` and reports an immutable field", deployer.tool.title());
        PerDeployer::new(deployer.tool, Severity::Warning, text)
    };
    let written: Vec<_> =
        annotations.iter().map(|(key, value)| format!("`{key}: {value}`")).collect();
    let finding =
        Finding::new(key, format!("nothing lets {} replace `{name}`", first.tool.title()))
            .help(format!(
                "{title} ({}), or put a hash of its inputs into the name",
                written.join(", ")
            ))
            .deployers(stuck.iter().map(result).collect());
    found.push(mended(job, finding, remedy));
}

/// With the annotations as a fix, where only one deployer is concerned.
fn mended(job: &Subject<'_>, mut finding: Finding, remedy: DeployerFix) -> Finding {
    if job.context.tools(|_| true).len() != 1 {
        return finding;
    }
    if template_fix::is_enabled(job) {
        finding.fixes.extend(template_fix::annotated(job, remedy));
        return finding;
    }
    let metadata = job.object.root.get("metadata");
    match metadata.and_then(|metadata| fix::annotate(job.source, metadata, remedy.0)) {
        Some(edits) => finding.fix_all(remedy.1, Applicability::Unsafe, edits),
        None => finding,
    }
}

fn is_stuck(job: &Subject<'_>, deployer: &Deployer) -> bool {
    deployer.tool.is_gitops()
        && job.is_patched(deployer)
        && !job.changes.is_some_and(|changes| changes.under(deployer).upgrade.gone)
}
