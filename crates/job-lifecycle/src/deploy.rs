//! What deployers read from the objects they deploy: hooks, delete policies, sync options, variable substitutions.

mod annotation_list;
mod compare_patch;
mod creation_order;
mod evidence;
mod existence;
mod known_options;
mod made_secrets;
mod option_meant;
mod requests;
mod role;
mod stand_in;
mod substitution;
mod unknown_field;

use annotation_list::tokens;
pub use annotation_list::{AnnotationList, Token, meant};
pub use compare_patch::{compare_patch_target, compare_patches};
pub(crate) use creation_order::OPERATIONS;
pub use creation_order::{Finds, Need, is_healthy_before, needs};
pub use evidence::evidence;
pub use known_options::{APP_DEFAULTS, APP_ONLY, APP_OPTIONS, OPTION_KEYS, OptionKey};
pub use option_meant::meant_option;
pub use requests::has_sync_option;
pub(crate) use requests::{drift_detection, flux_says, forces, is_excluded, replaces};
pub use role::{
    ARGO_EVENTS, ARGO_POLICIES, CRD_INSTALL, HELM_EVENTS, HELM_POLICIES, Hook, Role, SYNC_PHASES,
    atoi, classify, from_helm, helm_role, reads_helm, wave,
};
pub use substitution::{Substitution, SubstitutionKind, substitutions};
pub use unknown_field::unknown_field;
