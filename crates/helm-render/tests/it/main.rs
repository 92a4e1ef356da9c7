//! Tests of the renderer against Helm, with hostile charts, and of its provenance with changed
//! inputs.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod functions;
mod functions_provenance;
mod hostile_charts;
mod known_renders;
mod perturbation;
mod render_overrides;
