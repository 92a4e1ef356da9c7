//! Did you mean…?

/// The known word nearest to a misspelt one; `None` when none is near.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let distance = |word: &str| strsim::osa_distance(&wrong, &word.to_lowercase());
    let (distance, word) = known.into_iter().map(|word| (distance(word), word)).min()?;
    (distance <= 2.max(wrong.len() / 4).min(3)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let known = ["missing-ttl", "overlap", "pod-hook"];
        assert_eq!(nearest("mising-ttl", known), Some("missing-ttl"));
        assert_eq!(nearest("ovrelap", known), Some("overlap"));
        assert_eq!(nearest("something-else", known), None);
    }
}
