//! What the API server checks of literals once the types fit: durations, timestamps, regular expressions, mixed lists
//! and maps, and formats.

use crate::ast::{Id, Kind};
use crate::format_string;
use crate::functions::{regex, time};
use crate::types::Type;
use crate::value::{Timestamp, Value};

use super::Checker;

/// Functions whose literal first argument is checked, with the literals that they take.
const CHECKED: &[(&str, fn(&Value) -> bool)] = &[
    ("duration", |value| match value {
        Value::String(text) => time::duration(text).is_some(),
        other => !matches!(other, Value::Int(_)),
    }),
    ("timestamp", |value| match value {
        Value::String(text) => time::timestamp(text).is_some_and(|point| time::at(point).is_ok()),
        Value::Int(seconds) => {
            time::at(Timestamp { seconds: *seconds, nanoseconds: 0, offset: 0 }).is_ok()
        }
        _ => true,
    }),
    ("matches", |value| value.as_str().is_none_or(|text| regex::compile(text).is_ok())),
];

pub(super) fn check(checker: &mut Checker) {
    let exempt = inside_format(checker);
    for id in 0..checker.ast.nodes.len() {
        match checker.ast.nodes[id].kind.clone() {
            Kind::Call { function, target, arguments } => {
                argument(checker, &function, &arguments);
                if let Some(target) = target.filter(|_| function == "format") {
                    format(checker, id, target, &arguments);
                }
            }
            Kind::List(items) if !exempt[id] => {
                same(checker, items.iter().copied(), true);
            }
            Kind::Map(entries) if !exempt[id] => {
                same(checker, entries.iter().map(|(key, _, _)| (*key, false)), false);
                same(
                    checker,
                    entries.iter().map(|(_, value, optional)| (*value, *optional)),
                    false,
                );
            }
            _ => {}
        }
    }
}

fn argument(checker: &mut Checker, function: &str, arguments: &[Id]) {
    let Some((_, is_valid)) = CHECKED.iter().find(|(name, _)| *name == function) else { return };
    let Some(first) = arguments.first() else { return };
    let Kind::Literal(value) = &checker.ast.nodes[*first].kind else { return };
    if !is_valid(value) {
        checker.report(*first, format!("invalid {function} argument"));
    }
}

/// Whether each node is inside of a call of `format`, whose arguments may be mixed.
fn inside_format(checker: &Checker) -> Vec<bool> {
    let nodes = &checker.ast.nodes;
    let mut inside = vec![false; nodes.len()];
    // Children come before their parents, so from the end each node is seen before its children.
    for id in (0..nodes.len()).rev() {
        let is_format =
            matches!(&nodes[id].kind, Kind::Call { function, .. } if function == "format");
        if inside[id] || is_format {
            for child in crate::ast::children(&nodes[id].kind) {
                inside[child] = true;
            }
        }
    }
    inside
}

/// Reports items whose type differs from the one of the first: all of them, or only one.
fn same(checker: &mut Checker, items: impl Iterator<Item = (Id, bool)>, once: bool) {
    let mut expected: Option<Type> = None;
    for (id, optional) in items {
        let of = checker.mapping.substitute(&checker.types[id], true);
        let of = match of {
            Type::Optional(value) if optional => (*value).clone(),
            of => of,
        };
        match &expected {
            None => expected = Some(of),
            Some(expected) if *expected == of => {}
            Some(expected) => {
                let expected = expected.clone();
                checker.mismatch(id, &expected, &of);
                if once {
                    return;
                }
            }
        }
    }
}

/// Checks a literal format with a literal list of arguments.
fn format(checker: &mut Checker, id: Id, target: Id, arguments: &[Id]) {
    let (Kind::Literal(Value::String(text)), [list]) = (&checker.ast.nodes[target].kind, arguments)
    else {
        return;
    };
    let Kind::List(items) = &checker.ast.nodes[*list].kind else { return };
    let items: Vec<_> = items.iter().map(|(item, _)| *item).collect();
    let types: Vec<_> =
        items.iter().map(|item| checker.mapping.substitute(&checker.types[*item], true)).collect();
    if let Err((argument, message)) = format_string::check(text, &types) {
        checker.report(argument.map_or(id, |index| items[index]), message);
    }
}
