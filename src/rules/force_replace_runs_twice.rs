use job_lifecycle::{
    Deployer, Tool, annotations::ARGO_SYNC_OPTIONS, deploy::AnnotationList, deployer::Argocd,
    workload::Kind,
};

use super::{Check, Rule, force_has_no_effect::is_server_side};
use crate::{
    finding::{Applicability, Finding, PerDeployer, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "force-replace-runs-twice",
    include_str!("../../rules/force-replace-runs-twice.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.kind == Kind::CronJob {
        return;
    }
    let twice = |deployer: &&Deployer| {
        deployer.tool == Tool::Argocd
            && deployer.argocd().self_heal == Some(true)
            && job.is_always_recreated(deployer)
    };
    let Some(deployer) = job.applying().find(twice) else { return };
    let Some(list) = AnnotationList::of(job.object, ARGO_SYNC_OPTIONS) else { return };
    let text = "a change may create it twice within a second, and the first run is killed";
    let result = PerDeployer::new(deployer.tool, Severity::Warning, text);
    let label = "under self-heal a change may run the Job twice: the first run is killed";
    let message = format!("self-heal may run {} twice after a change", job.title());
    let finding = Finding::new(list.entry.value.span, label).message(message);
    let finding = finding.deployers(vec![result]).because(
        deployer,
        Argocd::SELF_HEAL,
        "starts before Argo CD has seen the new Job",
    );
    let replace = list.tokens.iter().find(|token| token.text == "Replace=true");
    // Argo CD refuses `Force=true` in a server-side apply; replacing is none (argocd 5).
    if is_server_side(job.object, deployer) {
        found.push(finding.help(
            "Write `Force=true,ServerSideApply=false`: Argo CD does not combine force with the server-side apply of this \
             Application",
        ));
        return;
    }
    let edit = replace.and_then(|token| list.remove(token));
    found.push(finding.fix_if("leave `Force=true` alone", Applicability::Unsafe, edit));
}
