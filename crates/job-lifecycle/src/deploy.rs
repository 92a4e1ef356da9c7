//! What deployers read in the objects themselves: hooks, sync options, delete policies, substitutions.

mod annotation_list;
mod compare_patch;
mod creation_order;
mod evidence;
mod requests;
mod role;
mod substitution;
mod sync_words;
mod unknown_field;

pub use annotation_list::{List, Token, meant, tokens};
pub use compare_patch::{compare_patch_target, compare_patches};
pub use creation_order::{Finds, Need, OPERATIONS, needs};
pub use evidence::evidence;
pub use requests::has_sync_option;
pub(crate) use requests::{drift_detection, flux_says, forces, is_excluded, replaces};
pub use role::{
    ARGO_EVENTS, ARGO_POLICIES, HELM_EVENTS, HELM_POLICIES, Hook, Role, SYNC_PHASES, atoi,
    classify, coerced, from_helm, reads_helm, wave,
};
pub use substitution::{Reading, Substitution, substitutions};
pub use sync_words::{APP_DEFAULTS, APP_ONLY, APP_OPTIONS, OPTION_KEYS, OptionKey};
pub use unknown_field::unknown_field;
