//! Counts and lists as parts of sentences.

/// `1 problem`, `2 problems`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Inputs as a part of a sentence, not too many.
pub fn listed(inputs: &[String]) -> String {
    const MOST: usize = 3;
    let names: Vec<_> = inputs.iter().map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => "a release".to_owned(),
        [one] => one.clone(),
        [most @ .., last] if names.len() <= MOST => format!("{} and {last}", most.join(", ")),
        _ => format!("{} and {} more", names[..MOST].join(", "), names.len() - MOST),
    }
}
