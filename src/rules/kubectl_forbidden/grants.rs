//! What the roles of a ServiceAccount allow.

use job_lifecycle::Object;
use yaml_spans::Node;

use super::{
    account::differ,
    needs::{Need, Place, Which},
};

/// A role that is bound to an account.
pub(super) struct Grant<'a> {
    binding: &'a Object,
    pub role: &'a Object,
}

impl<'a> Grant<'a> {
    /// The role of a binding; `None` if it is not among the objects, or the cluster puts it together.
    pub(super) fn of(binding: &'a Object, objects: &[&'a Object]) -> Option<Self> {
        let part = |key| binding.root.at(&["roleRef", key]).and_then(Node::as_str);
        let (kind, name) = (part("kind")?, part("name")?);
        let role = objects.iter().copied().find(|one| {
            one.kind() == kind
                && one.name() == Some(name)
                && (kind == "ClusterRole" || !differ(one.namespace(), binding.namespace()))
        })?;
        let is_open = role.root.get("aggregationRule").is_some() || is_made_up(role);
        (!is_open).then_some(Self { binding, role })
    }

    /// Whether the binding holds in all namespaces.
    pub(super) fn is_of_cluster(&self) -> bool {
        self.binding.kind() == "ClusterRoleBinding"
    }

    /// Whether the role allows what a command needs, in its place.
    pub(super) fn allows(&self, need: &Need, own: Option<&str>) -> bool {
        let rules = self.role.root.get("rules").map(Node::items).unwrap_or_default();
        self.reaches(need, own) && rules.iter().any(|rule| is_allowed(rule, need))
    }

    /// Whether the binding holds where the command looks.
    pub(super) fn reaches(&self, need: &Need, own: Option<&str>) -> bool {
        let place = match &need.place {
            Place::Cluster => return self.is_of_cluster(),
            Place::Own => own,
            Place::Namespace(name) => Some(name.as_str()),
            Place::Unknown => None,
        };
        self.is_of_cluster() || !differ(place, self.binding.namespace())
    }
}

/// Whether a value that nobody has set yet is a part of the rules.
fn is_made_up(role: &Object) -> bool {
    let rules = role.root.get("rules");
    let origin = role.source.origin.as_deref();
    origin.zip(rules).is_some_and(|(origin, rules)| origin.is_placeholder(rules.span))
}

/// The text of a field.
pub(super) fn named_in<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.get(key).and_then(Node::as_str)
}

/// Whether a rule allows what a command needs.
///
/// Source: `VerbMatches`, `APIGroupMatches`, `ResourceMatches` and `ResourceNameMatches` in
/// <https://github.com/kubernetes/component-helpers/blob/master/auth/rbac/validation/policy_comparator.go>; a request that
/// names no object is not allowed by `resourceNames`
/// (<https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources>).
fn is_allowed(rule: &Node, need: &Need) -> bool {
    let texts = |key| {
        let items = rule.get(key).map(Node::items).unwrap_or_default();
        items.iter().filter_map(Node::as_str).collect::<Vec<_>>()
    };
    let resource = need.resource();
    let is_of_resource = |one: &&str| {
        *one == "*"
            || *one == resource
            || one.split_once('/').is_some_and(|(owner, sub)| {
                !need.subresource.is_empty()
                    && (owner == "*" || owner == need.kind.plural)
                    && (sub == "*" || sub == need.subresource)
            })
    };
    let names = texts("resourceNames");
    let is_named = match &need.object {
        _ if names.is_empty() => true,
        Which::All => false,
        Which::One(name) => names.contains(&name.as_str()),
        Which::Unknown => true,
    };
    texts("verbs").iter().any(|verb| *verb == "*" || need.verbs.contains(verb))
        && texts("apiGroups").iter().any(|group| *group == "*" || *group == need.kind.group)
        && texts("resources").iter().any(is_of_resource)
        && is_named
}
