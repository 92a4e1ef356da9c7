//! Facts of Kubernetes: versions, the batch API's schema, defaults, validation, names, schedules.

mod version;

pub use version::Version;
