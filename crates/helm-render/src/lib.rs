#![doc = include_str!("../README.md")]
//!
//! # Steps
//!
//! 1. [`Chart::load`] reads a chart from a directory or an archive, [`Chart::from_files`] from memory.
//! 2. [`values::collect`] reads values files and flags.
//! 3. [`render`] renders both with [`RenderOptions`]; [`print()`] prints the result as `helm template` does.
//! 4. [`Rendered::trace`] gives the provenance of a range, [`Rendered::locate`] the location of a template
//!    position, and [`Rendered::origin_of`] the location that sets an input.
//!
//! The roots of inputs are the objects that templates see (`Values`, `Chart`, `Release`, `Capabilities`, `Files`,
//! `Subcharts`) and the constants of [`functions::Host`].
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
mod manifest_cache;
mod manifests;
mod marshal;
mod options;
mod output;
mod reads;
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
pub use chart::{
    Chart, ChartCache, Dependency, File, ImportValues, Maintainer, Metadata, ParsedValues,
};
pub use error::{Error, Reason};
pub use go_template::{Budget, Limit, Limits, Pool};
pub use manifest_cache::ParsedManifest;
pub use manifests::{Event, Head, Hook};
pub use options::{ChartVersions, Override, Parsing, Release, RenderOptions};
pub use output::{Printed, PrintedPart, Selection, print};
pub use rendered::{Document, Rendered, RenderedFile, TemplateFile};
pub use renderer::{CurrentValues, render};
pub use semver::is_newer;
pub use version::HelmVersion;
