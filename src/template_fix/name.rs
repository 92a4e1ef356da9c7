//! Appends a hash of the pod template's inputs to the name of a Job, within 63 characters.

use std::collections::BTreeSet;

use job_lifecycle::{Object, release_changes::Difference};
use yaml_spans::{Edit, Source};

use super::line::Line;
use crate::{finding::RaisedFix, release_changes};

/// Length of the hash in characters.
const HASH: usize = 8;

/// Maximum length of the name before the hyphen and the hash. The Job controller labels every pod with the name of
/// its Job, and a label value has at most 63 characters.
const KEPT: usize = 63 - 1 - HASH;

/// Above this number of inputs, the tables that contain them are hashed instead.
const MAX_INPUTS: usize = 6;

/// What the fix says that it does.
pub(super) const TITLE: &str = "put a hash of what reaches it into its name";

/// Appends a hash to the name in its line.
pub(super) fn candidate(object: &Object, differences: &[&Difference]) -> Option<RaisedFix> {
    let line = Line::of(object, object.root.get("metadata")?.entry("name")?)?;
    let span = line.value()?;
    let changing = differences.iter().flat_map(|one| one.inputs.clone());
    let template = object.root.at(&["spec", "template"])?;
    let all = object.source.origin.as_ref()?.inputs(template.span);
    let inputs = changing.chain(all.into_iter().filter(|input| is_hashed(input)));
    let hash = hash(inputs.filter_map(|input| in_sub_chart(input, &line.source)))?;
    let text = hashed(line.source.slice(span), &hash)?;
    Some(line.fix(TITLE, vec![Edit { span, text }]))
}

/// True for an input whose value changes the pod template but does not identify the release.
fn is_hashed(input: &str) -> bool {
    input.starts_with("Values.") && !release_changes::is_name(input)
        || ["Chart.Version", "Chart.AppVersion"].contains(&input)
}

/// An input as the template of a sub-chart names it: `Values.db.image` of the chart is its `Values.image`, and nothing there has a
/// name for `Values.db`. A template in a folder `charts/db` that reads `.Values.db` is of a chart of its own.
fn in_sub_chart(input: String, template: &Source) -> Option<String> {
    let Some(path) = input.strip_prefix("Values.") else { return Some(input) };
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let folder = format!("charts/{name}/templates/");
    let before = template.path.find(&folder).map(|at| &template.path[..at]);
    let is_folder = before.is_some_and(|before| before.is_empty() || before.ends_with('/'));
    if !is_folder || template.text.contains(&format!(".Values.{name}")) {
        return Some(input);
    }
    rest.map(|rest| format!("Values.{rest}"))
}

/// A pipeline that hashes inputs. `None` if there is no input, or one is not constant within a release.
fn hash(inputs: impl Iterator<Item = String>) -> Option<String> {
    let all: Option<BTreeSet<String>> = inputs.map(|input| reference(&input)).collect();
    let all = without_parts(all?);
    let inputs: Vec<_> = match all.len() {
        0 => return None,
        count if count <= MAX_INPUTS => all.into_iter().collect(),
        _ => tables(&all),
    };
    Some(match &inputs[..] {
        [one] => format!("toJson {one} | sha256sum | trunc {HASH}"),
        more => format!("list {} | toJson | sha256sum | trunc {HASH}", more.join(" ")),
    })
}

/// The expression for an input such as `Values.image.tag` in any scope, up to the first key that is not a plain
/// identifier.
fn reference(input: &str) -> Option<String> {
    let is_plain = |part: &&str| {
        let mut chars = part.chars();
        chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let whole = input.find('[').map_or(input, |at| &input[..at]);
    let parts: Vec<_> = whole.split('.').take_while(is_plain).collect();
    let is_fixed = matches!(parts[..], ["Values", ..] | ["Chart" | "Release", _]);
    is_fixed.then(|| format!("$.{}", parts.join(".")))
}

/// Drops references that another reference contains.
fn without_parts(all: BTreeSet<String>) -> BTreeSet<String> {
    let is_part = |one: &String| {
        all.iter().any(|other| one.strip_prefix(&**other).is_some_and(|rest| rest.starts_with('.')))
    };
    all.iter().filter(|one| !is_part(one)).cloned().collect()
}

/// The top-level tables of the references, or all values if there are too many tables. References outside of
/// `.Values` stay as they are.
fn tables(all: &BTreeSet<String>) -> Vec<String> {
    let top = |one: &String| one.split('.').take(3).collect::<Vec<_>>().join(".");
    let tops: BTreeSet<_> = all.iter().map(top).collect();
    if tops.len() <= MAX_INPUTS {
        return tops.into_iter().collect();
    }
    let is_value = |one: &&String| one.starts_with("$.Values");
    let mut rest: Vec<_> = all.iter().filter(|one| !is_value(one)).cloned().collect();
    rest.push("$.Values".to_owned());
    rest
}

/// A part of a template text.
#[derive(Debug, PartialEq)]
enum Part<'a> {
    Text(&'a str),
    /// The pipeline of an action, without braces.
    Action(String),
}

/// The value of `name:` with an appended hash, truncated to fit. `None` if the value is more than text and plain
/// actions.
fn hashed(value: &str, hash: &str) -> Option<String> {
    let bare = ['"', '\''].iter().find_map(|quote| {
        value.strip_prefix(*quote)?.strip_suffix(*quote).filter(|text| !text.is_empty())
    });
    let bare = bare.unwrap_or(value);
    let parts = parts(bare)?;
    let kept = match &parts[..] {
        [Part::Text(text)] if text.len() <= KEPT => {
            return Some(format!("{text}-{{{{ {hash} }}}}"));
        }
        [Part::Action(action)] => format!("{action} | trunc {KEPT} | trimSuffix \"-\""),
        all => {
            let format: String = all.iter().map(Part::format).collect();
            let arguments: String = all.iter().filter_map(Part::argument).collect();
            format!("printf \"{format}\"{arguments} | trunc {KEPT} | trimSuffix \"-\"")
        }
    };
    Some(format!("{{{{ {kept} }}}}-{{{{ {hash} }}}}"))
}

impl Part<'_> {
    fn format(&self) -> String {
        match self {
            Part::Text(text) => text.replace('%', "%%"),
            Part::Action(_) => "%v".to_owned(),
        }
    }

    fn argument(&self) -> Option<String> {
        match self {
            Part::Text(_) => None,
            Part::Action(action) => Some(format!(" ({action})")),
        }
    }
}

/// Words in actions that print no plain value.
const KEYWORDS: [&str; 12] = [
    "if", "else", "end", "range", "with", "define", "template", "block", "break", "continue",
    "quote", "squote",
];

/// The action that prints a helper but cannot be part of a pipeline, in contrast to `include`.
const TEMPLATE: &str = "template ";

/// Splits a text into literal parts and actions.
fn parts(value: &str) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        let start = rest.find("{{").unwrap_or(rest.len());
        let (text, after) = rest.split_at(start);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._%".contains(c);
        if !text.chars().all(is_plain) {
            return None;
        }
        parts.extend(Some(Part::Text(text)).filter(|_| !text.is_empty()));
        let Some(after) = after.strip_prefix("{{") else { break };
        let end = end_of_action(after)?;
        parts.push(Part::Action(action(&after[..end])?));
        rest = &after[end + "}}".len()..];
    }
    Some(parts)
}

/// The pipeline of an action that prints a value. Trim markers are dropped, because a name has no white space.
fn action(inside: &str) -> Option<String> {
    let inside = inside.strip_prefix("- ").unwrap_or(inside);
    let inside = inside.strip_suffix(" -").unwrap_or(inside).trim();
    let (call, inside) = match inside.strip_prefix(TEMPLATE) {
        Some(rest) => ("include ", rest),
        None => ("", inside),
    };
    let mut words = inside.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_value = !words.any(|word| KEYWORDS.contains(&word))
        && !inside.contains(":=")
        && !inside.starts_with("/*");
    (is_value && !inside.is_empty()).then(|| format!("{call}{inside}"))
}

/// The end of the action; ignores `}}` in quoted strings.
fn end_of_action(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(own) if c == own => quote = None,
            Some(_) => {}
            None if c == '"' || c == '`' => quote = Some(c),
            None if text[at..].starts_with("}}") => return Some(at),
            None => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_goes_behind_every_form_of_a_name() {
        for (name, expected) in [
            ("migrate", "migrate-{{ H }}"),
            (
                "{{ template \"x.name\" . }}-a",
                "{{ printf \"%v-a\" (include \"x.name\" .) | trunc 54 | trimSuffix \"-\" }}-{{ H }}",
            ),
            ("{{ .Release.Name }}", "{{ .Release.Name | trunc 54 | trimSuffix \"-\" }}-{{ H }}"),
            (
                "\"{{ include \"x.name\" . }}-migrate\"",
                "{{ printf \"%v-migrate\" (include \"x.name\" .) | trunc 54 | trimSuffix \"-\" }}-{{ H }}",
            ),
            (
                "{{ .a }}-{{- \"}}\" -}}",
                "{{ printf \"%v-%v\" (.a) (\"}}\") | trunc 54 | trimSuffix \"-\" }}-{{ H }}",
            ),
        ] {
            assert_eq!(hashed(name, "H").as_deref(), Some(expected), "{name}");
        }
        for name in
            ["{{ if .a }}x{{ end }}", "{{ .a | quote }}", "a # why", "|", "{{ .a", "{{ $a := .b }}"]
        {
            assert_eq!(hashed(name, "H"), None, "{name}");
        }
    }

    #[test]
    fn what_is_hashed() {
        let hash = |inputs: &[&str]| {
            let inputs: Vec<_> = inputs.iter().map(|input| (*input).to_owned()).collect();
            super::hash(inputs.into_iter())
        };
        let of = |inputs: &str| Some(format!("{inputs} | sha256sum | trunc 8"));
        assert_eq!(hash(&["Chart.Version"]), of("toJson $.Chart.Version"));
        assert_eq!(
            hash(&["Values.image.tag", "Chart.Version", "Values.image", "Values.jobs[0].tag"]),
            of("list $.Chart.Version $.Values.image $.Values.jobs | toJson")
        );
        assert_eq!(hash(&["Values.a[\"b-c\"].d"]), of("toJson $.Values.a"));
        let many =
            ["a.a", "a.b", "b.c", "b.d", "c.e", "c.f", "d.g"].map(|one| format!("Values.{one}"));
        let many: Vec<_> = many.iter().map(|one| &**one).collect();
        assert_eq!(hash(&many), of("list $.Values.a $.Values.b $.Values.c $.Values.d | toJson"));
        let wide = ["a", "b", "c", "d", "e", "f", "g"].map(|one| format!("Values.{one}"));
        let mut wide: Vec<_> = wide.iter().map(|one| &**one).collect();
        wide.push("Chart.Version");
        assert_eq!(hash(&wide), of("list $.Chart.Version $.Values | toJson"));
        assert_eq!(hash(&["Chart.Version", "random"]), None, "another name at every render");
        assert_eq!(hash(&[]), None);
    }
}
