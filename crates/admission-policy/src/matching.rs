//! Which requests a policy or a binding is about.

use std::collections::BTreeSet;

use yaml_spans::Node;

use crate::{
    fields::Flaws,
    namespace::Namespace,
    request::Prepared,
    selector::{Label, Selector, all_known},
};

/// `matchConstraints` of a policy or `matchResources` of a binding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matching {
    namespaces: Selector,
    objects: Selector,
    /// `None` matches every resource, as a binding without rules does.
    rules: Option<Vec<Rule>>,
    excluded: Vec<Rule>,
}

/// One of `resourceRules` or `excludeResourceRules`.
#[derive(Clone, Debug)]
struct Rule {
    operations: Vec<String>,
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    is_cluster_only: bool,
}

const KEYS: &[&str] = &[
    "namespaceSelector",
    "objectSelector",
    "resourceRules",
    "excludeResourceRules",
    "matchPolicy",
];

const RULE_KEYS: &[&str] =
    &["operations", "apiGroups", "apiVersions", "resources", "resourceNames", "scope"];

const OPERATIONS: &[&str] = &["*", "CREATE", "UPDATE", "DELETE", "CONNECT"];

impl Matching {
    pub(crate) fn read(node: Option<&Node>, path: &str, flaws: &mut Flaws<'_>) -> Self {
        let Some(node) = node else { return Self::default() };
        flaws.check_keys(node, path, KEYS);
        flaws.choice(node, "matchPolicy", &[("Exact", ()), ("Equivalent", ())], ());
        let mut rules = |key: &str| -> Vec<Rule> {
            let items = flaws.items(node, key);
            items.iter().map(|item| Rule::read(item, &format!("{path}.{key}[]"), flaws)).collect()
        };
        let (included, excluded) = (rules("resourceRules"), rules("excludeResourceRules"));
        let mut selector =
            |key: &str| Selector::read(node.set(key), &format!("{path}.{key}"), flaws);
        Self {
            namespaces: selector("namespaceSelector"),
            objects: selector("objectSelector"),
            rules: (!included.is_empty()).then_some(included),
            excluded,
        }
    }

    /// True when it names the resources that it matches.
    pub(crate) fn has_rules(&self) -> bool {
        self.rules.is_some()
    }

    /// True when a rule names the group, the version and the resource themselves, and no `*`, as the API server's
    /// `TypeChecker.typesToCheck` asks.
    pub(crate) fn names(&self, group: &str, version: &str, resource: &str) -> bool {
        let holds = |all: &[String], wanted: &str| all.iter().any(|one| one == wanted);
        self.rules.iter().flatten().any(|rule| {
            holds(&rule.groups, group)
                && holds(&rule.versions, version)
                && holds(&rule.resources, resource)
        })
    }

    /// How many resources the rules name, by group.
    pub(crate) fn resources(&self) -> usize {
        let mut all = BTreeSet::new();
        for rule in self.rules.iter().flatten() {
            for group in &rule.groups {
                all.extend(rule.resources.iter().map(|resource| (group, resource)));
            }
        }
        all.len()
    }

    /// Whether it matches a request; `None` when that depends on what only a cluster knows. Other versions of the batch
    /// API than v1 are not served, so that `matchPolicy` makes no difference.
    pub(crate) fn matches(
        &self,
        request: &Prepared<'_>,
        namespace: &Namespace<'_>,
    ) -> Option<bool> {
        let is_excluded = any_known(self.excluded.iter().map(|rule| rule.matches(request)));
        let is_included = match &self.rules {
            Some(rules) => any_known(rules.iter().map(|rule| rule.matches(request))),
            None => Some(true),
        };
        let of_namespace = || self.namespaces.selects(|key| namespace.label(key));
        let resource = [is_included, is_excluded.map(|is| !is)].into_iter();
        all_known(resource.chain([of_namespace(), self.selects_object(request)]))
    }

    /// On an update, the old or the new object is enough.
    fn selects_object(&self, request: &Prepared<'_>) -> Option<bool> {
        let sides = [Some(&request.object), request.old.as_ref()].into_iter().flatten();
        any_known(sides.map(|side| {
            self.objects.selects(|key| match side.label(key) {
                None => Label::Unknown,
                Some(Some(value)) => Label::Value(value),
                Some(None) => Label::Absent,
            })
        }))
    }
}

/// Whether one is true.
fn any_known(holds: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all_known(holds.map(|one| one.map(|holds| !holds))).map(|none| !none)
}

impl Rule {
    fn read(node: &Node, path: &str, flaws: &mut Flaws<'_>) -> Self {
        flaws.check_keys(node, path, RULE_KEYS);
        for key in ["operations", "apiGroups", "apiVersions", "resources"] {
            if node.get(key).is_none_or(|list| list.items().is_empty()) {
                flaws.add(node.span, format!("{path}.{key}: Required value"));
            }
        }
        let operations = flaws.texts(node, "operations");
        for (item, name) in
            node.get("operations").map(Node::items).unwrap_or_default().iter().zip(&operations)
        {
            if !OPERATIONS.contains(&&**name) {
                flaws.add(item.span, format!("{path}.operations: Unsupported value: \"{name}\""));
            }
        }
        let scopes = [("*", false), ("Namespaced", false), ("Cluster", true)];
        Self {
            operations,
            groups: flaws.texts(node, "apiGroups"),
            versions: flaws.texts(node, "apiVersions"),
            resources: flaws.texts(node, "resources"),
            names: flaws.texts(node, "resourceNames"),
            is_cluster_only: flaws.choice(node, "scope", &scopes, false),
        }
    }

    /// Source: `rules.Matcher` of the API server. The requests of a deploy concern no subresource.
    fn matches(&self, request: &Prepared<'_>) -> Option<bool> {
        let listed = |list: &[String], name: &str| list.iter().any(|one| one == "*" || one == name);
        let resource = |one: &String| {
            let (name, sub) = one.split_once('/').unwrap_or((one, ""));
            (name == "*" || name == request.resource) && matches!(sub, "" | "*")
        };
        let matches = !self.is_cluster_only
            && listed(&self.operations, request.request.operation().name())
            && listed(&self.groups, request.group)
            && listed(&self.versions, request.version)
            && self.resources.iter().any(resource);
        match (matches && !self.names.is_empty(), request.request.object.name()) {
            (false, _) => Some(matches),
            (true, Some(name)) => Some(self.names.iter().any(|one| one == name)),
            // A generated name is not known when the policies are asked for it.
            (true, None) => Some(false),
        }
    }
}
