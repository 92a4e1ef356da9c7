//! The characters around and within a printed string.

use super::is_break;

/// The chomping indicator of a block scalar.
pub fn chomping(text: &str) -> &'static str {
    let mut chars = text.chars().rev();
    match (chars.next(), chars.next()) {
        (Some(last), _) if !is_break(last) => "-",
        (Some(_), None) => "+",
        (Some(_), Some(before)) if is_break(before) => "+",
        _ => "",
    }
}

/// The escape sequence of a character in double quotes.
pub fn escape(c: char) -> String {
    let letter = match c {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            return match u32::from(c) {
                code @ ..=0xff => format!("\\x{code:02X}"),
                code @ ..=0xffff => format!("\\u{code:04X}"),
                code => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{letter}")
}
