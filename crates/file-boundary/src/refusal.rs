//! Why a file is not read.

use std::{fmt, io};

/// Why a file is not read. Displayed as the end of a sentence that starts with the file.
#[derive(Debug)]
pub enum Refusal {
    /// The path, or a link on it, leads out of the boundary.
    Outside,
    /// The path leads into the folder of Git.
    InGit,
    /// A device, a pipe or a socket.
    Irregular,
    /// The file is larger than this number of bytes.
    TooLarge(u64),
    /// The error of the file system.
    Io(io::Error),
}

impl Refusal {
    /// Whether the file is there, but is not read for the safety of whoever runs the program.
    pub fn is_deliberate(&self) -> bool {
        !matches!(self, Self::Io(_))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("leads out of the repository"),
            Self::InGit => f.write_str("leads into the folder of Git"),
            Self::Irregular => f.write_str("not a regular file"),
            Self::TooLarge(limit) => write!(f, "larger than {} MiB", limit >> 20),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Io(error) => error,
            Refusal::Outside | Refusal::InGit => {
                io::Error::new(io::ErrorKind::PermissionDenied, refusal)
            }
            Refusal::TooLarge(_) => io::Error::new(io::ErrorKind::FileTooLarge, refusal),
            Refusal::Irregular => io::Error::new(io::ErrorKind::InvalidInput, refusal),
        }
    }
}
