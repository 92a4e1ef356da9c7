//! `fromToml`: the `toml` crate parses, and this module builds the values that BurntSushi/toml
//! decodes into a `map[string]interface{}`.
//!
//! Error messages start as in Go (`toml: line N: `) and continue in the words of the `toml` crate.

use go_template::{Executor, Key, List, Map, Type, Value, provenance::Taint};
use toml::{
    Spanned,
    de::{DeArray, DeInteger, DeString, DeTable, DeValue, Error},
};

use super::json::MarshalError;
use crate::{
    go_objects,
    time::{Time, parse as parse_time},
};

static TABLES: Type = Type::slice("[]map[string]interface {}", &Type::MAP);

/// `toml.Unmarshal`. The whole text flows into every value.
pub(crate) fn from_toml(context: &mut Executor<'_>, text: &Value) -> Result<Value, MarshalError> {
    let taint = text.observed(&mut context.tracker);
    let source = text.as_text().map(|text| text.to_str().into_owned()).unwrap_or_default();
    let builder = ValueBuilder { source: &source, taint };
    let root = DeTable::parse(&source).map_err(|error| builder.error(&error))?;
    builder.table(root.get_ref())
}

struct ValueBuilder<'s> {
    source: &'s str,
    /// The inputs of the whole text.
    taint: Taint,
}

impl ValueBuilder<'_> {
    fn error(&self, error: &Error) -> MarshalError {
        self.error_at(error.span().map_or(0, |span| span.start), error.message())
    }

    fn error_at(&self, offset: usize, message: &str) -> MarshalError {
        let before = self.source.as_bytes().get(..offset).unwrap_or(self.source.as_bytes());
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        MarshalError::new(format!("toml: line {line}: {message}"))
    }

    fn table(&self, table: &DeTable<'_>) -> Result<Value, MarshalError> {
        let entry = |(key, value): (&Spanned<DeString<'_>>, _)| {
            Ok((Key::from(&**key.get_ref()), self.value(value)?))
        };
        let entries = table.iter().map(entry).collect::<Result<_, MarshalError>>()?;
        Ok(Value::from(Map::of(&Type::MAP, entries)).with_taint(self.taint))
    }

    fn value(&self, value: &Spanned<DeValue<'_>>) -> Result<Value, MarshalError> {
        let out_of_range = || self.error_at(value.span().start, "value out of range");
        let built = match value.get_ref() {
            DeValue::Boolean(flag) => Value::from(*flag),
            DeValue::Integer(number) => Value::int64(integer(number).ok_or_else(out_of_range)?),
            DeValue::Float(number) => {
                Value::from(number.as_str().parse::<f64>().map_err(|_| out_of_range())?)
            }
            DeValue::String(text) => Value::from(text.as_ref()),
            DeValue::Datetime(time) => {
                let parts = [time.date.is_some(), time.time.is_some(), time.offset.is_some()];
                let time = go_time(&time.to_string(), parts).ok_or_else(out_of_range)?;
                go_objects::time(time)
            }
            DeValue::Array(items) => self.array(items)?,
            DeValue::Table(table) => self.table(table)?,
        };
        Ok(built.with_taint(self.taint))
    }

    /// A list. In Go an array of tables (`[[name]]`) has its own type; an inline array of tables
    /// does not.
    fn array(&self, items: &DeArray<'_>) -> Result<Value, MarshalError> {
        let has_header = |item: &Spanned<_>| self.source[item.span()].starts_with("[[");
        let is_tables = items.iter().any(|item| item.get_ref().is_table() && has_header(item));
        let items = items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?;
        let go_type = if is_tables { &TABLES } else { &Type::LIST };
        Ok(Value::from(List::of(go_type, items)))
    }
}

fn integer(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// A date or time as BurntSushi/toml decodes it: the name of its zone records which parts are
/// missing.
fn go_time(text: &str, [has_date, has_time, has_offset]: [bool; 3]) -> Option<Time> {
    let (layout, zone) = match (has_date, has_time, has_offset) {
        (true, true, true) => ("2006-01-02T15:04:05.999999999Z07:00", None),
        (true, true, false) => ("2006-01-02T15:04:05.999999999", Some("datetime-local")),
        (true, false, _) => ("2006-01-02", Some("date-local")),
        (false, ..) => ("15:04:05.999999999", Some("time-local")),
    };
    let parsed = parse_time(layout, text, 0).ok()?;
    Some(match zone {
        Some(zone) => Time { zone: zone.into(), ..parsed },
        None => parsed,
    })
}
