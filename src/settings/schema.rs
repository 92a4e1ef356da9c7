//! The JSON Schema of the settings file, for editors. It lists all rules with their options.

use serde_json::{Map, Value, json};

use super::file::File;
use crate::rules::{self, Rule};

/// The schema as JSON text.
pub(crate) fn json_schema() -> String {
    let mut schema = schemars::schema_for!(File).to_value();
    let rules: Map<String, Value> =
        rules::all().iter().map(|rule| (rule.id.to_owned(), rule_schema(rule))).collect();
    let ids: Vec<_> = rules.keys().cloned().collect();
    let properties = &mut schema["properties"];
    properties["rules"]["properties"] = Value::Object(rules);
    properties["rules"]["additionalProperties"] = Value::Bool(false);
    properties["select"]["items"]["enum"] = json!(ids);
    schema["$defs"]["IgnoreEntry"]["properties"]["rule"]["enum"] = json!(ids);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain JSON");
    text.push('\n');
    text
}

fn rule_schema(rule: &Rule) -> Value {
    let meta = rule.meta();
    let mut properties = Map::new();
    properties.insert("severity".to_owned(), json!({ "$ref": "#/$defs/Level" }));
    for (name, option) in &meta.options {
        let own = json!({ "description": option.about, "default": option.default });
        properties.insert(name.clone(), own);
    }
    json!({
        "description": meta.summary,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}
