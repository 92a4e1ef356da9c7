//! Kubernetes versions.

use std::{error::Error, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Kubernetes minor version.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    /// The 1 of 1.34.
    pub major: u32,
    /// The 34 of 1.34.
    pub minor: u32,
}

impl Version {
    /// The newest version whose behaviour this crate knows.
    pub const NEWEST: Version = Version { major: 1, minor: 36 };

    /// The version `major.minor`.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }
}

impl Default for Version {
    fn default() -> Self {
        Self::NEWEST
    }
}

/// The text is not a Kubernetes version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionError(String);

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no Kubernetes version such as 1.34", self.0)
    }
}

impl Error for VersionError {}

/// Reads `1.34`, `v1.34.2` and `1.34.2-gke.100`, ignoring what follows the minor version.
impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let mut parts = text.strip_prefix('v').unwrap_or(text).splitn(3, '.');
        let number = |part: Option<&str>| part?.parse().ok();
        match (number(parts.next()), number(parts.next())) {
            (Some(major), Some(minor)) => Ok(Self { major, minor }),
            _ => Err(VersionError(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Version {
    type Error = VersionError;

    fn try_from(text: String) -> Result<Self, VersionError> {
        text.parse()
    }
}

impl From<Version> for String {
    fn from(version: Version) -> String {
        version.to_string()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
