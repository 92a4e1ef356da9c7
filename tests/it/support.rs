//! What several tests need: folders of files, units in memory, runs of the command, goldens, and what files are
//! deployed as.

mod command;
mod files;
mod golden;
mod objects;
mod pool;
mod unit;

pub use command::{findings, joblint, run, run_with_input};
pub use files::{copy, inside, repository, tree, write};
pub use golden::assert_golden;
pub use objects::{Files, objects, values};
pub use pool::on_own_threads;
pub use unit::{file, plain};
