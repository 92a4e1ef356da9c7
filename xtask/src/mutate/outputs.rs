//! Searches outputs for the canary.

use clap::ValueEnum;
use joblint::{
    redact::SecretValues,
    report::{Format, Options, RedactedReport, print},
    results::Report,
};

use super::text::{CANARY, CANARY_BASE64, Random};

/// The canary as a secret of the run.
pub fn secrets() -> SecretValues {
    let mut secrets = SecretValues::default();
    secrets.add(CANARY);
    secrets
}

/// Prints a report in one format. Panics if the canary is in it.
pub fn assert_hidden(mut report: Report, random: &mut Random) {
    report.secrets.add(CANARY);
    let report = RedactedReport::new(report);
    let format = *random.one_of(Format::value_variants());
    let text = print(&report, format, &Options::default());
    assert_clean(&text, &format!("{format:?}"));
    report.notes.iter().chain(&report.errors).for_each(|text| assert_clean(text, "note"));
}

/// Panics if the canary is in a text, alone or in base64.
pub fn assert_clean(text: &str, about: &str) {
    let lower = text.to_ascii_lowercase();
    let leak = lower.lines().find(|line| line.contains(&CANARY.to_ascii_lowercase()));
    let leak = leak.or_else(|| text.lines().find(|line| line.contains(CANARY_BASE64)));
    assert_eq!(leak, None, "{about} prints the secret");
}
