//! The batch API of Kubernetes: schema, defaults, validation and immutable fields of Jobs and CronJobs.

pub mod admitted;
pub mod api_versions;
pub mod cron;
pub mod defaults;
mod field_error;
mod field_path;
pub mod immutable;
pub mod names;
mod placeholder;
mod quantity;
pub mod schema;
pub mod sidecars;
mod time_zone;
pub mod validate;
mod version;

pub use field_error::FieldError;
use field_error::FieldErrors;
pub use field_path::Field;
pub use placeholder::{is_placeholder, token_word};
pub use version::{Version, VersionError};
