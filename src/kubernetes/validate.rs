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

use super::{Cause, Causes, Place, names};
use crate::workload::{Kind, Workload};

/// Why the API server refuses the Job, or the Job in the CronJob.
pub fn job(job: &Workload<'_>) -> Vec<Cause> {
    let mut causes = Causes::default();
    let root = Place::root(job.object);
    let own = root.field("metadata");
    metadata(&own, &own, &mut causes);
    job::check(&root.at(job.job_path), job.kind == Kind::CronJob, &mut causes);
    causes.0
}

/// Why the API server refuses what only a CronJob has.
pub fn cron_job(job: &Workload<'_>) -> Vec<Cause> {
    let mut causes = Causes::default();
    let spec = Place::root(job.object).field("spec");
    cron_job::check(&spec, job.source, job.kubernetes, &mut causes);
    causes.0
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
