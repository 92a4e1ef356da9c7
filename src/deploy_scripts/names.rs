//! How scripts name objects: `job/shop-migrate`, `$(RELEASE)-migrate`.

use job_lifecycle::Object;

use crate::scripts::is_of_name;

/// Whether a kind and a name are those of a Job.
pub(super) fn names_own(named: Option<(&str, &str)>, job: &Object, lines: &[&str]) -> bool {
    let named = named.filter(|(kind, _)| is_job(kind)).zip(job.name());
    named.is_some_and(|((_, name), own)| names_job(name, own, lines))
}

pub(super) fn is_job(kind: &str) -> bool {
    matches!(kind, "job" | "jobs" | "job.batch" | "jobs.batch")
}

/// Whether a word of a script names a Job. What is nothing but a variable stands for a word elsewhere in the script.
pub(super) fn names_job(word: &str, own: &str, lines: &[&str]) -> bool {
    let pattern = with_wildcards(word);
    match pattern.trim_matches('*').is_empty() {
        true => {
            lines.iter().any(|line| line.split(|c: char| !is_of_name(c)).any(|other| other == own))
        }
        false => is_like(&pattern, own),
    }
}

/// A word with `*` for each variable: `$(NAME)-job`, `${NAME}-job` and `$NAME-job` are `*-job`.
pub(super) fn with_wildcards(word: &str) -> String {
    let mut pattern = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('$') {
        let after = after.trim_start_matches('$');
        let end = match after.chars().next() {
            Some('(') => after.find(')').map(|end| end + 1),
            Some('{') => {
                after.rfind("}}").map(|end| end + 2).or_else(|| Some(after.find('}')? + 1))
            }
            _ => after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_'),
        };
        pattern = pattern + before + "*";
        rest = &after[end.unwrap_or(after.len())..];
    }
    pattern + rest
}

/// Whether a text is what a pattern with `*` stands for.
pub(super) fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    let Some(mut rest) = rest.strip_suffix(last) else { return false };
    parts.all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}
