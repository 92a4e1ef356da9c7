//! Predicts what the next deploys change in the workloads of a chart.
//!
//! The witness decides: the chart is rendered again with other inputs, and the two renders are compared.
//! Provenance says which inputs did it and where they are written.

mod bump;
mod compare;
mod origin;
mod predict;
mod witness;

pub use bump::next_version;
pub use origin::{all as inputs, is_part};
pub use predict::{Made, is_name, predict};
