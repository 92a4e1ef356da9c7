//! Strings: the standard library and cel-go's extension, version 2.

use crate::value::Value;
use crate::value::format_string;
use crate::value::text::escape;

use super::lists;
use super::{Answer, Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("contains", |call| test(call, |text, part| text.contains(part))),
    ("startsWith", |call| test(call, |text, part| text.starts_with(part))),
    ("endsWith", |call| test(call, |text, part| text.ends_with(part))),
    ("charAt", char_at),
    ("indexOf", index_of),
    ("lastIndexOf", last_index_of),
    ("lowerAscii", |call| map(call, str::to_ascii_lowercase)),
    ("upperAscii", |call| map(call, str::to_ascii_uppercase)),
    ("trim", |call| map(call, |text| text.trim().to_owned())),
    ("strings.quote", |call| map(call, quote)),
    ("replace", replace),
    ("split", split),
    ("substring", substring),
    ("join", join),
    ("format", format),
];

fn test(call: &mut Call, is: fn(&str, &str) -> bool) -> Answer {
    match call.arguments {
        [Value::String(text), Value::String(part)] => Ok(Value::Bool(is(text, part))),
        _ => Err(Failure::NoOverload),
    }
}

fn map(call: &mut Call, to: fn(&str) -> String) -> Answer {
    match call.arguments {
        [Value::String(text)] => Ok(to(text).into()),
        _ => Err(Failure::NoOverload),
    }
}

fn out_of_range(index: i64) -> Failure {
    Failure::Error(format!("index out of range: {index}"))
}

/// The byte at which the character with this index begins; the length for the one after the last.
fn offset(text: &str, index: i64) -> Option<usize> {
    let index = usize::try_from(index).ok()?;
    let ends = std::iter::once(text.len());
    text.char_indices().map(|(at, _)| at).chain(ends).nth(index)
}

fn char_at(call: &mut Call) -> Answer {
    let [Value::String(text), Value::Int(index)] = call.arguments else {
        return Err(Failure::NoOverload);
    };
    let at = offset(text, *index).ok_or_else(|| out_of_range(*index))?;
    Ok(text[at..].chars().next().map(String::from).unwrap_or_default().into())
}

fn characters(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn index_of(call: &mut Call) -> Answer {
    let (text, part, from) = match call.arguments {
        [Value::String(text), Value::String(part)] => (text, part, 0),
        [Value::String(text), Value::String(part), Value::Int(from)] => (text, part, *from),
        [Value::List(items), item] => return lists::position(items, item, call.meter),
        _ => return Err(Failure::NoOverload),
    };
    if part.is_empty() {
        return Ok(Value::Int(from));
    }
    if from < 0 {
        return Err(out_of_range(from));
    }
    let found = offset(text, from).and_then(|at| text[at..].find(&**part).map(|found| at + found));
    Ok(Value::Int(found.map_or(-1, |at| characters(&text[..at]))))
}

fn last_index_of(call: &mut Call) -> Answer {
    let (text, part, from) = match call.arguments {
        [Value::String(text), Value::String(part)] => {
            if part.is_empty() {
                return Ok(Value::Int(characters(text)));
            }
            if text.len() < part.len() {
                return Ok(Value::Int(-1));
            }
            (text, part, characters(text) - 1)
        }
        [Value::String(text), Value::String(part), Value::Int(from)] => (text, part, *from),
        [Value::List(items), item] => return lists::last_position(items, item, call.meter),
        _ => return Err(Failure::NoOverload),
    };
    if part.is_empty() {
        return Ok(Value::Int(from));
    }
    if from < 0 {
        return Err(out_of_range(from));
    }
    if from >= characters(text) {
        return Ok(Value::Int(-1));
    }
    let end = offset(text, from).map_or(text.len(), |at| (at + part.len()).min(text.len()));
    let end = (0..=end).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    Ok(Value::Int(text[..end].rfind(&**part).map_or(-1, |at| characters(&text[..at]))))
}

fn replace(call: &mut Call) -> Answer {
    let (text, old, new, count) = match call.arguments {
        [Value::String(text), Value::String(old), Value::String(new)] => (text, old, new, -1),
        [Value::String(text), Value::String(old), Value::String(new), Value::Int(count)] => {
            (text, old, new, *count)
        }
        _ => return Err(Failure::NoOverload),
    };
    let found = usize::try_from(count).unwrap_or(usize::MAX);
    let matches =
        if old.is_empty() { text.chars().count() + 1 } else { text.matches(&**old).count() };
    call.meter.work(matches.min(found).saturating_mul(new.len()) / 8)?;
    Ok(text.replacen(&**old, new, found).into())
}

fn split(call: &mut Call) -> Answer {
    let (text, separator, count) = match call.arguments {
        [Value::String(text), Value::String(separator)] => (text, separator, -1),
        [Value::String(text), Value::String(separator), Value::Int(count)] => {
            (text, separator, *count)
        }
        _ => return Err(Failure::NoOverload),
    };
    call.meter.allocate(text.len() + 1)?;
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    if most == 0 {
        return Ok(Value::list([]));
    }
    let parts: Vec<Value> = if separator.is_empty() {
        let whole = text.char_indices().map(|(at, _)| at);
        let starts: Vec<_> = whole.take(most).collect();
        let ends = starts.iter().skip(1).copied().chain(std::iter::once(text.len()));
        starts.iter().zip(ends).map(|(start, end)| Value::from(&text[*start..end])).collect()
    } else {
        text.splitn(most, &**separator).map(Value::from).collect()
    };
    Ok(Value::list(parts))
}

fn substring(call: &mut Call) -> Answer {
    let (text, start, end) = match call.arguments {
        [Value::String(text), Value::Int(start)] => (text, *start, None),
        [Value::String(text), Value::Int(start), Value::Int(end)] => (text, *start, Some(*end)),
        _ => return Err(Failure::NoOverload),
    };
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(Failure::Error(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let from = offset(text, start).ok_or_else(|| out_of_range(start))?;
    let to = match end {
        Some(end) => offset(text, end).ok_or_else(|| out_of_range(end))?,
        None => text.len(),
    };
    Ok(text[from..to].into())
}

fn join(call: &mut Call) -> Answer {
    let (items, separator) = match call.arguments {
        [Value::List(items)] => (items, ""),
        [Value::List(items), Value::String(separator)] => (items, &**separator),
        _ => return Err(Failure::NoOverload),
    };
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        let Value::String(text) = item else {
            return Err(Failure::Error(format!(
                "join: invalid input: {}",
                crate::value::text::display(item)
            )));
        };
        call.meter.work((text.len() + separator.len()) / 8)?;
        joined.push_str(text);
    }
    Ok(joined.into())
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match escape(character) {
            Some(escaped) => quoted.push_str(escaped),
            None => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

fn format(call: &mut Call) -> Answer {
    let [Value::String(text), Value::List(items)] = call.arguments else {
        return Err(Failure::NoOverload);
    };
    format_string::format(text, items, call.meter).map(Value::from)
}
