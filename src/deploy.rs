//! The tools that bring objects into a cluster, and what each makes of an object.

mod annotation_list;
mod classify;
mod creation_order;
mod deployer;
mod evidence;
mod forecast;
mod objects;
mod options;
mod substitution;
mod unknown_field;

pub use annotation_list::{List, Token, meant, tokens};
pub use classify::{
    ARGO_DELETE_POLICY, ARGO_EVENTS, ARGO_HOOK, ARGO_POLICIES, ARGO_WAVE, HELM_DELETE_POLICY,
    HELM_EVENTS, HELM_HOOK, HELM_POLICIES, HELM_WEIGHT, Hook, Role, SYNC_PHASES, atoi, classify,
    coerced, from_helm, reads_helm, wave,
};
pub use creation_order::{Finds, Need, OPERATIONS, needs};
pub use deployer::{Deployer, Ignored, OptionKind, OptionValue, Tool, option_names};
pub use evidence::evidence;
pub use forecast::{Event, Forecast, Outcome, Row, Shape, Work, forecast, forecast_unit};
pub use objects::{
    ARGO_SYNC_OPTIONS, FLUX_FORCE, FLUX_RECONCILE, FLUX_SSA, Gone, drift_detection, flux_says,
    forces, has_sync_option, is_excluded, leaves_alone, overlaps, puts_back, replaces, when_gone,
};
pub use options::{APP_DEFAULTS, APP_ONLY, APP_OPTIONS, OPTION_KEYS, OptionKey};
pub use substitution::{Reading, Substitution, substitutions};
pub use unknown_field::unknown_field;
