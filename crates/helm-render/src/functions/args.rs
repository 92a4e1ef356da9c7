//! Reading arguments, and operations that many functions share.

use std::borrow::Cow;

use go_template::{
    Data, Executor, FuncError, List, Map, Text, TextBuilder, Tracker, Type, Value, format,
    provenance::{Run, Taint},
};

use super::trim_provenance;

pub(super) const ANY: &Type = &Type::INTERFACE;
pub(super) const BOOL: &Type = &Type::BOOL;
pub(super) const FLOAT: &Type = &Type::FLOAT64;
pub(super) const INT: &Type = &Type::INT;
pub(super) const INT64: &Type = &Type::INT64;
pub(super) const LIST: &Type = &Type::LIST;
pub(super) const MAP: &Type = &Type::MAP;
pub(super) const STRING: &Type = &Type::STRING;
pub(super) const STRINGS: &Type = &Type::STRINGS;
pub(super) const STRING_MAP: &Type = &Type::STRING_MAP;

pub(super) type Outcome = Result<Value, FuncError>;

pub(super) fn failure<T>(message: impl Into<String>) -> Result<T, FuncError> {
    Err(FuncError::new(message))
}

/// A string argument as Go sees it when it decodes runes.
pub(super) fn str(value: &Value) -> Cow<'_, str> {
    value.as_text().map_or(Cow::Borrowed(""), Text::to_str)
}

/// An `int` argument.
pub(super) fn int(value: &Value) -> i64 {
    value.as_int().unwrap_or(0)
}

/// A `map[string]interface{}` argument.
pub(super) fn map(value: &Value) -> Map {
    value.as_map().cloned().unwrap_or_else(|| Map::nil(&Type::MAP))
}

/// Checks that a result of `count` times `len` bytes stays within the output limit.
pub(super) fn room(context: &Executor<'_>, len: usize, count: usize) -> Result<(), FuncError> {
    context.check_size(len.saturating_mul(count))
}

/// Sprig's `strval`: the value as a string that keeps its provenance.
pub(super) fn strval(context: &mut Executor<'_>, value: &Value) -> Outcome {
    Ok(match value.data() {
        Data::String(_) => value.clone(),
        Data::Bytes(text) => Value::new(Data::String(text.clone()), value.taint()),
        _ => printed(context, value)?,
    })
}

/// `fmt.Sprint` of one value: like [`strval`], but bytes print as a list of numbers.
pub(super) fn sprint(context: &mut Executor<'_>, value: &Value) -> Outcome {
    if let Data::String(_) = value.data() {
        return Ok(value.clone());
    }
    printed(context, value)
}

fn printed(context: &mut Executor<'_>, value: &Value) -> Outcome {
    let text = format::sprint(&mut context.tracker, value)?;
    context.allocate(text.len())?;
    context.spend(text.len() as u64 / 16)?;
    Ok(Value::from(text))
}

/// Charges a list of so many items; lists take memory that no text accounts for.
pub(super) fn list_room(context: &mut Executor<'_>, items: usize) -> Result<(), FuncError> {
    context.allocate(items.saturating_add(1).saturating_mul(64))
}

/// Charges a map of so many entries.
pub(super) fn map_room(context: &mut Executor<'_>, entries: usize) -> Result<(), FuncError> {
    context.allocate(entries.saturating_add(1).saturating_mul(96))
}

/// The inputs of `value` as control.
pub(super) fn decision(tracker: &mut Tracker, value: &Value) -> Taint {
    if !tracker.is_on() {
        return Taint::NONE;
    }
    let observed = value.observed(tracker);
    tracker.decide(observed)
}

/// A part of a string.
pub(super) fn slice(
    context: &mut Executor<'_>,
    value: &Value,
    range: std::ops::Range<usize>,
) -> Value {
    if range == (0..value.bytes().len()) {
        return value.clone();
    }
    let mut text = TextBuilder::new();
    text.push_slice(&mut context.tracker, value, range);
    text.finish()
}

/// A part of a string, controlled by the text that was cut off. What is left of a single line
/// depends on the whole line; of a text with several lines only the ends depend on it.
pub(super) fn trimmed(
    context: &mut Executor<'_>,
    value: &Value,
    range: std::ops::Range<usize>,
) -> Value {
    if memchr::memchr(b'\n', value.bytes()).is_none() {
        return slice(context, value, range).decided_by(&mut context.tracker, value);
    }
    if range == (0..value.bytes().len()) && !range.is_empty() {
        return value.clone();
    }
    let decided = decision(&mut context.tracker, value);
    let mut text = TextBuilder::new();
    text.push(&mut context.tracker, "", decided);
    let mut start = range.start;
    for (space, by) in trim_provenance::kept(&mut context.tracker, value, range.clone()) {
        text.push_slice(&mut context.tracker, value, start..space.start);
        start = space.end;
        let mut around = value.clone();
        around.add_taint(&mut context.tracker, by);
        text.push_slice(&mut context.tracker, &around, space);
    }
    text.push_slice(&mut context.tracker, value, start..range.end);
    text.push(&mut context.tracker, "", decided);
    text.finish()
}

/// A list of the given type and shape.
pub(super) fn list_of(go_type: &'static Type, items: Vec<Value>, shape: Taint) -> Value {
    Value::from(List::of(go_type, items).shaped_by(shape))
}

/// The items of a slice or array as `reflect` sees them, each with the inputs of the list added.
pub(super) fn items(tracker: &mut Tracker, value: &Value) -> Option<Vec<Value>> {
    let taint = value.taint();
    let add = |mut item: Value, tracker: &mut Tracker| {
        item.add_taint(tracker, taint);
        item
    };
    match value.data() {
        Data::List(list) => {
            let items = list.items();
            if taint.is_none() {
                return Some(items.to_vec());
            }
            Some(items.iter().map(|item| add(item.clone(), tracker)).collect())
        }
        Data::Bytes(text) => {
            let byte = |byte: &u8| {
                let data = Data::Uint(go_template::UintType::Uint8, (*byte).into());
                Value::from(data).with_taint(taint)
            };
            Some(text.as_bytes().iter().map(byte).collect())
        }
        _ => None,
    }
}

/// The inputs that determine the length of a list.
pub(super) fn shape(tracker: &mut Tracker, value: &Value) -> Taint {
    match value.data() {
        Data::List(list) => tracker.join(list.shape(), value.taint()),
        _ => value.observed(tracker),
    }
}

/// Reads the provenance of a string from its start to its end.
pub(super) struct ByteOrigins<'v> {
    runs: &'v [Run],
    whole: Taint,
}

impl<'v> ByteOrigins<'v> {
    pub(super) fn new(value: &'v Value) -> Self {
        let runs = value.as_text().and_then(Text::spans).map_or(&[][..], |spans| spans.runs());
        Self { runs, whole: value.taint() }
    }

    /// The inputs of the byte at `at`, which must not decrease from call to call.
    pub(super) fn at(&mut self, tracker: &mut Tracker, at: usize) -> Taint {
        while self.runs.first().is_some_and(|run| run.end as usize <= at) {
            self.runs = &self.runs[1..];
        }
        match self.runs.first() {
            Some(run) => tracker.join(run.taint, self.whole),
            None => self.whole,
        }
    }
}
