//! Reads the shell scripts inside Job commands: what runs, and what happens when it runs again.

pub mod ast;
mod compound;
mod heredoc;
mod parse;
mod word;

pub use parse::parse;
