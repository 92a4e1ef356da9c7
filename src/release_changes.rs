//! Predicts what the next releases change in the workloads of a chart.
//!
//! The chart is rendered again with changed inputs (the *witness*) and the two renders are compared.
//! Provenance then tells which inputs caused each difference and where they are written.

mod attribution;
mod bump;
mod compare;
mod excerpt;
mod flow;
mod long_name;
mod next;
mod origin;
mod predict;
mod witness;

pub(crate) use compare::{TreeDifference, differences, summary};
pub(crate) use excerpt::shown;
pub use next::next_version;
pub(crate) use next::{is_digest, is_version, next_of, reference};
pub(crate) use origin::{all as inputs, is_part};
pub(crate) use predict::is_name;
pub use predict::{RenderedWorkload, predict};
pub(crate) use witness::render_later;
