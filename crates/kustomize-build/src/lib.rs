#![doc = include_str!("../README.md")]
//!
//! # Steps
//!
//! 1. [`Built::from_folder`] builds what is on the disk, [`Built::from_files`] what is in [`Memory`].
//!    A [`Workspace`] builds several kustomizations and reads each of their files once.
//! 2. [`Built::print`] is the output of `kustomize build`.
//! 3. [`Built::values`] and [`Built::origin_at`] give the [`Origin`] of each scalar and key of the output.
#![warn(missing_docs, unreachable_pub)]

mod accumulator;
mod built;
mod charts;
mod config;
mod crds;
mod error;
mod field_spec;
mod files;
mod folded;
mod generate;
mod go;
mod hash;
mod id;
mod idle_patch;
mod json;
mod json_patch;
mod kustomization;
mod loader;
mod merge;
mod name_reference;
mod node;
mod number;
mod options;
mod order;
mod origin;
mod overrides;
mod print;
mod provenance;
mod read;
mod remote;
mod resource;
mod resources;
mod scalar;
mod schema;
mod selector;
mod substitute;
mod target;
mod transform;
mod types;
mod vars;
mod work;
mod workspace;

pub use built::{Built, Hashed, Unprinted, Value};
pub use charts::{
    ChartData, ChartError, ChartRelease, ChartValue, ChartValues, Charts, RenderedChart,
};
pub use error::{Error, Reason};
pub use files::{Disk, Files, Memory};
pub use idle_patch::IdlePatch;
pub use kustomization::FILE_NAMES;
pub use options::{LoadRestrictor, Need, Options, Order};
pub use origin::{Field, Origin, Part, Step};
pub use overrides::Overrides;
pub use substitute::{Variable, Variables};
pub use workspace::Workspace;
