//! Facts of Kubernetes: versions, the batch API's schema, defaults, validation, names, schedules.

pub mod sidecars;
mod version;

pub use version::Version;
