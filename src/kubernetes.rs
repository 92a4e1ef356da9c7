//! Facts of Kubernetes: versions, the batch API's schema, defaults, validation, names, schedules.

pub mod api_versions;
mod causes;
pub mod cron;
pub mod defaults;
pub mod immutable;
pub mod names;
mod place;
mod placeholder;
pub mod quantity;
pub mod schema;
pub mod sidecars;
mod time_zone;
pub mod validate;
mod version;

pub use causes::{Cause, Causes};
pub use place::Place;
pub use placeholder::is_placeholder;
pub use version::Version;
