use job_lifecycle::{
    Deployer, Tool,
    annotations::ARGO_SYNC_OPTIONS,
    deploy::{AnnotationList, has_sync_option},
    deployer::Argocd,
    workload::Kind,
};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "replace-without-force",
    include_str!("../../rules/replace-without-force.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.kind == Kind::CronJob || job.object.is_unnamed() {
        return;
    }
    let rejected =
        |deployer: &&Deployer| deployer.tool == Tool::Argocd && job.rejects_unchanged(deployer);
    let Some(deployer) = job.applying().find(rejected) else { return };
    let written = job.object.annotation(ARGO_SYNC_OPTIONS);
    let location = match written.filter(|_| has_sync_option(job.object, "Replace=true")) {
        Some(entry) => Some((entry.value.span, "`Replace=true` sends a PUT")),
        None => job
            .object
            .deepest_key(&["metadata", "annotations"])
            .map(|key| (key, "the app's `Replace=true` sends a PUT")),
    };
    let Some((span, how)) = location else { return };
    let text = "every sync that finds the Job fails: `spec.selector: Required value`";
    let label = format!("{how}, which the API server refuses for a Job that exists");
    let result = PerDeployer::new(deployer.tool, Severity::Error, text);
    let message =
        format!("every later sync of {} fails: `Replace=true` without force", job.title());
    let finding = Finding::new(span, label).message(message).deployers(vec![result]);
    let finding = finding.because(deployer, Argocd::REPLACE, "makes every apply a PUT");
    let list = AnnotationList::of(job.object, ARGO_SYNC_OPTIONS);
    let edit = list.and_then(|list| {
        let replace = list.tokens.iter().find(|token| token.text == "Replace=true")?;
        list.replace(replace, "Force=true")
    });
    found.push(finding.fix_if("force it instead", Applicability::Unsafe, edit));
}
