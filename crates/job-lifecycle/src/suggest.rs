//! "Did you mean …?": the known word nearest to a misspelt one.

/// Words longer than this, in bytes, are near to none.
const LONGEST: usize = 128;

/// The known word nearest to a misspelt one, ignoring case; `None` when none is near.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .filter_map(|word| Some((rank(wrong, word)?, word)))
        .min()
        .map(|(_, word)| word)
}

/// The number of edits from a misspelt word to a known one, ignoring case (optimal string alignment distance); `None`
/// when they are not near: one edit in words of up to five letters, two in longer ones, three from twelve letters on.
/// A word of three letters says too little to begin with another one.
pub(crate) fn rank(wrong: &str, known: &str) -> Option<usize> {
    if wrong.len() > LONGEST {
        return None;
    }
    let (wrong, known) = (wrong.to_lowercase(), known.to_lowercase());
    let length = wrong.chars().count().min(known.chars().count());
    let most = match length {
        0..=3 if wrong.chars().next() != known.chars().next() => 0,
        0..=5 => 1,
        6..=11 => 2,
        _ => 3,
    };
    Some(strsim::osa_distance(&wrong, &known)).filter(|distance| *distance <= most)
}

/// The words of a name, in lower case: those of `skip-dry-run`, `skip_dry_run` and `SkipDryRun` are the same.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        let is_word = c.is_alphanumeric();
        if !is_word || c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| is_word) {
            last.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
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
        assert_eq!(nearest("tag", ["args", "env", "tty"]), None);
        assert_eq!(nearest("evn", ["args", "env", "tty"]), Some("env"));
    }
}
