//! A resource and what kustomize remembers of it while building.

use std::{borrow::Cow, mem};

use crate::{
    Origin,
    error::{Error, Result},
    id::{Gvk, Id},
    node::{Data, Entry, Kind, Node},
    scalar::Tag,
};

/// A resource. A deleted one is null.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resource {
    pub(crate) node: Node,
    pub(crate) history: History,
}

/// What kustomize keeps in `internal.config.kubernetes.io/…` annotations.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// Kind, name and namespace before each change, the oldest first.
    previous: Vec<(Cow<'static, str>, String, String)>,
    pub(crate) prefixes: Vec<String>,
    pub(crate) suffixes: Vec<String>,
    pub(crate) behavior: Behavior,
    pub(crate) needs_hash: bool,
    pub(crate) is_from_helm: bool,
    /// The names of the vars whose source this is.
    pub(crate) vars: Vec<String>,
    /// A schema of `openapi` says that the kind has no namespace.
    pub(crate) is_declared_cluster_scoped: bool,
}

/// What a generated resource does when its id is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Behavior {
    #[default]
    Unspecified,
    Create,
    Replace,
    Merge,
}

impl Behavior {
    pub(crate) fn new(text: &str) -> Self {
        match text {
            "create" => Self::Create,
            "replace" => Self::Replace,
            "merge" => Self::Merge,
            _ => Self::Unspecified,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Merge => "merge",
        }
    }
}

/// The prefix of the annotations that kustomize keeps for itself.
pub(crate) const INTERNAL: &str = "internal.config.kubernetes.io/";
const NEEDS_HASH: &str = "internal.config.kubernetes.io/needsHashSuffix";
pub(crate) const ORIGIN: &str = "config.kubernetes.io/origin";
pub(crate) const TRANSFORMATIONS: &str = "alpha.config.kubernetes.io/transformations";

impl Resource {
    pub(crate) fn new(node: Node) -> Self {
        let mut resource = Self { node, history: History::default() };
        resource.history.needs_hash =
            resource.annotation(NEEDS_HASH).is_some_and(|value| value == "enabled");
        resource
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.node.is_empty()
    }

    pub(crate) fn gvk(&self) -> Gvk {
        let text = |key| self.node.get(key).map_or("", Node::text);
        Gvk::new(text("apiVersion"), text("kind"))
    }

    pub(crate) fn kind(&self) -> &str {
        self.node.get("kind").map_or("", Node::text)
    }

    fn metadata(&self, key: &str) -> &str {
        let value = self.node.at(&["metadata", key]).filter(|value| !value.is_empty());
        value.map_or("", Node::text)
    }

    pub(crate) fn name(&self) -> &str {
        self.metadata("name")
    }

    pub(crate) fn namespace(&self) -> &str {
        self.metadata("namespace")
    }

    pub(crate) fn id(&self) -> Id {
        Id {
            gvk: self.gvk(),
            name: self.name().into(),
            namespace: self.namespace().into(),
            is_declared_cluster_scoped: self.history.is_declared_cluster_scoped,
        }
    }

    pub(crate) fn previous_ids(&self) -> impl Iterator<Item = Id> {
        let gvk = self.gvk();
        self.history.previous.iter().map(move |(kind, name, namespace)| Id {
            gvk: Gvk { kind: kind.clone(), ..gvk.clone() },
            name: name.clone(),
            namespace: namespace.clone(),
            is_declared_cluster_scoped: self.history.is_declared_cluster_scoped,
        })
    }

    /// The oldest id.
    pub(crate) fn original_id(&self) -> Id {
        self.previous_ids().next().unwrap_or_else(|| self.id())
    }

    /// The current id, then the previous ones.
    pub(crate) fn ids(&self) -> Vec<Id> {
        std::iter::once(self.id()).chain(self.previous_ids()).collect()
    }

    pub(crate) fn has_been(&self, matches: impl Fn(&Id) -> bool) -> bool {
        self.previous_ids().any(|id| matches(&id)) || matches(&self.id())
    }

    pub(crate) fn store_previous_id(&mut self) {
        let id = self.id();
        let namespace = id.effective_namespace().to_owned();
        self.history.previous.push((id.gvk.kind, id.name, namespace));
    }

    pub(crate) fn add_previous(&mut self, other: &Resource) {
        self.history.previous = other.history.previous.clone();
    }

    pub(crate) fn set_name(&mut self, name: Node) {
        let metadata = self.node.get_or_create("metadata", Kind::Map);
        metadata.set("name", name, &Origin::default());
    }

    /// Sets the namespace, or removes it when empty.
    pub(crate) fn set_namespace(&mut self, namespace: Option<Node>) {
        let metadata = self.node.get_or_create("metadata", Kind::Map);
        match namespace {
            Some(node) => metadata.set("namespace", node, &Origin::default()),
            None => drop(metadata.remove("namespace")),
        }
    }

    pub(crate) fn labels(&self) -> Vec<(&str, &str)> {
        self.strings("labels")
    }

    pub(crate) fn annotations(&self) -> Vec<(&str, &str)> {
        self.strings("annotations")
    }

    fn strings(&self, field: &str) -> Vec<(&str, &str)> {
        let map = self.node.at(&["metadata", field]);
        let entries = map.map_or(&[][..], Node::entries);
        entries.iter().map(|entry| (&*entry.key, entry.value.text())).collect()
    }

    pub(crate) fn annotation(&self, key: &str) -> Option<&str> {
        self.node.at(&["metadata", "annotations", key]).map(Node::text)
    }

    pub(crate) fn set_annotation(&mut self, key: &str, value: String) {
        let metadata = self.node.get_or_create("metadata", Kind::Map);
        let annotations = metadata.get_or_create("annotations", Kind::Map);
        if annotations.kind() != Kind::Map {
            *annotations = Node::map();
        }
        annotations.set(key, Node::string(value, Origin::default()), &Origin::default());
    }

    /// Makes the values of `labels` or `annotations` strings, and removes the field when it is empty.
    pub(crate) fn stringify(&mut self, field: &str) {
        let Some(metadata) = self.node.get_mut("metadata") else { return };
        let Some(map) = metadata.get_mut(field) else { return };
        if map.entries().is_empty() {
            metadata.remove(field);
            return;
        }
        let Data::Map(entries) = &mut map.data else { return };
        for entry in entries {
            let node = &mut entry.value;
            *node = Node::string(node.text(), node.origin.clone());
        }
    }

    /// Whether kustomize itself would have annotations on the resource by now.
    pub(crate) fn has_internal_annotations(&self) -> bool {
        let History { previous, prefixes, suffixes, needs_hash, .. } = &self.history;
        let is_generated = self.history.behavior != Behavior::Unspecified;
        !previous.is_empty()
            || !prefixes.is_empty()
            || !suffixes.is_empty()
            || *needs_hash
            || is_generated
    }

    /// Removes the annotations that only kustomize needs.
    pub(crate) fn remove_internal_annotations(&mut self) {
        const OWN: [&str; 14] = [
            "previousKinds",
            "previousNames",
            "previousNamespaces",
            "prefixes",
            "suffixes",
            "allowNameChange",
            "allowKindChange",
            "refBy",
            "generatorBehavior",
            "needsHashSuffix",
            "path",
            "index",
            "seqindent",
            "annotations-migration-resource-id",
        ];
        self.join_annotations();
        let annotations =
            self.node.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations"));
        if let Some(Node { data: Data::Map(entries), .. }) = annotations {
            entries.retain(|entry| {
                let own = entry
                    .key
                    .strip_prefix(INTERNAL)
                    .or(entry.key.strip_prefix("config.kubernetes.io/"));
                let is_config = entry.key.starts_with("config.kubernetes.io/");
                !own.is_some_and(|name| {
                    OWN.contains(&name) && (!is_config || matches!(name, "path" | "index" | "id"))
                })
            });
        }
        self.stringify("annotations");
    }

    /// Joins a repeated `annotations`, as kustomize does when it writes its own: of a key in two mappings the first value
    /// stays, of one that a mapping repeats the last.
    fn join_annotations(&mut self) {
        let metadata = self.node.get_mut("metadata");
        let Some(Node { data: Data::Map(fields), .. }) = metadata else { return };
        let mut first: Option<usize> = None;
        for field in mem::take(fields) {
            let is_mapping = matches!(field.value.data, Data::Map(_)) || field.value.is_null();
            if &*field.key != "annotations" || !is_mapping {
                fields.push(field);
                continue;
            }
            let at = *first.get_or_insert(fields.len());
            if at == fields.len() {
                let value = Node { data: Data::Map(Vec::new()), ..field.value.clone() };
                fields.push(Entry { value, ..field.clone() });
            }
            let Data::Map(joined) = &mut fields[at].value.data else { continue };
            let known = joined.len();
            for entry in field.value.entries() {
                match joined.iter().position(|other| other.key == entry.key) {
                    Some(at) if at >= known => joined[at] = entry.clone(),
                    Some(_) => {}
                    None => joined.push(entry.clone()),
                }
            }
        }
    }

    /// Checks what every resource needs: a kind and a name.
    pub(crate) fn validate(&self) -> Result<()> {
        let is_missing = |key: &str| self.node.get(key).is_none_or(Node::is_empty);
        let at = self.node.origin.parts().first().map(|part| part.at.clone());
        let metadata = self.node.get("metadata").filter(|metadata| !metadata.is_empty());
        let nothing = |key: &str| metadata.and_then(|m| m.get(key)).is_none_or(Node::is_empty);
        if is_missing("apiVersion")
            && is_missing("kind")
            && ["name", "namespace", "labels", "annotations"].into_iter().all(nothing)
        {
            return Err(Error::resource("missing Resource metadata").at(at));
        }
        if is_missing("kind") {
            let message = format!("missing kind in object {}", self.meta());
            return Err(Error::resource(message).at(at));
        }
        if !self.kind().ends_with("List") && self.name().is_empty() {
            let message = format!("missing metadata.name in object {}", self.meta());
            return Err(Error::resource(message).at(at));
        }
        Ok(())
    }

    /// The metadata as Go prints the struct.
    fn meta(&self) -> String {
        let map = |entries: Vec<(&str, &str)>| {
            let mut pairs: Vec<_> =
                entries.iter().map(|(key, value)| format!("{key}:{value}")).collect();
            pairs.sort();
            format!("map[{}]", pairs.join(" "))
        };
        let api_version = self.node.get("apiVersion").map_or("", Node::text);
        let (labels, annotations) = (map(self.labels()), map(self.annotations()));
        let (kind, name, namespace) = (self.kind(), self.name(), self.namespace());
        format!("{{{{{api_version} {kind}}} {{{{{name} {namespace}}} {labels} {annotations}}}}}")
    }

    /// The node of the name.
    pub(crate) fn name_node(&self) -> Node {
        let node = self.node.at(&["metadata", "name"]).cloned();
        node.unwrap_or_else(|| Node::scalar("", Tag::Str, Origin::default()))
    }
}
