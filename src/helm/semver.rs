//! Masterminds semver.
