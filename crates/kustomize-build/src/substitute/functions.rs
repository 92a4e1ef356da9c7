//! What the operators of an expression do with a value (`fluxcd/pkg/envsubst` `funcs.go`).

use super::pattern;

/// The value of an expression; `None` where it cuts a character in two, or fails as in Go.
pub(super) fn apply(operator: &str, value: &str, operands: &[String]) -> Option<String> {
    let first = || operands.first().map_or("", String::as_str);
    Some(match operator {
        "," => first_letter(value, lower),
        ",," => value.chars().map(lower).collect(),
        "^" => first_letter(value, upper),
        "^^" => value.chars().map(upper).collect(),
        "#" if operands.is_empty() => value.len().to_string(),
        "#" => trimmed(value, first(), true)?,
        "##" => trimmed(value, first(), false)?,
        "%" => reversed(&trimmed(&reversed(value), &reversed(first()), true)?),
        "%%" => reversed(&trimmed(&reversed(value), &reversed(first()), false)?),
        ":" => part(value, operands)?,
        "/" => value.replacen(first(), operands.get(1).map_or("", String::as_str), 1),
        "//" => value.replace(first(), operands.get(1).map_or("", String::as_str)),
        "/#" => match (value.strip_prefix(first()), operands.get(1)) {
            (Some(rest), Some(new)) => format!("{new}{rest}"),
            _ => value.to_owned(),
        },
        "/%" => match (value.strip_suffix(first()), operands.get(1)) {
            (Some(rest), Some(new)) => format!("{rest}{new}"),
            _ => value.to_owned(),
        },
        _ if value.is_empty() => operands.concat(),
        _ => value.to_owned(),
    })
}

/// Whether an operator gives a value to a variable that has none.
pub(super) fn is_default(operator: &str) -> bool {
    matches!(operator, "=" | ":-" | ":+" | ":=" | ":?")
}

/// Whether an operator compares all parts of a value with a pattern.
pub(super) fn is_pattern(operator: &str) -> bool {
    matches!(operator, "#" | "##" | "%" | "%%")
}

fn first_letter(value: &str, change: fn(char) -> char) -> String {
    let mut letters = value.chars();
    letters.next().map(change).into_iter().chain(letters).collect()
}

/// Go maps a letter to one letter.
fn lower(c: char) -> char {
    let mut letters = c.to_lowercase();
    letters.next().filter(|_| letters.next().is_none()).unwrap_or(c)
}

fn upper(c: char) -> char {
    let mut letters = c.to_uppercase();
    letters.next().filter(|_| letters.next().is_none()).unwrap_or(c)
}

fn reversed(value: &str) -> String {
    value.chars().rev().collect()
}

/// `:offset:length`, in bytes. A number that is none gives the whole value.
fn part(value: &str, operands: &[String]) -> Option<String> {
    let whole = || Some(value.to_owned());
    let Ok(offset) = operands[0].parse::<i64>() else { return whole() };
    let size = value.len() as i64;
    let start = if offset < 0 { (size + offset).max(0) } else { offset };
    let rest = || match start < size {
        true => value.get(start as usize..).map(str::to_owned),
        false => Some(String::new()),
    };
    let Some(length) = operands.get(1) else { return rest() };
    let Ok(length) = length.parse::<i64>() else { return whole() };
    match start.saturating_add(length) {
        end if end >= size => rest(),
        end => {
            value.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?).map(str::to_owned)
        }
    }
}

/// The value without the start that matches a pattern: the shortest that is not empty, or the longest.
fn trimmed(value: &str, wanted: &str, shortest: bool) -> Option<String> {
    let bytes = value.as_bytes();
    let mut found = 0;
    for end in (1..=bytes.len()).rev() {
        match pattern::matches(wanted.as_bytes(), &bytes[..end]) {
            None => return Some(value.to_owned()),
            Some(false) => {}
            Some(true) => {
                found = end;
                if !shortest {
                    break;
                }
            }
        }
    }
    value.get(found..).map(str::to_owned)
}
