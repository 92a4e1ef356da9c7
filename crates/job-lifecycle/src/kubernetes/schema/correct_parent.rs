//! The mapping that a field at the wrong level belongs to.

use yaml_spans::Node;

use super::{FieldType, TypedMapping, UnknownField, ValueType, find};
use crate::workload::{self, Workload};

/// The mappings of a Job that fields are confused between, with their types.
const JOB: &[(&[&str], &str)] = &[
    (&[], "Job"),
    (&["metadata"], "ObjectMeta"),
    (&["spec"], "JobSpec"),
    (&["spec", "template"], "PodTemplateSpec"),
    (&["spec", "template", "metadata"], "ObjectMeta"),
    (&["spec", "template", "spec"], "PodSpec"),
    (&["spec", "template", "spec", "containers"], "Container"),
];

/// The same for a CronJob.
const CRON_JOB: &[(&[&str], &str)] = &[
    (&[], "CronJob"),
    (&["metadata"], "ObjectMeta"),
    (&["spec"], "CronJobSpec"),
    (&["spec", "jobTemplate"], "JobTemplateSpec"),
    (&["spec", "jobTemplate", "metadata"], "ObjectMeta"),
    (&["spec", "jobTemplate", "spec"], "JobSpec"),
    (&["spec", "jobTemplate", "spec", "template"], "PodTemplateSpec"),
    (&["spec", "jobTemplate", "spec", "template", "metadata"], "ObjectMeta"),
    (&["spec", "jobTemplate", "spec", "template", "spec"], "PodSpec"),
    (&["spec", "jobTemplate", "spec", "template", "spec", "containers"], "Container"),
];

/// The mapping that a misplaced field belongs to.
#[derive(Clone, Debug)]
pub struct CorrectParent<'a> {
    /// The path: `spec`, `spec.template.spec.containers[]`; empty for the object itself, `None` for a field that only
    /// CronJobs have, in a Job.
    pub path: Option<String>,
    /// The mapping; `None` when it is absent, or when there are several containers.
    pub node: Option<&'a Node>,
}

/// Fields that whoever creates a Job leaves out: the API server writes the selector, and refuses another.
const OF_CONTROLLER: [&str; 2] = ["manualSelector", "selector"];

/// The nearest mapping whose type has a field of this name. Of two equally near mappings, the one that has no such field yet,
/// then the outer one; for `metadata`, that of the pods, whose labels and annotations are what something reads.
/// `None` when no type has such a field, or when nobody should set it.
pub fn correct_parent<'a>(
    job: &Workload<'a>,
    unknown: &UnknownField<'a>,
) -> Option<CorrectParent<'a>> {
    let key = &unknown.entry.key;
    if OF_CONTROLLER.contains(&&**key) {
        return None;
    }
    let parent = unknown.ancestors.last()?;
    let levels = match job.kind {
        workload::Kind::Job => JOB,
        workload::Kind::CronJob => CRON_JOB,
    };
    let here = keys(&parent.path);
    let ancestors = unknown.ancestors.iter().rev().map(Candidate::ancestor);
    let elsewhere = levels.iter().map(|(path, of)| Candidate::level(&job.object.root, path, of));
    let candidates = ancestors.chain(elsewhere).chain(inside(parent));
    let knows = |of: &str| find(of).is_some_and(|of| of.field(key).is_some());
    let fitting = candidates.filter(|candidate| knows(candidate.of));
    let nearest = fitting.min_by_key(|candidate| {
        let (steps, down) = distance(&here, &keys(&candidate.path));
        let is_taken = candidate.node.is_some_and(|node| node.get(key).is_some());
        let up = steps - down;
        (steps, is_taken, if &**key == "metadata" { up } else { down })
    });
    match nearest {
        Some(Candidate { path, node, .. }) => Some(CorrectParent { path: Some(path), node }),
        None if knows("CronJobSpec") => Some(CorrectParent { path: None, node: None }),
        None => None,
    }
}

struct Candidate<'a> {
    path: String,
    node: Option<&'a Node>,
    of: &'static str,
}

impl<'a> Candidate<'a> {
    fn ancestor(level: &TypedMapping<'a>) -> Self {
        Self { path: level.path.clone(), node: Some(level.node), of: level.of.name }
    }

    fn level(object: &'a Node, path: &[&str], of: &'static str) -> Self {
        let node = object.at(path);
        let mut shown = path.join(".");
        let mut only = node;
        if of == "Container" {
            let items = node.map(Node::items).unwrap_or_default();
            only = items.first().filter(|_| items.len() == 1);
            shown.push_str("[]");
        }
        Self { path: shown, node: only, of }
    }
}

/// The mappings inside another: `securityContext` and `resources` of a container.
fn inside<'a>(parent: &TypedMapping<'a>) -> impl Iterator<Item = Candidate<'a>> {
    parent.of.fields().filter_map(move |(field, shape)| {
        let FieldType::One(ValueType::Struct(of)) = shape else { return None };
        let path = format!("{}.{field}", parent.path);
        let path = path.trim_start_matches('.').to_owned();
        let node = parent.node.get(field);
        // A probe that does nothing but time out is none.
        (of != "Probe" || node.is_some()).then_some(Candidate { path, node, of })
    })
}

/// The number of steps up and down the tree; of two equal distances the one with fewer steps down is smaller.
fn distance(from: &[&str], to: &[&str]) -> (usize, usize) {
    let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let down = to.len() - shared;
    (from.len() - shared + down, down)
}

/// The keys of a path, without list indexes.
fn keys(path: &str) -> Vec<&str> {
    let steps = path.split('.').filter(|step| !step.is_empty());
    steps.map(|step| step.split('[').next().unwrap_or(step)).collect()
}
