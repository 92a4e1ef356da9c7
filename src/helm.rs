//! Helm: what charts can call, and YAML as Helm reads and prints it.

pub mod encoding;
pub mod functions;
mod scrypt;
pub mod semver;
pub mod time;
mod unicode;
pub mod yaml;
