//! Where rendered bytes come from: inputs, template positions, and the map from output ranges to both.
//!
//! The bottom layer: it depends on no other module. A [`Taint`] keeps data flow ("this value was
//! printed") apart from control flow ("this value decided what was printed").

mod common_inputs;
mod input_sets;
mod inputs;
mod met_sets;
mod positions;
mod spans;

pub use common_inputs::CommonInputs;
pub use input_sets::{InputSet, Taint};
pub use inputs::{Input, Inputs, Step};
pub(crate) use positions::PositionId;
pub use positions::{FileId, Position, Positions};
pub use spans::{Run, Span, SpanMap};

/// The tables that the ids in a [`SpanMap`] refer to; one per render.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    /// The inputs and the sets of them.
    pub inputs: Inputs,
    /// The template positions and the calls that lead to them.
    pub positions: Positions,
}

impl Provenance {
    /// How many inputs, sets of inputs and positions there are. Ids stay what they are, so these only become more.
    pub fn size(&self) -> usize {
        self.inputs.size() + self.positions.size()
    }
}
