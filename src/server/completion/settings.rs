//! Completion of `.joblint.yaml`, by its schema and the options of the deployers.

use job_lifecycle::{Tool, deployer::Options};
use lsp_types::CompletionItemKind;
use serde_json::Value;

use super::{Choice, Rules, context::Context};
use crate::settings::settings_schema;

/// The words that fit at a place of the settings file.
pub(super) fn choices(context: &Context<'_>, rules: Rules<'_>) -> Vec<Choice> {
    let path: Vec<&str> = context.path.iter().map(String::as_str).collect();
    match (&path[..], context.key.as_deref(), context.is_item) {
        (["deployer"], None, true) | ([], Some("deployer"), _) => tools(""),
        (["deployer"], None, false) => tools(": "),
        (["deployer", tool], None, false) => options(tool),
        (["select"], None, true) => quoted(rules.ids(), context, ""),
        (["ignore"], Some("rule"), _) => {
            [quoted(rules.own(), context, ""), of_schema(&path, context)].concat()
        }
        (["rules"], None, false) => {
            [quoted(rules.own(), context, ": "), of_schema(&path, context)].concat()
        }
        _ => of_schema(&path, context),
    }
}

/// With quotes around ids that have brackets, which mean a list in YAML, unless the cursor stands behind a quote.
fn quoted(all: Vec<Choice>, context: &Context<'_>, end: &str) -> Vec<Choice> {
    let quote = |choice: Choice| match choice.text.contains('[') && !context.is_quoted {
        true => Choice { text: format!("\"{}\"{end}", choice.text), ..choice },
        false => choice,
    };
    all.into_iter().map(quote).collect()
}

fn tools(end: &str) -> Vec<Choice> {
    let tool = |tool: Tool| {
        Choice::new(format!("{}{end}", tool.name()), tool.title(), CompletionItemKind::ENUM_MEMBER)
    };
    Tool::ALL.into_iter().map(tool).collect()
}

fn options(name: &str) -> Vec<Choice> {
    let tool = Tool::ALL.into_iter().find(|tool| tool.name() == name);
    let names = tool.map(Options::names).unwrap_or_default();
    let option = |name: &&str| Choice::new(format!("{name}: "), "", CompletionItemKind::PROPERTY);
    names.iter().map(option).collect()
}

/// The keys of the map, or the values of the key, that the schema allows.
fn of_schema(path: &[&str], context: &Context<'_>) -> Vec<Choice> {
    let Ok(schema) = serde_json::from_str::<Value>(&settings_schema()) else { return Vec::new() };
    let mut now = vec![&schema];
    let steps = path.iter().copied().chain(context.key.as_deref());
    for step in steps {
        now = now.into_iter().flat_map(|own| below(&schema, own, step)).collect();
    }
    let mut choices: Vec<Choice> = Vec::new();
    for own in now.into_iter().flat_map(|own| variants(&schema, own)) {
        let found = match context.key.is_some() || (context.is_item && own.get("enum").is_some()) {
            true => values(own),
            false => keys(own),
        };
        for choice in found {
            if !choices.iter().any(|known| known.text == choice.text) {
                choices.push(choice);
            }
        }
    }
    choices
}

/// What a schema stands for: itself, what it refers to, its alternatives, and the items of its list.
fn variants<'s>(schema: &'s Value, own: &'s Value) -> Vec<&'s Value> {
    let referred = own.get("$ref").and_then(Value::as_str);
    let referred = referred.and_then(|name| schema.pointer(name.trim_start_matches('#')));
    let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| own.get(key)?.as_array());
    let next = referred.into_iter().chain(lists.flatten()).chain(own.get("items"));
    let below = next.flat_map(|next| variants(schema, next));
    std::iter::once(own).chain(below).collect()
}

/// The schemas of a key in a map.
fn below<'s>(schema: &'s Value, own: &'s Value, key: &str) -> Vec<&'s Value> {
    let of = |own: &'s Value| {
        let named = own.get("properties").and_then(|all| all.get(key));
        named.or_else(|| own.get("additionalProperties").filter(|other| other.is_object()))
    };
    variants(schema, own).into_iter().filter_map(of).collect()
}

fn keys(own: &Value) -> Vec<Choice> {
    let about =
        |own: &Value| own.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let properties = own.get("properties").and_then(Value::as_object).into_iter().flatten();
    let choice = |(name, own): (&String, &Value)| {
        Choice::new(format!("{name}: "), about(own), CompletionItemKind::PROPERTY)
    };
    properties.map(choice).collect()
}

fn values(own: &Value) -> Vec<Choice> {
    let listed = own.get("enum").and_then(Value::as_array).into_iter().flatten();
    let single = own.get("const");
    let words = listed.chain(single).filter_map(Value::as_str);
    words.map(|word| Choice::new(word, "", CompletionItemKind::ENUM_MEMBER)).collect()
}
