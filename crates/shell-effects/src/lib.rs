//! Reads the shell scripts inside Job commands: what runs, and what happens when it runs again.
//!
//! [`parse`] gives the syntax tree of a script. [`analyse`] walks a whole command line, shell or not, and
//! judges every command in it by the [`Catalogue`]. The functions that take an [`Analysis`], such as
//! [`not_idempotent`], each answer the question of one rule.

mod analysis;
pub mod ast;
mod catalogue;
mod client;
mod compound;
mod confidence;
mod effects;
mod exit_status;
mod flow;
mod generated_files;
mod guard;
mod heredoc;
mod http;
mod parse;
mod pattern;
mod queries;
mod shell;
mod simple;
mod statement;
mod text;
mod variable_uses;
mod wait;
mod word;
mod wrapper;

pub use analysis::{
    Act, Analysis, Edit, Fate, File, Guard, GuardKind, Hide, Invocation, Setting, Wait, analyse,
    analyse_script,
};
pub use catalogue::{Catalogue, Effect, Entry, Language, Verdict};
pub use confidence::Confidence;
pub use parse::parse;
pub use queries::{
    Hazard, HiddenFailure, destroys_data, failure_hidden, not_idempotent, retry_cannot_help,
    unbounded_waits, unrecognised, unsafe_to_overlap,
};
pub use text::{Place, Text};
