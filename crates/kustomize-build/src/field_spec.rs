//! Visiting the fields that a field spec names.

use crate::{
    config::FieldSpec,
    error::{Error, Result},
    id::Gvk,
    node::{Data, Kind, Node},
};

/// What to make of a field that is missing or null.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Create {
    Never,
    As(Kind),
}

/// Applies a function to the fields of a resource that a spec names.
pub(crate) fn visit(
    root: &mut Node,
    gvk: &Gvk,
    spec: &FieldSpec,
    create: Create,
    set: &mut dyn FnMut(&mut Node) -> Result<()>,
) -> Result<()> {
    match gvk.is_selected(&spec.gvk) {
        true => visit_any(root, gvk, spec, create, set),
        false => Ok(()),
    }
}

/// The same for a resource of any kind.
pub(crate) fn visit_any(
    root: &mut Node,
    gvk: &Gvk,
    spec: &FieldSpec,
    create: Create,
    set: &mut dyn FnMut(&mut Node) -> Result<()>,
) -> Result<()> {
    if !spec.create && lacks_first(root, &spec.path) {
        return Ok(());
    }
    let path = split(&spec.path, '/');
    let create = if spec.create { create } else { Create::Never };
    walk(root, &path, create, set).map_err(|error| {
        error.prefixed(format!("considering field '{}' of object {}", spec.path, Shown(root, gvk)))
    })
}

/// Whether a resource lacks the field that a plain path starts with: nothing is there to visit.
fn lacks_first(root: &Node, path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    let is_plain = !first.is_empty() && !first.contains(['\\', '[', '*']);
    is_plain && matches!(root.data, Data::Map(_)) && root.get(first).is_none()
}

struct Shown<'n>(&'n Node, &'n Gvk);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |key: &str| self.0.at(&["metadata", key]).map_or("", Node::text).to_owned();
        let (gvk, name, namespace) = (self.1.clone(), text("name"), text("namespace"));
        let id = crate::id::Id { gvk, name, namespace, ..Default::default() };
        id.fmt(f)
    }
}

fn walk(
    node: &mut Node,
    path: &[String],
    create: Create,
    set: &mut dyn FnMut(&mut Node) -> Result<()>,
) -> Result<()> {
    let Some((part, rest)) = path.split_first() else { return set(node) };
    if node.is_null() {
        return Ok(());
    }
    match &mut node.data {
        Data::Seq(items) => {
            for item in items {
                walk(item, path, create, set).map_err(|error| {
                    error.prefixed(format!("visit traversal on path: [{}]", path.join(" ")))
                })?;
            }
            Ok(())
        }
        Data::Map(_) => {
            let (name, is_seq) = match part.strip_suffix("[]") {
                Some(name) => (name, true),
                None => (part.as_str(), false),
            };
            if name.is_empty() {
                return Err(Error::transformer("cannot set or create an empty field name"));
            }
            if name == "*" {
                let at = node.origin.parts().first().map(|part| part.at.clone());
                let message = "fieldName: *: wildcard is not supported in PathGetter";
                return Err(Error::transformer(message).at(at));
            }
            let (made, kind) = match create {
                _ if is_seq => (None, Some(Kind::Seq)),
                Create::Never => (None, None),
                Create::As(kind) if rest.is_empty() => (Some(kind), Some(kind)),
                Create::As(_) => (Some(Kind::Map), Some(Kind::Map)),
            };
            let field = match made {
                Some(kind) => node.get_or_create(name, kind),
                None => match node.get_mut(name) {
                    Some(field) => field,
                    None => return Ok(()),
                },
            };
            if let (true, Some(kind)) = (field.is_null(), kind) {
                *field = Node { origin: field.origin.clone(), ..Node::empty(kind) };
            }
            walk(field, rest, create, set)
        }
        Data::Scalar(_) => {
            let at = node.origin.parts().first().map(|part| part.at.clone());
            Err(Error::transformer("expected sequence or mapping node").at(at))
        }
    }
}

/// Splits a path; a backslash keeps the delimiter after it.
pub(crate) fn split(path: &str, delimiter: char) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut pieces = path.split(delimiter).peekable();
    if path.starts_with(delimiter) {
        pieces.next();
    }
    for piece in pieces {
        match parts.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(delimiter);
                last.push_str(piece);
            }
            _ => parts.push(piece.to_owned()),
        }
    }
    parts
}

/// Splits a path at points, but not in brackets.
pub(crate) fn split_bracketed(path: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut pieces = split(path, '.').into_iter();
    while let Some(piece) = pieces.next() {
        if !piece.starts_with('[') || piece.ends_with(']') {
            parts.push(piece);
            continue;
        }
        let mut whole = piece;
        for next in pieces.by_ref() {
            whole.push('.');
            whole.push_str(&next);
            if next.ends_with(']') {
                break;
            }
        }
        let is_match = whole.contains('=');
        parts.push(if is_match { whole } else { whole.trim_matches(['[', ']']).to_owned() });
    }
    parts
}
