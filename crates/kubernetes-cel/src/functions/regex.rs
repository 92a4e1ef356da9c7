//! Regular expressions.

use std::collections::HashMap;

use ::regex::{Regex, RegexBuilder};

use crate::value::Value;

use super::{Answer, Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] =
    &[("matches", matches), ("find", find), ("findAll", find_all)];

/// Bytes of a compiled expression.
const LARGEST: usize = 1 << 20;

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

/// A compiled expression, or why it is none.
pub(crate) fn compile(pattern: &str) -> Result<Regex, String> {
    if let Some(repeat) = large_repeat(pattern) {
        return Err(format!("error parsing regexp: invalid repeat count: `{repeat}`"));
    }
    let compiled = RegexBuilder::new(pattern).size_limit(LARGEST).nest_limit(200).build();
    compiled.map_err(|error| match error {
        ::regex::Error::CompiledTooBig(_) => {
            "error parsing regexp: expression too large".to_owned()
        }
        _ => format!("error parsing regexp: `{pattern}`"),
    })
}

/// `{1001}`: Go allows 1000 repeats.
fn large_repeat(pattern: &str) -> Option<&str> {
    let starts = pattern.match_indices('{').map(|(at, _)| at);
    starts.filter_map(|at| Some(&pattern[at..=at + pattern[at..].find('}')?])).find(|repeat| {
        let counts = repeat[1..repeat.len() - 1].splitn(2, ',');
        counts.filter_map(|count| count.parse::<u64>().ok()).any(|count| count > 1000)
    })
}

impl Patterns {
    /// The compiled expression.
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
    Ok(Value::Bool(call.patterns.get(pattern)?.is_match(text)))
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
    let pattern = call.patterns.get(pattern).map_err(illegal)?;
    Ok(pattern.find(text).map_or("", |found| found.as_str()).into())
}

fn find_all(call: &mut Call) -> Answer {
    let (text, pattern, most) = match call.arguments {
        [Value::String(text), Value::String(pattern)] => (text, pattern, -1),
        [Value::String(text), Value::String(pattern), Value::Int(most)] => (text, pattern, *most),
        _ => return Err(Failure::NoOverload),
    };
    let pattern = call.patterns.get(pattern).map_err(illegal)?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let found: Vec<Value> =
        pattern.find_iter(text).take(most).map(|found| found.as_str().into()).collect();
    call.meter.allocate(found.len())?;
    Ok(Value::list(found))
}
