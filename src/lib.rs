//! What happens to a Kubernetes Job on the next deploy? See the README.

#![warn(unreachable_pub, missing_docs)]

mod add_ignores;
mod autofix;
mod baseline;
pub mod chart;
pub mod check;
pub mod cli;
pub mod command;
pub mod context;
mod dedupe;
pub mod deletions;
pub mod deployers;
pub mod diagnostic;
pub mod discover;
pub mod exclude;
mod facts;
pub mod finding;
pub mod fingerprint;
mod fix;
pub mod forecast;
pub mod gitops;
mod glob;
mod kustomize;
pub mod load;
pub mod merge;
mod placeholders;
pub mod policy;
pub mod progress;
pub mod redact;
pub mod release_changes;
pub mod report;
pub mod resolve;
pub mod results;
pub mod rules;
mod server;
pub mod settings;
pub mod shard;
mod suppress;
mod template_fix;
mod trail;
pub mod unit;
pub mod upgrade;
mod verify;
mod words;
pub mod workload;
