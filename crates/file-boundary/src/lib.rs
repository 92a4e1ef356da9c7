#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

mod boundary;
mod normal;
mod printed;
mod refusal;
pub mod regular_file;

pub use boundary::Boundary;
pub use normal::normal;
pub use printed::printed;
pub use refusal::Refusal;
