//! The immutable fields of a Job, and the API server's message when one changes. A CronJob has none: its
//! template applies to future Jobs.
//!
//! Sources: `ValidateJobSpecUpdate` in `pkg/apis/batch/validation`; kubernetes-jobs 2.

mod compare;
pub(super) mod defaults;

use compare::{Step, compare};
use yaml_spans::{Node, Value};

use super::Version;

pub use compare::{Difference, Written};

/// An immutable field of a Job that changes.
#[derive(Clone, Debug)]
pub struct ImmutableField {
    /// The path as the API server prints it: `spec.template`.
    pub path: &'static str,
    /// The API server's message: `spec.template: Invalid value: {…}: field is immutable`, with the value of a
    /// mapping elided.
    pub message: String,
    /// What differs below the path, in the order of the API's fields; never empty.
    pub differences: Vec<Difference>,
}

/// The message for most fields.
const IMMUTABLE: &str = "field is immutable";
/// The message for `completions` of an Indexed Job.
const TANDEM: &str = "can only be modified in tandem with spec.parallelism";

/// The immutable fields of a JobSpec, the first two under conditions, the others by `ValidateImmutableField`.
/// Mutable are `parallelism`, `activeDeadlineSeconds`, `backoffLimit`, `maxFailedIndexes`, `manualSelector`,
/// `ttlSecondsAfterFinished`, `suspend`, `podReplacementPolicy` (kubernetes-jobs 2.2).
const FIELDS: &[(&str, &str)] = &[
    ("completions", "spec.completions"),
    ("template", "spec.template"),
    ("selector", "spec.selector"),
    ("completionMode", "spec.completionMode"),
    ("podFailurePolicy", "spec.podFailurePolicy"),
    ("backoffLimitPerIndex", "spec.backoffLimitPerIndex"),
    ("managedBy", "spec.managedBy"),
    ("successPolicy", "spec.successPolicy"),
];

/// The first version that scales Indexed Jobs (`ElasticIndexedJob`, on by default).
const ELASTIC: Version = Version::new(1, 27);
/// The first version that lets the resources of a suspended Job change
/// (`MutablePodResourcesForSuspendedJobs`, on by default).
const MUTABLE_RESOURCES: Version = Version::new(1, 36);

/// The paths below `spec.template` that may change while a Job is suspended (kubernetes-jobs 2.3).
const SCHEDULING: &[&[&str]] = &[
    &["metadata", "labels"],
    &["metadata", "annotations"],
    &["spec", "nodeSelector"],
    &["spec", "tolerations"],
    &["spec", "schedulingGates"],
    &["spec", "affinity", "nodeAffinity"],
];

/// The immutable fields that change from one version of a Job to the next. `old` and `new` are whole objects
/// as written. They are compared as the server does: after defaulting, quantities by value, empty lists as
/// absent.
///
/// If `old` suspends the Job, it has not started, and what may change in that state is not reported.
pub fn changed(old: &Node, new: &Node, server: Version) -> Vec<ImmutableField> {
    let [old_spec, new_spec] = [old, new].map(|root| root.set("spec"));
    let of = |name: &'static str| {
        let field = [Step::Field("spec"), Step::Field(name)];
        compare("JobSpec", name, [old_spec, new_spec], &field)
    };
    let mut fields = Vec::new();
    fields.extend(completions([old_spec, new_spec], of("completions"), server));
    for (name, path) in &FIELDS[2..] {
        let value = new_spec.and_then(|spec| spec.set(name));
        fields.extend(field(path, value, IMMUTABLE, of(name)));
    }
    let template = new_spec.and_then(|spec| spec.set("template"));
    fields.extend(match is_suspended(old) {
        false => field("spec.template", template, IMMUTABLE, of("template")),
        true => suspended_template(template, of("template"), server),
    });
    fields
}

/// The immutable field of a Job that a change at `path` (mapping keys from the root) affects; `None` for a
/// mutable part. If `old` suspends the Job, what may change in that state counts as mutable, because whether
/// it has started is unknown.
pub fn touched(old: &Node, new: &Node, path: &[&str]) -> Option<&'static str> {
    let ["spec", field, rest @ ..] = path else { return None };
    let (_, shown) = FIELDS.iter().find(|(own, _)| own == field)?;
    let may_change = match *field {
        "completions" => scales(old) && scales(new),
        "template" => is_suspended(old) && SCHEDULING.iter().any(|path| rest.starts_with(path)),
        _ => false,
    };
    (!may_change).then_some(shown)
}

/// True for an Indexed Job whose `completions` equal its `parallelism`, which can be scaled.
fn scales(job: &Node) -> bool {
    let spec = |field| job.at(&["spec", field]);
    let is_indexed = spec("completionMode").and_then(Node::as_str) == Some("Indexed");
    is_indexed
        && spec("completions")
            .and_then(Node::as_int)
            .is_some_and(|count| spec("parallelism").and_then(Node::as_int) == Some(count))
}

fn is_suspended(job: &Node) -> bool {
    job.at(&["spec", "suspend"]).is_some_and(Node::is_true)
}

/// The API server's message for these fields: `[a, b]` for several.
pub fn rejection(fields: &[ImmutableField]) -> String {
    let all: Vec<_> = fields.iter().map(|field| field.message.as_str()).collect();
    match all.as_slice() {
        [one] => (*one).to_owned(),
        all => format!("[{}]", all.join(", ")),
    }
}

fn field(
    path: &'static str,
    value: Option<&Node>,
    words: &str,
    differences: Vec<Difference>,
) -> Option<ImmutableField> {
    let message = || format!("{path}: Invalid value: {}: {words}", printed(value));
    (!differences.is_empty()).then(|| ImmutableField { path, message: message(), differences })
}

/// `completions`: immutable, except in an Indexed Job together with an equal `parallelism`.
fn completions(
    specs: [Option<&Node>; 2],
    mut differences: Vec<Difference>,
    server: Version,
) -> Option<ImmutableField> {
    let [before, after] = counts(specs);
    if before.completions == after.completions {
        return None;
    }
    if differences.is_empty() {
        // Absent `completions` follow from `parallelism`.
        let field = [Step::Field("spec"), Step::Field("parallelism")];
        differences = compare("JobSpec", "parallelism", specs, &field);
    }
    let mode = specs[1].and_then(|spec| spec.get("completionMode")).and_then(Node::as_str);
    let elastic = mode == Some("Indexed") && server >= ELASTIC;
    if elastic && after.completions == after.parallelism {
        return None;
    }
    let value = specs[1].and_then(|spec| spec.set("completions"));
    let words = if elastic { TANDEM } else { IMMUTABLE };
    field("spec.completions", value, words, differences)
}

/// `completions` and `parallelism` as the server stores them.
#[derive(Clone, Copy)]
struct Counts {
    completions: Option<i64>,
    parallelism: Option<i64>,
}

/// The live numbers, and those after the new version is patched in: a number that neither version writes
/// keeps its value, one that only the old version writes is removed, and if both numbers are missing both
/// become 1 (`SetDefaults_Job`).
fn counts(specs: [Option<&Node>; 2]) -> [Counts; 2] {
    let int =
        |side: usize, name| specs[side].and_then(|spec| spec.set(name)).and_then(Node::as_int);
    let defaulted = |counts: Counts| match counts {
        Counts { completions: None, parallelism: None } => {
            Counts { completions: Some(1), parallelism: Some(1) }
        }
        counts => Counts { parallelism: counts.parallelism.or(Some(1)), ..counts },
    };
    let live = defaulted(Counts {
        completions: int(0, "completions"),
        parallelism: int(0, "parallelism"),
    });
    let kept = |name, live: Option<i64>| int(1, name).or(live.filter(|_| int(0, name).is_none()));
    let after = defaulted(Counts {
        completions: kept("completions", live.completions),
        parallelism: kept("parallelism", live.parallelism),
    });
    [live, after]
}

/// The template of a Job that has not started: scheduling directives may change, and since 1.36 resources.
fn suspended_template(
    value: Option<&Node>,
    mut differences: Vec<Difference>,
    server: Version,
) -> Option<ImmutableField> {
    let resources = server >= MUTABLE_RESOURCES;
    let mutable = |one: &Difference| is_scheduling(one) || resources && is_resources(one);
    differences.retain(|one| !mutable(one));
    match resources {
        true => {
            let pod = value.and_then(|template| template.set("spec"));
            field("spec.template.spec", pod, IMMUTABLE, differences)
        }
        false => field("spec.template", value, IMMUTABLE, differences),
    }
}

fn is_scheduling(difference: &Difference) -> bool {
    let below = difference.fields_below(&["spec", "template"]);
    SCHEDULING.iter().any(|path| below.starts_with(path))
        || below == ["spec", "affinity"]
            && [&difference.old, &difference.new].iter().all(is_node_only)
}

/// True for no affinity, or one with `nodeAffinity` only.
fn is_node_only(written: &&Option<Written>) -> bool {
    written.as_ref().is_none_or(|written| {
        written
            .node
            .entries()
            .iter()
            .all(|entry| &*entry.key == "nodeAffinity" || entry.value.is_null())
    })
}

fn is_resources(difference: &Difference) -> bool {
    let below = difference.fields_below(&["spec", "template", "spec"]);
    matches!(below.as_slice(), ["containers" | "initContainers", "resources", ..])
}

/// A value as the API server prints it, with collections elided.
fn printed(value: Option<&Node>) -> String {
    match value.map(|node| &node.value) {
        None | Some(Value::Null) => "null".to_owned(),
        Some(Value::Map(_) | Value::Seq(_)) => "{…}".to_owned(),
        Some(_) => value.map(|node| node.to_json().to_string()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
