//! Defaults that decide whether a Job is valid. Source: `SetDefaults_Job`; kubernetes-jobs 1.2.

use super::Field;

/// `completions` of a Job, after defaulting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completions {
    /// The field has a value, written or by default.
    pub is_set: bool,
    /// The value; `None` when it is unset or not an integer.
    pub count: Option<i64>,
}

impl Completions {
    /// Reads a JobSpec. `completions` defaults to 1 only if `parallelism` is absent too, and not inside a
    /// CronJob, where the API server applies defaults when it creates the Job.
    pub fn of(spec: &Field<'_>, in_cron_job: bool) -> Self {
        let completions = spec.field("completions");
        if completions.is_set() {
            return Self { is_set: true, count: completions.int() };
        }
        let by_default = !in_cron_job && !spec.field("parallelism").is_set();
        Self { is_set: by_default, count: by_default.then_some(1) }
    }
}
