//! Tests of the whole crate.

#![allow(clippy::unwrap_used)]

mod hostile;
mod reads;
mod server;
mod unknown;

use kubernetes_cel::{Budget, Environment, Evaluated, Outcome, Program, Value, Variables};

/// The value of a JSON text.
fn json(text: &str) -> Value {
    Value::from(&serde_json::from_str::<serde_json::Value>(text).unwrap())
}

fn compile(expression: &str) -> Program {
    Program::compile(expression, &Environment::admission(true)).unwrap()
}

/// Evaluates an expression over an object.
fn evaluate(expression: &str, object: &str) -> Evaluated {
    let mut variables = Variables::new();
    variables.set("object", json(object));
    compile(expression).evaluate(&variables, &mut Budget::default())
}

/// The outcome in short: the value, `unknown: names`, or `error: message`.
fn short(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value(value) => value.to_string(),
        Outcome::Unknown(names) => {
            format!("unknown: {}", names.iter().cloned().collect::<Vec<_>>().join(", "))
        }
        Outcome::Error(message) => format!("error: {message}"),
        Outcome::Exhausted => format!("error: {}", Budget::EXHAUSTED),
    }
}
