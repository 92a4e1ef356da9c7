//! The parser against an independent parser, and the analysis against labelled scripts.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod analysis;
mod changed_objects;
mod deleted_objects;
mod further_copies;
mod hidden_failures;
mod kept_failures;
mod labels;
mod loops;
mod outcomes;
mod parser;
mod scripts;
mod statements;
mod strictness;
mod told_elsewhere;
mod waits;
