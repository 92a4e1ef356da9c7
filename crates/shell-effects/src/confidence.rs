//! How certain a result is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How certain a result is, from `Low` to `High`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the variants are levels of one scale")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    /// All levels, lowest first.
    pub const ALL: [Confidence; 3] = [Confidence::Low, Confidence::Medium, Confidence::High];

    /// The lower-case name, as in serialised output.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}
