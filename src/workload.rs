//! Jobs, CronJobs and hook Pods seen as what they have in common: a Job spec around a pod spec.

use std::{ops::Deref, sync::LazyLock};

use crate::{
    object::Object,
    source::{Source, Span},
    unit::Context,
    yaml::{Map, Node, Style, Value},
};

/// An empty mapping for parts that are not written.
static NOTHING: LazyLock<Node> = LazyLock::new(|| Node {
    span: Span::default(),
    value: Value::Map(Map::default().into()),
    style: Style::Block,
});

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Job,
    CronJob,
}

/// A Job or CronJob with the paths to its parts. Parts that are not written read as empty mappings.
#[derive(Clone, Copy)]
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
        })
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
