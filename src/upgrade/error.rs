//! Why a version cannot be loaded.

use std::{fmt, path::PathBuf};

use helm_render as helm;

use super::git::GitError;
use crate::discover::shown;

/// Why a version cannot be loaded.
#[derive(Debug)]
pub(crate) enum LoadError {
    /// The Git revision, or a file in it, cannot be read.
    Git(GitError),
    /// The base is no revision, and something of its name is in the current folder.
    PathLikeRevision(String),
    /// A folder cannot be walked.
    Walk(ignore::Error),
    /// The path does not exist.
    NotFound(PathBuf),
    /// The folder contains no YAML or JSON file.
    NoManifests(PathBuf),
    /// The chart, or its values, cannot be loaded or rendered.
    Chart(helm::Error),
    /// The chart cannot be rendered, perhaps because its dependencies are missing.
    MissingDependencies { error: helm::Error, missing: Vec<String>, chart: String },
    /// A values file cannot be read.
    ValuesFile(helm::Error),
    /// A values file in the work tree does not exist in the old revision.
    ValuesNotInRevision { path: PathBuf, revision: String },
}

impl From<GitError> for LoadError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Git(error) => write!(f, "{error}"),
            Self::PathLikeRevision(base) => write!(
                f,
                "`--base {base}` is not a revision of this repository; to compare with the path, write `--base ./{base}`"
            ),
            Self::Walk(error) => write!(f, "{error}"),
            Self::NotFound(path) => write!(f, "{}: no such file or folder", shown(path)),
            Self::NoManifests(path) => write!(f, "{}: contains no YAML or JSON files", shown(path)),
            Self::Chart(error) => located(f, error),
            Self::MissingDependencies { error, missing, chart } => {
                located(f, error)?;
                let missing = missing.join("`, `");
                write!(f, "\n`{missing}` of {chart} is not in `charts/`, which may be why")
            }
            Self::ValuesFile(error) => f.write_str(&error.message),
            Self::ValuesNotInRevision { path, revision } => write!(
                f,
                "values `{}` are in the repository, but not in `{revision}`; copy them out of it to use them for both versions",
                shown(path)
            ),
        }
    }
}

impl std::error::Error for LoadError {}

/// Writes a Helm error after its position, if it has one.
fn located(f: &mut fmt::Formatter<'_>, error: &helm::Error) -> fmt::Result {
    if let Some(at) = &error.at {
        write!(f, "{}:{}: ", at.source.path, at.start().line)?;
    }
    write!(f, "{error}")
}
