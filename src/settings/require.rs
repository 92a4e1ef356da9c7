//! The entries of `require:`: names, names with bounds, and lists of which any one is enough.

mod bounds;
mod text;

use job_lifecycle::suggest::nearest;
use yaml_spans::{Entry, Node, Span, Value};

use super::{Problem, file::Loaded};
use crate::{
    finding::Severity,
    policy::{Bounds, Metadata, Number, Requirement, Wish},
};

/// The names, as the list of what is expected.
const NAMES: &str = "ttl, hook, generate-name, idempotency-hint, deadline, backoff-limit, image, label:KEY, annotation:KEY";

/// The most wishes in one settings file, so that their patterns stay cheap together.
const MOST: usize = 50;

/// The longest message, in characters.
const LONGEST_MESSAGE: usize = 200;

/// What a name asks for, and with what.
#[derive(Clone, Copy)]
enum Name {
    /// Nothing but its name.
    Plain(fn() -> Wish),
    /// Bounds, if any.
    Number(Number),
    /// A key, and perhaps a pattern.
    Metadata(Metadata),
    /// Globs.
    Image,
}

const TABLE: [(&str, Name); 9] = [
    ("ttl", Name::Number(Number::Ttl)),
    ("hook", Name::Plain(|| Wish::Hook)),
    ("generate-name", Name::Plain(|| Wish::GenerateName)),
    ("idempotency-hint", Name::Plain(|| Wish::IdempotencyHint)),
    ("deadline", Name::Number(Number::Deadline)),
    ("backoff-limit", Name::Number(Number::BackoffLimit)),
    ("image", Name::Image),
    ("label", Name::Metadata(Metadata::Label)),
    ("annotation", Name::Metadata(Metadata::Annotation)),
];

/// The keys that an entry has beside its name.
const BESIDE: [&str; 3] = ["any", "severity", "message"];

/// Why an entry is refused, and what to write instead.
struct Flaw {
    span: Span,
    reason: String,
    help: String,
}

impl Flaw {
    fn new(span: Span, reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, reason: reason.into(), help: help.into() }
    }
}

/// The requirements of a settings file.
///
/// # Errors
/// The problems of all entries that joblint does not understand.
pub(super) fn read(loaded: &Loaded) -> Result<Vec<Requirement>, Vec<Problem>> {
    let list = loaded.root.as_ref().and_then(|root| root.get("require"));
    let (mut requirements, mut problems) = (Vec::new(), Vec::new());
    let mut wishes = 0;
    for (node, written) in
        list.map(Node::items).unwrap_or_default().iter().zip(&loaded.file.require)
    {
        let read = requirement(node, written).and_then(|one| {
            wishes += one.any.len();
            let too_many = || format!("more than {MOST} requirements");
            match wishes > MOST {
                true => Err(Flaw::new(node.span, too_many(), "remove some")),
                false => Ok(one),
            }
        });
        match read {
            Ok(one) => requirements.push(one),
            Err(Flaw { span, reason, help }) => {
                let problem = Problem::new(&loaded.source, span, reason);
                problems.push(Problem { help: Some(help), ..problem });
            }
        }
        if wishes > MOST {
            break;
        }
    }
    if problems.is_empty() { Ok(requirements) } else { Err(problems) }
}

fn requirement(node: &Node, written: &serde_json::Value) -> Result<Requirement, Flaw> {
    let any = match (&node.value, node.get("any")) {
        (Value::Map(_), Some(any)) => {
            let allowed = |entry: &&Entry| !BESIDE.contains(&&*entry.key);
            if let Some(other) = node.entries().iter().find(allowed) {
                let reason = format!("`{}` does not go with `any`", shown(&other.key));
                return Err(Flaw::new(other.key_span, reason, "put it into the list of `any`"));
            }
            any_of(any)?
        }
        (Value::Map(_), None) => vec![bounded(node, &BESIDE[1..])?],
        (Value::Seq(_), _) => any_of(node)?,
        _ => vec![wish(node)?],
    };
    let severity = node.entry("severity").map(severity).transpose()?;
    let message = node.entry("message").map(message).transpose()?;
    Ok(Requirement { any, severity, message, written: written.clone() })
}

fn any_of(list: &Node) -> Result<Vec<Wish>, Flaw> {
    match list.items() {
        [] => Err(Flaw::new(list.span, "this names nothing to choose from", "write `[ttl, hook]`")),
        items => items.iter().map(wish).collect(),
    }
}

/// A wish inside of a list, which has no severity or message of its own.
fn wish(node: &Node) -> Result<Wish, Flaw> {
    match &node.value {
        Value::Str(name) => named(name, node.span),
        Value::Map(_) => bounded(node, &[]),
        _ => {
            let help = format!("expected one of {NAMES}");
            Err(Flaw::new(node.span, "a requirement is a name, or a name with its bounds", help))
        }
    }
}

/// A wish written as text: `ttl`, `label:team`.
fn named(item: &str, span: Span) -> Result<Wish, Flaw> {
    let (name, key) = item.split_once(':').unwrap_or((item, ""));
    let has_key = item != name;
    let Some((name, known)) = find(name) else { return Err(unknown(item, span)) };
    let takes_no_key =
        || Flaw::new(span, format!("`{name}` takes no key"), format!("write `{name}`"));
    match known {
        Name::Metadata(of) if !key.is_empty() => {
            text::check_key(name, key, span)?;
            Ok(Wish::Metadata(of, key.to_owned(), None))
        }
        Name::Metadata(_) => {
            let help = format!("write it as `{name}:team`");
            Err(Flaw::new(span, format!("`{}` names no key", shown(item)), help))
        }
        Name::Image => {
            let help = "write it as `{image: \"registry.example.com/**\"}`";
            Err(Flaw::new(span, "`image` needs a glob", help))
        }
        _ if has_key => Err(takes_no_key()),
        Name::Plain(wish) => Ok(wish()),
        Name::Number(number) => Ok(Wish::Number(number, Bounds::default())),
    }
}

/// A wish written as a mapping: `{ttl: {max: 1d}}`. `beside` are the keys that it may have too.
fn bounded(node: &Node, beside: &[&str]) -> Result<Wish, Flaw> {
    let named = |entry: &&Entry| find(&entry.key).is_some();
    let Some(entry) = node.entries().iter().find(named) else {
        let first = node.entries().iter().find(|entry| !beside.contains(&&*entry.key));
        let nothing = || {
            let help = format!("expected one of {NAMES}");
            Flaw::new(node.span, "this requirement names nothing that is required", help)
        };
        return Err(first.map_or_else(nothing, |entry| unknown(&entry.key, entry.key_span)));
    };
    let (name, known) = find(&entry.key).expect("it was just found");
    let own: &[&str] = if matches!(known, Name::Metadata(_)) { &["pattern"] } else { &[] };
    let allowed = |key: &str| key == name || own.contains(&key) || beside.contains(&key);
    if let Some(other) = node.entries().iter().find(|other| !allowed(&other.key)) {
        return Err(misplaced(name, other, &[own, beside].concat()));
    }
    match known {
        Name::Plain(_) => {
            let help = format!("write `{name}`, or `{{any: [{name}], severity: warning}}`");
            Err(Flaw::new(entry.value.span, format!("`{name}` takes no bounds"), help))
        }
        Name::Number(number) => Ok(Wish::Number(number, bounds::read(name, number, entry)?)),
        Name::Image => Ok(Wish::Image(text::globs(&entry.value)?)),
        Name::Metadata(of) => {
            let key = text::key(name, &entry.value)?;
            let pattern = node.get("pattern").map(text::pattern).transpose()?;
            Ok(Wish::Metadata(of, key, pattern))
        }
    }
}

fn find(name: &str) -> Option<(&'static str, Name)> {
    TABLE.into_iter().find(|(known, _)| *known == name)
}

fn unknown(item: &str, span: Span) -> Flaw {
    let (name, key) = item.split_once(':').unwrap_or((item, ""));
    let help = match nearest(name, TABLE.map(|(known, _)| known)) {
        Some(near) if key.is_empty() => format!("did you mean `{near}`?"),
        Some(near) => format!("did you mean `{near}:{}`?", shown(key)),
        None => format!("expected one of {NAMES}"),
    };
    Flaw::new(span, format!("unknown requirement `{}`", shown(item)), help)
}

/// A key that does not go with the name of a requirement.
fn misplaced(name: &str, other: &Entry, allowed: &[&str]) -> Flaw {
    let key = shown(&other.key);
    if find(&other.key).is_some() {
        let reason = format!("`{name}` and `{key}` are two requirements");
        return Flaw::new(other.key_span, reason, "write each as an entry of its own");
    }
    let help = match nearest(&other.key, allowed.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if BESIDE.contains(&&*other.key) => {
            format!("in a list it stands beside `any`: `{{any: […], {key}: …}}`")
        }
        None if allowed.is_empty() => format!("`{name}` stands alone here"),
        None => format!("expected one of {}", allowed.join(", ")),
    };
    Flaw::new(other.key_span, format!("`{key}` does not go with `{name}`"), help)
}

fn severity(entry: &Entry) -> Result<Severity, Flaw> {
    let written = entry.value.as_str().unwrap_or_default();
    if let Some(known) = Severity::ALL.into_iter().find(|known| known.name() == written) {
        return Ok(known);
    }
    let help = match nearest(written, Severity::ALL.map(Severity::name)) {
        Some(near) if !written.is_empty() => format!("did you mean `{near}`?"),
        _ => format!("expected one of {}", Severity::ALL.map(Severity::name).join(", ")),
    };
    Err(Flaw::new(entry.value.span, "this is not a severity", help))
}

fn message(entry: &Entry) -> Result<String, Flaw> {
    let text = entry.value.as_str().unwrap_or_default();
    let reason = match text.chars().count() {
        _ if text.trim().is_empty() => "a message is a text".to_owned(),
        _ if text.contains(['\n', '\r']) => "a message is one line".to_owned(),
        length if length > LONGEST_MESSAGE => {
            format!("a message has at most {LONGEST_MESSAGE} characters")
        }
        _ => return Ok(text.trim().to_owned()),
    };
    Err(Flaw::new(entry.value.span, reason, "write one sentence"))
}

/// The start of a text that may be long.
fn shown(text: &str) -> String {
    const SHOWN: usize = 80;
    text.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests;
