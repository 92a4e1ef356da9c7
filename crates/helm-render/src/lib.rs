//! Helm charts: loading, values, and rendering as `helm template` prints it, with the origin of every
//! byte.
//!
//! [`Chart::load`] reads a chart, [`values::collect`] what the user sets, and [`render`] makes the
//! manifests of both. Nothing found in a chart is executed and nothing is fetched.

#![warn(missing_docs, unreachable_pub)]

mod capabilities;
mod cast;
mod chart;
mod context;
mod decode;
mod dependencies;
mod documents;
mod encoding;
mod error;
mod file_access;
pub mod functions;
mod go_objects;
pub mod guards;
mod manifests;
mod marshal;
mod options;
mod output;
mod rendered;
mod renderer;
mod schema;
mod semver;
mod template_cache;
mod time;
mod unicode;
pub mod values;
mod version;

pub use capabilities::KubeVersion;
pub use chart::{Chart, Dependency, File, ImportValues, Maintainer, Metadata};
pub use error::{Error, Reason};
pub use manifests::{Event, Head, Hook};
pub use options::{Override, Release, RenderOptions, Versions};
pub use output::{Part, Printed, Selection, print};
pub use rendered::{Document, Rendered, RenderedFile, TemplateFile};
pub use renderer::{leaves, render};
pub use version::HelmVersion;
