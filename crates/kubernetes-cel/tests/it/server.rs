//! Each expression of `testdata/cases.txt` has the type, the value, the error and the words of refusal that the CEL
//! libraries of the API server gave it.

use std::collections::BTreeMap;
use std::fs;

use kubernetes_cel::{Budget, Environment, Key, Outcome, Program, Value, Variables, refusal};

#[derive(Debug, Default, PartialEq)]
struct Result {
    refused: Option<String>,
    of: Option<String>,
    value: Option<String>,
    error: Option<String>,
}

#[test]
fn expressions_come_to_what_the_api_server_makes_of_them() {
    let text = fs::read_to_string("testdata/variables.json").unwrap();
    let json: BTreeMap<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut variables = Variables::new();
    for (name, value) in &json {
        variables.set(name, Value::from(value));
    }
    let (mut wrong, mut dear, mut priced) = (Vec::new(), Vec::new(), 0);
    let cases = fs::read_to_string("testdata/cases.jsonl").unwrap();
    for line in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        let expression = field("expression").unwrap();
        let expected = Result {
            refused: field("refused").map(|refused| comparable(&refused)),
            of: field("type"),
            value: field("value"),
            error: field("error"),
        };
        let (found, own_cost) = evaluate(&expression, &variables);
        if let (Some(cost), None) = (case["cost"].as_u64(), &found.refused) {
            priced += 1;
            dear.extend((cost != own_cost).then(|| format!("{cost} {own_cost} {expression}")));
        }
        if found != expected {
            wrong.push(format!("{expression}\n  server: {expected:?}\n  ours:   {found:?}"));
        }
    }
    let count = cases.lines().count();
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    // The others are those of expressions that fail, of `dyn`, and of the authorizer.
    assert_eq!(priced, 825);
    assert!(dear.len() <= 34, "{} costs differ (server, ours):\n{}", dear.len(), dear.join("\n"));
}

fn evaluate(expression: &str, variables: &Variables) -> (Result, u64) {
    let program = match Program::compile(expression, &Environment::admission(true)) {
        Ok(program) => program,
        Err(issues) => {
            let refused = Some(comparable(&refusal(&issues, expression)));
            return (Result { refused, ..Result::default() }, 0);
        }
    };
    let of = Some(program.output_name());
    let evaluated = program.evaluate(variables, &mut Budget::default());
    let result = match evaluated.outcome {
        Outcome::Value(value) => Result { of, value: Some(show(&value)), ..Result::default() },
        Outcome::Error(message) => Result { of, error: Some(message), ..Result::default() },
        Outcome::Unknown(names) => {
            Result { of, error: Some(format!("unknown: {names:?}")), ..Result::default() }
        }
        Outcome::Exhausted => {
            Result { of, error: Some("exhausted".to_owned()), ..Result::default() }
        }
    };
    (result, evaluated.cost)
}

/// Of syntax errors the first one: the others depend on how a parser goes on after an error.
fn comparable(refused: &str) -> String {
    let is_syntax = refused.contains("Syntax error");
    refused.split("\nERROR").next().filter(|_| is_syntax).unwrap_or(refused).to_owned()
}

/// A value with its type, as `main.go` writes it.
fn show(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => format!("{value}u"),
        Value::String(text) => serde_json::to_string(&**text).unwrap(),
        Value::Bytes(bytes) => format!("bytes {}", hexadecimal(bytes)),
        Value::Duration(nanoseconds) => format!("duration {nanoseconds}"),
        Value::Timestamp(point) => format!("timestamp {}.{:09}", point.seconds, point.nanoseconds),
        Value::Type(name) => format!("type {name}"),
        Value::Optional(None) => "optional()".to_owned(),
        Value::Optional(Some(value)) => format!("optional({})", show(value)),
        Value::List(items) => {
            format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", "))
        }
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", show_key(key), show(value)))
                .collect();
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Double(value) => format!("double {}", Value::Double(*value)),
        other => other.to_string(),
    }
}

fn show_key(key: &Key) -> String {
    show(&Value::from(key))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
