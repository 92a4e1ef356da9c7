//! Why a shell does not look at all commands of a pipeline.

/// Why `set -o pipefail` is not in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pipefail {
    /// The shell has no such option.
    Unsupported,
    /// The shell is another one than the first line of the script names, which has the option.
    OtherShell,
    /// The script does not set it.
    Unset,
    /// `set -e pipefail`: without `-o` it is an argument of the script.
    Misspelt {
        /// The shell has the option.
        supported: bool,
    },
}
