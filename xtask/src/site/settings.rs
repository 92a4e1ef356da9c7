//! The reference of the settings file, from its JSON Schema.

use std::{error::Error, fs};

use serde_json::Value;

use crate::own;

/// The keys whose names are rules; each rule's own page has its options.
const RULES: &str = "rules";

/// Tables of all keys, and of the keys of their entries.
pub fn tables() -> Result<String, Box<dyn Error>> {
    let schema = fs::read_to_string(own("docs/settings.schema.json"))?;
    let schema: Value = serde_json::from_str(&schema)?;
    let mut out = table(&schema, &schema);
    for (key, value) in members(&schema) {
        let entry = entry(value, &schema);
        if key != RULES && !members(entry).is_empty() {
            out += &format!("\n## `{key}`\n\n{}\n\n{}", about(entry), table(entry, &schema));
        }
    }
    Ok(out)
}

fn table(of: &Value, schema: &Value) -> String {
    let mut out = "| key | value | |\n|---|---|---|\n".to_owned();
    for (key, value) in members(of) {
        out += &format!("| `{key}` | {} | {} |\n", kind(value, schema), about(value));
    }
    out
}

fn members(of: &Value) -> Vec<(&String, &Value)> {
    of["properties"].as_object().into_iter().flatten().collect()
}

/// What a list holds, or the value itself, behind references.
fn entry<'a>(value: &'a Value, schema: &'a Value) -> &'a Value {
    let inner = value.get("items").unwrap_or(value);
    inner["$ref"].as_str().map_or(inner, |path| definition(path, schema))
}

fn definition<'a>(path: &str, schema: &'a Value) -> &'a Value {
    schema.pointer(path.trim_start_matches('#')).unwrap_or(&Value::Null)
}

/// The description on one line.
fn about(value: &Value) -> String {
    let text = value["description"].as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The kind of a value in words: `text`, `list of text`, `off, info, warning or error`.
fn kind(value: &Value, schema: &Value) -> String {
    if let Some(path) = value["$ref"].as_str() {
        return kind(definition(path, schema), schema);
    }
    if let Some(any) = value["anyOf"].as_array().or(value["oneOf"].as_array()) {
        let kinds = any.iter().filter(|one| one["type"] != "null").map(|one| kind(one, schema));
        let mut kinds: Vec<_> = kinds.collect();
        kinds.dedup();
        return if kinds.len() > 4 { "see its rule".to_owned() } else { kinds.join(" or ") };
    }
    if let Some(names) = value["enum"].as_array() {
        let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
        return match names.len() {
            0..=9 => format!("`{}`", names.join("`, `")),
            _ => "the id of a rule".to_owned(),
        };
    }
    if let Some(only) = value["const"].as_str() {
        return format!("`{only}`");
    }
    let types = match &value["type"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect::<Vec<_>>(),
    };
    match types.first().copied() {
        Some("array") => format!("list: {}", kind(&value["items"], schema)),
        Some("string") => "text".to_owned(),
        Some("object") => "map".to_owned(),
        Some(other) => other.to_owned(),
        None => String::new(),
    }
}
