//! What Jobs and CronJobs have in common: a Job spec with a pod template.

mod reference;

use std::sync::LazyLock;

use yaml_spans::{Entry, Map, Node, Source, Span, Style, Value};

use crate::object::Object;

pub use reference::{Reference, keys_of, references, references_of};

/// An empty mapping for absent parts.
static NOTHING: LazyLock<Node> = LazyLock::new(|| Node {
    span: Span::default(),
    value: Value::Map(Map::default().into()),
    style: Style::Block,
});

/// The two kinds of workload that run to completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `batch/v1` Job.
    Job,
    /// `batch/v1` CronJob.
    CronJob,
}

impl Kind {
    /// The name of its type: `Job` or `CronJob`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Job => "Job",
            Self::CronJob => "CronJob",
        }
    }

    /// The path to the PodSpec: below the pod template, which is below the JobSpec.
    pub const fn pod_path(self) -> &'static [&'static str] {
        match self {
            Self::Job => &["spec", "template", "spec"],
            Self::CronJob => &["spec", "jobTemplate", "spec", "template", "spec"],
        }
    }
}

/// A Job or CronJob with its parts and their paths. An absent part, or one that is not a mapping, reads as an empty
/// mapping. Paths are mapping keys from the root of the object.
#[derive(Clone, Copy, Debug)]
pub struct Workload<'a> {
    /// The object itself.
    pub object: &'a Object,
    /// The text that the object was parsed from.
    pub source: &'a Source,
    /// Job or CronJob.
    pub kind: Kind,
    /// The JobSpec; for a CronJob the one in its `jobTemplate`.
    pub job: &'a Node,
    /// The path to the JobSpec.
    pub job_path: &'static [&'static str],
    /// The pod template: `metadata` and `spec`.
    pub template: &'a Node,
    /// The path to the pod template.
    pub template_path: &'static [&'static str],
    /// The PodSpec.
    pub pod: &'a Node,
    /// The path to the PodSpec.
    pub pod_path: &'static [&'static str],
}

impl<'a> Workload<'a> {
    /// `None` unless the object is a Job or CronJob; see [`kind_of`].
    pub fn new(object: &'a Object) -> Option<Self> {
        Some(Self::of_kind(object, kind_of(object)?))
    }

    /// A workload that stays up, with the pod template where a Job has its own; `None` for any other object.
    pub fn long_lived(object: &'a Object) -> Option<Self> {
        let is_own = object.group() == "apps"
            && matches!(object.kind(), "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet");
        is_own.then(|| Self::of_kind(object, Kind::Job))
    }

    fn of_kind(object: &'a Object, kind: Kind) -> Self {
        let pod_path = kind.pod_path();
        let template_path = &pod_path[..pod_path.len() - 1];
        let job_path = &template_path[..template_path.len() - 1];
        let part = |path: &[&str]| {
            object.root.at(path).filter(|node| node.as_map().is_some()).unwrap_or(&NOTHING)
        };
        Self {
            object,
            source: &object.source,
            kind,
            job: part(job_path),
            job_path,
            template: part(template_path),
            template_path,
            pod: part(pod_path),
            pod_path,
        }
    }

    /// The CronJobSpec; `None` for a Job.
    pub fn cron(&self) -> Option<&'a Node> {
        match self.kind {
            Kind::CronJob => self.object.root.get("spec").filter(|spec| spec.as_map().is_some()),
            Kind::Job => None,
        }
    }

    /// The items of `containers`, without init containers.
    pub fn containers(&self) -> &'a [Node] {
        self.pod.get("containers").map(Node::items).unwrap_or_default()
    }

    /// The items of `initContainers`.
    pub fn init_containers(&self) -> &'a [Node] {
        self.pod.get("initContainers").map(Node::items).unwrap_or_default()
    }

    /// All containers, init containers first.
    pub fn all_containers(&self) -> impl Iterator<Item = &'a Node> + use<'a> {
        self.init_containers().iter().chain(self.containers())
    }

    /// `ttlSecondsAfterFinished` of the Job spec, unless it is null.
    pub fn ttl(&self) -> Option<&'a Entry> {
        self.job.entry("ttlSecondsAfterFinished").filter(|entry| !entry.value.is_null())
    }

    /// How often the Job retries: `backoffLimit`, else `backoffLimitPerIndex`, else the default of 6.
    pub fn retries(&self) -> i64 {
        let limits = ["backoffLimit", "backoffLimitPerIndex"];
        let set = limits.iter().filter_map(|limit| self.job.get(limit)).find_map(Node::as_int);
        set.unwrap_or(6)
    }

    /// What an absent `backoffLimit` stands for: 6, or no limit beside `backoffLimitPerIndex`. Source:
    /// `SetDefaults_Job`. A CronJob has no such default itself, but its Jobs have.
    pub fn default_backoff_limit(&self) -> i64 {
        match self.job.set("backoffLimitPerIndex") {
            Some(_) => i32::MAX.into(),
            None => 6,
        }
    }

    /// True when a field of the JobSpec is written at another level of the object, where the API server ignores it.
    pub fn is_elsewhere(&self, field: &str) -> bool {
        let root = &self.object.root;
        let levels = [
            Some(root),
            root.get("metadata"),
            self.cron(),
            root.at(&["spec", "jobTemplate"]).filter(|_| self.kind == Kind::CronJob),
            Some(self.template),
            self.template.get("metadata"),
            Some(self.pod),
        ];
        levels.into_iter().flatten().any(|level| level.get(field).is_some())
    }

    /// The key of the pod spec; `None` when there is none.
    pub fn pod_key(&self) -> Option<Span> {
        let (last, above) = self.pod_path.split_last()?;
        self.object.root.at(above)?.entry(last).map(|entry| entry.key_span)
    }

    /// The key of the JobSpec, or of the deepest mapping above it that exists.
    pub fn job_key(&self) -> Option<Span> {
        self.object.deepest_key(self.job_path)
    }
}

/// Groups of Kubernetes: a Job or CronJob of theirs can be no other kind than that of `batch`. The first is the core group.
const GROUPS: [&str; 4] = ["", "apps", "batch", "extensions"];

/// The kind of a Job, CronJob or `batch/v2alpha1` ScheduledJob, in whatever version of `batch`, also in those that are gone,
/// and in other groups of Kubernetes, where people look for it by mistake: `v1`, `apps/v1`.
pub fn kind_of(object: &Object) -> Option<Kind> {
    if object.api_version().is_empty() || !GROUPS.contains(&object.group()) {
        return None;
    }
    match object.kind() {
        "Job" => Some(Kind::Job),
        "CronJob" => Some(Kind::CronJob),
        "ScheduledJob" if object.group() == "batch" => Some(Kind::CronJob),
        _ => None,
    }
}

/// Whether an object is a Job, a CronJob, or annotated as a hook.
pub fn is_work(object: &Object) -> bool {
    kind_of(object).is_some() || object.is_annotated_hook()
}

/// The PodSpec of a Job, CronJob or Pod, or of whatever else has a pod template, such as a Deployment.
pub fn any_pod(object: &Object) -> Option<&Node> {
    object.root.at(pod_path(object).unwrap_or(&["spec", "template", "spec"]))
}

/// The images of all containers of a PodSpec, init containers first.
pub fn images(pod: &Node) -> impl Iterator<Item = &Node> {
    let lists = ["initContainers", "containers"].into_iter().filter_map(|key| pod.get(key));
    let images = lists.flat_map(Node::items).filter_map(|container| container.get("image"));
    images.filter(|image| image.as_str().is_some())
}

/// The path to the PodSpec of a Job, CronJob or Pod; `None` for other kinds.
pub fn pod_path(object: &Object) -> Option<&'static [&'static str]> {
    match kind_of(object) {
        Some(kind) => Some(kind.pod_path()),
        None => (object.group().is_empty() && object.kind() == "Pod").then_some(&["spec"]),
    }
}
