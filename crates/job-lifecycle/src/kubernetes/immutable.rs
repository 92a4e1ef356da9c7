//! What the API server refuses to change in a Job, and in which words (facts: kubernetes-jobs §2; `ValidateJobSpecUpdate`
//! in `pkg/apis/batch/validation`). A CronJob has nothing of the kind: its template is for the Jobs to come.

mod compare;
mod defaults;

use compare::{Step, compare};
use yaml_spans::{Node, Value};

use super::Version;

pub use compare::{Difference, Written};

/// A field of a Job that differs and that the API server does not let differ.
#[derive(Clone, Debug)]
pub struct ImmutableField {
    /// As the API server names it: `spec.template`.
    pub path: &'static str,
    /// What it says: `spec.template: Invalid value: {…}: field is immutable`, the value of a mapping left out.
    pub message: String,
    /// What differs below the path, in the order of the API's fields. Never empty.
    pub differences: Vec<Difference>,
}

/// The words of most refusals.
const IMMUTABLE: &str = "field is immutable";
/// `completions` of an Indexed Job.
const TANDEM: &str = "can only be modified in tandem with spec.parallelism";

/// Fields of a JobSpec, the first two under conditions, the others compared by `ValidateImmutableField`. What is not here may
/// change: `parallelism`, `activeDeadlineSeconds`, `backoffLimit`, `maxFailedIndexes`,
/// `manualSelector`, `ttlSecondsAfterFinished`, `suspend`, `podReplacementPolicy`. [observed, 1.34 and 1.36]
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

/// Indexed Jobs grow and shrink (`ElasticIndexedJob`, on by default).
const ELASTIC: Version = Version::new(1, 27);
/// A suspended Job takes other resources (`MutablePodResourcesForSuspendedJobs`, on by default).
const MUTABLE_RESOURCES: Version = Version::new(1, 36);

/// What of one template may change while the Job is suspended (§2.3), as paths below `spec.template`.
const SCHEDULING: &[&[&str]] = &[
    &["metadata", "labels"],
    &["metadata", "annotations"],
    &["spec", "nodeSelector"],
    &["spec", "tolerations"],
    &["spec", "schedulingGates"],
    &["spec", "affinity", "nodeAffinity"],
];

/// The fields of a Job that the server refuses to change from `old` to `new`, both whole objects as they are
/// written. Compared as the server does: after defaulting, quantities by value, empty lists as absent.
///
/// A Job that `old` suspends is taken as never started: what may change then is no refusal.
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

/// The immutable field of a Job that a change at `path` (mapping keys from the root) touches. The state of
/// the cluster is not known: what a suspended Job may change counts as mutable.
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

/// An indexed Job is scaled by `completions` and `parallelism` in tandem.
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

/// The refusal of these fields as the API server words it: `[a, b]` where there are several.
pub fn refusal(fields: &[ImmutableField]) -> String {
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

/// Immutable, but for an Indexed Job whose `completions` go with its `parallelism`.
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
        // What is not written follows from the other number.
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

/// How many pods, as the server holds it.
#[derive(Clone, Copy)]
struct Counts {
    completions: Option<i64>,
    parallelism: Option<i64>,
}

/// The numbers that are live, and those after the new version is patched in: what nobody writes keeps its value,
/// what is no longer written loses it, and two that are missing are both 1 (`SetDefaults_Job`).
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

/// The template of a Job that has not started: where it is to run may change, and since 1.36 what it needs.
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

/// No affinity, or one between pod and node alone.
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

/// A value as the API server prints it; of a mapping no more than that it is one.
fn printed(value: Option<&Node>) -> String {
    match value.map(|node| &node.value) {
        None | Some(Value::Null) => "null".to_owned(),
        Some(Value::Map(_) | Value::Seq(_)) => "{…}".to_owned(),
        Some(_) => value.map(|node| node.to_json().to_string()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
