//! Jobs, CronJobs and hook Pods seen as what they have in common: a Job spec around a pod spec.

mod reference;
mod rejection;
mod rerun;

pub use reference::{Reference, references};
pub use rejection::{Refusal, Why};
pub use rerun::Again;

use std::{cell::OnceCell, ops::Deref, sync::LazyLock};

use crate::{
    command::Command,
    deploy::{self, Deployer, Gone, Tool},
    kubernetes::schema::{self, Misfit},
    object::Object,
    release_changes,
    unit::Context,
};
use yaml_spans::{Entry, Map, Node, Source, Span, Style, Value};

/// The author's word on whether a second run does harm.
pub const IDEMPOTENT: &str = "joblint.dev/idempotent";

/// Why it does, or does not.
pub const REASON: &str = "joblint.dev/idempotent-reason";

/// An empty mapping for parts that are not written.
static NOTHING: LazyLock<Node> = LazyLock::new(|| Node {
    span: Span::default(),
    value: Value::Map(Map::default().into()),
    style: Style::Block,
});

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Job,
    CronJob,
}

/// A Job or CronJob with the paths to its parts. Parts that are not written read as empty mappings.
pub struct Workload<'a> {
    pub object: &'a Object,
    pub source: &'a Source,
    pub kind: Kind,
    /// The JobSpec: of a CronJob that of its `jobTemplate`.
    pub job: &'a Node,
    pub job_path: &'static [&'static str],
    /// The pod template with its `metadata`.
    pub template: &'a Node,
    pub template_path: &'static [&'static str],
    /// The PodSpec.
    pub pod: &'a Node,
    pub pod_path: &'static [&'static str],
    pub context: &'a Context<'a>,
    misfits: OnceCell<Vec<Misfit<'a>>>,
    commands: OnceCell<Vec<Command<'a>>>,
}

impl<'a> Workload<'a> {
    /// `None` unless the object is a Job or CronJob of API group `batch`, or of the groups that
    /// once served them (`extensions`).
    pub fn new(object: &'a Object, context: &'a Context<'a>) -> Option<Self> {
        let kind = kind_of(object)?;
        let (job_path, template_path, pod_path): (&[_], &[_], &[_]) = match kind {
            Kind::Job => (&["spec"], &["spec", "template"], &["spec", "template", "spec"]),
            Kind::CronJob => (
                &["spec", "jobTemplate", "spec"],
                &["spec", "jobTemplate", "spec", "template"],
                &["spec", "jobTemplate", "spec", "template", "spec"],
            ),
        };
        let part = |path: &[&str]| {
            object.root.at(path).filter(|node| node.as_map().is_some()).unwrap_or(&NOTHING)
        };
        Some(Self {
            object,
            source: &object.source,
            kind,
            job: part(job_path),
            job_path,
            template: part(template_path),
            template_path,
            pod: part(pod_path),
            pod_path,
            context,
            misfits: OnceCell::new(),
            commands: OnceCell::new(),
        })
    }

    /// What of the object the API server cannot make sense of.
    pub fn misfits(&self) -> &[Misfit<'a>] {
        let root = match self.kind {
            Kind::Job => "Job",
            Kind::CronJob => "CronJob",
        };
        self.misfits.get_or_init(|| schema::walk(&self.object.root, root, self.context.kubernetes))
    }

    /// The CronJob's own spec; `None` for a Job.
    pub fn cron(&self) -> Option<&'a Node> {
        match self.kind {
            Kind::CronJob => self.object.root.get("spec").filter(|spec| spec.as_map().is_some()),
            Kind::Job => None,
        }
    }

    /// Containers that do the work, as written, without init containers.
    pub fn containers(&self) -> &'a [Node] {
        self.pod.get("containers").map(Node::items).unwrap_or_default()
    }

    pub fn init_containers(&self) -> &'a [Node] {
        self.pod.get("initContainers").map(Node::items).unwrap_or_default()
    }

    /// Init containers, then the others.
    pub fn all_containers(&self) -> impl Iterator<Item = &'a Node> {
        self.init_containers().iter().chain(self.containers())
    }

    /// What the containers run, of those that state a command; read once.
    pub fn commands(&self) -> &[Command<'a>] {
        self.commands.get_or_init(|| Command::all(self))
    }

    /// `ttlSecondsAfterFinished` of the Job spec, unless it is null.
    pub fn ttl(&self) -> Option<&'a Entry> {
        self.job.entry("ttlSecondsAfterFinished").filter(|entry| !entry.value.is_null())
    }

    /// A field of the Job spec stands at another level: that is what a finding has to say then.
    pub fn is_elsewhere(&self, field: &str) -> bool {
        let root = &self.object.root;
        let places = [
            Some(root),
            root.get("metadata"),
            self.cron(),
            root.at(&["spec", "jobTemplate"]).filter(|_| self.kind == Kind::CronJob),
            Some(self.template),
            self.template.get("metadata"),
            Some(self.pod),
        ];
        places.into_iter().flatten().any(|place| place.get(field).is_some())
    }

    /// The name changes with the content: as predicted, or by its looks, see [`release_changes::varies`].
    pub fn has_varying_name(&self) -> bool {
        if let Some(churn) = &self.object.churn {
            return churn.is_renamed();
        }
        let image = |container: &'a Node| container.get("image")?.as_str();
        let name = self.object.name().unwrap_or_default();
        release_changes::varies(name, self.all_containers().filter_map(image))
    }

    /// What the author says about running it twice.
    pub fn idempotent_hint(&self) -> Option<bool> {
        self.hint()?.value.as_str()?.parse().ok()
    }

    /// `joblint.dev/idempotent`, on the Job or on a CronJob's jobTemplate.
    pub fn hint(&self) -> Option<&'a Entry> {
        let annotations: &[&str] = match self.kind {
            Kind::Job => &["metadata", "annotations"],
            Kind::CronJob => &["spec", "jobTemplate", "metadata", "annotations"],
        };
        self.object.root.at(annotations)?.entry(IDEMPOTENT)
    }

    /// What each deployer does once the TTL has removed the Job: ordinary Jobs with a fixed name only.
    pub fn gone_by_ttl(&self) -> Vec<(&Deployer, Gone)> {
        if self.kind == Kind::CronJob || self.object.name().is_none() || self.ttl().is_none() {
            return Vec::new();
        }
        let applying = self.context.applying(self.object);
        applying.map(|one| (one, deploy::when_gone(self.object, one, self.from_chart()))).collect()
    }

    /// Every apply makes another Job: `kubectl create`, stated, or written in a comment of the file
    /// where the deployer is only assumed; Argo CD with `Replace=true`.
    pub fn is_created_anew(&self, deployer: &Deployer) -> bool {
        let stated = deployer.tool == Tool::Kubectl && deployer.text("mode") == Some("create");
        let says = |line: &str| {
            let comment = line.trim_start().strip_prefix('#');
            comment.is_some_and(|text| text.contains("kubectl") && text.contains(" create"))
        };
        let written = || deployer.assumed && self.source.text.lines().any(says);
        stated || written() || deploy::replaces(self.object, deployer)
    }

    /// The key of the pod spec; `None` when there is no pod spec.
    pub fn pod_key(&self) -> Option<Span> {
        let (last, above) = self.pod_path.split_last()?;
        self.object.root.at(above)?.entry(last).map(|entry| entry.key_span)
    }

    /// The key of the Job spec, where a finding about a missing Job field points.
    pub fn job_key(&self) -> Option<Span> {
        self.object.deepest_key(self.job_path)
    }
}

impl<'a> Deref for Workload<'a> {
    type Target = Context<'a>;

    fn deref(&self) -> &Self::Target {
        self.context
    }
}

/// Job and CronJob of `batch`, and of `extensions` for versions long gone.
pub fn kind_of(object: &Object) -> Option<Kind> {
    match (object.group(), object.kind()) {
        ("batch" | "extensions", "Job") => Some(Kind::Job),
        ("batch", "CronJob" | "ScheduledJob") => Some(Kind::CronJob),
        _ => None,
    }
}

/// Where the PodSpec stands in a Job, CronJob or Pod.
pub fn pod_path(object: &Object) -> Option<&'static [&'static str]> {
    match kind_of(object) {
        Some(Kind::Job) => Some(&["spec", "template", "spec"]),
        Some(Kind::CronJob) => Some(&["spec", "jobTemplate", "spec", "template", "spec"]),
        None => (object.group().is_empty() && object.kind() == "Pod").then_some(&["spec"]),
    }
}
