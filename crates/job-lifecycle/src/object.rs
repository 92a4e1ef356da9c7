//! A Kubernetes object as written in a manifest.

mod template;

use std::sync::Arc;

use yaml_spans::{Entry, Location, Node, Source, Span, Value};

use crate::annotations::{ARGO_HOOK, HELM_HOOK};

/// A Kubernetes object, with the source text that its nodes point into.
///
/// Nothing is defaulted or validated: the accessors return what the manifest says.
#[derive(Clone, Debug)]
pub struct Object {
    /// The text that the object was parsed from.
    pub source: Arc<Source>,
    /// The mapping of the object.
    pub root: Node,
    /// The YAML document that contains the object, as a byte range of `source`.
    pub document: Span,
    /// The object is an item of a `kind: List` or of a typed list such as `JobList`.
    pub in_list: bool,
    /// The object is made of one in an OpenShift Template: `${NAME}` stands for a value that nobody states.
    pub is_templated: bool,
}

impl Object {
    /// `None` unless `root` is a mapping with string `apiVersion` and `kind`.
    pub fn new(source: &Arc<Source>, root: Node, document: Span) -> Option<Self> {
        root.get("apiVersion")?.as_str()?;
        root.get("kind")?.as_str()?;
        Some(Self { source: source.clone(), root, document, in_list: false, is_templated: false })
    }

    /// The object itself, or the items of a list, expanded recursively.
    pub fn expand(self) -> Vec<Object> {
        if !self.kind().ends_with("List") {
            return vec![self];
        }
        let Some(items) = self.root.get("items") else { return vec![self] };
        let object = |item: &Node| Object::new(&self.source, item.clone(), self.document);
        let listed = items.items().iter().filter_map(object);
        let is_templated = self.is_templated;
        listed.flat_map(|item| Object { in_list: true, is_templated, ..item }.expand()).collect()
    }

    /// Whether the object was printed by a cluster, as `kubectl get -o yaml` does, and not written to be applied: it has what
    /// only the API server writes, in a list, with the `uid` of its owner or with the times of a run. With a
    /// `resourceVersion` nothing can create it.
    ///
    /// Source: <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>
    pub fn is_of_cluster(&self) -> bool {
        let has = |path: &[&str]| {
            let text = self.root.at(path).and_then(Node::as_str);
            text.is_some_and(|text| !text.is_empty())
        };
        let owners = self.root.at(&["metadata", "ownerReferences"]).map(Node::items);
        let is_owned = owners.is_some_and(|all| all.iter().any(|one| one.get("uid").is_some()));
        let has_run = || ["startTime", "completionTime"].iter().any(|key| has(&["status", key]));
        has(&["metadata", "uid"])
            && has(&["metadata", "resourceVersion"])
            && (self.in_list || is_owned || has_run())
    }

    /// The location of the whole object.
    pub fn location(&self) -> Location {
        Location { source: self.source.clone(), span: self.root.span }
    }

    /// Whether an input left an entry empty, or decided that its value is absent; see [`yaml_spans::Origin::is_left_empty`].
    pub fn is_left_empty(&self, entry: &Entry) -> bool {
        // The key with its value, up to the start of the next text.
        let rest = &self.source.text[entry.key_span.end as usize..];
        let next = rest.trim_start_matches([' ', ':', '"', '\'']).trim_start();
        let end = entry.key_span.end + (rest.len() - next.len()) as u32;
        let span = Span { start: entry.key_span.start, end: end.max(entry.value.span.end) };
        self.source.origin.as_deref().is_some_and(|origin| origin.is_left_empty(span, true))
    }

    /// The template inputs that decided whether the object is rendered, such as `Values.migrate.enabled`;
    /// empty for text that no template produced. Those of an object that it replaces, for want of `---` between the two,
    /// count too.
    pub fn decided(&self) -> Vec<String> {
        let Some(origin) = &self.source.origin else { return Vec::new() };
        let span = self.root.get("kind").map_or(self.root.span, |kind| kind.span);
        let replaced = match &self.root.value {
            Value::Map(map) => &map.overridden[..],
            _ => &[],
        };
        let replaced = replaced.iter().filter(|entry| &*entry.key == "kind");
        let spans = std::iter::once(span).chain(replaced.map(|entry| entry.value.span));
        spans.flat_map(|span| origin.decided(span)).collect()
    }

    /// `apiVersion`.
    pub fn api_version(&self) -> &str {
        self.text("apiVersion")
    }

    /// `kind`.
    pub fn kind(&self) -> &str {
        self.text("kind")
    }

    /// The API group; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version().split_once('/').map_or("", |(group, _)| group)
    }

    /// `metadata.name`, unless it is absent, empty or not a string.
    pub fn name(&self) -> Option<&str> {
        self.root.at(&["metadata", "name"])?.as_str().filter(|name| !name.is_empty())
    }

    /// `metadata.generateName`, unless it is absent, empty or not a string.
    pub fn generate_name(&self) -> Option<&str> {
        self.root.at(&["metadata", "generateName"])?.as_str().filter(|name| !name.is_empty())
    }

    /// `metadata.namespace`, unless it is absent, empty or not a string.
    pub fn namespace(&self) -> Option<&str> {
        self.root.at(&["metadata", "namespace"])?.as_str().filter(|name| !name.is_empty())
    }

    /// Kind, namespace and name together.
    pub fn full_name(&self) -> ObjectName {
        ObjectName {
            kind: self.kind().to_owned(),
            namespace: self.namespace().map(str::to_owned),
            name: self.name().map(str::to_owned),
            generate_name: self
                .generate_name()
                .filter(|_| self.name().is_none())
                .map(str::to_owned),
        }
    }

    /// The entries of `metadata.annotations`; empty when there are none.
    pub fn annotations(&self) -> &[Entry] {
        self.root.at(&["metadata", "annotations"]).map_or(&[], Node::entries)
    }

    /// The entry of an annotation, whatever the type of its value.
    pub fn annotation(&self, key: &str) -> Option<&Entry> {
        self.annotations().iter().find(|entry| &*entry.key == key)
    }

    /// The value of an annotation; `None` when it is absent or not a string.
    pub fn annotation_text(&self, key: &str) -> Option<&str> {
        self.annotation(key)?.value.as_str()
    }

    /// True for an object with a Helm or Argo CD hook annotation, whether or not its deployer reads it.
    pub fn is_annotated_hook(&self) -> bool {
        [HELM_HOOK, ARGO_HOOK].iter().any(|key| self.annotation(key).is_some())
    }

    /// Whether it binds a role to accounts: a RoleBinding or ClusterRoleBinding.
    pub fn is_binding(&self) -> bool {
        matches!(self.kind(), "ClusterRoleBinding" | "RoleBinding")
    }

    /// The names of the accounts, users and groups that a binding gives its role to.
    pub fn subjects(&self) -> impl Iterator<Item = &str> {
        let subjects = self.root.get("subjects").map(Node::items).unwrap_or_default();
        subjects.iter().filter_map(|one| one.get("name")?.as_str())
    }

    /// True when the API server generates the name: `generateName` without `name`.
    pub fn is_unnamed(&self) -> bool {
        self.name().is_none() && self.generate_name().is_some()
    }

    /// The name for messages: `name`, else `generateName` followed by `*`, else the kind.
    pub fn display_name(&self) -> String {
        match (self.name(), self.generate_name()) {
            (Some(name), _) => name.to_owned(),
            (None, Some(prefix)) => format!("{prefix}*"),
            (None, None) => self.kind().to_owned(),
        }
    }

    /// The key of the deepest mapping that exists on a path, else the value of `kind`: where a message about
    /// an absent field points.
    pub fn deepest_key(&self, path: &[&str]) -> Option<Span> {
        let mut span = self.root.get("kind").map(|kind| kind.span);
        let mut node = &self.root;
        for key in path {
            let Some(entry) = node.entry(key) else { break };
            span = Some(entry.key_span);
            node = &entry.value;
        }
        span
    }

    fn text(&self, key: &str) -> &str {
        self.root.get(key).and_then(Node::as_str).unwrap_or_default()
    }
}

/// What identifies an object in the API server, as far as the manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectName {
    /// `kind`.
    pub kind: String,
    /// `metadata.namespace`.
    pub namespace: Option<String>,
    /// `metadata.name`.
    pub name: Option<String>,
    /// `metadata.generateName`; `None` when there is a name.
    pub generate_name: Option<String>,
}
