//! Helm: what charts can call, and YAML as Helm reads and prints it.

pub mod encoding;
pub mod functions;
pub mod semver;
pub mod time;
mod unicode;
pub mod yaml;
