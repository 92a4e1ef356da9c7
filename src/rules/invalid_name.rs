use job_lifecycle::kubernetes::{Field, is_placeholder, names};

use super::{Check, Rule};
use crate::{finding::Finding, unit::UnitKind, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "invalid-name",
    include_str!("../../rules/invalid-name.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let metadata = Field::root(job.object).field("metadata");
    found.extend(namespace(job, metadata.field("namespace")));
    let (name, prefix) = (metadata.field("name"), metadata.field("generateName"));
    if name.is_empty() && prefix.is_empty() {
        let label = "neither `name` nor `generateName` is written";
        let message = format!("API server will reject {}: it has no name", job.title());
        let finding = Finding::new(name.span(), label).message(message).help("give it a `name`");
        found.push(if is_incomplete(job) { finding.pedantic() } else { finding });
        return;
    }
    if let Some(text) = prefix.text().filter(|text| !text.is_empty())
        && (is_rejected(&masked(text)) || is_rejected(&format!("{text}a")))
    {
        found.push(Finding::new(prefix.span(), why(text)).message(message(job, text)));
    }
    let Some(text) = name.text().filter(|text| !text.is_empty()) else { return };
    if is_rejected(text) {
        found.push(Finding::new(name.span(), why(text)).message(message(job, text)));
    } else if text.contains('.') && is_indexed(job) {
        let label = "a dot, and the name of an Indexed Job becomes the host name of its pods";
        let message =
            format!("pods of {} cannot start: the name of an Indexed Job has no dot", job.title());
        let finding = Finding::new(name.span(), label).message(message);
        found.push(finding.help("replace the dot in the name with a dash"));
    }
}

/// A namespace that cannot exist: its name is a DNS label, and an object in one that does not exist is rejected.
/// Upper case letters and other signs ask to be replaced, as in `NAMESPACE` and `<namespace>`.
fn namespace(job: &Subject<'_>, namespace: Field<'_>) -> Option<Finding> {
    let name = namespace.text().filter(|name| !name.is_empty() && !is_placeholder(name))?;
    let is_meant = name.chars().all(|c| is_allowed(c) || c == '_');
    if !is_meant || names::dns_label(name).is_empty() {
        return None;
    }
    let message =
        format!("API server will reject {}: no namespace can be called `{name}`", job.title());
    let label =
        "the name of a namespace has only lower case letters and digits, with `-` between them";
    let finding = Finding::new(namespace.span(), label).message(message);
    Some(finding.help("Use the name of a namespace that exists"))
}

/// Whether nothing in the tree deploys the manifest: no server and no kustomization takes it as it is, so a program
/// completes it.
fn is_incomplete(job: &Subject<'_>) -> bool {
    let context = job.context;
    context.kind == UnitKind::Plain && !context.together && context.is_all_assumed()
}

/// A prefix as the API server validates it: it may end in a dash, but not in a dot.
fn masked(prefix: &str) -> String {
    match prefix.strip_suffix('-').filter(|rest| !rest.is_empty()) {
        Some(rest) => {
            format!("{}a", &rest[..rest.len() - rest.chars().last().map_or(0, char::len_utf8)])
        }
        None => prefix.to_owned(),
    }
}

fn is_rejected(text: &str) -> bool {
    !names::dns_subdomain(text).iter().all(|wrong| wrong.starts_with("must be no more than"))
}

fn message(job: &Subject<'_>, text: &str) -> String {
    let start = format!("API server will reject {}", job.title());
    match text.chars().find(|c| !is_allowed(*c)) {
        Some(c) => format!("{start}: `{c}` is not allowed in a name"),
        None => format!("{start}: its name starts or ends with a wrong character"),
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.')
}

fn why(text: &str) -> String {
    match text.chars().find(|c| !is_allowed(*c)) {
        Some(c) => format!("`{c}` is not allowed, only lower case letters, digits, `-` and `.`"),
        None => {
            "each part between dots must start and end with a lower case letter or a digit".into()
        }
    }
}

fn is_indexed(job: &Subject<'_>) -> bool {
    let completions = job.job.get("completions").and_then(|completions| completions.as_int());
    let mode = job.job.get("completionMode").and_then(|mode| mode.as_str());
    mode == Some("Indexed") && completions != Some(0)
}
