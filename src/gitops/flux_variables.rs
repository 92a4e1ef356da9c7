//! Variables in Flux objects themselves: a Kustomization above them replaces `interval: ${INTERVAL}` before Flux reads them.
//!
//! Several Kustomizations may apply the same folder, for one cluster each. Only what all of them agree on is replaced, and only a plain
//! `${NAME}`; what else there is may be anything.

use std::{
    borrow::Cow,
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

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
use crate::context::is_substitution_off;

/// The variables that Kustomizations replace.
pub(super) struct OfFolders<'a> {
    all: &'a ByKind<'a>,
    tree: &'a Tree,
    /// By the folder that they apply; found where an object has variables.
    found: OnceLock<HashMap<PathBuf, Vec<(&'a Object, Variables)>>>,
}

impl<'a> OfFolders<'a> {
    pub(super) fn of(all: &'a ByKind<'a>, tree: &'a Tree) -> Self {
        Self { all, tree, found: OnceLock::new() }
    }

    fn find(&self) -> HashMap<PathBuf, Vec<(&'a Object, Variables)>> {
        let (all, tree) = (self.all, self.tree);
        let mut found: HashMap<PathBuf, Vec<_>> = HashMap::new();
        for object in all.of("Kustomization").iter().copied() {
            let Some(path) = text(&object.root, &["spec", "path"]) else { continue };
            if flag(&object.root, &["spec", "suspend"]) {
                continue;
            }
            let sources = Sources { object, all };
            if let Some(variables) = sources.variables(&mut Vec::new()) {
                found.entry(tree.path(path)).or_default().push((object, variables));
            }
        }
        found
    }

    /// The object as Flux gets it, as far as the values are known.
    pub(super) fn filled<'o>(&self, object: &'o Object) -> Cow<'o, Object> {
        let has_variables = object.source.slice(object.root.span).contains("${");
        if !has_variables || is_substitution_off(object) {
            return Cow::Borrowed(object);
        }
        let place = self.tree.absolute(object.source.path.as_ref());
        let found = self.found.get_or_init(|| self.find());
        let above = place.ancestors().filter_map(|folder| found.get(folder)).flatten();
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
