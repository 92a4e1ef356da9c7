//! What the Flux Kustomizations above another one patch into it.

use std::{collections::HashMap, path::PathBuf};

use job_lifecycle::Object;
use yaml_spans::{self as yaml, Entry, Location, Node, Span};

use super::{options::text, repository::Tree};

/// The patches of all Kustomizations, by the folder that these apply.
#[derive(Default)]
pub(super) struct Parents<'a>(HashMap<PathBuf, Vec<Patch<'a>>>);

/// A patch that a parent applies to the Kustomizations of its folder.
pub(super) struct Patch<'a> {
    parent: &'a Object,
    /// The number of the patch among all, in the order in which they are applied.
    order: usize,
    kind: Option<String>,
    name: Option<String>,
    fields: Vec<Field>,
}

/// A field of `spec` that a patch sets.
struct Field {
    name: &'static str,
    value: Node,
    /// Where the parent states it: the line of the patch, or the whole patch if that is not written as it is.
    span: Span,
}

impl<'a> Parents<'a> {
    /// The patches in some objects that set one of these fields of `spec`.
    pub(super) fn of(objects: &[&'a Object], fields: &[&'static str], tree: &Tree) -> Self {
        let mut all = Self::default();
        let kustomizations = objects.iter().filter(|object| object.kind() == "Kustomization");
        let mut order = 0..;
        for parent in kustomizations {
            let patches = parent.root.at(&["spec", "patches"]).map(Node::items).unwrap_or_default();
            let path = text(&parent.root, &["spec", "path"]).filter(|_| !patches.is_empty());
            let Some(path) = path else { continue };
            let patches = patches.iter().zip(&mut order);
            let found = patches.filter_map(|(item, order)| Patch::of(parent, order, item, fields));
            all.0.entry(tree.path(path)).or_default().extend(found);
        }
        all
    }

    /// The patches of the Kustomizations that apply the folder of an object, in the order in which they are applied.
    pub(super) fn patches_of(&self, object: &Object, tree: &Tree) -> Vec<&Patch<'a>> {
        let place = tree.absolute(object.source.path.as_ref());
        let above = place.ancestors().filter_map(|folder| self.0.get(folder)).flatten();
        let mut all: Vec<_> = above.filter(|patch| patch.is_meant_for(object)).collect();
        all.sort_by_key(|patch| patch.order);
        all
    }
}

impl<'a> Patch<'a> {
    /// The patch of an item of `patches`, if it sets one of the fields.
    fn of(parent: &'a Object, order: usize, item: &Node, fields: &[&'static str]) -> Option<Self> {
        let node = item.get("patch")?;
        let root = yaml::parse(node.as_str()?).into_iter().next()?.ok()?.root;
        let (kind, name) = match item.get("target") {
            Some(target)
                if target.get("labelSelector").or(target.get("annotationSelector")).is_some() =>
            {
                return None;
            }
            Some(target) => (text(target, &["kind"]), text(target, &["name"])),
            None => (text(&root, &["kind"]), text(&root, &["metadata", "name"])),
        };
        let [kind, name] = [kind, name].map(|text| text.map(str::to_owned));
        let offsets = node.offsets(&parent.source.text);
        let set = fields.iter().filter_map(|name| {
            let entry = set(&root, name)?;
            let own = entry.key_span.to(entry.value.span).range();
            let span = offsets.as_ref().and_then(|offsets| offsets.span(own)).unwrap_or(node.span);
            Some(Field { name, value: entry.value.clone(), span })
        });
        let fields: Vec<_> = set.collect();
        (!fields.is_empty()).then_some(Self { parent, order, kind, name, fields })
    }

    fn is_meant_for(&self, object: &Object) -> bool {
        let is_any = |name: &str| name == ".*" || Some(name) == object.name();
        self.parent.group() == object.group()
            && !std::ptr::eq(self.parent, object)
            && self.kind.as_deref().is_none_or(|kind| kind == object.kind())
            && self.name.as_deref().is_none_or(is_any)
    }

    /// What it sets a field of `spec` to, and where the parent states it.
    pub(super) fn field(&self, name: &str) -> Option<(&Node, Location)> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        Some((&field.value, Location { source: self.parent.source.clone(), span: field.span }))
    }
}

/// The entry with which a patch, an object or the operations of JSON 6902, sets a field of `spec`.
fn set<'n>(patch: &'n Node, name: &str) -> Option<&'n Entry> {
    let path = format!("/spec/{name}");
    let mut operations = patch.items().iter().rev();
    let set = operations.find(|one| {
        matches!(text(one, &["op"]), Some("add" | "replace")) && text(one, &["path"]) == Some(&path)
    });
    let own = patch.get("spec").and_then(|spec| spec.entry(name));
    own.or_else(|| set?.entry("value"))
}
