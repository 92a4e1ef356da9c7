//! Parsers for flags with a closed set of names, for types of crates that do not depend on clap.

use std::ffi::OsStr;

use clap::{
    Arg, Command,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use job_lifecycle::Event;

use crate::finding::Confidence;

/// `low`, `medium`, `high`.
pub(crate) fn confidence() -> impl TypedValueParser<Value = Confidence> {
    one_of(&Confidence::ALL, Confidence::name, |value| PossibleValue::new(value.name()))
}

/// The events of a forecast, each with its description.
pub(crate) fn event() -> impl TypedValueParser<Value = Event> {
    one_of(&Event::ALL, Event::name, |event| PossibleValue::new(event.name()).help(event.about()))
}

/// A parser that also names known values for completion scripts. It still decides what it accepts.
pub(super) fn suggesting<P: TypedValueParser>(
    parser: P,
    known: impl Fn() -> Vec<PossibleValue> + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = P::Value> {
    Suggesting { parser, known }
}

#[derive(Clone)]
struct Suggesting<P, K> {
    parser: P,
    known: K,
}

impl<P, K> TypedValueParser for Suggesting<P, K>
where
    P: TypedValueParser,
    K: Fn() -> Vec<PossibleValue> + Clone + Send + Sync + 'static,
{
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        self.parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.known)().into_iter()))
    }
}

fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    shown: fn(T) -> PossibleValue,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|value| shown(*value))).map(move |text| {
        let found = all.iter().copied().find(|value| name(*value) == text);
        found.expect("clap takes none but the names")
    })
}
