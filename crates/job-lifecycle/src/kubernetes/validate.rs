//! The API server's create-time validation, after defaulting.
//!
//! Follows `pkg/apis/batch/validation` and `pkg/apis/core/validation` of Kubernetes 1.36; checked
//! against what servers answered (`testdata/kubernetes`). What a named rule says is left out.

mod container;
mod cron_job;
mod job;
mod pod;
mod policy;
mod probe;
mod resources;
mod security;
mod volume;

use super::{Cause, Causes, Place, Version, names, schema::Misfit};
use crate::workload::{Kind, Workload};

/// Why the API server refuses the Job, or the Job in the CronJob.
pub fn job(job: &Workload<'_>, misfits: &[Misfit<'_>]) -> Vec<Cause> {
    let mut causes = Causes::default();
    let root = Place::root(job.object);
    let own = root.field("metadata");
    metadata(&own, &own, &mut causes);
    job::check(&root.at(job.job_path), job.kind == Kind::CronJob, &mut causes);
    beside_misfits(job, misfits, causes)
}

/// Why the API server refuses what only a CronJob has.
pub fn cron_job(job: &Workload<'_>, misfits: &[Misfit<'_>], version: Version) -> Vec<Cause> {
    let mut causes = Causes::default();
    let spec = Place::root(job.object).field("spec");
    cron_job::check(&spec, job.source, version, &mut causes);
    beside_misfits(job, misfits, causes)
}

/// The server says nothing else about an object with a value that it cannot decode. What it will say
/// once that is mended: all that no such value takes part in, be it the value itself, a field beside it
/// or a name that something refers to. The fields of a CronJob's own spec do not depend on each other.
fn beside_misfits(job: &Workload<'_>, misfits: &[Misfit<'_>], causes: Causes) -> Vec<Cause> {
    let wrong = misfits.iter().filter_map(|misfit| match misfit {
        Misfit::Wrong(wrong) => Some(wrong.path.as_str()),
        Misfit::Unknown(_) => None,
    });
    let wrong: Vec<_> = wrong.collect();
    let own = |above: &str| job.kind == Kind::CronJob && above == "spec";
    let apart = |cause: &Cause| {
        let Some((path, what)) = cause.words.split_once(": ") else { return false };
        let above = parent(path);
        !what.starts_with("Not found")
            && wrong.iter().all(|wrong| {
                let beside = parent(wrong) == above && !own(above);
                !beside && !holds(wrong, path) && !holds(path, wrong)
            })
    };
    causes.0.into_iter().filter(|cause| wrong.is_empty() || apart(cause)).collect()
}

/// The path of the mapping or list that holds the last step.
fn parent(path: &str) -> &str {
    path.rfind(['.', '[']).map_or("", |at| &path[..at])
}

/// One path is the other or lies above it.
fn holds(above: &str, path: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Labels and annotations of the object or of its pod template. The template's own path has no
/// `metadata` in the server's words.
fn metadata(at: &Place<'_>, printed: &Place<'_>, causes: &mut Causes) {
    labels(&at.field("labels"), &printed.field("labels"), causes);
    for (key, place) in at.field("annotations").keys() {
        let place = place.its_key().named_as(&printed.field("annotations"));
        for message in names::label_key(&key.to_lowercase()) {
            causes.invalid_as(&place, &format!("{key:?}"), &message);
        }
    }
}

fn labels(at: &Place<'_>, printed: &Place<'_>, causes: &mut Causes) {
    for (key, place) in at.keys() {
        for message in names::label_key(key) {
            causes.invalid_as(&place.its_key().named_as(printed), &format!("{key:?}"), &message);
        }
        causes.checked(&place.named_as(printed), names::label_value);
    }
}
