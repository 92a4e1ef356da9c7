//! Regular expressions in Go's syntax, written for Rust's library.

/// Classes that are ASCII in Go and Unicode in Rust: letter, members.
const CLASSES: &[(char, &str)] = &[('d', "0-9"), ('w', "0-9A-Za-z_"), ('s', r"\t\n\f\r ")];

/// The expression for Rust's library: with ASCII classes, without `\Q…\E`, and with a backslash before what only Rust
/// gives a meaning inside of brackets.
pub(super) fn translate(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        rest = match first {
            '\\' => escape(after, in_class, &mut translated),
            '[' if in_class => class_bracket(after, &mut translated),
            '[' => {
                in_class = true;
                class_start(after, &mut translated)
            }
            // In Go, a brace that begins no repeat is a character.
            '{' if !in_class && !is_repeat(after) => {
                translated.push_str("\\{");
                after
            }
            ']' if in_class => {
                in_class = false;
                translated.push(']');
                after
            }
            '&' | '~' | '-' if in_class && after.starts_with(first) => {
                translated.push('\\');
                translated.push(first);
                after
            }
            other => {
                translated.push(other);
                after
            }
        };
    }
    translated
}

/// Whether a text after a brace goes on as in `{1,2}`.
fn is_repeat(text: &str) -> bool {
    let Some((counts, _)) = text.split_once('}') else { return false };
    let (least, most) = counts.split_once(',').unwrap_or((counts, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && is_number(least) && is_number(most)
}

/// The first group whose flags only Rust knows.
pub(super) fn unknown_flags(pattern: &str) -> Option<&str> {
    pattern.match_indices("(?").map(|(at, _)| &pattern[at..]).find_map(|group| {
        let flags = group[2..].split([':', ')', '<', 'P', '=', '!']).next().unwrap_or_default();
        let end = flags.find(|flag: char| flag.is_ascii_alphabetic() && !"imsU".contains(flag))?;
        Some(&group[..end + 3])
    })
}

/// What follows a backslash.
fn escape<'p>(text: &'p str, in_class: bool, translated: &mut String) -> &'p str {
    let Some(first) = text.chars().next() else {
        translated.push('\\');
        return text;
    };
    let after = &text[first.len_utf8()..];
    if first == 'Q' {
        let (literal, rest) = after.split_once("\\E").unwrap_or((after, ""));
        translated.push_str(&regex_syntax::escape(literal));
        return rest;
    }
    let octal = text.bytes().take(3).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
    if octal > 1 || first == '0' {
        let code = u32::from_str_radix(&text[..octal], 8).unwrap_or(0);
        *translated += &format!("\\x{{{code:x}}}");
        return &text[octal..];
    }
    if let Some(end) =
        after.strip_prefix('{').filter(|_| "pPx".contains(first)).and_then(|name| name.find('}'))
    {
        let end = first.len_utf8() + end + 2;
        *translated += &format!("\\{}", &text[..end]);
        return &text[end..];
    }
    let class = CLASSES.iter().find(|(name, _)| *name == first.to_ascii_lowercase());
    match (class, first) {
        (Some((name, members)), _) if in_class && *name == first => translated.push_str(members),
        (Some((name, members)), _) if *name == first => *translated += &format!("[{members}]"),
        (Some((_, members)), _) => *translated += &format!("[^{members}]"),
        (None, 'b' | 'B') if !in_class => *translated += &format!("(?-u:\\{first})"),
        _ => {
            translated.push('\\');
            translated.push(first);
        }
    }
    after
}

/// The start of a class: a bracket right after it is a member.
fn class_start<'p>(text: &'p str, translated: &mut String) -> &'p str {
    translated.push('[');
    let rest = text.strip_prefix('^').unwrap_or(text);
    translated.push_str(&text[..text.len() - rest.len()]);
    match rest.strip_prefix(']') {
        Some(rest) => {
            translated.push_str("\\]");
            rest
        }
        None => rest,
    }
}

/// A bracket inside of a class: the start of `[:alpha:]`, or a member.
fn class_bracket<'p>(text: &'p str, translated: &mut String) -> &'p str {
    if let Some(end) = text.strip_prefix(':').and_then(|text| text.find(":]")) {
        let name = &text[..end + 3];
        translated.push('[');
        translated.push_str(name);
        return &text[name.len()..];
    }
    translated.push_str("\\[");
    text
}
