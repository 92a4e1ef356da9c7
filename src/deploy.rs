//! The tools that bring objects into a cluster, and what each makes of an object.

mod classify;
mod deployer;
mod objects;
mod unknown_field;

pub use classify::{
    ARGO_DELETE_POLICY, ARGO_EVENTS, ARGO_HOOK, ARGO_POLICIES, HELM_DELETE_POLICY, HELM_EVENTS,
    HELM_HOOK, HELM_POLICIES, HELM_WEIGHT, Hook, Role, classify, tokens,
};
pub use deployer::{Deployer, OptionKind, OptionValue, Tool, option_names};
pub use objects::{
    ARGO_SYNC_OPTIONS, FLUX_FORCE, Gone, forces, has_sync_option, leaves_alone, overlaps, replaces,
    when_gone,
};
pub use unknown_field::unknown_field;
