#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

// In the order of the data flow: a module uses only earlier groups and its own.
pub mod ast;
mod parse;
mod text;

mod catalogue;
mod command_line;
mod confidence;
mod container;
mod restored_dump;
mod wrapper;

mod analysis;
mod changed_objects;
mod context;
mod decided;
mod deleted_objects;
mod deletions;
mod shell;

mod awaited;
mod background;
mod certain_failure;
mod compared_state;
mod emptied_answer;
mod endless;
mod exceptions;
mod exit_status;
mod expected;
mod false_success;
mod kept_status;
mod leaving;
mod reported_status;
mod skipped_work;
mod status_branches;
mod tested_output;
mod traps;
mod wait;
mod warnings;

mod effects;
mod guard;

mod asked_first;
mod downloads;
mod dumps;
mod excuses;
mod followed;
mod further_copies;
mod hidden_failures;
mod interpreter;
mod lost_backups;
mod made_again;
mod needed_file;
mod needed_later;
mod needed_login;
mod needed_object;
mod needed_operand;
mod needed_patch;
mod ordinary_failures;
mod prepared;
mod psql_variables;
mod queries;
mod read_back;
mod refused_input;
mod reports;
mod sessions;
mod undoing;
mod unseen_programs;
mod unseen_queries;
mod unseen_waits;

pub use analysis::{
    Action, Analysis, BrokenQuote, Edit, FalseSuccess, HiddenBy, Invocation, LostContinuation,
    Pipefail, SucceedsBy, Turn, Wait, is_inside,
};
pub use asked_first::{asks_for_target, does_one_thing, only_speaks};
pub use catalogue::{Catalogue, Effect, Entry, EntryError, Language, Verdict};
pub use changed_objects::{ChangedObject, changed_by, changed_objects};
pub use confidence::Confidence;
pub use container::{Container, MountedFile};
pub use deleted_objects::{SelectedObjects, deleted_objects, selected_objects};
pub use deletions::DeletedObject;
pub use hidden_failures::{HiddenFailure, failure_hidden};
pub use interpreter::{analyse, analyse_script};
pub use lost_backups::lost_backup;
pub use ordinary_failures::{ordinary_name, stopped_by_errexit};
pub use parse::parse;
pub use psql_variables::unreplaced_variables;
pub use queries::{
    Hazard, destroys_data, endless, false_successes, issues_certificate, may_spoil, not_idempotent,
    only_removes, prints_status, retry_cannot_help, unbounded_waits, unrecognised,
    unsafe_to_overlap,
};
pub use text::{ElementSpan, Text};
pub use undoing::{is_removed_again, taken_back};
pub use wrapper::{ShellOperand, is_shell, shell_operand};
