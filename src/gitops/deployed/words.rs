//! The words of a text that may be paths.

use super::pattern::PARTS;

/// The words of a line. What templates and shells fill in is part of a word, whatever it holds.
pub(super) fn of(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = behind_filled(rest) {
            word.push_str("${}");
            rest = after;
            continue;
        }
        match next.is_whitespace() || "\"'`=,;|&<>()[]:".contains(next) {
            true => words.push(std::mem::take(&mut word)),
            false => word.push(next),
        }
        rest = &rest[next.len_utf8()..];
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// What follows a part in braces that something fills in.
fn behind_filled(text: &str) -> Option<&str> {
    let (start, end) = PARTS.iter().find(|(start, _)| text.starts_with(start))?;
    Some(text[start.len()..].split_once(end)?.1)
}

/// The number of folders that a word names, without those that are unknown.
pub(super) fn known_parts(word: &str) -> usize {
    let is_known = |part: &&str| !part.is_empty() && !part.contains(['$', '*', '?', '{']);
    let is_name = |part: &&str| *part != "." && *part != "..";
    word.split('/').filter(is_known).filter(is_name).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_is_filled_in() {
        assert_eq!(
            of("run: kubectl apply -k \"clusters/${{ matrix.name }}/apps\" $(ls a)/b"),
            ["run", "kubectl", "apply", "-k", "clusters/${}/apps", "${}/b"]
        );
        assert_eq!(
            [known_parts("./apps/${X}/b"), known_parts("../*/"), known_parts("a")],
            [2, 0, 1]
        );
    }
}
