//! Sprig's `regex.go`: Go's `regexp` on top of the `regex` crate.

use std::{collections::HashMap, ops::Range, sync::Arc};

use go_regexp::translate;
use go_template::{Executor, FuncError, FunctionSpec, TextBuilder, Value, runes::decode};
use regex::bytes::{Captures, Regex, RegexBuilder};

use super::{
    args::{
        BOOL, INT, Outcome, STRING, STRINGS, decision, int, list_of, list_room, room, slice, str,
    },
    host::host,
};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("regexMatch", &[STRING, STRING], BOOL, |context, a| {
        let Ok(regex) = compile(context, &a[0]) else { return Ok(Value::from(false)) };
        is_match(context, &regex, a)
    }),
    FunctionSpec::new("mustRegexMatch", &[STRING, STRING], BOOL, |context, a| {
        let regex = compile(context, &a[0])?;
        is_match(context, &regex, a)
    }),
    FunctionSpec::new("regexFindAll", &[STRING, STRING, INT], STRINGS, |context, a| {
        let regex = must_compile(context, &a[0])?;
        find_all(context, &regex, a)
    }),
    FunctionSpec::new("mustRegexFindAll", &[STRING, STRING, INT], STRINGS, |context, a| {
        let regex = compile(context, &a[0])?;
        find_all(context, &regex, a)
    }),
    FunctionSpec::new("regexFind", &[STRING, STRING], STRING, |context, a| {
        let regex = must_compile(context, &a[0])?;
        find(context, &regex, a)
    }),
    FunctionSpec::new("mustRegexFind", &[STRING, STRING], STRING, |context, a| {
        let regex = compile(context, &a[0])?;
        find(context, &regex, a)
    }),
    FunctionSpec::new("regexReplaceAll", &[STRING, STRING, STRING], STRING, |context, a| {
        let regex = must_compile(context, &a[0])?;
        replace_all(context, &regex, a, false)
    })
    .own_taint(),
    FunctionSpec::new("mustRegexReplaceAll", &[STRING, STRING, STRING], STRING, |context, a| {
        let regex = compile(context, &a[0])?;
        replace_all(context, &regex, a, false)
    })
    .own_taint(),
    FunctionSpec::new("regexReplaceAllLiteral", &[STRING, STRING, STRING], STRING, |context, a| {
        let regex = must_compile(context, &a[0])?;
        replace_all(context, &regex, a, true)
    })
    .own_taint(),
    FunctionSpec::new(
        "mustRegexReplaceAllLiteral",
        &[STRING, STRING, STRING],
        STRING,
        |context, a| {
            let regex = compile(context, &a[0])?;
            replace_all(context, &regex, a, true)
        },
    )
    .own_taint(),
    FunctionSpec::new("regexSplit", &[STRING, STRING, INT], STRINGS, |context, a| {
        let regex = must_compile(context, &a[0])?;
        split(context, &regex, a)
    })
    .own_taint(),
    FunctionSpec::new("mustRegexSplit", &[STRING, STRING, INT], STRINGS, |context, a| {
        let regex = compile(context, &a[0])?;
        split(context, &regex, a)
    })
    .own_taint(),
    FunctionSpec::new("regexQuoteMeta", &[STRING], STRING, quote_meta),
];

/// The expressions that a render has compiled, or their errors. They are shared, because a clone of a [`Regex`] starts
/// without the memory that its searches reuse.
#[derive(Debug, Default)]
pub(super) struct RegexCache(HashMap<Box<str>, Result<Arc<Compiled>, String>>);

/// A compiled expression.
#[derive(Debug)]
struct Compiled {
    regex: Regex,
    /// How much longer a search can take than one by a small expression.
    cost: u64,
    /// The memory that it takes at most.
    size: usize,
}

/// Memory limits of compiled expressions, in bytes, and the cost of searching with them.
const SIZES: [(usize, u64); 4] = [(32 << 10, 1), (256 << 10, 2), (2 << 20, 16), (10 << 20, 256)];

impl Compiled {
    fn new(pattern: &str) -> Option<Self> {
        SIZES.iter().find_map(|(size, cost)| {
            let regex = RegexBuilder::new(pattern).size_limit(*size).build().ok()?;
            let cost = cost * (1 + regex.captures_len() as u64 / 16);
            Some(Self { regex, cost, size: *size })
        })
    }

    /// Charges a search from `at`, which may read everything behind it.
    fn search(&self, context: &mut Executor<'_>, bytes: &[u8], at: usize) -> Result<(), FuncError> {
        let len = bytes.len().saturating_sub(at) as u64;
        context.spend((1 + len / 64).saturating_mul(self.cost))
    }
}

fn compile(context: &mut Executor<'_>, pattern: &Value) -> Result<Arc<Compiled>, FuncError> {
    let text = str(pattern);
    if let Some(known) = host(context).regexes.0.get(&*text) {
        return known.clone().map_err(FuncError::new);
    }
    let compiled = translate(&text).and_then(|translated| {
        let too_large = || go_regexp::TOO_LARGE.to_owned();
        Compiled::new(&translated).map(Arc::new).ok_or_else(too_large)
    });
    let cost = compiled.as_ref().map_or(SIZES[3].1, |compiled| compiled.cost);
    context.spend(cost.saturating_mul(COMPILE_STEPS) + text.len() as u64)?;
    context.allocate(compiled.as_ref().map_or(0, |compiled| compiled.size))?;
    let cache = &mut host(context).regexes.0;
    cache.insert(text.as_ref().into(), compiled.clone());
    compiled.map_err(FuncError::new)
}

/// `regexp.MustCompile`, whose panic message includes the expression.
fn must_compile(context: &mut Executor<'_>, pattern: &Value) -> Result<Arc<Compiled>, FuncError> {
    compile(context, pattern).map_err(|error| {
        let bytes = pattern.bytes();
        let shown = match go_template::quote::can_backquote(bytes) {
            true => format!("`{}`", str(pattern)),
            false => go_template::quote::quote(bytes),
        };
        FuncError::new(format!("regexp: Compile({shown}): {}", error.message))
    })
}

/// The length of the rune at `at`; 1 at the end.
fn width(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).and_then(decode).map_or(1, |(_, len)| len)
}

/// Steps that stand for compiling a small expression.
const COMPILE_STEPS: u64 = 1_000;

/// Go's `allMatches`: at most `limit` matches, or all if `limit` is negative.
fn matches(
    context: &mut Executor<'_>,
    regex: &Compiled,
    bytes: &[u8],
    limit: i64,
) -> Result<Vec<Range<usize>>, FuncError> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut found, mut at, mut last_end) = (Vec::new(), 0, None);
    while found.len() < limit && at <= bytes.len() {
        regex.search(context, bytes, at)?;
        let Some(next) = regex.regex.find_at(bytes, at) else { break };
        let mut is_accepted = true;
        if next.end() == at {
            is_accepted = last_end != Some(next.start());
            at += width(bytes, at);
        } else {
            at = next.end();
        }
        last_end = Some(next.end());
        if is_accepted {
            found.push(next.range());
        }
    }
    Ok(found)
}

fn is_match(context: &mut Executor<'_>, regex: &Compiled, arguments: &[Value]) -> Outcome {
    let bytes = arguments[1].bytes();
    regex.search(context, bytes, 0)?;
    Ok(Value::from(regex.regex.is_match(bytes)))
}

fn find(context: &mut Executor<'_>, regex: &Compiled, arguments: &[Value]) -> Outcome {
    let bytes = arguments[1].bytes();
    regex.search(context, bytes, 0)?;
    let found = regex.regex.find(bytes).map_or(&b""[..], |found| found.as_bytes());
    Ok(Value::from(found.to_vec()))
}

fn find_all(context: &mut Executor<'_>, regex: &Compiled, arguments: &[Value]) -> Outcome {
    let [_, value, limit] = arguments else { return Ok(Value::NIL) };
    let found = matches(context, regex, value.bytes(), int(limit))?;
    list_room(context, found.len())?;
    let shape = all_taints(context, arguments);
    if found.is_empty() {
        return Ok(Value::from(go_template::List::nil(STRINGS).shaped_by(shape)));
    }
    let item = |range: Range<usize>| Value::from(value.bytes()[range].to_vec()).with_taint(shape);
    let items = found.into_iter().map(item).collect();
    Ok(list_of(STRINGS, items, shape))
}

fn all_taints(context: &mut Executor<'_>, arguments: &[Value]) -> go_template::provenance::Taint {
    arguments.iter().fold(go_template::provenance::Taint::NONE, |all, argument| {
        let taint = argument.observed(&mut context.tracker);
        context.tracker.join(all, taint)
    })
}

/// Replaces all matches. The text between them and the groups in the replacement keep their
/// provenance.
fn replace_all(
    context: &mut Executor<'_>,
    regex: &Compiled,
    arguments: &[Value],
    is_literal: bool,
) -> Outcome {
    let [pattern, value, replacement] = arguments else { return Ok(Value::NIL) };
    let bytes = value.bytes();
    let by_pattern = decision(&mut context.tracker, pattern);
    let mut value = value.clone();
    value.add_taint(&mut context.tracker, by_pattern);
    let replacement = replacement.clone().decided_by(&mut context.tracker, &value);
    let mut text = TextBuilder::new();
    let (mut at, mut last_end, mut is_changed) = (0, 0, false);
    while at <= bytes.len() {
        regex.search(context, bytes, at)?;
        let Some(captures) = regex.regex.captures_at(bytes, at) else { break };
        let whole = captures.get(0).map(|whole| whole.range()).unwrap_or_default();
        is_changed = true;
        text.push_slice(&mut context.tracker, &value, last_end..whole.start);
        if whole.end > last_end || whole.start == 0 {
            context.check_size(text.len() + replacement.bytes().len())?;
            if is_literal {
                text.push_text(&mut context.tracker, &replacement);
            } else {
                expand(context, &mut text, &replacement, &value, (&regex.regex, &captures));
            }
        }
        last_end = whole.end;
        let step = at + width(bytes, at);
        at = step.max(whole.end).max(at + 1);
        if whole.end >= step {
            at = whole.end;
        }
    }
    if !is_changed {
        return Ok(value);
    }
    text.push_slice(&mut context.tracker, &value, last_end.min(bytes.len())..bytes.len());
    Ok(text.finish())
}

/// Go's `Regexp.expand`: `$1`, `${1}`, `$name`, `$$`.
fn expand(
    context: &mut Executor<'_>,
    text: &mut TextBuilder,
    template: &Value,
    value: &Value,
    (regex, captures): (&Regex, &Captures<'_>),
) {
    let bytes = template.bytes();
    let mut start = 0;
    while let Some(at) = memchr::memchr(b'$', &bytes[start..]).map(|at| start + at) {
        text.push_slice(&mut context.tracker, template, start..at);
        if bytes.get(at + 1) == Some(&b'$') {
            text.push_slice(&mut context.tracker, template, at..at + 1);
            start = at + 2;
            continue;
        }
        let Some((name, len)) = group_name(&bytes[at + 1..]) else {
            text.push_slice(&mut context.tracker, template, at..at + 1);
            start = at + 1;
            continue;
        };
        start = at + 1 + len;
        let group = match name.parse::<usize>() {
            Ok(number) => captures.get(number),
            Err(_) => {
                let mut names = regex.capture_names().enumerate();
                names.find_map(|(number, other)| {
                    captures.get(number).filter(|_| other == Some(&*name))
                })
            }
        };
        if let Some(group) = group {
            text.push_slice(&mut context.tracker, value, group.range());
        }
    }
    text.push_slice(&mut context.tracker, template, start..bytes.len());
}

/// The group name after a `$`, and its length in bytes.
fn group_name(bytes: &[u8]) -> Option<(String, usize)> {
    let is_braced = bytes.first() == Some(&b'{');
    let rest = &bytes[usize::from(is_braced)..];
    let is_end = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() && *byte != b'_';
    let end = rest.iter().position(is_end).map_or(rest.len(), |end| end + 1);
    let rest = String::from_utf8_lossy(&rest[..end]);
    let is_part = |c: char| c == '_' || crate::unicode::is_letter(c) || crate::unicode::is_digit(c);
    let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    if len == 0 {
        return None;
    }
    let name = rest[..len].to_owned();
    if !is_braced {
        return Some((name, len));
    }
    rest[len..].starts_with('}').then_some((name, len + 2))
}

fn split(context: &mut Executor<'_>, regex: &Compiled, arguments: &[Value]) -> Outcome {
    let [pattern, value, limit] = arguments else { return Ok(Value::NIL) };
    let bytes = value.bytes();
    let limit = int(limit);
    let shape = all_taints(context, arguments);
    let shape = context.tracker.decide(shape);
    if limit == 0 {
        return Ok(Value::from(go_template::List::nil(STRINGS).shaped_by(shape)));
    }
    let mut ranges = Vec::new();
    if !pattern.bytes().is_empty() && bytes.is_empty() {
        ranges.push(0..0);
    } else {
        let (mut start, mut end) = (0, 0);
        for found in matches(context, regex, bytes, limit)? {
            if limit > 0 && ranges.len() as i64 == limit - 1 {
                break;
            }
            end = found.start;
            if found.end != 0 {
                ranges.push(start..end);
            }
            start = found.end;
        }
        if end != bytes.len() {
            ranges.push(start..bytes.len());
        }
    }
    list_room(context, ranges.len())?;
    let part = |range| {
        let mut part = slice(context, value, range);
        part.add_taint(&mut context.tracker, shape);
        part
    };
    let parts = ranges.into_iter().map(part).collect();
    Ok(list_of(STRINGS, parts, shape))
}

fn quote_meta(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let bytes = arguments[0].bytes();
    room(context, bytes.len(), 2)?;
    let mut quoted = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if br"\.+*?()|[]{}^$".contains(&byte) {
            quoted.push(b'\\');
        }
        quoted.push(byte);
    }
    Ok(Value::from(quoted))
}
