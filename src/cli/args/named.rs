//! Parsers for flags with a closed set of names, for types of crates that do not depend on clap.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
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
