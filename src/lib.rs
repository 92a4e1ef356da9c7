//! What happens to a Kubernetes Job on the next deploy? See the README.

#[warn(unreachable_pub, missing_docs)]
mod autofix;
#[warn(unreachable_pub, missing_docs)]
mod baseline;
pub mod chart;
#[warn(unreachable_pub, missing_docs)]
pub mod check;
#[warn(unreachable_pub, missing_docs)]
pub mod cli;
pub mod command;
pub mod context;
#[warn(unreachable_pub, missing_docs)]
mod dedupe;
pub mod deployers;
#[warn(unreachable_pub, missing_docs)]
pub mod diagnostic;
pub mod discover;
mod facts;
#[warn(unreachable_pub, missing_docs)]
pub mod finding;
#[warn(unreachable_pub, missing_docs)]
pub mod fingerprint;
#[warn(unreachable_pub, missing_docs)]
mod fix;
pub mod forecast;
pub mod gitops;
mod glob;
pub mod load;
#[warn(unreachable_pub, missing_docs)]
mod placeholders;
#[warn(unreachable_pub, missing_docs)]
pub mod policy;
#[warn(unreachable_pub, missing_docs)]
pub mod redact;
pub mod release_changes;
#[warn(unreachable_pub, missing_docs)]
pub mod report;
#[warn(unreachable_pub, missing_docs)]
pub mod resolve;
#[warn(unreachable_pub, missing_docs)]
pub mod results;
pub mod rules;
#[warn(unreachable_pub, missing_docs)]
pub mod settings;
#[warn(unreachable_pub, missing_docs)]
mod suppress;
#[warn(unreachable_pub, missing_docs)]
mod template_fix;
pub mod unit;
pub mod upgrade;
#[warn(unreachable_pub, missing_docs)]
mod verify;
#[warn(unreachable_pub, missing_docs)]
mod words;
pub mod workload;
