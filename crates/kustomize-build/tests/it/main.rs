//! Builds compared with the real tool, and their origins.

#![allow(clippy::unwrap_used)]

mod cases;
mod origins;
