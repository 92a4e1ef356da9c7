//! Keys, patterns and globs of requirements. Patterns are limited in length and size before they are compiled.

use globset::GlobMatcher;
use job_lifecycle::kubernetes::names::label_key;
use regex::{Error, Regex, RegexBuilder};
use yaml_spans::{Node, Span};

use super::{Flaw, shown};
use crate::glob;

/// The longest pattern, in bytes.
const LONGEST: usize = 256;
/// The most groups inside each other.
const DEEPEST: u32 = 20;
/// The largest compiled pattern, in bytes. Matching takes time in proportion to it.
const LARGEST: usize = 64 << 10;

/// The key of a label or annotation in a mapping.
pub(super) fn key(name: &str, node: &Node) -> Result<String, Flaw> {
    let Some(key) = node.as_str().filter(|key| !key.is_empty()) else {
        let help = format!("write it as `{{{name}: team}}`");
        return Err(Flaw::new(node.span, format!("`{name}` names no key"), help));
    };
    check_key(name, key, node.span)?;
    Ok(key.to_owned())
}

/// Refuses a key that the API server would refuse.
pub(super) fn check_key(name: &str, key: &str, span: Span) -> Result<(), Flaw> {
    // The API server validates annotation keys in lower case.
    let wrong = match name {
        "annotation" => label_key(&key.to_lowercase()),
        _ => label_key(key),
    };
    let Some(rule) = wrong.into_iter().next() else { return Ok(()) };
    let equals = key.split_once('=').filter(|(key, _)| label_key(key).is_empty());
    let help = match equals {
        Some((key, value)) => {
            let pattern = format!("^{}$", regex::escape(&shown(value))).replace('\'', "''");
            format!("write `{{{name}: {key}, pattern: '{pattern}'}}`")
        }
        None => rule,
    };
    Err(Flaw::new(span, format!("`{}` is not a valid {name} key", shown(key)), help))
}

/// The compiled pattern of a label or annotation.
pub(super) fn pattern(node: &Node) -> Result<Regex, Flaw> {
    let flaw = |reason: &str, help: &str| Flaw::new(node.span, reason, help);
    let Some(text) = node.as_str() else {
        return Err(flaw("a pattern is a text", "put it into quotes: \"^[a-z]+$\""));
    };
    if text.len() > LONGEST {
        return Err(flaw(&format!("the pattern is longer than {LONGEST} bytes"), "shorten it"));
    }
    let mut builder = RegexBuilder::new(text);
    builder.nest_limit(DEEPEST).size_limit(LARGEST).dfa_size_limit(LARGEST);
    builder.build().map_err(|error| match error {
        Error::CompiledTooBig(_) => flaw(
            "the pattern is too large",
            "use `[a-z0-9]` instead of `\\w`, and fewer repetitions",
        ),
        // The last line says what is wrong; those before draw the pattern.
        error => {
            let text = error.to_string();
            let why = text.lines().last().unwrap_or_default();
            let why = why.trim_start_matches("error: ");
            Flaw::new(node.span, "the pattern is not a valid regular expression", why)
        }
    })
}

/// The globs of an image: one, or a list of which any one is enough.
pub(super) fn globs(node: &Node) -> Result<Vec<GlobMatcher>, Flaw> {
    let each = match node.items() {
        [] => std::slice::from_ref(node),
        items => items,
    };
    each.iter().map(one_glob).collect()
}

fn one_glob(node: &Node) -> Result<GlobMatcher, Flaw> {
    const HELP: &str = "write it as \"registry.example.com/**\"";
    let Some(text) = node.as_str().filter(|text| !text.is_empty()) else {
        return Err(Flaw::new(node.span, "`image` needs a glob", HELP));
    };
    let flaw = |error| Flaw::new(node.span, format!("`{}` {error}", shown(text)), HELP);
    glob::compile(text, true).map_err(flaw)
}
