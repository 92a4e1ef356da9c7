//! Regular expressions.

mod translate;

use std::collections::HashMap;

use ::regex::{Regex, RegexBuilder};
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{self, Ast, ErrorKind};

use crate::value::Value;

use super::{Answer, Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] =
    &[("matches", matches), ("find", find), ("findAll", find_all)];

/// Bytes of a compiled expression.
const LARGEST: usize = 1 << 20;

/// Levels of nested groups.
const DEEPEST: u32 = 200;

/// Expressions that one evaluation may compile.
const MOST: usize = 1000;

/// Expressions that are kept at once.
const KEPT: usize = 64;

/// The compiled expressions of an evaluation.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    compiled: HashMap<String, Regex>,
    count: usize,
}

/// A compiled expression, or Go's words for what is wrong with it.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    let translated = translate::translate(pattern);
    if let Some(group) = translate::unknown_flags(pattern) {
        return Err(wrong("invalid or unsupported Perl syntax", group));
    }
    let parsed = ParserBuilder::new().nest_limit(DEEPEST).build().parse(&translated);
    let tree = parsed.map_err(|error| why_not(&translated, &error))?;
    if let Err(operators) = ast::visit(&tree, NestedRepetition { pattern: &translated }) {
        return Err(wrong("invalid nested repetition operator", &operators));
    }
    if let Some(repeat) = large_repeat(pattern) {
        return Err(wrong("invalid repeat count", repeat));
    }
    let compiled = RegexBuilder::new(&translated).size_limit(LARGEST).nest_limit(DEEPEST).build();
    compiled.map_err(|_| wrong("expression too large", pattern))
}

fn wrong(what: &str, part: &str) -> String {
    format!("error parsing regexp: {what}: `{part}`")
}

fn why_not(pattern: &str, error: &ast::Error) -> String {
    let (start, end) = (error.span().start.offset, error.span().end.offset);
    let part = &pattern[start..end];
    match error.kind() {
        ErrorKind::ClassUnclosed => wrong("missing closing ]", &pattern[start..]),
        ErrorKind::ClassRangeInvalid => wrong("invalid character class range", part),
        ErrorKind::GroupUnclosed => wrong("missing closing )", pattern),
        ErrorKind::GroupUnopened => wrong("unexpected )", pattern),
        ErrorKind::RepetitionMissing => {
            let operator = pattern[start..]
                .starts_with('{')
                .then(|| pattern[start..].find('}'))
                .flatten()
                .unwrap_or(0);
            wrong("missing argument to repetition operator", &pattern[start..=start + operator])
        }
        ErrorKind::RepetitionCountInvalid => {
            let brace = pattern[..end].rfind('{').unwrap_or(start);
            wrong("invalid repeat count", &pattern[brace..end])
        }
        ErrorKind::UnsupportedLookAround => wrong("invalid or unsupported Perl syntax", part),
        ErrorKind::EscapeUnexpectedEof => wrong("trailing backslash at end of expression", ""),
        ErrorKind::NestLimitExceeded(_) => wrong("expression nests too deeply", pattern),
        _ => wrong("invalid escape sequence", part),
    }
}

/// Looks for `a**`, which Go refuses.
struct NestedRepetition<'p> {
    pattern: &'p str,
}

impl ast::Visitor for NestedRepetition<'_> {
    type Output = ();
    type Err = String;

    fn finish(self) -> Result<(), String> {
        Ok(())
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), String> {
        match tree {
            Ast::Repetition(outer) => match &*outer.ast {
                Ast::Repetition(inner) => Err(self.pattern
                    [inner.op.span.start.offset..outer.op.span.end.offset]
                    .to_owned()),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// `{1001}`: Go allows 1000 repeats.
fn large_repeat(pattern: &str) -> Option<&str> {
    let starts = pattern.match_indices('{').map(|(at, _)| at);
    starts.filter_map(|at| Some(&pattern[at..=at + pattern[at..].find('}')?])).find(|repeat| {
        let counts = repeat[1..repeat.len() - 1].splitn(2, ',');
        counts.filter_map(|count| count.parse::<u64>().ok()).any(|count| count > 1000)
    })
}

/// The compiled expression of a call.
fn get<'p>(call: &'p mut Call, pattern: &str) -> Result<&'p Regex, Failure> {
    match call.compiled.get(pattern) {
        Some(compiled) => Ok(compiled),
        None => call.patterns.get(pattern),
    }
}

impl Patterns {
    fn get(&mut self, pattern: &str) -> Result<&Regex, Failure> {
        if !self.compiled.contains_key(pattern) {
            self.count += 1;
            if self.count > MOST {
                return Err(Failure::Limit("operation cancelled: actual cost limit exceeded"));
            }
            if self.compiled.len() >= KEPT {
                self.compiled.clear();
            }
            self.compiled.insert(pattern.to_owned(), compile(pattern)?);
        }
        Ok(&self.compiled[pattern])
    }
}

fn matches(call: &mut Call) -> Answer {
    let [Value::String(text), Value::String(pattern)] = call.arguments else {
        return Err(Failure::NoOverload);
    };
    Ok(Value::Bool(get(call, pattern)?.is_match(text)))
}

fn illegal(failure: Failure) -> Failure {
    match failure {
        Failure::Error(message) => Failure::Error(format!("Illegal regex: {message}")),
        other => other,
    }
}

fn find(call: &mut Call) -> Answer {
    let [Value::String(text), Value::String(pattern)] = call.arguments else {
        return Err(Failure::NoOverload);
    };
    let pattern = get(call, pattern).map_err(illegal)?;
    Ok(pattern.find(text).map_or("", |found| found.as_str()).into())
}

fn find_all(call: &mut Call) -> Answer {
    let (text, pattern, most) = match call.arguments {
        [Value::String(text), Value::String(pattern)] => (text, pattern, -1),
        [Value::String(text), Value::String(pattern), Value::Int(most)] => (text, pattern, *most),
        _ => return Err(Failure::NoOverload),
    };
    let pattern = get(call, pattern).map_err(illegal)?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let found: Vec<Value> =
        pattern.find_iter(text).take(most).map(|found| found.as_str().into()).collect();
    call.meter.allocate(found.len())?;
    Ok(Value::list(found))
}
