//! What the Flux Kustomizations above another one patch into it.

use job_lifecycle::Object;
use yaml_spans::{self as yaml, Location, Node, Span};

use super::{options::text, repository::Tree};

/// A patch that a parent applies to the Kustomizations of its folder.
pub(super) struct Patch<'a> {
    parent: &'a Object,
    /// Where the parent states it.
    span: Span,
    /// The patch: an object, or the operations of JSON 6902.
    root: Node,
}

impl<'a> Patch<'a> {
    /// The patches of the Kustomizations that apply the folder of an object, in the order in which they are applied.
    pub(super) fn all(object: &Object, others: &[&'a Object], tree: &Tree) -> Vec<Self> {
        let place = tree.absolute(object.source.path.as_ref());
        let is_parent = |other: &&&Object| {
            other.kind() == "Kustomization"
                && other.group() == object.group()
                && !std::ptr::eq(**other, object)
                && other.root.at(&["spec", "patches"]).is_some()
                && text(&other.root, &["spec", "path"])
                    .is_some_and(|path| place.starts_with(tree.path(path)))
        };
        let of_parent = |parent: &'a Object| {
            let items = parent.root.at(&["spec", "patches"]).map(Node::items).unwrap_or_default();
            items.iter().filter_map(move |item| Self::of(parent, item, object))
        };
        others.iter().filter(is_parent).flat_map(|parent| of_parent(parent)).collect()
    }

    /// The patch of an item of `patches`, if it applies to the object.
    fn of(parent: &'a Object, item: &Node, object: &Object) -> Option<Self> {
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
        let is_meant = kind.is_none_or(|kind| kind == object.kind())
            && name.is_none_or(|name| name == ".*" || Some(name) == object.name());
        is_meant.then_some(Self { parent, span: node.span, root })
    }

    /// What it sets a field of `spec` to.
    pub(super) fn field(&self, name: &str) -> Option<&Node> {
        let path = format!("/spec/{name}");
        let mut operations = self.root.items().iter().rev();
        let set = operations.find(|one| {
            matches!(text(one, &["op"]), Some("add" | "replace"))
                && text(one, &["path"]) == Some(&path)
        });
        self.root.at(&["spec", name]).or_else(|| set?.get("value"))
    }

    /// Where the parent states it.
    pub(super) fn place(&self) -> Location {
        Location { source: self.parent.source.clone(), span: self.span }
    }
}
