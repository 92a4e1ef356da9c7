//! `validateJobSpec`: the Job's own numbers and policies.

use super::{Causes, Place, names, pod, policy};
use crate::kubernetes::defaults::Counts;

/// Limits of Indexed Jobs (`pkg/apis/batch/validation`).
const MOST_PARALLEL: i64 = 100_000;
const MOST_FAILED: i64 = 100_000;
const MANY_COMPLETIONS: i64 = 100_000;
const MOST_OF_MANY: i64 = 10_000;

const NOT_NEGATIVE: &[&str] = &[
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
];

pub(super) fn check(spec: &Place<'_>, in_cron_job: bool, causes: &mut Causes) {
    for name in NOT_NEGATIVE {
        causes.not_negative(&spec.field(name));
    }
    let per_index = spec.field("backoffLimitPerIndex");
    if spec.field("maxFailedIndexes").is_set() && !per_index.is_set() {
        causes.required(&per_index, "when maxFailedIndexes is specified");
    }
    managed_by(&spec.field("managedBy"), causes);
    let mode = spec.field("completionMode");
    causes.exactly_one_of(&mode, &["NonIndexed", "Indexed"]);
    let counts = Counts::of(spec, in_cron_job);
    match mode.text() {
        Some("Indexed") => indexed(spec, &counts, causes),
        None | Some("NonIndexed") if !mode.is_placeholder() => not_indexed(spec, causes),
        _ => {}
    }
    policy::failure(spec, causes);
    policy::success(spec, &counts, causes);
    pod::template(&spec.field("template"), causes);
}

fn managed_by(at: &Place<'_>, causes: &mut Causes) {
    let Some(text) = at.text() else { return };
    match text.split_once('/') {
        _ if text.is_empty() => causes.required(at, ""),
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            for message in names::dns_subdomain(host) {
                causes.invalid_as(at, &format!("{host:?}"), &message);
            }
        }
        _ => causes.invalid(at, "must be a domain-prefixed path (such as \"acme.io/foo\")"),
    }
    if text.len() > 63 {
        causes.too_long(at, 63);
    }
}

fn indexed(spec: &Place<'_>, counts: &Counts, causes: &mut Causes) {
    let [parallelism, failed] = ["parallelism", "maxFailedIndexes"].map(|name| spec.field(name));
    if !counts.has_completions {
        causes.required(&spec.field("completions"), "when completion mode is Indexed");
    }
    let above = |place: &Place<'_>, limit: i64| place.int().is_some_and(|number| number > limit);
    let at_most = |limit: i64| format!("must be less than or equal to {limit}");
    if above(&parallelism, MOST_PARALLEL) {
        let detail = format!("{} when completion mode is Indexed", at_most(MOST_PARALLEL));
        causes.invalid(&parallelism, &detail);
    }
    if counts.completions.is_some_and(|completions| above(&failed, completions)) {
        causes.invalid(&failed, "must be less than or equal to completions");
    }
    if above(&failed, MOST_FAILED) {
        causes.invalid(&failed, &at_most(MOST_FAILED));
    }
    let many = counts.completions.is_some_and(|completions| completions > MANY_COMPLETIONS);
    if !many || !spec.field("backoffLimitPerIndex").is_set() {
        return;
    }
    if !failed.is_set() {
        let detail = format!("must be specified when completions is above {MANY_COMPLETIONS}");
        causes.required(&failed, &detail);
    }
    for place in [parallelism, failed].iter().filter(|place| above(place, MOST_OF_MANY)) {
        let most = at_most(MOST_OF_MANY);
        let detail = format!(
            "{most} when completions are above {MANY_COMPLETIONS} and used with backoff limit per index"
        );
        causes.invalid(place, &detail);
    }
}

fn not_indexed(spec: &Place<'_>, causes: &mut Causes) {
    for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
        let place = spec.field(name);
        if place.is_set() {
            causes.invalid(&place, "requires indexed completion mode");
        }
    }
}
