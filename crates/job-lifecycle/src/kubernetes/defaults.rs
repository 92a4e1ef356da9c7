//! Defaults that decide whether a Job is valid (`SetDefaults_Job`; facts: kubernetes-jobs §1.2).

use super::Place;

/// How many pods a Job needs, after defaulting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Written, or by default.
    pub has_completions: bool,
    /// The number, when it is known.
    pub completions: Option<i64>,
}

impl Counts {
    /// `completions` defaults to 1 only when neither it nor `parallelism` is written, and not at all
    /// inside a CronJob: its Job gets the defaults when it is created.
    pub fn of(spec: &Place<'_>, in_cron_job: bool) -> Self {
        let completions = spec.field("completions");
        if completions.is_set() {
            return Self { has_completions: true, completions: completions.int() };
        }
        let by_default = !in_cron_job && !spec.field("parallelism").is_set();
        Self { has_completions: by_default, completions: by_default.then_some(1) }
    }
}
