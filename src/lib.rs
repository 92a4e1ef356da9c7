//! What happens to a Kubernetes Job on the next deploy? See the README.

pub mod baseline;
pub mod chart;
pub mod check;
pub mod churn;
pub mod cli;
pub mod command;
pub mod deploy;
pub mod discover;

pub mod finding;
pub mod fingerprint;
pub mod fix;
pub mod forecast;
pub mod gitops;
pub mod helm;
pub mod kubernetes;
pub mod locate;
pub mod mask;
mod merge;
pub mod object;
pub mod provenance;
pub mod read;
pub mod regular;
pub mod remedy;
pub mod repair;
pub mod report;
pub mod rules;
pub mod script;
pub mod settings;
pub mod source;
pub mod spelling;
pub mod suppress;
pub mod template;
pub mod unit;
pub mod upgrade;
pub mod workload;
pub mod yaml;
