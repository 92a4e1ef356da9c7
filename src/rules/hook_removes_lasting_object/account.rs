//! ServiceAccounts that are recreated as hooks while pods run as them.

use job_lifecycle::{
    Deployer, Hook, Object, Tool,
    workload::{any_pod, references_of},
};
use yaml_spans::Node;

use super::{is_of_upgrade, plain};
use crate::{context::Context, finding::Severity, words::titled};

/// What happens to pods that are no hooks and run as the ServiceAccount of a hook: their tokens are bound to the one that is
/// deleted, and the API server refuses them until the kubelet fetches new ones, at 80 % of an hour (argocd 7;
/// <https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-tokens>;
/// kai-scheduler/KAI-Scheduler#1536, Kong/charts#30). It matters to pods that ask the API server: a role is bound to the account.
pub(super) fn renewed(
    object: &Object,
    hook: &Hook,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let name = object.name().filter(|_| object.kind() == "ServiceAccount")?;
    let when = match deployer.tool {
        Tool::Argocd => hook.is_of_sync().then_some("sync"),
        _ => is_of_upgrade(hook).then_some("upgrade"),
    }?;
    let mut bindings = context.objects.iter().filter(|one| one.is_binding());
    let is_bound = bindings.any(|one| one.subjects().any(|account| account == name));
    if !hook.is_recreated() || !is_bound || is_withheld(&object.root) {
        return None;
    }
    let user = plain(context, deployer).find(|one| runs_on(one) && runs_as(one, name))?;
    let user = titled(user);
    let text = format!(
        "is deleted and created again at each {when}, and running pods of {user} cannot use the API server \
         until they get a new token"
    );
    Some((Severity::Warning, text))
}

/// Controllers whose pods run on through a deploy.
fn runs_on(object: &Object) -> bool {
    ["DaemonSet", "Deployment", "StatefulSet"].contains(&object.kind())
}

/// Whether the pods of an object get the token of an account.
fn runs_as(object: &Object, account: &str) -> bool {
    any_pod(object).is_some_and(|pod| {
        let mut accounts = references_of(pod).into_iter();
        !is_withheld(pod) && accounts.any(|one| one.kind == "ServiceAccount" && one.name == account)
    })
}

/// Whether an account or a pod says that its pods get no token.
fn is_withheld(node: &Node) -> bool {
    node.get("automountServiceAccountToken").is_some_and(|value| !value.is_true())
}
