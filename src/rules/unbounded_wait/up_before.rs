//! Waits that are over at once: Argo CD starts the Job only when what it waits for is healthy.

use job_lifecycle::{Deployer, Object, Tool, deploy::is_healthy_before};
use yaml_spans::Node;

use crate::workload::Subject;

/// Kinds of which Argo CD knows when they are healthy: their pods are ready.
const CONTROLLERS: [&str; 3] = ["DaemonSet", "Deployment", "StatefulSet"];

/// Kinds that are there once they are created.
const DATA: [&str; 2] = ["ConfigMap", "Secret"];

/// Whether a script names nothing of its release but objects of earlier phases and waves, and Argo CD alone waits for the
/// Job.
pub(super) fn is_up_before(job: &Subject<'_>, text: &str) -> bool {
    let mut argocd = job.context.deployers.iter().filter(|one| one.tool == Tool::Argocd);
    let named = named(job, text);
    !named.is_empty()
        && argocd.clone().next().is_some()
        && argocd.all(|deployer| named.iter().all(|one| is_up(one, job, deployer)))
        && job
            .context
            .deployers
            .iter()
            .all(|one| one.tool == Tool::Argocd || job.hook(one).is_none())
}

/// The objects of the release that a script names.
fn named<'a>(job: &Subject<'a>, text: &str) -> Vec<&'a Object> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words: Vec<_> = text.split(|c| !is_of_name(c)).collect();
    let is_named = |one: &&Object| {
        let is_of_kind = one.kind() == "Service"
            || CONTROLLERS.contains(&one.kind())
            || DATA.contains(&one.kind());
        is_of_kind && one.name().is_some_and(|name| words.contains(&name))
    };
    job.context.objects.iter().filter(is_named).collect()
}

/// Whether an object, and the pods behind a Service, are up before the Job starts.
fn is_up(object: &Object, job: &Subject<'_>, deployer: &Deployer) -> bool {
    let is_before = |one: &Object| {
        let role = job.context.role(one, deployer);
        is_healthy_before((one, &role), (job.object, &job.role(deployer)))
    };
    if object.kind() != "Service" {
        return is_before(object);
    }
    let mut behind = job.context.objects.iter().filter(|one| selects(object, one)).peekable();
    behind.peek().is_some() && behind.all(is_before)
}

/// Whether a Service selects the pods of a controller.
fn selects(service: &Object, controller: &Object) -> bool {
    let labels = controller.root.at(&["spec", "template", "metadata", "labels"]);
    let selector = service.root.at(&["spec", "selector"]).map(Node::entries).unwrap_or_default();
    CONTROLLERS.contains(&controller.kind())
        && !selector.is_empty()
        && selector.iter().all(|entry| {
            let own = labels.and_then(|labels| labels.get(&entry.key));
            own.is_some_and(|own| own.as_str() == entry.value.as_str())
        })
}
