//! Where rendered bytes come from: inputs, template positions, and the map from output ranges to both.
//!
//! Depends on nothing. The template engine and its embedders write provenance; rules and reports
//! only read it. Data flow ("this value was printed") and control flow ("this decided what was
//! printed") are kept apart in a [`Taint`].

mod inputs;
mod places;
mod spans;

pub use inputs::{Input, InputSet, Inputs, Step, Taint};
pub use places::{FileId, Place, Places, Position};
pub use spans::{Run, Span, SpanMap};

/// The tables that the ids in a [`SpanMap`] refer to; one per render.
#[derive(Debug, Default)]
pub struct Provenance {
    pub inputs: Inputs,
    pub places: Places,
}
