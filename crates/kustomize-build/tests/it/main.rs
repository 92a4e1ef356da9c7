//! Builds compared with the real tool, their origins, and their limits.

#![allow(clippy::unwrap_used)]

mod cases;
mod compared;
mod limits;
mod origins;
mod schemas;
mod substitutions;
