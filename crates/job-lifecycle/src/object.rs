//! A Kubernetes object as somebody wrote it.

use std::sync::Arc;

use yaml_spans::{Entry, Location, Node, Source, Span};

use crate::annotations::{ARGO_HOOK, HELM_HOOK};

/// One Kubernetes object and the text it stands in.
#[derive(Clone, Debug)]
pub struct Object {
    pub source: Arc<Source>,
    pub root: Node,
    /// The document of the file that holds it.
    pub document: Span,
    /// An item of a `kind: List`, or of the typed list of its kind.
    pub in_list: bool,
}

impl Object {
    /// `None` for YAML that is no Kubernetes object: without string `apiVersion` and `kind`.
    pub fn new(source: &Arc<Source>, root: Node, document: Span) -> Option<Self> {
        root.get("apiVersion")?.as_str()?;
        root.get("kind")?.as_str()?;
        Some(Self { source: source.clone(), root, document, in_list: false })
    }

    /// The object, or the objects it lists when it is a list.
    pub fn expand(self) -> Vec<Object> {
        if !self.kind().ends_with("List") {
            return vec![self];
        }
        let Some(items) = self.root.get("items") else { return vec![self] };
        let object = |item: &Node| Object::new(&self.source, item.clone(), self.document);
        let listed = items.items().iter().filter_map(object);
        listed.flat_map(|item| Object { in_list: true, ..item }.expand()).collect()
    }

    /// The whole object.
    pub fn location(&self) -> Location {
        Location { source: self.source.clone(), span: self.root.span }
    }

    /// The inputs of a template that decided whether the object is there.
    pub fn decided(&self) -> Vec<String> {
        let span = self.root.get("kind").map_or(self.root.span, |kind| kind.span);
        self.source.origin.as_ref().map(|origin| origin.decided(span)).unwrap_or_default()
    }

    pub fn api_version(&self) -> &str {
        self.text("apiVersion")
    }

    pub fn kind(&self) -> &str {
        self.text("kind")
    }

    /// The API group; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version().split_once('/').map_or("", |(group, _)| group)
    }

    pub fn name(&self) -> Option<&str> {
        self.root.at(&["metadata", "name"])?.as_str().filter(|name| !name.is_empty())
    }

    pub fn generate_name(&self) -> Option<&str> {
        self.root.at(&["metadata", "generateName"])?.as_str().filter(|name| !name.is_empty())
    }

    pub fn namespace(&self) -> Option<&str> {
        self.root.at(&["metadata", "namespace"])?.as_str().filter(|name| !name.is_empty())
    }

    pub fn full_name(&self) -> Name {
        Name {
            kind: self.kind().to_owned(),
            namespace: self.namespace().map(str::to_owned),
            name: self.name().map(str::to_owned),
            generate_name: self
                .generate_name()
                .filter(|_| self.name().is_none())
                .map(str::to_owned),
        }
    }

    /// `metadata.annotations` as written; no entries when there are none.
    pub fn annotations(&self) -> &[Entry] {
        self.root.at(&["metadata", "annotations"]).map_or(&[], Node::entries)
    }

    pub fn annotation(&self, key: &str) -> Option<&Entry> {
        self.annotations().iter().find(|entry| &*entry.key == key)
    }

    /// The text of an annotation that is a string.
    pub fn annotation_text(&self, key: &str) -> Option<&str> {
        self.annotation(key)?.value.as_str()
    }

    /// Says that it is a hook, whether or not a deployer in force listens.
    pub fn is_annotated_hook(&self) -> bool {
        [HELM_HOOK, ARGO_HOOK].iter().any(|key| self.annotation(key).is_some())
    }

    /// The API server makes up its name.
    pub fn is_unnamed(&self) -> bool {
        self.name().is_none() && self.generate_name().is_some()
    }

    /// The name, or what stands for one: a generateName with an asterisk, else the kind.
    pub fn display_name(&self) -> String {
        match (self.name(), self.generate_name()) {
            (Some(name), _) => name.to_owned(),
            (None, Some(prefix)) => format!("{prefix}*"),
            (None, None) => self.kind().to_owned(),
        }
    }

    /// The key of the deepest mapping on a path that is there; the value of `kind` when none is:
    /// where a finding about something absent points.
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

/// An object as the API server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// `kind`.
    pub kind: String,
    /// The namespace, where the manifest names it.
    pub namespace: Option<String>,
    /// The name, where the manifest has one.
    pub name: Option<String>,
    /// `generateName`, where there is no name.
    pub generate_name: Option<String>,
}
