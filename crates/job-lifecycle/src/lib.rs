#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

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
pub use object::{Object, ObjectName};
pub use release_changes::ReleaseChanges;
pub use workload::Workload;
