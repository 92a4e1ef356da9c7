#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

mod binding;
mod expression;
mod fields;
mod judge;
mod matching;
mod message;
mod namespace;
mod params;
mod policy;
mod request;
mod selector;
mod set;
mod types;
mod verdict;
mod warnings;

pub use binding::{Action, Binding};
pub use expression::{Expression, LONGEST};
pub use fields::{Flaw, FlawKind, Flaws};
pub use policy::{Policy, Reason, Validation};
pub use request::{Operation, Request, value};
pub use set::PolicySet;
pub use verdict::{Cause, Denial, Unknown, Verdict};
