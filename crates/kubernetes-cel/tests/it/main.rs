//! Tests of the whole crate.

mod server;
