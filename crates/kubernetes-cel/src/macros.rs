//! Macros: calls that bind names. They are expanded while the text is parsed, as in cel-go.

use std::ops::Range;

use crate::ast::{Comprehension, Id, Kind, Mode, Over};
use crate::issue::Issue;
use crate::parser::Parser;

/// Name, number of arguments, number of names, whether one argument is a condition, and what it makes.
const COMPREHENSIONS: &[(&str, usize, usize, bool, Over)] = &[
    ("all", 2, 1, false, Over::All),
    ("all", 3, 2, false, Over::All),
    ("exists", 2, 1, false, Over::Exists),
    ("exists", 3, 2, false, Over::Exists),
    ("exists_one", 2, 1, false, Over::ExistsOne),
    ("exists_one", 3, 2, false, Over::ExistsOne),
    ("existsOne", 3, 2, false, Over::ExistsOne),
    ("map", 2, 1, false, Over::List),
    ("map", 3, 1, true, Over::List),
    ("filter", 2, 1, false, Over::Filter),
    ("sortBy", 2, 1, false, Over::SortBy),
    ("transformList", 3, 2, false, Over::List),
    ("transformList", 4, 2, true, Over::List),
    ("transformMap", 3, 2, false, Over::TransformMap),
    ("transformMap", 4, 2, true, Over::TransformMap),
    ("transformMapEntry", 3, 2, false, Over::TransformMapEntry),
    ("transformMapEntry", 4, 2, true, Over::TransformMapEntry),
];

/// What a call stands for, if it is a macro.
pub(crate) fn expand(
    parser: &mut Parser,
    name: &str,
    target: Option<Id>,
    arguments: &[Id],
    range: Range<usize>,
    at: usize,
) -> Result<Option<Id>, Issue> {
    let kind = match (target, name, arguments) {
        (None, "has", [argument]) => has(parser, *argument)?,
        (Some(operand), "optMap" | "optFlatMap", [variable, body]) => {
            let Kind::Name(variable) = &parser.node(*variable).kind else {
                let message = format!("{name}() variable name must be a simple identifier");
                return Err(parser.issue(*variable, message));
            };
            Kind::OptionalMap {
                operand,
                name: variable.clone(),
                body: *body,
                flat: name == "optFlatMap",
            }
        }
        (Some(operand), ..) => {
            let mut rows = COMPREHENSIONS.iter();
            let row = rows.find(|row| row.0 == name && row.1 == arguments.len());
            let Some((_, _, names, conditional, over)) = row else { return Ok(None) };
            let is_literal = matches!(parser.node(operand).kind, Kind::Literal(_) | Kind::Map(_));
            if *over == Over::SortBy && is_literal {
                let message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
                return Err(parser.issue(operand, message));
            }
            let names = variables(parser, &arguments[..*names], *over)?;
            let condition = conditional.then(|| arguments[arguments.len() - 2]);
            let body = arguments[arguments.len() - 1];
            Kind::Comprehension(Box::new(Comprehension {
                over: *over,
                range: operand,
                names,
                condition,
                body,
            }))
        }
        _ => return Ok(None),
    };
    parser.add(kind, range, at).map(Some)
}

fn has(parser: &Parser, argument: Id) -> Result<Kind, Issue> {
    match &parser.node(argument).kind {
        Kind::Select { operand, field, mode: Mode::Plain } => {
            Ok(Kind::Select { operand: *operand, field: field.clone(), mode: Mode::Has })
        }
        _ => Err(parser.issue(argument, "invalid argument to has() macro")),
    }
}

fn variables(parser: &Parser, arguments: &[Id], over: Over) -> Result<Vec<String>, Issue> {
    let mut names = Vec::new();
    for argument in arguments {
        let Kind::Name(name) = &parser.node(*argument).kind else {
            let message = match (over, arguments) {
                (_, [_, _]) => "argument must be a simple name",
                (Over::List | Over::Filter, _) => "argument is not an identifier",
                (Over::SortBy, _) => "sortBy variable name must be a simple identifier",
                _ => "argument must be a simple name",
            };
            return Err(parser.issue(*argument, message));
        };
        if name == "__result__" {
            return Err(
                parser.issue(*argument, "iteration variable overwrites accumulator variable")
            );
        }
        if names.contains(name) {
            return Err(parser.issue(*argument, format!("duplicate variable name: {name}")));
        }
        names.push(name.clone());
    }
    Ok(names)
}
