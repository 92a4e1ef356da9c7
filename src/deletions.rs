//! Jobs that other workloads of the unit delete by name: `kubectl delete job NAME`, `curl -X DELETE …/jobs/NAME`.

use job_lifecycle::{Object, Workload};
use shell_effects::deleted_objects;
use yaml_spans::Node;

use crate::{command::Command, context::Context};

impl<'a> Context<'a> {
    /// The other workloads of the unit whose commands delete the Job by name, whatever runs them.
    pub fn deleters(&self, job: &Object) -> Vec<&'a Object> {
        let Some(name) = job.name().filter(|_| job.kind() == "Job") else { return Vec::new() };
        let found = self.found.deletions.get_or_init(|| self.find_deletions());
        let names = |of: &&(usize, Vec<String>)| of.1.iter().any(|own| own == name);
        let objects = found.iter().filter(names).map(|(index, _)| &self.objects[*index]);
        objects.filter(|object| object.name() != Some(name)).collect()
    }

    /// Whether a workload that stays up deletes the Job by name, in each of its pods: what waits for the end of the Job
    /// removes it, and the next release makes it anew.
    pub(crate) fn is_deleted_after_run(&self, job: &Object) -> bool {
        self.deleters(job).into_iter().any(|other| Workload::long_lived(other).is_some())
    }

    fn find_deletions(&self) -> Vec<(usize, Vec<String>)> {
        let of_object = |(index, object): (usize, &'a Object)| {
            let workload = Workload::new(object).or_else(|| Workload::long_lived(object));
            let workload = workload.filter(may_delete)?;
            let commands = Command::all(&workload, self);
            let deleted = commands.iter().flat_map(|one| deleted_objects(&one.analysis));
            let names: Vec<_> =
                deleted.filter(|one| one.is_kind("job")).map(|one| one.name).collect();
            (!names.is_empty()).then_some((index, names))
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
