//! The variables of `spec.postBuild` of a Flux Kustomization, as far as this repository sets them.

use std::sync::Arc;

use job_lifecycle::Object;
use kustomize_build::{Variable, Variables};
use yaml_spans::{Entry, Location, Node};

use super::{
    by_kind::ByKind,
    options::{flag, text},
};

/// A Kustomization and the objects around it.
pub(super) struct Sources<'a> {
    pub(super) object: &'a Object,
    pub(super) all: &'a ByKind<'a>,
}

impl Sources<'_> {
    /// The variables in force (`fluxcd/pkg` `kustomize_varsub.go`): later sources win, and `substitute` over all of them.
    /// `None` if nothing is substituted. What is not known goes to the notes.
    ///
    /// kustomize-controller fails on a variable that nothing sets since 1.9. A parent Kustomization often adds some
    /// with a patch, so that such a variable only stays as it is written.
    pub(super) fn variables(&self, notes: &mut Vec<String>) -> Option<Variables> {
        let post_build = self.object.root.at(&["spec", "postBuild"])?;
        let mut all = Variables { is_complete: true, ..Variables::default() };
        for item in post_build.get("substituteFrom").map(Node::items).unwrap_or_default() {
            self.add_source(item, &mut all, notes);
        }
        let own = post_build.get("substitute").and_then(Node::as_map);
        for entry in own.map(|map| &map.entries[..]).unwrap_or_default() {
            all.known.insert(entry.key.clone(), variable(entry, self.object));
        }
        let always = text(post_build, &["substituteStrategy"]) == Some("Always");
        (always || !all.known.is_empty() || !all.is_complete).then_some(all)
    }

    fn add_source(&self, item: &Node, all: &mut Variables, notes: &mut Vec<String>) {
        let (kind, name) = (text(item, &["kind"]), text(item, &["name"]));
        let (kind, name) = (kind.unwrap_or_default(), name.unwrap_or_default());
        let Some(object) = self.named(kind, name) else {
            all.is_complete = false;
            let optional = if flag(item, &["optional"]) { ", and is optional" } else { "" };
            notes.push(format!("`substituteFrom` {kind} `{name}`: is not here{optional}"));
            return;
        };
        let is_secret = kind == "Secret";
        if is_secret {
            notes.push(format!("`substituteFrom` Secret `{name}`: its values are not used"));
        }
        for field in ["data", "stringData"].iter().take(if is_secret { 2 } else { 1 }) {
            let map = object.root.get(field).and_then(Node::as_map);
            for entry in map.map(|map| &map.entries[..]).unwrap_or_default() {
                let found = variable(entry, object);
                let value = found.value.filter(|_| !is_secret);
                all.known.insert(entry.key.clone(), Variable { value, ..found });
            }
        }
    }

    /// The object that a source names, in the namespace of the Kustomization. Of several, such as those of several
    /// clusters, it is the only one that shares the most folders with the Kustomization.
    fn named(&self, kind: &str, name: &str) -> Option<&Object> {
        let namespace = self.object.namespace();
        let fits = |object: &&Object| {
            object.name() == Some(name)
                && (object.namespace().is_none()
                    || namespace.is_none()
                    || object.namespace() == namespace)
        };
        let shared = |object: &Object| {
            let folders = object.source.path.split('/').zip(self.object.source.path.split('/'));
            folders.take_while(|(one, other)| one == other).count()
        };
        let mut found: Vec<_> =
            self.all.of(kind).iter().copied().filter(fits).map(|one| (shared(one), one)).collect();
        found.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
        match found[..] {
            [(_, only)] => Some(only),
            [(most, nearest), (next, _), ..] if most > next => Some(nearest),
            _ => None,
        }
    }
}

/// A variable. A value that holds another variable, or is encrypted, is not known.
fn variable(entry: &Entry, object: &Object) -> Variable {
    let value = entry.value.as_str().map(|value| value.replace('\n', ""));
    let is_known = |value: &String| !value.contains("${") && !value.starts_with("ENC[");
    let at = Location { source: object.source.clone(), span: entry.value.span };
    let value = value.filter(is_known).map(Arc::from);
    Variable { value, at }
}
