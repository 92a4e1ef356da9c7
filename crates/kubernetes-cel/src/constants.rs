//! What the API server computes before the first evaluation: conversions of constants, and regular expressions.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use regex::Regex;

use crate::ast::{Ast, Id, Kind};
use crate::issue::{Issue, Stage};
use crate::value::Value;
use crate::value::cost::Meter;
use crate::value::equality::as_key;
use crate::value::functions::{self, Call, Failure, Patterns, regex as patterns};

/// Conversions: calls of them with a constant are constants.
const CONVERSIONS: &[&str] =
    &["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

/// Functions whose second argument is a regular expression.
pub(crate) const SEARCHES: &[&str] = &["matches", "find", "findAll"];

/// Replaces lists and maps of constants, and conversions of constants, by their values, and compiles constant regular
/// expressions.
pub(crate) fn fold(ast: &mut Ast) -> Result<HashMap<String, Regex>, Issue> {
    let mut compiled = HashMap::new();
    for id in 0..ast.nodes.len() {
        if let Kind::List(_) | Kind::Map(_) = &ast.nodes[id].kind {
            if let Some(value) = constant(ast, id) {
                ast.nodes[id].kind = Kind::Literal(value);
            }
            continue;
        }
        let Kind::Call { function, target, arguments } = &ast.nodes[id].kind else { continue };
        let failed = |message: String| {
            let node = &ast.nodes[id];
            let issue = Issue::new(node.range.clone(), message);
            Issue { at: node.at, stage: Stage::Instantiation, ..issue }
        };
        let is_empty = |id: &Id| matches!(&ast.nodes[*id].kind, Kind::Literal(Value::List(items)) if items.is_empty());
        if function == "@in" && arguments.get(1).is_some_and(is_empty) {
            ast.nodes[id].kind = Kind::Literal(Value::Bool(false));
        } else if CONVERSIONS.contains(&&**function) {
            let Some(argument) = arguments.first().and_then(|argument| constant(ast, *argument))
            else {
                continue;
            };
            let value = convert(function, argument).map_err(failed)?;
            ast.nodes[id].kind = Kind::Literal(value);
        } else if SEARCHES.contains(&&**function) {
            let pattern = target.iter().chain(arguments).nth(1);
            let Some(Kind::Literal(Value::String(pattern))) =
                pattern.map(|id| &ast.nodes[*id].kind)
            else {
                continue;
            };
            compiled.insert(pattern.to_string(), patterns::compile(pattern).map_err(failed)?);
        }
    }
    Ok(compiled)
}

/// The value of an expression without variables: a literal, or a list or map of them.
fn constant(ast: &Ast, id: Id) -> Option<Value> {
    match &ast.nodes[id].kind {
        Kind::Literal(value) => Some(value.clone()),
        Kind::List(items) if items.iter().all(|(_, optional)| !optional) => {
            let items: Option<Vec<_>> =
                items.iter().map(|(item, _)| constant(ast, *item)).collect();
            items.map(Value::list)
        }
        Kind::Map(entries) if entries.iter().all(|(_, _, optional)| !optional) => {
            let mut map = BTreeMap::new();
            for (key, value, _) in entries {
                let (key, value) = (constant(ast, *key)?, constant(ast, *value)?);
                // A key twice is an error of the evaluation.
                if map.insert(as_key(&key).ok()?, value).is_some() {
                    return None;
                }
            }
            Some(Value::Map(Arc::new(map)))
        }
        _ => None,
    }
}

fn convert(function: &str, argument: Value) -> Result<Value, String> {
    let implementation = functions::find(function).expect("conversions are functions");
    let arguments = [argument];
    let mut call = Call {
        arguments: &arguments,
        compiled: &HashMap::new(),
        patterns: &mut Patterns::default(),
        meter: &mut Meter::new(u64::MAX / 100),
    };
    implementation(&mut call).map_err(|failure| match failure {
        Failure::Error(message) => message,
        _ => functions::no_overload(function, &arguments),
    })
}
