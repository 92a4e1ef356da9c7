//! Nothing secret is printed, and nothing printed acts on the terminal or the CI system.

mod control;
mod secrets;
mod ways;
