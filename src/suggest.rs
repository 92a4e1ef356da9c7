//! Did you mean…?

/// The known word nearest to a misspelt one; `None` when none is near.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let distance = |word: &str| edit_distance(&wrong, &word.to_lowercase());
    let (distance, word) = known.into_iter().map(|word| (distance(word), word)).min()?;
    (distance <= 2.max(wrong.len() / 4).min(3)).then_some(word)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
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
