//! Numbers, names and lists in sentences.

use job_lifecycle::Object;

/// A number with its noun: `1 problem`, `2 problems`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// The kind and name of an object: Job `migrate`.
pub(crate) fn titled(object: &Object) -> String {
    match object.is_unnamed() || object.name().is_some() {
        true => format!("{} `{}`", object.kind(), object.display_name()),
        false => format!("this {}", object.kind()),
    }
}

/// The headline with a note in parentheses, in those at its end if there are some.
pub(crate) fn noted(headline: &str, note: &str) -> String {
    match headline.strip_suffix(')') {
        _ if note.is_empty() => headline.to_owned(),
        Some(start) => format!("{start}; {note})"),
        None => format!("{headline} ({note})"),
    }
}

/// The sentence with an upper-case letter at its start and no full stop at its end.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + characters.as_str(),
        None => String::new(),
    }
}

/// Inputs as a list for a sentence: the first three, then the number of the others.
pub(crate) fn listed(inputs: &[String]) -> String {
    const MAX: usize = 3;
    let names: Vec<_> = inputs.iter().map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => "a release".to_owned(),
        [one] => one.clone(),
        [most @ .., last] if names.len() <= MAX => format!("{} and {last}", most.join(", ")),
        _ => format!("{} and {} more", names[..MAX].join(", "), names.len() - MAX),
    }
}
