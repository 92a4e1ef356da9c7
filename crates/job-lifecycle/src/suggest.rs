//! "Did you mean …?": the known word nearest to a misspelt one.

/// Words longer than this, in bytes, are near to none.
const LONGEST: usize = 128;

/// The known word nearest to a misspelt one, ignoring case; `None` when none is near: at most two edits,
/// three in words of twelve letters or more (optimal string alignment distance).
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.len() > LONGEST {
        return None;
    }
    let wrong = wrong.to_lowercase();
    let distance = |word: &str| strsim::osa_distance(&wrong, &word.to_lowercase());
    let (distance, word) = known.into_iter().map(|word| (distance(word), word)).min()?;
    (distance <= 2.max(wrong.len() / 4).min(3)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_word() {
        let known = ["missing-ttl", "overlap", "pod-hook"];
        assert_eq!(nearest("mising-ttl", known), Some("missing-ttl"));
        assert_eq!(nearest("ovrelap", known), Some("overlap"));
        assert_eq!(nearest("something-else", known), None);
    }
}
