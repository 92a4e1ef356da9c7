//! Jobs and CronJobs that never run by themselves, and what runs them all the same.

use job_lifecycle::{Object, Workload, kubernetes::cron::never_comes, workload::kind_of};
use shell_effects::Invocation;
use yaml_spans::Node;

use crate::{command::Command, context::Context};

/// The label that makes Kueue take over a suspended Job and resume it.
pub(crate) const QUEUE: &str = "kueue.x-k8s.io/queue-name";

/// The clients that can resume a workload, or make a Job of a CronJob.
const CLIENTS: [&str; 2] = ["kubectl", "oc"];

/// Whether the schedule of a CronJob has no date: it is there for `kubectl create job --from`.
pub(crate) fn has_no_date(object: &Object) -> bool {
    let schedule = object.root.at(&["spec", "schedule"]).and_then(Node::as_str);
    schedule.is_some_and(never_comes)
}

impl Context<'_> {
    /// Whether only a person starts a Job or CronJob: it is suspended, or its schedule has no date, and no queue and no
    /// other workload of the unit resumes it or makes Jobs of it. Who starts it by hand looks at what it prints.
    pub(crate) fn is_started_by_hand(&self, object: &Object) -> bool {
        let is_suspended = object.root.at(&["spec", "suspend"]).is_some_and(Node::is_true);
        let is_idle = is_suspended || has_no_date(object);
        let is_queued = || object.root.at(&["metadata", "labels", QUEUE]).is_some();
        if !is_idle || kind_of(object).is_none() || is_queued() {
            return false;
        }
        let Some(name) = object.name() else { return true };
        let others = self.objects.iter().filter(|other| !std::ptr::eq(*other, object));
        !others.filter_map(Workload::new).any(|other| self.starts(&other, name))
    }

    /// Whether a command of a workload names another to a client: `kubectl create job --from=cronjob/NAME`.
    fn starts(&self, workload: &Workload<'_>, name: &str) -> bool {
        let may_start = workload.object.source.text.contains(name);
        let commands = if may_start { Command::all(workload, self) } else { Vec::new() };
        let mut invocations = commands.iter().flat_map(|one| &one.analysis.invocations);
        invocations.any(|invocation| is_start(invocation, name))
    }
}

fn is_start(invocation: &Invocation, name: &str) -> bool {
    let mut words = invocation.words.iter().map(|word| &*word.value);
    let program = words.next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let words: Vec<_> = words.collect();
    let is_named = words.iter().any(|word| word.rsplit(['/', '=']).next() == Some(name));
    let creates = words.contains(&"create") && words.iter().any(|word| word.contains("cronjob/"));
    let resumes = words.contains(&"patch") && words.iter().any(|word| word.contains("suspend"));
    CLIENTS.contains(&program) && is_named && (creates || resumes)
}
