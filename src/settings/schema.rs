//! The JSON Schema of the settings file, for editors. It lists all rules with their options.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::file::File;
use crate::{
    finding::Severity,
    rules::{self, Rule},
};

/// The ids of policies and of rules of one's own.
const OWN: &str = r"^(policy|rule)\[.+\]$";

/// The schema as JSON text.
pub(crate) fn settings_schema() -> String {
    let mut schema = schemars::schema_for!(File).to_value();
    let rules: Map<String, Value> =
        rules::all().iter().map(|rule| (rule.id.to_owned(), rule_schema(rule))).collect();
    let ids: Vec<_> = rules.keys().cloned().collect();
    let properties = &mut schema["properties"];
    properties["rules"]["properties"] = Value::Object(rules);
    properties["rules"]["additionalProperties"] = Value::Bool(false);
    let level = json!({ "severity": { "$ref": "#/$defs/Level" } });
    let own = json!({
        "description": "a policy or rule of your own",
        "type": "object",
        "properties": level,
        "additionalProperties": false,
    });
    properties["rules"]["patternProperties"] = json!({ OWN: own });
    let id = json!([{ "enum": ids }, { "pattern": OWN }]);
    properties["select"]["items"]["anyOf"] = id.clone();
    schema["$defs"]["IgnoreEntry"]["properties"]["rule"]["anyOf"] = id;
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

/// The schema of `require:`, which is read by hand for the sake of its errors.
pub(super) fn requirements(_: &mut SchemaGenerator) -> Schema {
    let severity = json!({
        "description": "The severity of its findings.",
        "enum": Severity::ALL.map(Severity::name),
    });
    let message = json!({
        "description": "The headline of its findings, after the name of the object.",
        "type": "string",
        "maxLength": 200,
    });
    let beside = json!({ "severity": severity, "message": message });
    let any = list(&wish(&json!({})));
    let of_any = object("any", &any, &beside);
    json_schema!({
        "type": "array",
        "items": { "anyOf": [wish(&beside), any, of_any] },
    })
}

/// A name, or one with bounds and the properties `beside` it.
fn wish(beside: &Value) -> Value {
    const NAMES: &str = "^(ttl|hook|generate-name|idempotency-hint|deadline|backoff-limit)$";
    const KEYS: &str = "^(label|annotation):.";
    const LENGTH: &str = "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$";
    let text = json!({ "type": "string", "minLength": 1 });
    let number = json!({ "type": "integer", "minimum": 0 });
    let length = json!({ "anyOf": [number, { "type": "string", "pattern": LENGTH }] });
    let globs = json!({ "anyOf": [text, list(&text)] });
    let mut matching = beside.clone();
    matching["pattern"] = json!({ "type": "string", "format": "regex", "maxLength": 256 });
    json!({ "anyOf": [
        { "type": "string", "pattern": NAMES },
        { "type": "string", "pattern": KEYS },
        object("ttl", &bounds(&length), beside),
        object("deadline", &bounds(&length), beside),
        object("backoff-limit", &bounds(&number), beside),
        object("image", &globs, beside),
        object("label", &text, &matching),
        object("annotation", &text, &matching),
    ] })
}

fn bounds(of: &Value) -> Value {
    json!({
        "type": "object",
        "properties": { "min": of, "max": of },
        "minProperties": 1,
        "additionalProperties": false,
    })
}

fn list(of: &Value) -> Value {
    json!({ "type": "array", "items": of, "minItems": 1 })
}

/// A mapping with one required property and others beside it.
fn object(name: &str, value: &Value, beside: &Value) -> Value {
    let mut properties = beside.clone();
    properties[name] = value.clone();
    json!({
        "type": "object",
        "properties": properties,
        "required": [name],
        "additionalProperties": false,
    })
}
