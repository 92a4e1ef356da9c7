//! The JSON Schema of a rule of the user, for editors.

use job_lifecycle::Tool;
use serde_json::{Value, json};

use super::rule::{API_VERSION, LONGEST};
use crate::finding::Severity;

/// The schema as JSON text.
pub(crate) fn rule_schema() -> String {
    let text =
        |description: &str| json!({ "description": description, "type": "string", "minLength": 1 });
    let line = |description: &str| json!({ "description": description, "type": "string", "minLength": 1, "pattern": r"^[^\n]*\n?$" });
    let tools = Tool::ALL.map(Tool::name);
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rule",
        "description": "A rule of your own: what has to be true for every Job, CronJob and hook Pod.",
        "type": "object",
        "properties": {
            "apiVersion": { "const": API_VERSION },
            "kind": { "const": "Rule" },
            "id": {
                "description": "The id; that of its findings is `rule[ID]`.",
                "type": "string",
                "pattern": "^[a-z0-9-]+$",
                "maxLength": LONGEST,
            },
            "severity": {
                "description": "The severity of its findings: warning when absent.",
                "enum": Severity::ALL.map(Severity::name),
            },
            "message": line("The headline of its findings, after the name of the object."),
            "messageExpression": text("The CEL expression of the headline, which counts more than `message`."),
            "why": text("Why it matters, in Markdown."),
            "help": line("How to fix it, as an imperative sentence."),
            "expression": text("The CEL expression that has to be true. Its variables are `object`, `job` and `forecast`."),
            "deployers": {
                "description": "The deployers that it is about; all when absent.",
                "type": "array",
                "items": { "enum": tools },
            },
            "examples": {
                "description": "Cases that `joblint test` checks.",
                "type": "array",
                "items": example(),
            },
        },
        "required": ["apiVersion", "kind", "id", "expression"],
        "additionalProperties": false,
    });
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain JSON");
    text.push('\n');
    text
}

fn example() -> Value {
    let files = |description: &str| {
        json!({
            "description": description,
            "anyOf": [
                { "type": "string" },
                { "type": "object", "additionalProperties": { "type": "string" } },
            ],
        })
    };
    json!({
        "type": "object",
        "properties": {
            "name": { "description": "What the case shows.", "type": "string" },
            "bad": files("A manifest, or files by path, with a comment at each finding: `# ^^^^ label` under the span."),
            "good": files("The same without findings."),
            "deployer": {
                "description": "The deployers in force, as in `--deployer`.",
                "type": "array",
                "items": { "type": "string" },
            },
            "settings": { "description": "The text of a settings file.", "type": "string" },
            "pedantic": { "description": "Whether its findings need `--pedantic`.", "type": "boolean" },
        },
        "required": ["name"],
        "additionalProperties": false,
    })
}
