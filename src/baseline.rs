//! The baseline: accepted findings are hidden, new ones are reported.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use file_boundary::{Boundary, Refusal};
use serde::{Deserialize, Serialize};

use crate::{diagnostic::Diagnostic, settings::Settings};

/// The version of the file format that joblint reads and writes.
const VERSION: u32 = 1;

/// The contents of a baseline file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    version: u32,
    /// The accepted findings by [fingerprint](crate::fingerprint).
    pub(crate) findings: BTreeMap<String, Accepted>,
}

/// An accepted finding, described for people who read the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    rule: String,
    /// The file of the finding.
    pub(crate) path: String,
}

/// A baseline file that cannot be used.
#[derive(Debug)]
pub(crate) struct Error {
    path: PathBuf,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Read(Refusal),
    Syntax(serde_json::Error),
    /// The file has another version.
    Version(u32),
}

/// Reads the baseline that the settings name, or the default one if it exists. Without either, or with
/// `--no-ignores`, the baseline is empty.
///
/// # Errors
/// The file cannot be read, is not a baseline, or has an unknown version.
pub(crate) fn read(settings: &Settings) -> Result<Baseline, Error> {
    let path = settings.baseline_path();
    if settings.no_ignores || (settings.baseline.is_none() && !path.exists()) {
        return Ok(Baseline::default());
    }
    read_file(&path, &settings.baseline_boundary())
}

/// Reads a baseline file inside a boundary.
///
/// # Errors
/// The same as [`read`].
pub(crate) fn read_file(path: &Path, boundary: &Boundary) -> Result<Baseline, Error> {
    parse(path, boundary).map_err(|cause| Error { path: path.to_owned(), cause })
}

fn parse(path: &Path, boundary: &Boundary) -> Result<Baseline, Cause> {
    let text = boundary.read_to_string(path).map_err(Cause::Read)?;
    let baseline: Baseline = serde_json::from_str(&text).map_err(Cause::Syntax)?;
    match baseline.version {
        VERSION => Ok(baseline),
        other => Err(Cause::Version(other)),
    }
}

/// The text of a baseline that accepts these findings.
pub(crate) fn write(findings: &[Diagnostic]) -> String {
    let accepted = |finding: &Diagnostic| {
        let path = finding.location.source.path.clone();
        (finding.fingerprint.clone(), Accepted { rule: finding.rule.id.to_owned(), path })
    };
    let baseline = Baseline { version: VERSION, findings: findings.iter().map(accepted).collect() };
    serde_json::to_string_pretty(&baseline).expect("strings and numbers") + "\n"
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.cause {
            Cause::Read(error) => write!(f, "{path}: {error}"),
            Cause::Syntax(error) => write!(f, "{path}: {error}"),
            Cause::Version(version) => {
                write!(
                    f,
                    "{path}: version {version} is not supported, this joblint writes {VERSION}"
                )
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            Cause::Read(error) => Some(error),
            Cause::Syntax(error) => Some(error),
            Cause::Version(_) => None,
        }
    }
}
