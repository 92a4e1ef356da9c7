//! Findings that the author chose to ignore.

use crate::{check::Report, read::Loaded, settings::Settings};

/// Takes ignored findings out of a report and counts them.
pub fn apply(_report: &mut Report, _loaded: &Loaded, _settings: &Settings) {}
