//! The versions of Helm that this crate reproduces.

/// The major version of Helm to reproduce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HelmVersion {
    /// Helm 3.22.0.
    V3,
    /// Helm 4.3.1.
    #[default]
    V4,
}
