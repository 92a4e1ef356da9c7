//! The renderer against Helm, against hostile charts, and its provenance against changed inputs.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod functions;
mod functions_provenance;
mod hostile_charts;
mod perturbation;
mod render_overrides;
