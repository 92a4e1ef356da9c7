//! Compares two renders of one workload, value by value.

use job_lifecycle::{
    Role,
    deploy::helm_role,
    kubernetes::immutable,
    release_changes::{Change, HookChange},
};
use yaml_spans::{Entry, Node, Span, Value};

/// The most differences to keep, with and without an immutable field each.
const MOST: usize = 16;

/// One difference between two trees.
#[derive(Debug)]
pub(crate) struct TreeDifference<'a> {
    pub(crate) field: Option<&'static str>,
    pub(crate) path: String,
    /// The span of the old value, or of the collection that gains one.
    pub(crate) span: Span,
    /// What to trace to find the cause: a condition that adds the first entry of a mapping lies before the span.
    pub(crate) traced: Span,
    pub(crate) old: Option<&'a Node>,
    pub(crate) new: Option<&'a Node>,
}

/// The namespace and name of an object.
pub(super) fn name(root: &Node) -> (Option<&str>, Option<&str>) {
    let text = |key| root.at(&["metadata", key]).and_then(Node::as_str);
    (text("namespace"), text("name"))
}

/// The differences between two renders of a workload, without its name and namespace.
pub(crate) fn differences<'a>(old: &'a Node, new: &'a Node) -> Vec<TreeDifference<'a>> {
    let text = |key| old.get(key).and_then(Node::as_str).unwrap_or_default();
    let is_job = text("kind") == "Job" && text("apiVersion").starts_with("batch/");
    let mut comparison = Comparison {
        roots: (old, new),
        is_job,
        keys: Vec::new(),
        from: old.span.start,
        found: Vec::new(),
    };
    comparison.compare(old, new, "");
    comparison.found
}

/// Whether there may be more differences than these.
pub(super) fn is_cut(raw: &[TreeDifference<'_>]) -> bool {
    let immutable = raw.iter().filter(|raw| raw.field.is_some()).count();
    immutable == MOST || raw.len() - immutable == MOST
}

/// The part of a change that follows from the comparison alone.
pub(crate) fn summary(old: &Node, new: &Node, raw: &[TreeDifference<'_>]) -> Change {
    let renamed = name(old) != name(new);
    let mut fields: Vec<_> = raw.iter().filter_map(|raw| raw.field).collect();
    fields.dedup();
    Change {
        name: renamed,
        new_name: name(new).1.filter(|_| renamed).map(str::to_owned),
        hook: hook_change(old, new),
        mutable: raw.iter().any(|raw| raw.field.is_none()),
        fields,
        ..Change::default()
    }
}

fn hook_change(old: &Node, new: &Node) -> Option<HookChange> {
    match (helm_role(old), helm_role(new)) {
        (Role::Plain, Role::Hook(hook)) => Some(HookChange::Becomes(hook)),
        (Role::Hook(_), Role::Plain) => Some(HookChange::Ceases),
        _ => None,
    }
}

struct Comparison<'a> {
    roots: (&'a Node, &'a Node),
    is_job: bool,
    keys: Vec<String>,
    /// The start of the key whose value is compared, or the end of the item before it.
    from: u32,
    found: Vec<TreeDifference<'a>>,
}

impl<'a> Comparison<'a> {
    fn compare(&mut self, old: &'a Node, new: &'a Node, path: &str) {
        match (&old.value, &new.value) {
            (Value::Map(a), Value::Map(b)) => {
                let added = b.entries.iter().filter(|entry| a.entry(&entry.key).is_none());
                let keys = a.entries.iter().chain(added).map(|entry| &entry.key);
                for key in keys {
                    self.keys.push(key.to_string());
                    self.child(old, (a.entry(key), b.entry(key)), &step(path, key));
                    self.keys.pop();
                }
            }
            (Value::Seq(a), Value::Seq(b)) if a.len() == b.len() => {
                let from = self.from;
                for (index, (old, new)) in a.iter().zip(b.iter()).enumerate() {
                    self.compare(old, new, &format!("{path}[{index}]"));
                    self.from = old.span.end;
                }
                self.from = from;
            }
            _ if old == new || old.is_empty() && new.is_empty() => {}
            _ => self.add(path, (old.span, old.span), Some(old), Some(new)),
        }
    }

    /// Compares an entry that is in both mappings or in one. To the API server an empty value equals an
    /// absent one.
    fn child(
        &mut self,
        above: &'a Node,
        (old, new): (Option<&'a Entry>, Option<&'a Entry>),
        path: &str,
    ) {
        match (old, new) {
            _ if ["metadata.name", "metadata.namespace"].contains(&path) => {}
            (Some(old), Some(new)) => {
                let from = std::mem::replace(&mut self.from, old.key_span.start);
                self.compare(&old.value, &new.value, path);
                self.from = from;
            }
            (Some(old), None) if !old.value.is_empty() => {
                let span = old.key_span.to(old.value.span);
                self.add(path, (span, span), Some(&old.value), None);
            }
            (None, Some(new)) if !new.value.is_empty() => {
                let traced = Span { start: self.from.min(above.span.start), ..above.span };
                self.add(path, (above.span, traced), None, Some(&new.value));
            }
            _ => {}
        }
    }

    fn add(
        &mut self,
        path: &str,
        (span, traced): (Span, Span),
        old: Option<&'a Node>,
        new: Option<&'a Node>,
    ) {
        let keys: Vec<_> = self.keys.iter().map(String::as_str).collect();
        let (before, after) = self.roots;
        let field = immutable::touched(before, after, &keys).filter(|_| self.is_job);
        let rest = self.found.iter().filter(|raw| raw.field.is_some() == field.is_some()).count();
        if rest < MOST {
            self.found.push(TreeDifference {
                field,
                path: path.to_owned(),
                span,
                traced,
                old,
                new,
            });
        }
    }
}

fn step(path: &str, key: &str) -> String {
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    match (path.is_empty(), is_plain) {
        (true, _) => key.to_owned(),
        (false, true) => format!("{path}.{key}"),
        (false, false) => format!("{path}[\"{key}\"]"),
    }
}
