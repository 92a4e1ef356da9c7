//! Lines that stand for what a named template of an absent dependency prints, in the middle of what a chart writes itself.

use crate::guards::PLACEHOLDER;

/// The text with a comment for each line that holds a stand-in alone; without `all`, only for those with others beside them,
/// as `labels:` may go on behind one. A comment takes as many bytes as the line. `None` if there is no such line.
pub(super) fn commented(text: &str, all: bool) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_text = |line: &&&str| !line.trim().is_empty();
    let mut found = false;
    let mut result = String::with_capacity(text.len());
    let has_others = |index: usize| {
        let last = lines[..index].iter().rfind(is_text);
        let next = lines[index + 1..].iter().find(is_text);
        last.is_some_and(|last| !last.trim_end().ends_with(':'))
            || next.is_some_and(|next| depth(next) >= depth(lines[index]))
    };
    for (index, line) in lines.iter().enumerate() {
        if line.trim() == PLACEHOLDER && (all || has_others(index)) {
            let (spaces, rest) = line.split_once(PLACEHOLDER)?;
            result.extend([spaces.strip_suffix(' ')?, "#", PLACEHOLDER, rest]);
            found = true;
        } else {
            result.push_str(line);
        }
    }
    found.then_some(result)
}

/// The number of spaces that a line begins with.
fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_others_beside_them_become_comments() {
        let text = "labels:\n  placeholder\n\n  app: shop\nspec:\n  placeholder\n";
        let beside = text.replacen("  placeholder", " #placeholder", 1);
        assert_eq!(commented(text, false), Some(beside));
        assert_eq!(commented(text, true), Some(text.replace("  placeholder", " #placeholder")));
        assert_eq!(commented("labels:\n  app: placeholder\n", true), None);
        assert_eq!(commented("placeholder\napp: shop\n", true), None, "a comment needs a place");
    }
}
