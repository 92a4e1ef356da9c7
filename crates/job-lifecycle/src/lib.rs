//! What deployers do with Kubernetes Jobs: the batch API's schema, defaults, validation and immutable fields, and
//! what Helm, Argo CD, Flux, Fleet and kubectl make of a Job at each event of its life.
//!
//! [`Object`] and [`Workload`] are views of a manifest, [`Deployer`] is a tool with its options, and
//! [`forecast::forecast`] answers what happens to a workload at an [`Event`].

pub mod annotations;
pub mod deploy;
pub mod deployer;
pub mod forecast;
pub mod kubernetes;
mod label;
pub mod object;
pub mod release_changes;
pub mod suggest;
pub mod workload;

pub use deploy::{Hook, Role, classify};
pub use deployer::{Deployer, Tool};
pub use forecast::{Event, Forecast, Outcome};
pub use label::Label;
pub use object::{Name, Object};
pub use release_changes::ReleaseChanges;
pub use workload::Workload;
