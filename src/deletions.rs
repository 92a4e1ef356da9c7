//! Jobs that other workloads of the unit delete, by name or by their labels: `kubectl delete job NAME`, `curl -X DELETE …/jobs/NAME`,
//! `kubectl delete jobs -l app=shop`.

use job_lifecycle::{Object, Workload};
use shell_effects::{deleted_objects, selected_objects};
use yaml_spans::Node;

use crate::{
    command::Command,
    context::{Context, Deletions},
};

impl<'a> Context<'a> {
    /// The other workloads of the unit whose commands delete the Job, whatever runs them.
    pub fn deleters(&self, job: &Object) -> Vec<&'a Object> {
        let Some(name) = job.name().filter(|_| job.kind() == "Job") else { return Vec::new() };
        let found = self.found.deletions.get_or_init(|| self.find_deletions());
        let of_job = found.iter().filter(|one| one.hold(job, name));
        let objects = of_job.map(|one| &self.objects[one.index]);
        objects.filter(|object| object.name() != Some(name)).collect()
    }

    /// Whether a workload that stays up deletes the Job, in each of its pods: what waits for the end of the Job
    /// removes it, and the next release makes it anew.
    pub(crate) fn is_deleted_after_run(&self, job: &Object) -> bool {
        self.deleters(job).into_iter().any(|other| Workload::long_lived(other).is_some())
    }

    fn find_deletions(&self) -> Vec<Deletions> {
        let of_object = |(index, object): (usize, &'a Object)| {
            let workload = Workload::new(object).or_else(|| Workload::long_lived(object));
            let workload = workload.filter(may_delete)?;
            let commands = Command::all(&workload, self);
            let deleted = commands.iter().flat_map(|one| deleted_objects(&one.analysis));
            let names: Vec<_> =
                deleted.filter(|one| one.is_kind("job")).map(|one| one.name).collect();
            let selected = commands.iter().flat_map(|one| selected_objects(&one.analysis));
            let selected: Vec<_> = selected.filter(|one| one.is_kind("job")).collect();
            let deletes = !names.is_empty() || !selected.is_empty();
            deletes.then_some(Deletions { index, names, selected })
        };
        self.objects.iter().enumerate().filter_map(of_object).collect()
    }
}

/// True when a command says `delete`, or may be in a mounted file.
fn may_delete(job: &Workload<'_>) -> bool {
    let says = |container: &Node| {
        let lists = ["command", "args"].into_iter().filter_map(|key| container.get(key));
        let mut words = lists.flat_map(Node::items).filter_map(Node::as_str);
        words.any(|word| word.contains("delete") || word.contains("DELETE"))
    };
    let mounts = |container: &Node| container.get("volumeMounts").is_some();
    job.all_containers().any(|container| says(container) || mounts(container))
}
