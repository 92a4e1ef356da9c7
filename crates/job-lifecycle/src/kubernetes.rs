//! Facts of Kubernetes: versions, the batch API's schema, defaults, validation, names, schedules.

pub mod api_versions;
pub mod cron;
pub mod defaults;
mod field_error;
mod field_path;
pub mod immutable;
pub mod names;
mod placeholder;
pub mod quantity;
pub mod schema;
pub mod sidecars;
mod time_zone;
pub mod validate;
mod version;

pub use field_error::{Cause, Causes};
pub use field_path::Place;
pub use placeholder::is_placeholder;
pub use version::Version;
