//! Trimming, repeating, wrapping and splitting texts.

use std::ops::Range;

use go_template::{
    Executor, FuncError, FunctionSpec, Key, Map, TextBuilder, Value,
    provenance::{Run, Taint},
    runes::runes,
};

use super::{
    args::{
        ANY, INT, Outcome, STRING, STRING_MAP, STRINGS, decision, failure, int, list_of, list_room,
        map_room, room, slice, sprint, trimmed,
    },
    strings::skip,
};
use crate::unicode::is_space;

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("abbrev", &[INT, STRING], STRING, abbrev).own_taint(),
    FunctionSpec::new("abbrevboth", &[INT, INT, STRING], STRING, abbrevboth).own_taint(),
    FunctionSpec::new("trim", &[STRING], STRING, trim).own_taint(),
    FunctionSpec::new("substr", &[INT, INT, STRING], STRING, substr).own_taint(),
    FunctionSpec::new("repeat", &[INT, STRING], STRING, repeat).own_taint(),
    FunctionSpec::new("trimall", &[STRING, STRING], STRING, trim_all).own_taint(),
    FunctionSpec::new("trimAll", &[STRING, STRING], STRING, trim_all).own_taint(),
    FunctionSpec::new("nospace", &[STRING], STRING, nospace).own_taint(),
    FunctionSpec::new("wrap", &[INT, STRING], STRING, wrap).own_taint(),
    FunctionSpec::new("wrapWith", &[INT, STRING, STRING], STRING, wrap_with).own_taint(),
    FunctionSpec::new("cat", &[], STRING, cat).variadic(ANY).own_taint(),
    FunctionSpec::new("split", &[STRING, STRING], STRING_MAP, split).own_taint(),
    FunctionSpec::new("splitList", &[STRING, STRING], STRINGS, split_list).own_taint(),
    FunctionSpec::new("splitn", &[STRING, INT, STRING], STRING_MAP, splitn).own_taint(),
];

fn trim(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    let range = trim_range(value.bytes(), |c, _| is_space(c));
    Ok(trimmed(context, value, range))
}

fn trim_all(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [cutset, value] = arguments else { return Ok(Value::NIL) };
    let set: Vec<char> = runes(cutset.bytes()).map(|(_, rune, _)| rune).collect();
    let range = trim_range(value.bytes(), |c, _| set.contains(&c));
    Ok(trimmed(context, value, range).decided_by(&mut context.tracker, cutset))
}

/// The range that is left after trimming runes at both ends.
fn trim_range(bytes: &[u8], is_cut: impl Fn(char, usize) -> bool) -> Range<usize> {
    let kept = runes(bytes).filter(|&(_, rune, len)| !is_cut(rune, len));
    let mut range: Option<Range<usize>> = None;
    for (at, _, len) in kept {
        let start = range.as_ref().map_or(at, |range| range.start);
        range = Some(start..at + len);
    }
    range.unwrap_or(0..0)
}

/// The result, controlled by the length of the text and by the other arguments.
fn decided(context: &mut Executor<'_>, result: Value, arguments: &[Value]) -> Value {
    arguments.iter().fold(result, |result, by| result.decided_by(&mut context.tracker, by))
}

fn substr(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [start, end, value] = arguments else { return Ok(Value::NIL) };
    let len = value.bytes().len() as i64;
    let (start, end) = match (int(start), int(end)) {
        (start, end) if start < 0 => (0, end),
        (start, end) if end < 0 || end > len => (start, len),
        bounds => bounds,
    };
    if end < 0 || end > len {
        let message = format!("slice bounds out of range [:{end}]");
        let with_length = if end < 0 { message } else { format!("{message} with length {len}") };
        return failure(format!("runtime error: {with_length}"));
    }
    if start > end {
        return failure(format!("runtime error: slice bounds out of range [{start}:{end}]"));
    }
    let result = slice(context, value, start as usize..end as usize);
    Ok(decided(context, result, arguments))
}

fn abbrev(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [width, value] = arguments else { return Ok(Value::NIL) };
    if int(width) < 4 {
        return Ok(value.clone().decided_by(&mut context.tracker, width));
    }
    let result = abbreviated(context, value, 0, int(width) as usize);
    Ok(decided(context, result, arguments))
}

fn abbrevboth(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [left, right, value] = arguments else { return Ok(Value::NIL) };
    let (offset, width) = (int(left), int(right));
    if width < 4 || offset > 0 && width < 7 {
        return Ok(decided(context, value.clone(), arguments));
    }
    let result = abbreviated(context, value, offset, width as usize);
    Ok(decided(context, result, arguments))
}

/// goutils' `AbbreviateFull`.
fn abbreviated(context: &mut Executor<'_>, value: &Value, offset: i64, width: usize) -> Value {
    let len = value.bytes().len();
    if len <= width {
        return value.clone();
    }
    let mut offset = offset.min(len as i64);
    if len as i64 - offset < width as i64 - 3 {
        offset = (len - (width - 3)) as i64;
    }
    let mut text = TextBuilder::new();
    if offset <= 4 {
        text.push_slice(&mut context.tracker, value, 0..width - 3);
        text.push(&mut context.tracker, "...", value.taint());
        return text.finish();
    }
    let offset = offset as usize;
    text.push(&mut context.tracker, "...", value.taint());
    if width < 7 {
        return Value::from("");
    }
    if offset + width - 3 < len {
        let tail = slice(context, value, offset..len);
        let inner =
            if width - 3 < 4 { Value::from("") } else { abbreviated(context, &tail, 0, width - 3) };
        text.push_text(&mut context.tracker, &inner);
    } else {
        text.push_slice(&mut context.tracker, value, len - (width - 3)..len);
    }
    text.finish()
}

fn repeat(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [count, value] = arguments else { return Ok(Value::NIL) };
    let Ok(times) = usize::try_from(int(count)) else {
        return failure("strings: negative Repeat count");
    };
    room(context, value.bytes().len(), times)?;
    let times = if value.bytes().is_empty() { times.min(1) } else { times };
    context.spend(times as u64)?;
    context.check_size(times.saturating_mul(size_of::<Run>()))?;
    let mut text = TextBuilder::new();
    for _ in 0..times {
        text.push_text(&mut context.tracker, value);
    }
    let decided = decision(&mut context.tracker, count);
    text.push(&mut context.tracker, "", decided);
    Ok(text.finish().decided_by(&mut context.tracker, count))
}

/// goutils' `DeleteWhiteSpace`, which treats bytes as characters if the text contains a space.
fn nospace(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    let bytes = value.bytes();
    if !bytes.iter().any(|&byte| is_space(char::from(byte))) {
        return Ok(value.clone());
    }
    let taint = value.observed(&mut context.tracker);
    let mut text = TextBuilder::new();
    let mut start = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if byte.is_ascii() && !is_space(char::from(byte)) {
            continue;
        }
        text.push_slice(&mut context.tracker, value, start..at);
        start = at + 1;
        if !is_space(char::from(byte)) {
            text.push(&mut context.tracker, char::from(byte).to_string(), taint);
        }
    }
    text.push_slice(&mut context.tracker, value, start..bytes.len());
    Ok(text.finish())
}

fn wrap(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [width, value] = arguments else { return Ok(Value::NIL) };
    wrapped(context, int(width), &Value::from("\n"), value, false, arguments)
}

fn wrap_with(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [width, separator, value] = arguments else { return Ok(Value::NIL) };
    let newline = Value::from("\n");
    let separator = if separator.bytes().is_empty() { &newline } else { separator };
    wrapped(context, int(width), separator, value, true, arguments)
}

/// goutils' `WrapCustom`, in bytes.
fn wrapped(
    context: &mut Executor<'_>,
    width: i64,
    separator: &Value,
    value: &Value,
    splits_words: bool,
    arguments: &[Value],
) -> Outcome {
    let bytes = value.bytes();
    let width = usize::try_from(width.max(1)).unwrap_or(usize::MAX);
    room(context, separator.bytes().len() + 1, bytes.len())?;
    let mut separator = separator.clone();
    for argument in arguments {
        let taint = decision(&mut context.tracker, argument);
        separator.add_taint(&mut context.tracker, taint);
    }
    let mut text = TextBuilder::new();
    let mut offset = 0;
    while bytes.len() - offset > width {
        if bytes[offset] == b' ' {
            offset += 1;
            continue;
        }
        let space = memchr::memrchr(b' ', &bytes[offset..=offset + width]);
        let (end, next) = match space {
            Some(space) => (offset + space, offset + space + 1),
            None if splits_words => (offset + width, offset + width),
            None => match memchr::memchr(b' ', &bytes[offset + width..]) {
                Some(space) => (offset + width + space, offset + width + space + 1),
                None => break,
            },
        };
        text.push_slice(&mut context.tracker, value, offset..end);
        text.push_text(&mut context.tracker, &separator);
        offset = next;
    }
    text.push_slice(&mut context.tracker, value, offset..bytes.len());
    Ok(text.finish())
}

/// The arguments that are not nil as `%v`, separated by spaces.
fn cat(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let mut text = TextBuilder::new();
    let mut is_first = true;
    let mut skipped = Taint::NONE;
    for value in arguments {
        if value.is_nil() {
            skip(context, &mut text, &mut skipped, value);
            continue;
        }
        let mut shown = sprint(context, value)?;
        shown.add_taint(&mut context.tracker, skipped);
        if !std::mem::take(&mut is_first) {
            text.push(&mut context.tracker, " ", shown.taint());
        }
        text.push_text(&mut context.tracker, &shown);
    }
    Ok(text.finish())
}

fn split(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [separator, value] = arguments else { return Ok(Value::NIL) };
    let parts = parts(context, value, separator, -1, arguments)?;
    numbered(context, parts, arguments)
}

fn splitn(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [separator, count, value] = arguments else { return Ok(Value::NIL) };
    let parts = parts(context, value, separator, int(count), arguments)?;
    numbered(context, parts, arguments)
}

fn split_list(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [separator, value] = arguments else { return Ok(Value::NIL) };
    let parts = parts(context, value, separator, -1, arguments)?;
    let shape = shape(context, arguments);
    Ok(list_of(STRINGS, parts, shape))
}

fn numbered(context: &mut Executor<'_>, parts: Vec<Value>, arguments: &[Value]) -> Outcome {
    map_room(context, parts.len())?;
    let shape = shape(context, arguments);
    let parts = parts.into_iter().enumerate();
    let entries = parts.map(|(i, part)| (Key::from(format!("_{i}")), part)).collect();
    let map = Map::of(STRING_MAP, entries);
    map.reshape(&mut context.tracker, shape);
    Ok(Value::from(map))
}

/// The inputs that decide the number of parts.
fn shape(context: &mut Executor<'_>, arguments: &[Value]) -> Taint {
    arguments.iter().fold(Taint::NONE, |shape, argument| {
        let taint = decision(&mut context.tracker, argument);
        context.tracker.join(shape, taint)
    })
}

/// `strings.SplitN`. The whole text decides which bytes each part has.
fn parts(
    context: &mut Executor<'_>,
    value: &Value,
    separator: &Value,
    limit: i64,
    arguments: &[Value],
) -> Result<Vec<Value>, FuncError> {
    let decided = shape(context, arguments);
    let ranges = ranges(value.bytes(), separator.bytes(), limit);
    list_room(context, ranges.len())?;
    let part = |range| {
        let mut part = slice(context, value, range);
        part.add_taint(&mut context.tracker, decided);
        part
    };
    Ok(ranges.into_iter().map(part).collect())
}

fn ranges(bytes: &[u8], separator: &[u8], limit: i64) -> Vec<Range<usize>> {
    if limit == 0 {
        return Vec::new();
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if separator.is_empty() {
        let mut ranges: Vec<_> =
            runes(bytes).take(limit).map(|(at, _, len)| at..at + len).collect();
        if let Some(last) = ranges.last_mut()
            && last.end < bytes.len()
        {
            last.end = bytes.len();
        }
        return ranges;
    }
    let mut ranges = Vec::new();
    let mut start = 0;
    for at in memchr::memmem::find_iter(bytes, separator).take(limit - 1) {
        ranges.push(start..at);
        start = at + separator.len();
    }
    ranges.push(start..bytes.len());
    ranges
}
