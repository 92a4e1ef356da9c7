//! Makes texts of files and rules safe to print.

use std::borrow::Cow;

/// The text on one line, with visible control characters: a manifest must not be able to colour, move or reverse
/// the output.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_control(c) || c == '\n' || c == '\t') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let visible = |c: char| if c == '\t' { ' ' } else { self::visible(c) };
    Cow::Owned(lines.join(" ").chars().map(visible).collect())
}

/// The character, or a visible replacement for control characters other than line breaks and tabs.
pub(crate) fn visible(c: char) -> char {
    match c {
        '\0'..='\u{1F}' if is_control(c) => char::from_u32(0x2400 + c as u32).unwrap_or(c),
        _ if is_control(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

/// True for control characters and those that change the direction of text.
fn is_control(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Wraps the text at spaces into lines of at most `width` characters; longer words overflow.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut free = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if length < free => {
                line.push(' ');
                line.push_str(word);
                free -= length + 1;
            }
            _ => {
                lines.push(word.to_owned());
                free = width.saturating_sub(length);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(one_line("plain `text`"), "plain `text`");
        assert_eq!(one_line("a\n  b\r\n\tc \u{1b}[31m\u{202e}d"), "a b c ␛[31m�d");
    }

    #[test]
    fn wraps_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("aaaaaaaa b", 5), ["aaaaaaaa", "b"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
    }
}
