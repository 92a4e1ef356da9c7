//! Predicates on JSON values and schemas.

use serde_json::{Map, Value as Json};

use super::failure::{display, quote};

/// The first schema below `json` that `is_wanted` accepts.
pub(super) fn find<'j>(
    json: &'j Json,
    is_wanted: &dyn Fn(&Map<String, Json>) -> bool,
) -> Option<&'j Json> {
    match json {
        Json::Object(object) if is_wanted(object) => Some(json),
        Json::Object(object) => object.values().find_map(|below| find(below, is_wanted)),
        Json::Array(items) => items.iter().find_map(|below| find(below, is_wanted)),
        _ => None,
    }
}

/// Decodes `%XX` in a fragment.
pub(super) fn decode(fragment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = fragment.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn missing(object: &Map<String, Json>, required: &[Json]) -> Vec<String> {
    let names = required.iter().filter_map(Json::as_str);
    names.filter(|name| !object.contains_key(*name)).map(quote).collect()
}

pub(super) fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

pub(super) fn has_type(value: &Json, wanted: &str) -> bool {
    let is_whole = || value.as_f64().is_some_and(|number| number.fract() == 0.0);
    type_name(value) == wanted || (wanted == "integer" && value.is_number() && is_whole())
}

/// Whether two values are equal; numbers compare by value.
pub(super) fn equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

pub(super) fn enum_message(choices: &[Json]) -> String {
    if choices.iter().any(|choice| choice.is_array() || choice.is_object()) {
        return "'enum' failed".into();
    }
    let shown: Vec<_> = choices.iter().map(display).collect();
    match &shown[..] {
        [one] => format!("value must be {one}"),
        _ => format!("value must be one of {}", shown.join(", ")),
    }
}

pub(super) fn duplicates(items: &[Json]) -> Option<(usize, usize)> {
    (0..items.len()).find_map(|first| {
        let second = items[first + 1..].iter().position(|other| equal(&items[first], other))?;
        Some((first, first + 1 + second))
    })
}
