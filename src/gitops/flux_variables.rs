//! Variables in Flux objects themselves: a Kustomization above them replaces `interval: ${INTERVAL}` before Flux reads them.
//!
//! Several Kustomizations may apply the same folder, for one cluster each. Only what all of them agree on is replaced, and only a plain
//! `${NAME}`; what else there is may be anything.

use std::{borrow::Cow, collections::HashMap, path::PathBuf, sync::Arc};

use job_lifecycle::{
    Object,
    deploy::{SubstitutionKind, substitutions},
};
use kustomize_build::Variables;
use yaml_spans::{Node, Value};

use super::{
    by_kind::ByKind,
    options::{flag, text},
    post_build::Sources,
    repository::Tree,
};

/// The label or annotation that turns substitution off for an object.
const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// The variables that Kustomizations replace, by the folder that these apply.
#[derive(Default)]
pub(super) struct OfFolders<'a>(HashMap<PathBuf, Vec<(&'a Object, Variables)>>);

impl<'a> OfFolders<'a> {
    pub(super) fn of(all: &ByKind<'a>, tree: &Tree) -> Self {
        let mut found = Self::default();
        for object in all.of("Kustomization").iter().copied() {
            let Some(path) = text(&object.root, &["spec", "path"]) else { continue };
            if flag(&object.root, &["spec", "suspend"]) {
                continue;
            }
            let sources = Sources { object, all };
            if let Some(variables) = sources.variables(&mut Vec::new()) {
                found.0.entry(tree.path(path)).or_default().push((object, variables));
            }
        }
        found
    }

    /// The object as Flux gets it, as far as the values are known.
    pub(super) fn filled<'o>(&self, object: &'o Object, tree: &Tree) -> Cow<'o, Object> {
        let written = object.source.slice(object.root.span);
        if !written.contains("${") || written.contains(SWITCH) {
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

/// A node in which the variables of the Kustomizations above are replaced.
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
        let is_plain = written[one.range.clone()].len() == name.len() + "${}".len();
        let Some(value) = agreed(name, above).filter(|_| is_plain) else { continue };
        text += &written[from..one.range.start];
        text += value;
        from = one.range.end;
    }
    (text + &written[from..]).into()
}

/// The value that all Kustomizations give a variable that know it. One with unknown variables may know another.
fn agreed<'v>(name: &str, above: &[&'v Variables]) -> Option<&'v str> {
    let mut values = above.iter().filter_map(|own| match own.known.get(name) {
        Some(known) => Some(known.value.as_deref()),
        None => (!own.is_complete).then_some(None),
    });
    let first = values.next()??;
    values.all(|value| value == Some(first)).then_some(first)
}
