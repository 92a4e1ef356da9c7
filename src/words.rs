//! Numbers and lists in sentences.

/// A number with its noun: `1 problem`, `2 problems`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
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
