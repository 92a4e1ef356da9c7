use job_lifecycle::{
    Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    deployer::Argocd,
};

use super::{Check, Rule};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-relied-on-by-self-heal",
    include_str!("../../rules/hook-relied-on-by-self-heal.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let heals = job.context.deployers.iter().find(|deployer| {
        let hook = job.hook(deployer);
        let syncs = hook.is_some_and(|hook| hook.is_of_sync());
        deployer.tool == Tool::Argocd && deployer.argocd().self_heal == Some(true) && syncs
    });
    let Some(deployer) = heals else { return };
    let annotation = [ARGO_HOOK, HELM_HOOK].iter().find_map(|key| job.object.annotation(key));
    let Some(annotation) = annotation else { return };
    let label = "self-heal puts other objects back without running it";
    let verdict = PerDeployer::new(Tool::Argocd, Severity::Info, "does not run it at a self-heal");
    let message = format!("self-heal restores other objects without running {}", job.title());
    let finding =
        Finding::new(annotation.value.span, label).message(message).deployers(vec![verdict]);
    found.push(finding.because(
        deployer,
        Argocd::SELF_HEAL,
        "corrects drift, and runs no hook for it",
    ));
}
