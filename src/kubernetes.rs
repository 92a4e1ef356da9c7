//! Facts of Kubernetes: versions, the batch API's schema, defaults, validation, names, schedules.

mod placeholder;
pub mod quantity;
pub mod schema;
pub mod sidecars;
mod version;

pub use placeholder::is_placeholder;
pub use version::Version;
