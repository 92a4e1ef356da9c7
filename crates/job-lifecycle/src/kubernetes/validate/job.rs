//! `validateJobSpec`: the numbers and policies of a Job.

use super::{Field, FieldErrors, names, pod, policy};
use crate::kubernetes::defaults::Completions;

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

pub(super) fn check(spec: &Field<'_>, in_cron_job: bool, errors: &mut FieldErrors) {
    for name in NOT_NEGATIVE {
        errors.not_negative(&spec.field(name));
    }
    let per_index = spec.field("backoffLimitPerIndex");
    if spec.field("maxFailedIndexes").is_set() && !per_index.is_set() {
        errors.required(&per_index, "when maxFailedIndexes is specified");
    }
    managed_by(&spec.field("managedBy"), errors);
    let mode = spec.field("completionMode");
    errors.exactly_one_of(&mode, &["NonIndexed", "Indexed"]);
    let completions = Completions::of(spec, in_cron_job);
    match mode.text() {
        Some("Indexed") => indexed(spec, &completions, errors),
        None | Some("NonIndexed") if !mode.is_placeholder() => not_indexed(spec, errors),
        _ => {}
    }
    policy::failure(spec, errors);
    policy::success(spec, &completions, errors);
    pod::template(&spec.field("template"), errors);
}

fn managed_by(at: &Field<'_>, errors: &mut FieldErrors) {
    let Some(text) = at.text() else { return };
    match text.split_once('/') {
        _ if text.is_empty() => errors.required(at, ""),
        Some((host, path)) if !host.is_empty() && !path.is_empty() => {
            for message in names::dns_subdomain(host) {
                errors.invalid_as(at, &format!("{host:?}"), &message);
            }
        }
        _ => errors.invalid(at, "must be a domain-prefixed path (such as \"acme.io/foo\")"),
    }
    if text.len() > 63 {
        errors.too_long(at, 63);
    }
}

fn indexed(spec: &Field<'_>, completions: &Completions, errors: &mut FieldErrors) {
    let [parallelism, failed] = ["parallelism", "maxFailedIndexes"].map(|name| spec.field(name));
    if !completions.is_set {
        errors.required(&spec.field("completions"), "when completion mode is Indexed");
    }
    let above = |field: &Field<'_>, limit: i64| field.int().is_some_and(|number| number > limit);
    let at_most = |limit: i64| format!("must be less than or equal to {limit}");
    if above(&parallelism, MOST_PARALLEL) {
        let detail = format!("{} when completion mode is Indexed", at_most(MOST_PARALLEL));
        errors.invalid(&parallelism, &detail);
    }
    if completions.count.is_some_and(|count| above(&failed, count)) {
        errors.invalid(&failed, "must be less than or equal to completions");
    }
    if above(&failed, MOST_FAILED) {
        errors.invalid(&failed, &at_most(MOST_FAILED));
    }
    let many = completions.count.is_some_and(|count| count > MANY_COMPLETIONS);
    if !many || !spec.field("backoffLimitPerIndex").is_set() {
        return;
    }
    if !failed.is_set() {
        let detail = format!("must be specified when completions is above {MANY_COMPLETIONS}");
        errors.required(&failed, &detail);
    }
    for field in [parallelism, failed].iter().filter(|field| above(field, MOST_OF_MANY)) {
        let most = at_most(MOST_OF_MANY);
        let detail = format!(
            "{most} when completions are above {MANY_COMPLETIONS} and used with backoff limit per index"
        );
        errors.invalid(field, &detail);
    }
}

fn not_indexed(spec: &Field<'_>, errors: &mut FieldErrors) {
    for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
        let field = spec.field(name);
        if field.is_set() {
            errors.invalid(&field, "requires indexed completion mode");
        }
    }
}
