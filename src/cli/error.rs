//! Why a verb stops before it has a result.

use std::{fmt, io, path::PathBuf};

use super::{note, write::WriteError};
use crate::{
    baseline,
    discover::shown,
    merge::Misfit,
    redact::{Redactor, SecretValues},
    settings::{self, Problem, file},
};

/// An error that ends the run with exit code 2.
#[derive(Debug)]
pub(crate) enum Error {
    /// The settings file is unreadable or invalid.
    Settings(settings::Error),
    /// The first argument is neither a verb nor a path.
    UnknownVerb {
        /// The argument.
        word: String,
        /// The verb with the most similar name.
        near: String,
    },
    /// `--stdin-filename` is given without `-`.
    UnusedStdinFilename,
    /// Standard input cannot be read.
    Stdin(io::Error),
    /// `joblint config init` would overwrite a settings file.
    SettingsExist,
    /// An input of `joblint baseline` cannot be checked, so the baseline would be incomplete.
    Unchecked(String),
    /// The argument of `joblint explain` is no rule, and no rule predicts it.
    UnknownRule {
        /// The argument.
        text: String,
        /// The rule with the most similar id.
        near: Option<&'static str>,
    },
    /// A file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: WriteError,
    },
    /// The file in the place of the baseline is something else.
    NoBaseline(baseline::Error),
    /// Changes cannot be watched.
    Watch(notify::Error),
    /// `--watch` is given with `-`.
    WatchedStdin,
    /// `joblint baseline` would write the findings of one shard only.
    BaselineOfShard,
    /// A file cannot be merged.
    Merge {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The results of shards do not belong together.
    Misfit(Misfit),
    /// The argument of `joblint man` is no verb.
    UnknownPage(String),
    /// The thread that renders charts cannot be started.
    Thread(io::Error),
}

impl Error {
    /// Prints the error to standard error, with masked secrets; invalid settings print one error per problem.
    pub(crate) fn print(&self) {
        let mut redactor = Redactor::default();
        let problems = match self {
            Error::Settings(error) => &*error.problems,
            _ => &[],
        };
        for problem in problems {
            redactor.of(&problem.location.source);
        }
        let mut redactor = redactor.with_values(SecretValues::of_environment());
        let texts: Vec<_> = match self {
            Error::Settings(_) => {
                let redacted = |problem: &Problem| problem.redacted(&mut redactor).to_string();
                problems.iter().map(redacted).collect()
            }
            other => vec![other.to_string()],
        };
        for mut text in texts {
            redactor.hide(&mut text);
            note(&format!("error: {text}"));
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Settings(error) => error.fmt(f),
            Error::UnknownVerb { word, near } => {
                write!(f, "`{word}` is neither a verb nor a path, did you mean `{near}`?")
            }
            Error::UnusedStdinFilename => {
                write!(f, "`--stdin-filename` is the name of standard input: give `-` too")
            }
            Error::Stdin(error) => write!(f, "standard input: {error}"),
            Error::SettingsExist => write!(f, "{} already exists", file::NAME),
            Error::Unchecked(reason) => f.write_str(reason),
            Error::UnknownRule { text, near: Some(near) } => {
                write!(f, "there is no rule `{text}`, did you mean `{near}`?")
            }
            Error::UnknownRule { text, near: None } => {
                write!(f, "no rule matches `{text}`; `joblint rules` lists all of them")
            }
            Error::Write { path, source } => write!(f, "{}: {source}: not written", shown(path)),
            Error::NoBaseline(error) => {
                write!(f, "{error}; not written, because it is not a baseline")
            }
            Error::Watch(error) => write!(f, "cannot watch for changes: {error}"),
            Error::WatchedStdin => {
                write!(f, "`--watch` waits for files to change, not for standard input")
            }
            Error::BaselineOfShard => f.write_str("a baseline holds the findings of all shards"),
            Error::Merge { path, reason } => write!(f, "{}: {reason}", shown(path)),
            Error::Misfit(error) => error.fmt(f),
            Error::UnknownPage(verb) => {
                write!(f, "there is no verb `{verb}`; `joblint help` lists all of them")
            }
            Error::Thread(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Settings(error) => Some(error),
            Error::Stdin(error) | Error::Thread(error) => Some(error),
            Error::Write { source, .. } => Some(source),
            Error::NoBaseline(error) => Some(error),
            Error::Watch(error) => Some(error),
            Error::Misfit(error) => Some(error),
            _ => None,
        }
    }
}

impl From<notify::Error> for Error {
    fn from(error: notify::Error) -> Self {
        Error::Watch(error)
    }
}

impl From<settings::Error> for Error {
    fn from(error: settings::Error) -> Self {
        Error::Settings(error)
    }
}
