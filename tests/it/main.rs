//! Tests of the whole program. One binary holds them all, because each test binary links the program anew.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod agreement;
mod charts;
mod check_charts;
mod cli;
mod forecast;
mod generated;
mod gitops;
mod observed;
mod release_changes;
mod report;
mod rules;
mod script_analysis;
mod script_labels;
mod script_parser;
mod secrets;
mod seeds;
mod support;
mod template_fixes;
mod upgrade;
mod validation;
