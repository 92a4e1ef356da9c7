//! Facts of Kubernetes: versions, the batch API's schema, defaults, validation, names, schedules.

pub mod api_versions;
pub mod defaults;
pub mod names;
mod place;
mod placeholder;
pub mod quantity;
pub mod schema;
pub mod sidecars;
mod version;

pub use place::Place;
pub use placeholder::is_placeholder;
pub use version::Version;
