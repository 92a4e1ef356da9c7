//! What happens to a Kubernetes Job on the next deploy? See the README.

pub mod baseline;
pub mod check;
pub mod cli;
pub mod deploy;
pub mod discover;
pub mod finding;
pub mod fingerprint;
pub mod fix;
pub mod kubernetes;
pub mod locate;
pub mod mask;
pub mod object;
pub mod provenance;
pub mod read;
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
pub mod workload;
pub mod yaml;
