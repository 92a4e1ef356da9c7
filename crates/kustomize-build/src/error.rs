//! Errors of building, in kustomize's words.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use yaml_spans::Location;

/// Why a kustomization does not build: the message that kustomize prints after `Error: `, with its location.
#[derive(Clone, Debug)]
pub struct Error {
    /// The step that failed.
    pub reason: Reason,
    /// The message, without `Error: `.
    pub message: String,
    /// The text to change, where known.
    pub at: Option<Location>,
    /// The file or folder that is not there, if that is the reason.
    pub missing: Option<PathBuf>,
}

/// The step that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A kustomization file is missing or cannot be read as one.
    Kustomization,
    /// A file or folder that a kustomization names cannot be read.
    File,
    /// A resource or folder is remote. Nothing is fetched.
    Remote,
    /// A resource is not valid, or there twice.
    Resource,
    /// A generator cannot make its resource.
    Generator,
    /// A transformer or patch does not fit the resources.
    Transformer,
    /// The feature needs a flag or a tool that is not available.
    Unsupported,
    /// The build exceeds a limit of this crate.
    Limit,
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), at: None, missing: None }
    }

    /// An error of the system about a file or folder.
    pub(crate) fn file(path: &Path, message: String, error: &io::Error) -> Self {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let missing = is_missing.then(|| path.to_owned());
        Self { missing, ..Self::new(Reason::File, message) }
    }

    pub(crate) fn resource(message: impl Into<String>) -> Self {
        Self::new(Reason::Resource, message)
    }

    pub(crate) fn transformer(message: impl Into<String>) -> Self {
        Self::new(Reason::Transformer, message)
    }

    pub(crate) fn generator(message: impl Into<String>) -> Self {
        Self::new(Reason::Generator, message)
    }

    /// The same error at a location, unless it already has one.
    pub(crate) fn at(mut self, at: Option<Location>) -> Self {
        self.at = self.at.or(at);
        self
    }

    /// The same error with a prefix before its message.
    pub(crate) fn prefixed(mut self, prefix: impl fmt::Display) -> Self {
        self.message = format!("{prefix}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
