//! Variables in Flux objects themselves: a Kustomization above them replaces `interval: ${INTERVAL}` before Flux reads them.

use std::{borrow::Cow, collections::HashMap, path::PathBuf, sync::Arc};

use job_lifecycle::{
    Object,
    deploy::{SubstitutionKind, substitutions},
};
use kustomize_build::Variables;
use yaml_spans::{Node, Value};

use super::{by_kind::ByKind, options::text, post_build::Sources, repository::Tree};

/// The variables that Kustomizations replace, by the folder that these apply.
#[derive(Default)]
pub(super) struct OfFolders<'a>(HashMap<PathBuf, Vec<(&'a Object, Variables)>>);

impl<'a> OfFolders<'a> {
    pub(super) fn of(all: &ByKind<'a>, tree: &Tree) -> Self {
        let mut found = Self::default();
        for object in all.of("Kustomization").iter().copied() {
            let Some(path) = text(&object.root, &["spec", "path"]) else { continue };
            let sources = Sources { object, all };
            if let Some(variables) = sources.variables(&mut Vec::new()) {
                found.0.entry(tree.path(path)).or_default().push((object, variables));
            }
        }
        found
    }

    /// The object as Flux gets it, as far as the values are known.
    pub(super) fn filled<'o>(&self, object: &'o Object, tree: &Tree) -> Cow<'o, Object> {
        if !object.source.slice(object.root.span).contains("${") {
            return Cow::Borrowed(object);
        }
        let place = tree.absolute(object.source.path.as_ref());
        let above = place.ancestors().filter_map(|folder| self.0.get(folder)).flatten();
        let above: Vec<_> = above
            .filter(|(parent, _)| !std::ptr::eq(*parent, object))
            .map(|(_, variables)| variables)
            .collect();
        match above.is_empty() {
            true => Cow::Borrowed(object),
            false => Cow::Owned(Object { root: replaced(&object.root, &above), ..object.clone() }),
        }
    }
}

/// A node in which the variables of the Kustomizations above are replaced, the nearest first.
fn replaced(node: &Node, above: &[&Variables]) -> Node {
    let value = match &node.value {
        Value::Str(written) if written.contains("${") => Value::Str(filled(written, above)),
        Value::Seq(items) => Value::Seq(items.iter().map(|item| replaced(item, above)).collect()),
        Value::Map(map) => {
            let mut map = map.as_ref().clone();
            map.entries.iter_mut().for_each(|one| one.value = replaced(&one.value, above));
            Value::Map(Arc::new(map))
        }
        other => other.clone(),
    };
    Node { value, ..node.clone() }
}

fn filled(written: &str, above: &[&Variables]) -> Arc<str> {
    let mut text = String::new();
    let mut from = 0;
    for one in substitutions(written) {
        let SubstitutionKind::Variable(name) = one.kind else { continue };
        let known = above.iter().find_map(|variables| variables.known.get(name));
        let Some(value) = known.and_then(|known| known.value.as_deref()) else { continue };
        text += &written[from..one.range.start];
        text += value;
        from = one.range.end;
    }
    (text + &written[from..]).into()
}
