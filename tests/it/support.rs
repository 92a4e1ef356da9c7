//! What several tests need: folders of files, units in memory, runs of the command, goldens.

mod command;
mod files;
mod golden;
mod unit;

pub use command::{joblint, run, run_with_input};
pub use files::{copy, inside, repository, tree, write};
pub use golden::assert_golden;
pub use unit::{file, plain};
