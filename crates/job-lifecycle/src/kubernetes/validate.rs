//! The API server's validation of a new Job or CronJob, after defaulting.
//!
//! Follows `pkg/apis/batch/validation` and `pkg/apis/core/validation` of Kubernetes 1.36; tested against
//! recorded answers of API servers (`testdata/kubernetes`). Not covered: names of objects, selectors and
//! `restartPolicy`.

mod container;
mod cron_job;
mod job;
mod pod;
mod policy;
mod probe;
mod resources;
mod security;
mod succeeded_indexes;
mod volume;

use super::{Field, FieldError, FieldErrors, Version, names, schema::Mismatch};
use crate::workload::{Kind, Workload};

/// Why the API server rejects a Job, or the job template of a CronJob. `mismatches` are those of the object, see
/// [`schema::mismatches`](super::schema::mismatches); errors that depend on a mistyped value are left out.
pub fn job(job: &Workload<'_>, mismatches: &[Mismatch<'_>]) -> Vec<FieldError> {
    let mut errors = FieldErrors::default();
    let root = Field::root(job.object);
    let own = root.field("metadata");
    metadata(&own, &own, &mut errors);
    job::check(&root.at(job.job_path), job.kind == Kind::CronJob, &mut errors);
    beside_misfits(job, mismatches, errors)
}

/// Why the API server of this version rejects the fields that only a CronJob has. `mismatches` as for [`job()`].
pub fn cron_job(
    job: &Workload<'_>,
    mismatches: &[Mismatch<'_>],
    version: Version,
) -> Vec<FieldError> {
    let mut errors = FieldErrors::default();
    let spec = Field::root(job.object).field("spec");
    cron_job::check(&spec, job.source, version, &mut errors);
    beside_misfits(job, mismatches, errors)
}

/// The errors that remain once values of a wrong type are corrected.
///
/// The server validates only what it can decode. An error that involves such a value (the value itself, a
/// field beside it, a name that something refers to) is therefore a guess and left out. The fields of a
/// CronJobSpec do not depend on each other.
fn beside_misfits(
    job: &Workload<'_>,
    mismatches: &[Mismatch<'_>],
    errors: FieldErrors,
) -> Vec<FieldError> {
    let wrong = mismatches.iter().filter_map(|mismatch| match mismatch {
        Mismatch::WrongType(wrong) => Some(wrong.path.as_str()),
        Mismatch::UnknownField(_) => None,
    });
    let wrong: Vec<_> = wrong.collect();
    let own = |above: &str| job.kind == Kind::CronJob && above == "spec";
    let apart = |error: &FieldError| {
        let Some((path, what)) = error.message.split_once(": ") else { return false };
        let above = parent(path);
        !what.starts_with("Not found")
            && wrong.iter().all(|wrong| {
                let beside = parent(wrong) == above && !own(above);
                !beside && !holds(wrong, path) && !holds(path, wrong)
            })
    };
    let errors = errors.0.into_iter().filter(|error| wrong.is_empty() || apart(error));
    errors.filter(|error| !lacks_misspelt(error, mismatches)).collect()
}

/// Whether the server misses one of several fields where there is an unknown one, which was meant for it: `secretRef` in
/// `valueFrom`.
fn lacks_misspelt(error: &FieldError, mismatches: &[Mismatch<'_>]) -> bool {
    let Some((path, what)) = error.message.split_once(": ") else { return false };
    let mut unknown = mismatches.iter().filter_map(|mismatch| match mismatch {
        Mismatch::UnknownField(unknown) => Some(parent(&unknown.path)),
        Mismatch::WrongType(_) => None,
    });
    what.contains("must specify") && unknown.any(|above| above == path)
}

/// The path of the mapping or list that contains the last segment.
fn parent(path: &str) -> &str {
    path.rfind(['.', '[']).map_or("", |at| &path[..at])
}

/// True when one path equals the other or contains it.
fn holds(above: &str, path: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Labels and annotations of the object or its pod template. For the template the server prints a path without
/// `metadata`.
fn metadata(at: &Field<'_>, printed: &Field<'_>, errors: &mut FieldErrors) {
    labels(&at.field("labels"), &printed.field("labels"), errors);
    for (key, field) in at.field("annotations").keys() {
        let field = field.its_key().named_as(&printed.field("annotations"));
        for message in names::label_key(&key.to_lowercase()) {
            errors.invalid_as(&field, &format!("{key:?}"), &message);
        }
    }
}

fn labels(at: &Field<'_>, printed: &Field<'_>, errors: &mut FieldErrors) {
    for (key, field) in at.keys() {
        for message in names::label_key(key) {
            errors.invalid_as(&field.its_key().named_as(printed), &format!("{key:?}"), &message);
        }
        errors.checked(&field.named_as(printed), names::label_value);
    }
}
