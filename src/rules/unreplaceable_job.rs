use crate::{
    deploy::{
        ARGO_DELETE_POLICY, ARGO_HOOK, Deployer, FLUX_FORCE, HELM_DELETE_POLICY, HELM_HOOK, Tool,
        forces, leaves_alone, replaces,
    },
    finding::{Applicability, Finding, PerDeployer, Severity},
    fix,
    workload::{Kind, Workload},
};

/// Annotations that let the deployer replace the Job, and what that makes of it.
type Remedy = (&'static [(&'static str, &'static str)], &'static str);

const ARGOCD: Remedy = (
    &[(ARGO_HOOK, "Sync"), (ARGO_DELETE_POLICY, "BeforeHookCreation")],
    "make it a hook that runs at every sync",
);
const FLUX: Remedy =
    (&[(FLUX_FORCE, "enabled")], "let Flux delete and re-create it when it changes");
const HELM: Remedy = (
    &[(HELM_HOOK, "post-install,post-upgrade"), (HELM_DELETE_POLICY, "before-hook-creation")],
    "make it a hook that runs at every upgrade",
);

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    if job.kind == Kind::CronJob || job.ttl().is_some() || job.has_varying_name() {
        return;
    }
    let refusals = job.refusals();
    let is_refused =
        |deployer: &Deployer| refusals.iter().any(|refusal| refusal.deployer.tool == deployer.tool);
    let stuck: Vec<_> = job
        .applying(job.object)
        .filter(|deployer| is_stuck(job, deployer) && !is_refused(deployer))
        .collect();
    let (Some(first), Some(name)) = (stuck.first(), job.object.name()) else { return };
    let Some(key) = job.object.deepest_key(&["metadata", "annotations"]) else { return };
    let (annotations, remedy) = remedy(first, job.from_chart());
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
                "{remedy} ({}), or put a hash of its inputs into the name",
                written.join(", ")
            ))
            .deployers(stuck.iter().map(result).collect());
    let edits = job.object.root.get("metadata").and_then(|metadata| {
        fix::annotate(job.source, metadata, annotations).filter(|_| job.tools(|_| true).len() == 1)
    });
    found.push(match edits {
        Some(edits) => finding.fix_all(remedy, Applicability::Unsafe, edits),
        None => finding,
    });
}

fn is_stuck(job: &Workload<'_>, deployer: &Deployer) -> bool {
    deployer.tool.is_gitops()
        && !forces(job.object, deployer, job.from_chart())
        && !replaces(job.object, deployer)
        && !leaves_alone(job.object, deployer, job.from_chart())
        && !job.object.churn.as_ref().is_some_and(|churn| churn.under(deployer).upgrade.gone)
}

fn remedy(deployer: &Deployer, from_chart: bool) -> Remedy {
    match deployer.tool {
        Tool::Argocd => ARGOCD,
        Tool::Flux if !deployer.is_helm_release(from_chart) => FLUX,
        _ => HELM,
    }
}
