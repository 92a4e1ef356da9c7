//! `joblint server`, driven as an editor drives it: the real command over pipes. Every wait has a limit.

mod actions;
mod client;
mod completion;
mod conversation;
mod diagnostics;
mod drafts;
mod edits;
mod neovim;
mod views;
