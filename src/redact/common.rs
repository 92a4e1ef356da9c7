//! Values that are masked only where they are written, because they are no secret elsewhere.

use std::sync::LazyLock;

/// Passwords of examples, names of services, kinds of objects, and words of joblint's own sentences. In lower case and
/// in order.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| include_str!("common.txt").lines().collect());

/// True for a value that everybody knows or that occurs in most outputs.
pub(super) fn is_common(value: &str) -> bool {
    WORDS.binary_search(&&*value.to_ascii_lowercase()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.is_sorted());
        assert!(WORDS.iter().all(|word| **word == *word.to_ascii_lowercase()));
    }

    #[test]
    fn the_words_of_headlines_are_common() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/rules");
        let mut count = 0;
        for page in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let text = std::fs::read_to_string(&page).unwrap();
            let summary = text.lines().find_map(|line| line.strip_prefix("summary: "));
            for word in summary.unwrap_or_default().split(|c: char| !c.is_ascii_alphanumeric()) {
                let is_field = word.chars().skip(1).any(|c| c.is_ascii_uppercase());
                assert!(word.len() < 5 || is_field || is_common(word), "{word} of {page:?}");
                count += 1;
            }
        }
        assert!(count > 500, "{count}");
    }
}
