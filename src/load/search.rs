//! Byte searches that decide, without parsing, whether a text is worth parsing.

use std::{borrow::Cow, sync::LazyLock};

use job_lifecycle::kubernetes::token_word;
use memchr::memmem::{self, Finder};

/// API groups of Argo CD and Flux, up to [`VERSION`].
const GROUPS: &[&[u8]] = &[b"argoproj", b"toolkit.fluxcd", b"source.extensions.fluxcd"];

/// The text between an API group and its version. The finder is built once because every file is searched for
/// it.
static VERSION: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(".io/v"));

/// Returns whether a text may hold an object of Argo CD or Flux. CRDs are excluded: they name the groups too,
/// and are large. An Application may name their kind too, in `ignoreDifferences`.
pub fn is_gitops(bytes: &[u8]) -> bool {
    names_group(bytes) && {
        let mut starts = memmem::find_iter(bytes, b"\n---").chain([bytes.len()]);
        let mut from = 0;
        starts.any(|to| {
            let document = &bytes[std::mem::replace(&mut from, to)..to];
            names_group(document) && !is_crd(document)
        })
    }
}

fn names_group(bytes: &[u8]) -> bool {
    let is_ours = |at: usize| GROUPS.iter().any(|group| bytes[..at].ends_with(group));
    VERSION.find_iter(bytes).any(is_ours)
}

/// Whether a document is a CRD: its own kind is not indented.
fn is_crd(document: &[u8]) -> bool {
    let kind = b"kind: CustomResourceDefinition";
    memmem::find_iter(document, kind).any(|at| at == 0 || document[at - 1] == b'\n')
}

/// Built once because every file is searched for these.
static JOB: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("Job"));
static HOOK: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("/hook"));

/// Returns whether a text may hold a Job, a CronJob, a hook or a GitOps object: a line with `kind` before
/// `Job`, a hook annotation, or a GitOps API group. Escaped or split spellings (`"\x4aob"`, or a `kind` with
/// its value on the next line) are missed; manifests do not use them.
pub(crate) fn may_hold_work(bytes: &[u8]) -> bool {
    may_hold_jobs(bytes) || is_gitops(bytes)
}

/// Returns whether a text may hold a Job, a CronJob or a hook; see [`may_hold_work`].
pub(crate) fn may_hold_jobs(bytes: &[u8]) -> bool {
    mentions_job(bytes)
        || HOOK
            .find_iter(bytes)
            .any(|at| bytes[..at].ends_with(b"sh") || bytes[..at].ends_with(b"io"))
        || is_wide(bytes)
}

/// Returns whether a text is UTF-16, in which nothing is searched for.
fn is_wide(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

/// Returns whether a text that cannot be read or rendered has a Job, a CronJob or a hook in it. Unlike
/// [`may_hold_jobs`], what only speaks of them does not count: comments, `obj.kind == "Job"`.
pub(crate) fn declares_jobs(bytes: &[u8]) -> bool {
    let lines = || bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let is_of_work =
        |line: &[u8]| may_hold_jobs(line) && (HOOK.find(line).is_some() || names_job(line));
    is_wide(bytes)
        || may_hold_jobs(bytes) && lines().any(|line| !line.starts_with(b"#") && is_of_work(line))
}

/// Returns whether a line has the key `kind` with a Job or CronJob, or with what a template prints.
fn names_job(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let is_around = |c: char| c.is_whitespace() || "\"'\\=".contains(c);
    line.split("kind").skip(1).any(|rest| {
        let value = rest.trim_start_matches(is_around).strip_prefix(':').unwrap_or_default();
        let value = value.trim_start_matches(is_around);
        let word = value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        matches!(word, "Job" | "CronJob") || value.starts_with("{{")
    })
}

/// Returns whether a template or values may contribute to a Job, a hook or a GitOps object: the kind may stand apart from
/// the word `kind`.
pub(crate) fn mentions_work(bytes: &[u8]) -> bool {
    JOB.find(bytes).is_some() || HOOK.find(bytes).is_some() || is_gitops(bytes)
}

/// Returns whether a key or scalar may belong to a Job, a CronJob or a hook: the kind, a hook annotation, or a text that
/// holds such an object. Prose that mentions Jobs does not.
pub(crate) fn is_of_work(text: &str) -> bool {
    let is_kind = || !text.contains(char::is_whitespace) || text.contains("kind");
    HOOK.find(text.as_bytes()).is_some() || JOB.find(text.as_bytes()).is_some() && is_kind()
}

fn mentions_job(bytes: &[u8]) -> bool {
    mentions_kind(&JOB, bytes)
}

/// True when a line holds `kind` before the name of a kind. Each line is searched once, however long it is and however
/// many such objects it names. What is missed is as for [`may_hold_work`].
pub(crate) fn mentions_kind(name: &Finder<'_>, bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = name.find(&bytes[at..]) {
        let found = at + found;
        let start = memchr::memrchr(b'\n', &bytes[at..found]).map_or(at, |line| at + line + 1);
        let end = memchr::memchr(b'\n', &bytes[found..]).map_or(bytes.len(), |line| found + line);
        let line = &bytes[start..end];
        let kind = memchr::memmem::find(line, b"kind");
        if kind.is_some_and(|kind| name.find(&line[kind..]).is_some()) {
            return true;
        }
        at = end;
    }
    false
}

/// Returns whether a text names a hook annotation.
pub(super) fn holds_hook(bytes: &[u8]) -> bool {
    HOOK.find(bytes).is_some()
}

/// The number of lines that start with `kind:` and of documents that are JSON, which approximates the number of objects.
pub(super) fn kinds(bytes: &[u8]) -> usize {
    let inner = memmem::find_iter(bytes, "\nkind:").count();
    inner + usize::from(bytes.starts_with(b"kind:")) + in_flow_style(bytes)
}

/// The number of documents that are an object in braces.
fn in_flow_style(bytes: &[u8]) -> usize {
    let starts = memmem::find_iter(bytes, "\n---").map(|at| at + "\n---".len());
    let starts: Vec<_> = std::iter::once(0).chain(starts).collect();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let is_object = |document: &[u8]| {
        let text = document.trim_ascii_start();
        let text = text.strip_prefix(b"---").unwrap_or(text).trim_ascii_start();
        text.starts_with(b"{")
            && ["apiVersion", "kind"].iter().all(|key| memmem::find(text, key.as_bytes()).is_some())
    };
    starts.iter().zip(ends).filter(|(start, end)| is_object(&bytes[**start..*end])).count()
}

/// Returns whether a text that is no YAML is a template of another tool: it has delimiters of Jinja, ytt, ERB or Go
/// templates, or nothing is wrong with it but lines that `envsubst` fills in, or what a program or a person does.
pub(super) fn is_template(text: &str) -> bool {
    ["{{", "{%", "#@", "<%"].iter().any(|mark| text.contains(mark))
        || is_of_envsubst(text)
        || is_of_program(text)
        || is_with_blanks(text)
}

/// Returns whether a text is YAML without the lines that are a variable alone, which stands for a part of the document.
fn is_of_envsubst(text: &str) -> bool {
    let without = |line| if is_variable(line) { "" } else { line };
    text.lines().any(is_variable)
        && is_yaml(&text.lines().map(without).collect::<Vec<_>>().join("\n"))
}

/// Returns whether a text is YAML once the names in braces are filled in that `str.format` of Python takes:
/// `name: {name}-init`.
fn is_of_program(text: &str) -> bool {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let name = behind.split('}').next().filter(|name| name.len() < behind.len());
        let name = name.filter(|name| is_identifier(name));
        filled.push_str(before);
        match name {
            Some(name) => {
                filled.push_str(name);
                rest = &behind[name.len() + 1..];
            }
            None => {
                filled.push('{');
                rest = behind;
            }
        }
    }
    filled.push_str(rest);
    filled.len() < text.len() && is_yaml(&filled)
}

/// Returns whether a text is YAML once the blanks are filled in that begin as no value can: `image: :your-image:`,
/// `image: @IMAGE@`.
fn is_with_blanks(text: &str) -> bool {
    let filled = |line: &str| {
        let (key, value) = line.split_once(": ")?;
        let value = value.trim();
        let word = match value.strip_prefix(':') {
            Some(rest) => rest.strip_suffix(':')?,
            None => token_word(value).filter(|_| value.starts_with(['@', '%']))?.trim_matches('%'),
        };
        let is_word = !word.is_empty() && !word.contains([':', ' ', '"', '\'', '#']);
        is_word.then(|| format!("{key}: {word}"))
    };
    let lines: Vec<_> =
        text.lines().map(|line| filled(line).map_or(Cow::Borrowed(line), Cow::Owned)).collect();
    lines.iter().any(|line| matches!(line, Cow::Owned(_))) && is_yaml(&lines.join("\n"))
}

fn is_yaml(text: &str) -> bool {
    yaml_spans::parse(text).iter().all(Result::is_ok)
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns whether a line is `$NAME` or `${NAME}` and nothing else.
fn is_variable(line: &str) -> bool {
    let name = line
        .trim()
        .strip_prefix('$')
        .map(|name| name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name));
    name.is_some_and(is_identifier)
}

/// Kinds whose objects have no keys but [`KEYS`].
const KINDS: [&str; 7] =
    ["CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet"];
/// The keys of an object.
pub(super) const KEYS: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];
/// Fields of Jobs and pods that people put at the top by mistake.
const MISPLACED: [&str; 22] = [
    "activeDeadlineSeconds",
    "annotations",
    "backoffLimit",
    "completionMode",
    "completions",
    "concurrencyPolicy",
    "containers",
    "failedJobsHistoryLimit",
    "jobTemplate",
    "labels",
    "name",
    "namespace",
    "parallelism",
    "replicas",
    "restartPolicy",
    "schedule",
    "selector",
    "startingDeadlineSeconds",
    "successfulJobsHistoryLimit",
    "suspend",
    "template",
    "ttlSecondsAfterFinished",
];

/// Operators of JSON-e, which stand for a value in the place of a mapping (<https://json-e.js.org/operators.html>).
const JSON_E: [&str; 6] = ["$eval", "$flatten", "$if", "$let", "$map", "$merge"];

/// Returns whether a text is a template of JSON-e: a mapping of it begins with an operator.
fn is_json_e(text: &str) -> bool {
    const QUOTES: [char; 2] = ['"', '\''];
    let is_key = |line: &str, at: usize, operator: &str| {
        let before = line[..at].trim_end_matches(QUOTES).trim();
        let after = line[at + operator.len()..].trim_start_matches(QUOTES);
        after.starts_with(':') && (before.is_empty() || before.ends_with(['{', '-']))
    };
    let holds = |line: &str, operator: &&str| {
        line.match_indices(operator).any(|(at, _)| is_key(line, at, operator))
    };
    let mut lines = text.lines().filter(|line| line.contains('$'));
    lines.any(|line| JSON_E.iter().any(|operator| holds(line, operator)))
}

/// Returns whether a document of the text is both an object of Kubernetes and something else: before the kind of the
/// object it has at least two keys of another tool, such as a test that states its values and what they render. So is a
/// template of JSON-e.
pub(super) fn is_of_another_tool(text: &str) -> bool {
    is_json_e(text)
        || text.split("\n---").any(|document| {
            let mut keys = document.lines().filter_map(top_key);
            let is_foreign = |key: &str| !KEYS.contains(&key) && !MISPLACED.contains(&key);
            let mut foreign = 0;
            let kind = keys.find(|(key, _)| {
                foreign += usize::from(is_foreign(key));
                *key == "kind"
            });
            foreign >= 2 && kind.is_some_and(|(_, kind)| KINDS.contains(&kind))
        })
}

/// The key and value of a line at the top of a document.
fn top_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    (!key.is_empty() && key.chars().all(is_plain)).then(|| (key, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_counted_in_both_styles() {
        assert_eq!(kinds(b"apiVersion: v1\nkind: Secret\n---\nkind: Service\n"), 2);
        assert_eq!(kinds(b"{\"apiVersion\": \"v1\", \"kind\": \"Secret\"}\n"), 1);
        let flow = b"---\n{apiVersion: v1, kind: Secret}\n--- # next\nkind: Service\n---\n\n{kind: Role, apiVersion: v1, roleRef: {kind: Role}}";
        assert_eq!(kinds(flow), 3);
        assert_eq!(kinds(b"{\"name\": \"shop\", \"kind\": \"package\"}"), 0, "no object");
    }
}
