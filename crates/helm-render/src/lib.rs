//! Helm charts: loading, values, and rendering as `helm template` prints it, with the origin of every
//! byte.
//!
//! [`Chart::load`] reads a chart, [`values::collect`] what the user sets, and [`render`] makes the
//! manifests of both. Nothing found in a chart is executed and nothing is fetched.

mod capabilities;
pub mod chart;
mod decode;
mod dependencies;
mod documents;
pub mod encoding;
mod error;
pub mod functions;
mod guards;
mod manifests;
mod objects;
mod options;
mod output;
mod rendered;
mod renderer;
mod schema;
mod scrypt;
pub mod semver;
pub mod time;
mod unicode;
pub mod values;
pub mod yaml;

pub use capabilities::KubeVersion;
pub use chart::Chart;
pub use error::{Error, Reason};
pub use functions::HelmVersion;
pub use go_template::{Condition, RequiredValue, Requirement};
pub use guards::{GuardedJob, PLACEHOLDER, jobs, value as guard_value, wants_upgrade};
pub use manifests::{Event, Head, Hook};
pub use options::{Override, Release, RenderOptions, Versions};
pub use output::{Part, Printed, Selection, print};
pub use rendered::{Document, Origins, Rendered, RenderedFile, TemplateFile};
pub use renderer::{leaves, render};
