//! Sprig's `strings.go`: functions that keep the provenance of the bytes they copy.

use go_template::{
    Executor, FuncError, FunctionSpec, TextBuilder, Value, provenance::Taint, runes::runes,
};

use super::args::{
    ANY, BOOL, ByteOrigins, INT, Outcome, STRING, decision, failure, int, items, room, shape,
    slice, sprint, strval, trimmed,
};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("quote", &[], STRING, quote).variadic(ANY).own_taint(),
    FunctionSpec::new("squote", &[], STRING, squote).variadic(ANY).own_taint(),
    FunctionSpec::new("indent", &[INT, STRING], STRING, indent).own_taint(),
    FunctionSpec::new("nindent", &[INT, STRING], STRING, nindent).own_taint(),
    FunctionSpec::new("trunc", &[INT, STRING], STRING, trunc).own_taint(),
    FunctionSpec::new("trimSuffix", &[STRING, STRING], STRING, trim_suffix).own_taint(),
    FunctionSpec::new("trimPrefix", &[STRING, STRING], STRING, trim_prefix).own_taint(),
    FunctionSpec::new("replace", &[STRING, STRING, STRING], STRING, replace).own_taint(),
    FunctionSpec::new("contains", &[STRING, STRING], BOOL, contains),
    FunctionSpec::new("hasPrefix", &[STRING, STRING], BOOL, has_prefix),
    FunctionSpec::new("hasSuffix", &[STRING, STRING], BOOL, has_suffix),
    FunctionSpec::new("join", &[STRING, ANY], STRING, join).own_taint(),
    FunctionSpec::new("toString", &[ANY], STRING, to_string).own_taint(),
];

fn quote(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let mut text = TextBuilder::new();
    let mut is_first = true;
    let mut skipped = Taint::NONE;
    for value in arguments {
        if value.is_nil() {
            skip(context, &mut text, &mut skipped, value);
            continue;
        }
        let mut shown = strval(context, value)?;
        shown.add_taint(&mut context.tracker, skipped);
        text.push(&mut context.tracker, if is_first { "" } else { " " }, shown.taint());
        text.push_quoted(&mut context.tracker, &shown);
        is_first = false;
    }
    Ok(text.finish())
}

fn squote(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
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
        let taint = decision(&mut context.tracker, &shown);
        text.push(&mut context.tracker, if is_first { "'" } else { " '" }, taint);
        text.push_text(&mut context.tracker, &shown);
        text.push(&mut context.tracker, "'", taint);
        is_first = false;
    }
    Ok(text.finish())
}

/// Skips a nil argument, which controls everything after it.
pub(super) fn skip(
    context: &mut Executor<'_>,
    text: &mut TextBuilder,
    skipped: &mut Taint,
    value: &Value,
) {
    text.push(&mut context.tracker, "", value.taint());
    let decided = decision(&mut context.tracker, value);
    *skipped = context.tracker.join(*skipped, decided);
}

fn indent(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    indented(context, "", arguments)
}

fn nindent(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    indented(context, "\n", arguments)
}

fn indented(context: &mut Executor<'_>, first: &str, arguments: &[Value]) -> Outcome {
    let [spaces, value] = arguments else { return Ok(Value::NIL) };
    let spaces_taint = decision(&mut context.tracker, spaces);
    let bytes = value.bytes();
    let pad = padding(context, int(spaces), memchr::memchr_iter(b'\n', bytes).count() + 1)?;
    let mut text = TextBuilder::new();
    text.push(&mut context.tracker, format!("{first}{pad}"), spaces_taint);
    mark(context, &mut text, spaces_taint);
    let mut origins = ByteOrigins::new(value);
    let mut start = 0;
    for at in memchr::memchr_iter(b'\n', bytes) {
        text.push_slice(&mut context.tracker, value, start..at + 1);
        let newline = origins.at(&mut context.tracker, at);
        let newline = context.tracker.decide(newline);
        let taint = context.tracker.join(newline, spaces_taint);
        text.push(&mut context.tracker, &pad, taint);
        mark(context, &mut text, spaces_taint);
        start = at + 1;
    }
    text.push_slice(&mut context.tracker, value, start..bytes.len());
    Ok(text.finish())
}

/// Records that other text could stand here.
fn mark(context: &mut Executor<'_>, text: &mut TextBuilder, taint: Taint) {
    if !taint.is_none() {
        text.push(&mut context.tracker, "", taint);
    }
}

/// `strings.Repeat(" ", count)`, to be put before each of `lines` lines.
fn padding(context: &Executor<'_>, count: i64, lines: usize) -> Result<String, FuncError> {
    let Ok(count) = usize::try_from(count) else {
        return failure("strings: negative Repeat count");
    };
    room(context, count, lines)?;
    Ok(" ".repeat(count))
}

/// `trunc`, in bytes; a negative count keeps the end of the text.
fn trunc(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [count, value] = arguments else { return Ok(Value::NIL) };
    let len = value.bytes().len() as i64;
    let count_value = int(count);
    let range = if count_value < 0 && len + count_value > 0 {
        (len + count_value) as usize..len as usize
    } else if count_value >= 0 && len > count_value {
        0..count_value as usize
    } else {
        0..len as usize
    };
    let result = slice(context, value, range);
    let result = result.decided_by(&mut context.tracker, value);
    Ok(result.decided_by(&mut context.tracker, count))
}

/// The part of a string that is left after its ends are cut off.
fn cut(context: &mut Executor<'_>, value: &Value, rest: &[u8], cut_by: Option<&Value>) -> Outcome {
    let start = rest.as_ptr().addr() - value.bytes().as_ptr().addr();
    let result = trimmed(context, value, start..start + rest.len());
    Ok(match cut_by {
        Some(by) => result.decided_by(&mut context.tracker, by),
        None => result,
    })
}

fn trim_suffix(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [suffix, value] = arguments else { return Ok(Value::NIL) };
    let bytes = value.bytes();
    cut(context, value, bytes.strip_suffix(suffix.bytes()).unwrap_or(bytes), Some(suffix))
}

fn trim_prefix(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [prefix, value] = arguments else { return Ok(Value::NIL) };
    let bytes = value.bytes();
    cut(context, value, bytes.strip_prefix(prefix.bytes()).unwrap_or(bytes), Some(prefix))
}

/// `strings.Replace(source, old, new, -1)`; an empty `old` matches around every rune.
fn replace(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [old, new, source] = arguments else { return Ok(Value::NIL) };
    let (bytes, needle) = (source.bytes(), old.bytes());
    let found: Vec<usize> = if needle.is_empty() {
        runes(bytes).map(|(at, ..)| at).chain([bytes.len()]).collect()
    } else {
        memchr::memmem::find_iter(bytes, needle).collect()
    };
    room(context, new.bytes().len(), found.len())?;
    let by_old = decision(&mut context.tracker, old);
    let mut source = source.clone();
    source.add_taint(&mut context.tracker, by_old);
    if found.is_empty() {
        return Ok(source);
    }
    let replacement = new.clone().decided_by(&mut context.tracker, &source);
    let mut text = TextBuilder::new();
    let mut start = 0;
    for at in found {
        text.push_slice(&mut context.tracker, &source, start..at);
        text.push_text(&mut context.tracker, &replacement);
        start = at + needle.len();
    }
    text.push_slice(&mut context.tracker, &source, start..bytes.len());
    Ok(text.finish())
}

fn contains(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let found = memchr::memmem::find(arguments[1].bytes(), arguments[0].bytes());
    Ok(Value::from(found.is_some()))
}

fn has_prefix(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    Ok(Value::from(arguments[1].bytes().starts_with(arguments[0].bytes())))
}

fn has_suffix(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    Ok(Value::from(arguments[1].bytes().ends_with(arguments[0].bytes())))
}

/// `join`, which skips nil items.
fn join(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [separator, list] = arguments else { return Ok(Value::NIL) };
    let by_shape = shape(&mut context.tracker, list);
    let by_shape = context.tracker.decide(by_shape);
    let parts = strings(context, list)?;
    let len: usize = parts.iter().map(|part| part.bytes().len()).sum();
    context.check_size(len.saturating_add(separator.bytes().len().saturating_mul(parts.len())))?;
    let mut separator = separator.clone();
    separator.add_taint(&mut context.tracker, by_shape);
    let mut text = TextBuilder::new();
    text.push(&mut context.tracker, "", by_shape);
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            text.push_text(&mut context.tracker, &separator);
        }
        text.push_text(&mut context.tracker, part);
    }
    text.push(&mut context.tracker, "", by_shape);
    Ok(text.finish())
}

/// Sprig's `strslice`: the items as strings, without nil; a value that is not a list becomes a list
/// of itself.
pub(super) fn strings(context: &mut Executor<'_>, value: &Value) -> Result<Vec<Value>, FuncError> {
    let Some(items) = items(&mut context.tracker, value) else {
        return if value.is_nil() { Ok(Vec::new()) } else { Ok(vec![strval(context, value)?]) };
    };
    let items = items.iter().filter(|item| !item.is_nil());
    items.map(|item| strval(context, item)).collect()
}

fn to_string(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    strval(context, &arguments[0])
}
