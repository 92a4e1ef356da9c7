//! Where a field belongs that stands at the wrong level.

use yaml_spans::Node;

use super::{Kind, Level, Shape, Unknown, find};
use crate::workload::{self, Workload};

/// The mappings of a Job that fields slip between, with their types.
const JOB: &[(&[&str], &str)] = &[
    (&[], "Job"),
    (&["metadata"], "ObjectMeta"),
    (&["spec"], "JobSpec"),
    (&["spec", "template"], "PodTemplateSpec"),
    (&["spec", "template", "metadata"], "ObjectMeta"),
    (&["spec", "template", "spec"], "PodSpec"),
    (&["spec", "template", "spec", "containers"], "Container"),
];

/// The same of a CronJob.
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

/// The mapping that knows a field.
#[derive(Clone, Debug)]
pub struct Home<'a> {
    /// `spec`, `spec.template.spec.containers[]`; `None` for a field that only CronJobs have.
    pub path: Option<String>,
    /// The mapping, where there is exactly one.
    pub node: Option<&'a Node>,
}

/// The mapping nearest to an unknown field that knows a field of that name; of two equally near ones
/// the outer one. `None` when no mapping does.
pub fn home<'a>(job: &Workload<'a>, unknown: &Unknown<'a>) -> Option<Home<'a>> {
    let key = &unknown.entry.key;
    let place = unknown.around.last()?;
    let levels = match job.kind {
        workload::Kind::Job => JOB,
        workload::Kind::CronJob => CRON_JOB,
    };
    let here = keys(&place.path);
    let around = unknown.around.iter().rev().map(Candidate::around);
    let elsewhere = levels.iter().map(|(path, of)| Candidate::level(&job.object.root, path, of));
    let candidates = around.chain(elsewhere).chain(inside(place));
    let knows = |of: &str| find(of).is_some_and(|of| of.field(key).is_some());
    let fitting = candidates.filter(|candidate| knows(candidate.of));
    let nearest = fitting.min_by_key(|candidate| distance(&here, &keys(&candidate.path)));
    match nearest {
        Some(Candidate { path, node, .. }) => Some(Home { path: Some(path), node }),
        None if knows("CronJobSpec") => Some(Home { path: None, node: None }),
        None => None,
    }
}

struct Candidate<'a> {
    path: String,
    node: Option<&'a Node>,
    of: &'static str,
}

impl<'a> Candidate<'a> {
    fn around(level: &Level<'a>) -> Self {
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

/// The mappings that a place holds: `securityContext` and `resources` of a container.
fn inside<'a>(place: &Level<'a>) -> impl Iterator<Item = Candidate<'a>> {
    place.of.fields().filter_map(move |(field, shape)| {
        let Shape::One(Kind::Struct(of)) = shape else { return None };
        let path = format!("{}.{field}", place.path);
        let path = path.trim_start_matches('.').to_owned();
        Some(Candidate { path, node: place.node.get(field), of })
    })
}

/// Steps up and down the tree; going up first decides between equals.
fn distance(from: &[&str], to: &[&str]) -> (usize, usize) {
    let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let down = to.len() - shared;
    (from.len() - shared + down, down)
}

/// The keys of a path, without the positions in lists.
fn keys(path: &str) -> Vec<&str> {
    let steps = path.split('.').filter(|step| !step.is_empty());
    steps.map(|step| step.split('[').next().unwrap_or(step)).collect()
}
