//! joblint

pub mod script;
