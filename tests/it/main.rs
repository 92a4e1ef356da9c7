//! Tests of the whole program. One binary holds them all, because each test binary links the program anew.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod add_ignore;
mod agreement;
mod architecture;
mod charts;
mod check_charts;
mod cli;
mod dependencies;
mod documents;
mod exit_status;
mod facts;
mod fix_counts;
mod fix_subsets;
mod forecast;
mod generated;
mod gitops;
mod grouping;
mod headlines;
mod hostile;
mod kustomizations;
mod kustomize_charts;
mod observed;
mod readme;
mod release_changes;
mod report;
mod requirements;
mod rules;
mod secrets;
mod seeds;
mod selection;
mod server;
mod support;
mod template_fixes;
mod upgrade;
mod validation;
