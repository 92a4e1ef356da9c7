//! Converting JSON to settings.

use std::sync::Arc;

use serde_json::Value as Json;
use yaml_spans::Location;

use super::{Setting, Tree};

/// A JSON value as Go decodes it: every number is a float.
pub(super) fn from_json(json: &Json, at: &Location) -> Setting {
    let value = match json {
        Json::Null => Tree::Null,
        Json::Bool(flag) => Tree::Bool(*flag),
        Json::Number(number) => Tree::Float(number.as_f64().unwrap_or_default()),
        Json::String(text) => Tree::Str(text.as_str().into()),
        Json::Array(items) => Tree::List(items.iter().map(|item| from_json(item, at)).collect()),
        Json::Object(entries) => {
            let entry = |(key, value): (&String, &Json)| (Arc::from(&**key), from_json(value, at));
            Tree::Table(entries.iter().map(entry).collect())
        }
    };
    Setting { value, at: Some(at.clone()) }
}
