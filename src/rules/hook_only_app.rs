use std::sync::Arc;

use job_lifecycle::{Deployer, Object, Tool, deployer::Argocd};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    unit::{Deployment, DeploymentSource},
    words::titled,
};

pub(crate) static RULE: Rule =
    Rule::new("hook-only-app", include_str!("../../rules/hook-only-app.yaml"), Check::Unit(check));

fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    if context.objects.is_empty() || context.counts.objects != context.objects.len() {
        return;
    }
    for deployment in context.deployments {
        let deployer = &deployment.deployer;
        let automated =
            deployer.because(Argocd::AUTOMATED).filter(|_| deployer.tool == Tool::Argocd);
        let Some(at) = automated.filter(|_| is_whole(deployment, context)) else { continue };
        if !context.objects.iter().all(|object| is_sync_hook(object, deployer, context)) {
            continue;
        }
        let count = context.objects.len();
        let label = match count {
            1 => {
                "the only object here is a hook: the app is always Synced, so nothing starts a sync"
            }
            _ => "all objects here are hooks: the app is always Synced, so nothing starts a sync",
        };
        let text = "syncs it by hand alone";
        let verdict = PerDeployer::new(Tool::Argocd, Severity::Warning, text);
        if Arc::ptr_eq(&at.source, &deployment.object.source) {
            let app = titled(&deployment.object);
            let message = format!("Argo CD never syncs {app} by itself: it holds only hooks");
            let finding = Finding::new(at.span, label).message(message);
            found.push((&deployment.object, finding.deployers(vec![verdict])));
        }
    }
}

/// Whether an Application deploys what another source holds as well, such as a chart of another server.
fn has_other_sources(app: &Object) -> bool {
    let specs = [&["spec", "sources"][..], &["spec", "template", "spec", "sources"]];
    let sources = specs.iter().filter_map(|path| app.root.at(path)).flat_map(Node::items);
    let deploys = |one: &&Node| one.get("path").is_some() || one.get("chart").is_some();
    sources.filter(deploys).nth(1).is_some()
}

/// True when every object of the deployment has been read; a kustomization may generate more.
fn is_whole(deployment: &Deployment, context: &Context<'_>) -> bool {
    if has_other_sources(&deployment.object) {
        return false;
    }
    match &deployment.source {
        DeploymentSource::Manifests(files) => files.len() == context.counts.files,
        DeploymentSource::Chart(_) => true,
        DeploymentSource::Overlay { .. }
        | DeploymentSource::External(_)
        | DeploymentSource::Unresolved(_) => false,
    }
}

fn is_sync_hook(object: &Object, deployer: &Deployer, context: &Context<'_>) -> bool {
    let hook = context.hook(object, deployer);
    hook.is_some_and(|hook| hook.is_of_sync())
}
