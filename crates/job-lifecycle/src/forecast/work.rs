//! The workload of a forecast, with what decides its outcome.

use yaml_spans::{Entry, Node, Value};

use super::prediction::Cause;
use crate::{
    Label,
    annotations::{
        ARGO_DELETE_POLICY, ARGO_HOOK, ARGO_SYNC_OPTIONS, FLUX_FORCE, FLUX_PRUNE, FLUX_RECONCILE,
        FLUX_SSA, HELM_DELETE_POLICY, HELM_HOOK, RESOURCE_POLICY,
    },
    deploy::{self, Role},
    kubernetes::is_placeholder,
    object::Object,
    workload::{self, Kind},
};

/// The kind of workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A Job.
    Job,
    /// A CronJob.
    CronJob,
    /// A bare Pod, which only a hook can be.
    Pod,
}

/// A Job, a CronJob, or a Pod that is a hook, under one deployer.
#[derive(Clone, Debug)]
pub struct DeployedWorkload<'a> {
    /// The object.
    pub object: &'a Object,
    /// Job, CronJob or Pod.
    pub shape: Shape,
    /// The role of the object under the deployer; see [`classify`](crate::classify).
    pub role: Role,
    /// The object is rendered from a Helm chart.
    pub from_chart: bool,
    /// The workloads of the unit whose commands delete this one by name.
    pub deleters: Vec<&'a Object>,
}

impl<'a> DeployedWorkload<'a> {
    /// `None` for any other object, and for a Pod that is not a hook.
    pub fn new(object: &'a Object, role: Role, from_chart: bool) -> Option<Self> {
        let shape = match workload::kind_of(object) {
            Some(Kind::Job) => Shape::Job,
            Some(Kind::CronJob) => Shape::CronJob,
            None if workload::pod_path(object).is_some() && role.hook().is_some() => Shape::Pod,
            None => return None,
        };
        Some(Self { object, shape, role, from_chart, deleters: Vec::new() })
    }

    /// The workload with those of its unit whose commands delete it by name.
    pub fn deleted_by(self, deleters: Vec<&'a Object>) -> Self {
        Self { deleters, ..self }
    }

    /// `ttlSecondsAfterFinished` of a Job, unless it is null.
    pub fn ttl(&self) -> Option<&'a Entry> {
        let spec = self.object.root.get("spec").filter(|_| self.shape == Shape::Job)?;
        spec.entry("ttlSecondsAfterFinished").filter(|entry| !entry.value.is_null())
    }

    /// True for `suspend: true` in a Job or CronJob.
    pub fn is_suspended(&self) -> bool {
        self.object.root.at(&["spec", "suspend"]).is_some_and(Node::is_true)
    }

    /// True for a suspended Job, which runs nothing until it is resumed.
    pub(super) fn is_suspended_job(&self) -> bool {
        self.shape == Shape::Job && self.is_suspended()
    }

    /// The value of the `helm.sh/resource-policy` annotation.
    pub(super) fn policy(&self) -> Option<&str> {
        self.object.annotation_text(RESOURCE_POLICY)
    }

    /// True when a Flux annotation or label has this value, in any case.
    pub(super) fn says(&self, key: &str, value: &str) -> bool {
        deploy::flux_says(self.object, key, &[value])
    }

    /// True when the API server rejects the `restartPolicy`: `Always`, or absent, which defaults to `Always`.
    /// A pod spec without containers is not judged.
    pub(super) fn bad_restart_policy(&self) -> bool {
        let pod = workload::pod_path(self.object).and_then(|path| self.object.root.at(path));
        let Some(pod) = pod.filter(|_| self.shape != Shape::Pod) else { return false };
        match pod.set("restartPolicy").map(Node::as_str) {
            None => pod.get("containers").is_some(),
            Some(Some(policy)) => {
                !matches!(policy, "Never" | "OnFailure") && !is_placeholder(policy)
            }
            Some(None) => true,
        }
    }

    /// The first annotation of the object that is a number or a boolean.
    pub(super) fn bad_annotation(&self) -> Option<&'a Entry> {
        self.object.annotations().iter().find(is_typed)
    }

    /// The first label of the object, or annotation or label of a template in it, that is a number or a boolean.
    pub(super) fn bad_label(&self) -> Option<&'a Entry> {
        const FIELDS: [&[&str]; 5] = [
            &["metadata", "labels"],
            &["spec", "template", "metadata", "annotations"],
            &["spec", "template", "metadata", "labels"],
            &["spec", "jobTemplate", "spec", "template", "metadata", "annotations"],
            &["spec", "jobTemplate", "spec", "template", "metadata", "labels"],
        ];
        let root = &self.object.root;
        let entries = FIELDS.iter().filter_map(|path| root.at(path)).flat_map(Node::entries);
        entries.into_iter().find(is_typed)
    }

    /// A label at the part of the manifest that a cause names.
    pub(super) fn label(&self, cause: Cause) -> Option<Label> {
        let (path, keys, text) =
            CAUSES.iter().find(|(of, ..)| *of == cause).map(|row| (row.1, row.2, row.3))?;
        let spec = |path: &[&str]| {
            let (last, above) = path.split_last()?;
            let entry = self.object.root.at(above)?.entry(last)?;
            Some((entry.key_span.to(entry.value.span), entry))
        };
        let annotation =
            |key: &&str| self.object.annotation(key).map(|entry| (entry.value.span, entry));
        let typed = || {
            let bad = match cause {
                Cause::Annotation => self.bad_annotation(),
                Cause::Label => self.bad_label(),
                _ => None,
            };
            bad.map(|entry| (entry.value.span, entry))
        };
        let (span, entry) =
            spec(path).or_else(|| keys.iter().find_map(annotation)).or_else(typed)?;
        let key = &*entry.key;
        let text = text.replace("{key}", key).replace("{value}", &written(&entry.value));
        let span = if span.is_empty() { entry.key_span } else { span };
        Some(Label { source: self.object.source.clone(), span, text })
    }
}

fn is_typed(entry: &&Entry) -> bool {
    !matches!(entry.value.value, Value::Str(_) | Value::Null | Value::Seq(_) | Value::Map(_))
}

fn written(node: &Node) -> String {
    match &node.value {
        Value::Str(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => node.type_name().to_owned(),
    }
}

/// A cause, its path or annotations in the manifest, and the text of the label.
type Where = (Cause, &'static [&'static str], &'static [&'static str], &'static str);

const CAUSES: &[Where] = &[
    (
        Cause::Ttl,
        &["spec", "ttlSecondsAfterFinished"],
        &[],
        "{value} s after a run the Job is gone",
    ),
    (
        Cause::Policy,
        &[],
        &[ARGO_DELETE_POLICY, HELM_DELETE_POLICY],
        "nothing here deletes the old object before the next run",
    ),
    (Cause::Hook, &[], &[ARGO_HOOK, HELM_HOOK], "a hook: `{value}`"),
    (Cause::SyncOptions, &[], &[ARGO_SYNC_OPTIONS], "`{value}` decides how it is applied"),
    (Cause::FluxForce, &[], &[FLUX_FORCE], "lets Flux delete it"),
    (Cause::FluxSsa, &[], &[FLUX_SSA], "`{value}` decides whether it is applied"),
    (Cause::FluxReconcile, &[], &[FLUX_RECONCILE, FLUX_SSA], "`{value}` keeps Flux away from it"),
    (Cause::Prune, &[], &[FLUX_PRUNE, ARGO_SYNC_OPTIONS], "`{value}` keeps it"),
    (Cause::ResourcePolicy, &[], &[RESOURCE_POLICY], "`{value}` keeps it"),
    (
        Cause::GenerateName,
        &["metadata", "generateName"],
        &[],
        "a name that the API server makes up",
    ),
    (Cause::Suspend, &["spec", "suspend"], &[], "nothing runs before somebody resumes it"),
    (
        Cause::RestartPolicy,
        &["spec", "template", "spec", "restartPolicy"],
        &[],
        "a Job takes `Never` and `OnFailure`",
    ),
    (Cause::Annotation, &[], &[], "annotations are strings: `{value}` needs quotes"),
    (Cause::Label, &[], &[], "labels and annotations are strings: `{value}` is none"),
];
