//! Objects with data and accounts that pods need, and that are gone before those pods start.

use job_lifecycle::{
    Deployer, Hook, Object, Tool,
    workload::{any_pod, references_of},
};
use yaml_spans::Node;

use super::{deletes_at_end, is_of_deploy, plain};
use crate::{
    context::Context,
    finding::Severity,
    words::{quoted, titled},
};

/// What happens to a pod that is no hook, and needs the object of a hook that is deleted once it has succeeded: for that the
/// object only has to be there. Its containers do not start without it (helm A.5; argocd 2.2).
pub(super) fn removed(
    object: &Object,
    hook: &Hook,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let has_twin = context.objects.iter().any(|other| {
        let is_same = other.kind() == object.kind() && other.name() == object.name();
        is_same && context.hook(other, deployer).is_none()
    });
    if has_twin || !deletes_at_end(hook) || !is_of_deploy(hook, deployer) || makes(object) {
        return None;
    }
    let reader = plain(context, deployer).find(|one| needs(one, object))?;
    let (end, pods) = match deployer.tool {
        Tool::Argocd => ("each sync that succeeds".to_owned(), "later pods of "),
        _ => (quoted(&hook.events), ""),
    };
    let reader = titled(reader);
    let text =
        format!("is deleted at the end of {end}, and {pods}{reader} cannot start without it");
    Some((Severity::Error, text))
}

/// Whether the pods of an object need another object.
fn needs(object: &Object, other: &Object) -> bool {
    any_pod(object)
        .map(references_of)
        .unwrap_or_default()
        .iter()
        .any(|one| !one.is_optional && one.kind == other.kind() && Some(one.name) == other.name())
}

/// Whether a controller makes the object anew: a token of a ServiceAccount.
fn makes(object: &Object) -> bool {
    object.root.get("type").and_then(Node::as_str) == Some("kubernetes.io/service-account-token")
}
