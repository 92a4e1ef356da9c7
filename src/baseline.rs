//! Findings accepted for now: they are hidden, new ones are reported.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use yaml_spans::regular_file as regular;

use crate::{diagnostic::Diagnostic, settings::Settings};

/// The accepted findings, by fingerprint.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    pub version: u32,
    pub findings: BTreeMap<String, Accepted>,
}

/// What a reader of the baseline may want to know of a finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    pub rule: String,
    pub path: String,
}

/// Reads the baseline in force; none is an empty one.
///
/// # Errors
/// What is wrong with a baseline that is there, or that the settings name.
pub fn read(settings: &Settings) -> Result<Baseline, String> {
    let path = settings.baseline_path();
    if settings.no_ignores || (settings.baseline.is_none() && !path.exists()) {
        return Ok(Baseline::default());
    }
    let shown = path.display();
    let text = regular::read_to_string(&path).map_err(|error| format!("{shown}: {error}"))?;
    let baseline: Baseline =
        serde_json::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
    match baseline.version {
        1 => Ok(baseline),
        version => Err(format!("{shown}: version {version} is not known, this joblint writes 1")),
    }
}

/// The text of a baseline that accepts these findings.
pub fn write(findings: &[Diagnostic]) -> String {
    let accepted = |finding: &Diagnostic| {
        let path = finding.location.source.path.clone();
        (finding.fingerprint.clone(), Accepted { rule: finding.rule.id.to_owned(), path })
    };
    let baseline = Baseline { version: 1, findings: findings.iter().map(accepted).collect() };
    serde_json::to_string_pretty(&baseline).expect("strings and numbers") + "\n"
}
