//! The parser against an independent parser, and the analysis against labelled scripts.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod analysis;
mod labels;
mod parser;
mod scripts;
