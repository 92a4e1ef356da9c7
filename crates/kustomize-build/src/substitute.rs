//! The variables that Flux substitutes in the output: `spec.postBuild` of a Kustomization.
//!
//! Flux prints each object, substitutes `${…}` in the whole text and reads it again (`fluxcd/pkg` `kustomize_varsub.go`,
//! kustomize-controller 1.9), so that a value may change types and structure. Here each value of the new text keeps the
//! origin of the text that it replaces.

mod expression;
mod functions;
mod pattern;

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use yaml_spans::{Location, Span};

use self::expression::{Call, Failure, Token};
use crate::{
    Origin,
    error::{Error, Reason, Result},
    node::{Data, Node},
    origin::{Field, Part},
    print::Printed,
    read,
    scalar::Tag,
    work::Work,
};

/// The variables of `postBuild`.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    /// Those that are known to be set, by name.
    pub known: BTreeMap<Arc<str>, Variable>,
    /// Whether there are no others. Otherwise an expression with another variable stays as it is written.
    pub is_complete: bool,
    /// Whether a variable that nothing sets fails the build, as in kustomize-controller 1.9. Otherwise its expression
    /// stays as it is written.
    pub is_strict: bool,
}

/// A variable and its value.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its value, without line breaks; `None` if it is set and not known, as by a Secret.
    pub value: Option<Arc<str>>,
    /// Where the value is written.
    pub at: Location,
}

/// Compares the values, not where they are written.
impl PartialEq for Variables {
    fn eq(&self, other: &Self) -> bool {
        let values = |own: &Self| {
            let values = own.known.iter().map(|(name, own)| (name.clone(), own.value.clone()));
            values.collect::<Vec<_>>()
        };
        self.is_complete == other.is_complete
            && self.is_strict == other.is_strict
            && values(self) == values(other)
    }
}

/// The label or annotation that turns substitution off.
const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

impl Variables {
    /// An object after substitution; `None` if it stays as it is.
    pub(crate) fn substitute(&self, node: &Node, work: &mut Work) -> Result<Option<Node>> {
        let text = |path: &[&str]| node.at(path).map(Node::text);
        let is_off = |field| text(&["metadata", field, SWITCH]) == Some("disabled");
        if is_off("labels") || is_off("annotations") {
            return Ok(None);
        }
        let name = text(&["metadata", "name"]).unwrap_or_default();
        self.substituted(node, work).map_err(|error| match error.reason {
            Reason::Limit => error,
            _ => error.prefixed(format!("post build failed for '{name}': envsubst error")),
        })
    }

    fn substituted(&self, node: &Node, work: &mut Work) -> Result<Option<Node>> {
        if let Some((name, wrong)) = self.known.iter().find(|(name, _)| !is_name(name)) {
            let message = format!("'{name}' var name is invalid, must match '{NAME}'");
            return Err(Error::transformer(message).at(Some(wrong.at.clone())));
        }
        let mut printed = Printed::default();
        printed.add(node)?;
        if !printed.text.contains('$') {
            return Ok(None);
        }
        work.spend(printed.text.len() as u64 / 4)?;
        let mut writer =
            Writer { printed: &printed, variables: self, text: String::new(), pieces: Vec::new() };
        let tokens = expression::parse(&printed.text).map_err(|(failure, start)| {
            let error = match failure {
                Failure::Syntax(words) => Error::transformer(format!("{FAILED}: {words}")),
                Failure::Depth => Error::new(Reason::Limit, "the build nests too many expressions"),
            };
            error.at(place(&writer.old_origin(start..start + 2)))
        })?;
        for token in &tokens {
            writer.add(token, work)?;
        }
        if writer.text == printed.text { Ok(None) } else { writer.read().map(Some) }
    }
}

/// What the name of a variable matches.
const NAME: &str = "^[_[:alpha:]][_[:alpha:][:digit:]]*$";

const FAILED: &str = "variable substitution failed";

fn is_name(name: &str) -> bool {
    let is_inner = |c: char| c == '_' || c.is_ascii_alphanumeric();
    name.chars().all(is_inner) && name.starts_with(|c: char| !c.is_ascii_digit())
}

fn place(origin: &Origin) -> Option<Location> {
    origin.parts().first().map(|part| part.at.clone())
}

/// The text after substitution.
struct Writer<'a> {
    printed: &'a Printed,
    variables: &'a Variables,
    text: String,
    pieces: Vec<Piece<'a>>,
}

/// A part of the new text.
struct Piece<'a> {
    /// Where it starts.
    start: usize,
    /// The bytes of the old text that it comes from.
    from: Range<usize>,
    /// Where the variables of an expression that is replaced are set; `None` for text that stays.
    used: Option<Vec<&'a Location>>,
}

/// What an expression comes to.
enum Outcome {
    Known(String),
    Unknown,
    /// Nothing sets this variable.
    Unset(String),
}

impl<'a> Writer<'a> {
    fn add(&mut self, token: &Token, work: &mut Work) -> Result<()> {
        let call = match token {
            Token::Text(ranges) => {
                ranges.iter().for_each(|range| self.keep(range.clone()));
                return Ok(());
            }
            Token::Call(call) => call,
        };
        let mut used = Vec::new();
        match self.evaluate(call, &mut used, work)? {
            Outcome::Known(value) => {
                work.spend(4 + value.len() as u64 / 4)?;
                let (start, from) = (self.text.len(), call.span.clone());
                self.pieces.push(Piece { start, from, used: Some(used) });
                self.text.push_str(&value);
            }
            Outcome::Unset(name) if self.variables.is_strict => {
                let message = format!("{FAILED}: variable not set (strict mode): {name:?}");
                let at = place(&self.old_origin(call.span.clone()));
                return Err(Error::transformer(message).at(at));
            }
            Outcome::Unknown | Outcome::Unset(_) => self.keep(call.span.clone()),
        }
        Ok(())
    }

    fn keep(&mut self, from: Range<usize>) {
        self.pieces.push(Piece { start: self.text.len(), from: from.clone(), used: None });
        self.text.push_str(&self.printed.text[from]);
    }

    fn evaluate(
        &self,
        call: &Call,
        used: &mut Vec<&'a Location>,
        work: &mut Work,
    ) -> Result<Outcome> {
        let (mut operands, mut is_unknown) = (Vec::new(), false);
        for operand in &call.operands {
            let outcome = match operand {
                Token::Text(ranges) => Outcome::Known(
                    ranges.iter().map(|range| &self.printed.text[range.clone()]).collect(),
                ),
                Token::Call(inner) => self.evaluate(inner, used, work)?,
            };
            match outcome {
                Outcome::Known(text) => operands.push(text),
                Outcome::Unknown => is_unknown = true,
                unset @ Outcome::Unset(_) => return Ok(unset),
            }
        }
        let is_default = functions::is_default(&call.operator);
        let value: &str = match self.variables.known.get(&*call.name) {
            Some(Variable { value: Some(value), at }) => {
                used.push(at);
                value
            }
            Some(_) => return Ok(Outcome::Unknown),
            None if !self.variables.is_complete => return Ok(Outcome::Unknown),
            None if !is_default => return Ok(Outcome::Unset(call.name.clone())),
            None => "",
        };
        if is_unknown && (!is_default || value.is_empty()) {
            return Ok(Outcome::Unknown);
        }
        work.spend(cost(&call.operator, value, &operands))?;
        let message = format!("{FAILED}: `{}` cuts a character in two", call.name);
        let result = functions::apply(&call.operator, value, &operands);
        let failed = || Error::transformer(message).at(place(&self.old_origin(call.span.clone())));
        result.map(Outcome::Known).ok_or_else(failed)
    }

    /// The new text, read as YAML.
    fn read(&self) -> Result<Node> {
        let document = match yaml_spans::parse(&self.text).into_iter().next() {
            Some(Ok(document)) => document,
            Some(Err(error)) => {
                let line = self.text[..error.span.start as usize].matches('\n').count() + 1;
                let message = format!("YAMLToJSON: yaml: line {line}: {}", error.reason);
                return Err(Error::transformer(message).at(place(&self.origin(error.span))));
            }
            None => return Err(Error::transformer("YAMLToJSON: no object is left")),
        };
        let mut node = read::json(&self.text, &document.root, &|span| self.origin(span));
        round(&mut node);
        Ok(node)
    }

    /// The origin of a part of the new text: that of the old text in its place, then the variables.
    fn origin(&self, span: Span) -> Origin {
        let (start, end) = (span.start as usize, (span.end as usize).max(span.start as usize + 1));
        let first = self.pieces.partition_point(|piece| piece.start <= start).saturating_sub(1);
        let mut origin = Origin::default();
        let mut used: Vec<&Location> = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate().skip(first) {
            if piece.start >= end || origin.parts().len() >= MOST_PARTS {
                break;
            }
            let next = self.pieces.get(index + 1).map_or(self.text.len(), |next| next.start);
            if next <= start {
                continue;
            }
            let old = match &piece.used {
                Some(_) => piece.from.clone(),
                None => {
                    let from = piece.from.start + start.saturating_sub(piece.start);
                    from..piece.from.end.min(piece.from.start + (end - piece.start))
                }
            };
            origin = origin.and(&self.old_origin(old));
            used.extend(piece.used.iter().flatten().copied());
        }
        for at in used.into_iter().take(MOST_PARTS).cloned() {
            origin = origin.and(&Origin::one(Part { at, field: Field::Substitute, chain: None }));
        }
        origin
    }

    fn old_origin(&self, range: Range<usize>) -> Origin {
        let all = &self.printed.origins;
        let first = all.partition_point(|traced| traced.range.end <= range.start);
        let inside = all[first..].iter().take_while(|traced| traced.range.start < range.end);
        let inside = inside.take(MOST_PARTS);
        inside.fold(Origin::default(), |origin, traced| origin.and(&traced.origin))
    }
}

/// The most texts that a part of the output is traced to. A collection holds those of all its values, perhaps thousands; its
/// first ones tell where it is.
const MOST_PARTS: usize = 32;

/// Flux reads the numbers of the new text as Go's `float64`.
fn round(node: &mut Node) {
    match &mut node.data {
        Data::Map(entries) => entries.iter_mut().for_each(|entry| round(&mut entry.value)),
        Data::Seq(items) => items.iter_mut().for_each(round),
        Data::Scalar(scalar) if scalar.tag == Tag::Int => {
            if let Some(rounded) = scalar.text.parse::<f64>().ok().filter(|one| one.abs() >= EXACT)
            {
                scalar.text = rounded.to_string().into();
            }
        }
        Data::Scalar(_) => {}
    }
}

/// The integers below this one are exact in a `float64`.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The steps that an expression takes beside those of its result.
fn cost(operator: &str, value: &str, operands: &[String]) -> u64 {
    let size = |text: &str| text.len() as u64;
    let operand = operands.iter().map(|operand| size(operand)).sum::<u64>();
    match operator {
        _ if functions::is_pattern(operator) => {
            size(value).saturating_mul(size(value)).saturating_mul(1 + operand) / 64
        }
        // Each place may get the new text.
        "/" | "//" => size(value).saturating_mul(1 + operand) / 4,
        _ => (size(value) + operand) / 4,
    }
}
