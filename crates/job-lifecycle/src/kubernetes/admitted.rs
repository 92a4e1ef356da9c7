//! A Job, CronJob or Pod as the API server shows it to admission: decoded into its types, with defaults and with what
//! the server adds itself.
//!
//! Sources: `pkg/apis/{batch,core}/v1/defaults.go`, `pkg/registry/batch/job/strategy.go`; observed on 1.36.3.

mod zero;

use serde_json::{Map, Value as Json, json};
use yaml_spans::{Node, Value};

use super::{
    immutable::defaults::{default, is_always_there},
    quantity,
    schema::{self, FieldType, ValueType},
};
use crate::{Object, workload::Kind, workload::kind_of};

/// The letters that stand for the random suffix of a generated name.
const SUFFIX: &str = "xxxxx";

/// Stands for a uid, which only the API server makes.
const UID: &str = "00000000-0000-0000-0000-000000000000";

/// The labels that the API server gives the pods of a Job: key, and whether its value is the name or the uid.
const POD_LABELS: &[(&str, bool)] = &[
    ("batch.kubernetes.io/controller-uid", false),
    ("batch.kubernetes.io/job-name", true),
    ("controller-uid", false),
    ("job-name", true),
];

/// An object as admission sees it.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// The object with the fields of its type only.
    pub object: Json,
    /// The paths of the values that only a cluster knows. They are there; `object` holds a placeholder, or nothing.
    pub unknown: Vec<Vec<String>>,
}

/// The object after decoding and defaulting, as in a request to the API server. `namespace` is that of the request;
/// `None` if nobody knows it. `is_stored` says that the server has stored the object before, as in an update. `None` for
/// other kinds than Job, CronJob and Pod.
pub fn admitted(object: &Object, namespace: Option<&str>, is_stored: bool) -> Option<Admitted> {
    let kind = match kind_of(object) {
        Some(Kind::Job) => "Job",
        Some(Kind::CronJob) => "CronJob",
        None if object.group().is_empty() && object.kind() == "Pod" => "Pod",
        None => return None,
    };
    let mut all = Map::new();
    all.insert("apiVersion".to_owned(), object.api_version().into());
    all.insert("kind".to_owned(), object.kind().into());
    let metadata = object.root.set("metadata");
    all.insert("metadata".to_owned(), structure("ObjectMeta", metadata).into());
    let spec = object.root.set("spec");
    let of = if kind == "Pod" {
        "PodSpec"
    } else {
        ["JobSpec", "CronJobSpec"][usize::from(kind == "CronJob")]
    };
    let mut own = structure(of, spec);
    match kind {
        "Job" => job_defaults(&mut own),
        "CronJob" => cron_job_defaults(&mut own),
        _ => pod_defaults(&mut own),
    }
    all.insert("spec".to_owned(), own.into());
    all.insert("status".to_owned(), json!({}));
    let mut made = Admitted { object: all.into(), unknown: Vec::new() };
    made.add_metadata(object, namespace);
    if is_stored {
        made.forget_progress();
    }
    if kind == "Job" {
        let manual = &mut made.object["spec"]["manualSelector"];
        if manual.is_null() {
            *manual = false.into();
        }
        made.add_pod_labels(is_stored);
    }
    Some(made)
}

impl Admitted {
    /// Adds what the server writes into `metadata`.
    fn add_metadata(&mut self, object: &Object, namespace: Option<&str>) {
        let unknown = &mut self.unknown;
        let mut made = |key: &str| unknown.push(vec!["metadata".to_owned(), key.to_owned()]);
        let metadata = &mut self.object["metadata"];
        for key in ["uid", "creationTimestamp", "managedFields"] {
            made(key);
        }
        metadata["uid"] = UID.into();
        metadata["generation"] = 1.into();
        if object.is_unnamed() {
            let prefix = object.generate_name().unwrap_or_default();
            metadata["name"] = format!("{prefix}{SUFFIX}").into();
            made("name");
        }
        match (metadata.get("namespace"), namespace) {
            (Some(_), _) => {}
            (None, Some(namespace)) => metadata["namespace"] = namespace.into(),
            (None, None) => made("namespace"),
        }
    }

    /// What changes while the object is stored.
    fn forget_progress(&mut self) {
        for path in [&["metadata", "resourceVersion"][..], &["metadata", "generation"], &["status"]]
        {
            self.unknown.push(path.iter().map(|key| (*key).to_owned()).collect());
        }
    }

    /// Adds the selector and the labels of a Job. A Job without labels takes those of its template; those that the
    /// server adds to a template without labels only when it is read again.
    fn add_pod_labels(&mut self, is_stored: bool) {
        let name = self.object["metadata"]["name"].clone();
        let takes_labels = self.object["metadata"].get("labels").is_none();
        let had_labels = self.object["spec"]["template"]["metadata"].get("labels").is_some();
        if self.object["spec"]["manualSelector"] != json!(true) {
            let is_named = !self.unknown.iter().any(|path| path == &["metadata", "name"]);
            for (key, of_name) in POD_LABELS {
                let value = if *of_name { name.clone() } else { UID.into() };
                self.object["spec"]["template"]["metadata"]["labels"][*key] = value;
                if *of_name && is_named {
                    continue;
                }
                let labels: &[&[&str]] =
                    &[&["spec", "template", "metadata", "labels"], &["metadata", "labels"]];
                for path in labels {
                    let path = path.iter().chain([key]).map(|key| (*key).to_owned());
                    self.unknown.push(path.collect());
                }
            }
            let selector = json!({ "matchLabels": { POD_LABELS[0].0: UID } });
            self.object["spec"]["selector"] = selector;
            self.unknown.push(vec![
                "spec".to_owned(),
                "selector".to_owned(),
                "matchLabels".to_owned(),
            ]);
        }
        if takes_labels && (had_labels || is_stored) {
            let labels = self.object["spec"]["template"]["metadata"]["labels"].clone();
            self.object["metadata"]["labels"] = labels;
        }
    }
}

/// `SetDefaults_Job`.
fn job_defaults(spec: &mut Map<String, Json>) {
    if !spec.contains_key("completions") && !spec.contains_key("parallelism") {
        spec.insert("completions".to_owned(), 1.into());
    }
    let retries = if spec.contains_key("backoffLimitPerIndex") { i32::MAX } else { 6 };
    let has_policy = spec.contains_key("podFailurePolicy");
    let replacement = if has_policy { "Failed" } else { "TerminatingOrFailed" };
    let defaults = [
        ("parallelism", 1.into()),
        ("backoffLimit", retries.into()),
        ("completionMode", "NonIndexed".into()),
        ("suspend", false.into()),
        ("podReplacementPolicy", replacement.into()),
    ];
    fill(spec, defaults);
}

/// `SetDefaults_CronJob`. Its `jobTemplate` gets the defaults of pods, but none of Jobs.
fn cron_job_defaults(spec: &mut Map<String, Json>) {
    let defaults = [
        ("concurrencyPolicy", "Allow".into()),
        ("suspend", false.into()),
        ("successfulJobsHistoryLimit", 3.into()),
        ("failedJobsHistoryLimit", 1.into()),
    ];
    fill(spec, defaults);
}

/// `SetDefaults_Pod`: what a Pod gets and the template of a Job does not.
fn pod_defaults(spec: &mut Map<String, Json>) {
    fill(spec, [("enableServiceLinks", true.into())]);
    for list in ["initContainers", "containers"] {
        let containers = spec.get_mut(list).and_then(Json::as_array_mut);
        for container in containers.into_iter().flatten() {
            let Some(limits) = container["resources"].get("limits").cloned() else { continue };
            for (name, limit) in limits.as_object().into_iter().flatten() {
                let request = &mut container["resources"]["requests"][name.as_str()];
                if request.is_null() {
                    *request = limit.clone();
                }
            }
        }
    }
}

fn fill<const N: usize>(spec: &mut Map<String, Json>, defaults: [(&str, Json); N]) {
    for (field, value) in defaults {
        spec.entry(field).or_insert(value);
    }
}

/// A mapping with the fields of a type: those that are set, and those with a default.
fn structure(of: &'static str, node: Option<&Node>) -> Map<String, Json> {
    let mut all = Map::new();
    let Some(known) = schema::find(of) else { return all };
    for (field, shape) in known.fields() {
        let set = node.and_then(|node| node.set(field));
        let value = set.and_then(|value| converted(of, field, shape, value));
        if let Some(value) = value.or_else(|| filled(of, field, shape, node)) {
            all.insert(field.to_owned(), value);
        }
    }
    if of == "PodSpec" {
        mirror(&mut all, ["serviceAccountName", "serviceAccount"]);
    }
    all
}

/// The deprecated field and its successor hold the same.
fn mirror(spec: &mut Map<String, Json>, names: [&str; 2]) {
    let set = names.iter().find_map(|name| spec.get(*name)).cloned();
    for name in names {
        spec.extend(set.clone().map(|value| (name.to_owned(), value)));
    }
}

/// A value as its type prints it; `None` when the type omits it.
fn converted(of: &'static str, field: &str, shape: FieldType, value: &Node) -> Option<Json> {
    match shape {
        FieldType::One(kind) => {
            Some(single(kind, value)).filter(|value| zero::is_printed(of, field, value))
        }
        FieldType::List(kind) => {
            let items: Vec<_> = value.items().iter().map(|item| single(kind, item)).collect();
            (!items.is_empty()).then(|| items.into())
        }
        FieldType::Map(kind) => {
            let entries = value.entries().iter();
            let all: Map<_, _> =
                entries.map(|entry| (entry.key.to_string(), of_map(kind, &entry.value))).collect();
            (!all.is_empty()).then(|| all.into())
        }
    }
}

/// A value of a map, where `null` is the zero value.
fn of_map(kind: ValueType, value: &Node) -> Json {
    match (kind, &value.value) {
        (ValueType::String, Value::Null) => "".into(),
        _ => single(kind, value),
    }
}

fn single(kind: ValueType, value: &Node) -> Json {
    match (kind, &value.value) {
        (ValueType::Struct(of), Value::Map(_)) => structure(of, Some(value)).into(),
        (ValueType::Quantity, Value::Map(_) | Value::Seq(_) | Value::Null) => json(value),
        (ValueType::Quantity, _) => {
            let text = value.as_str().map_or_else(|| json(value).to_string(), str::to_owned);
            quantity::canonical(&text).unwrap_or(text).into()
        }
        _ => json(value),
    }
}

/// The default of an absent field.
fn filled(of: &'static str, field: &str, shape: FieldType, parent: Option<&Node>) -> Option<Json> {
    if let FieldType::One(ValueType::Struct(inner)) = shape {
        return is_always_there(of, field, parent).then(|| structure(inner, None).into());
    }
    // Only a Job itself gets the defaults of a Job, not the template of a CronJob.
    let text = default(of, field, parent).filter(|_| of != "JobSpec")?;
    Some(match shape {
        FieldType::One(ValueType::Bool) => (text == "true").into(),
        FieldType::One(ValueType::Int32 | ValueType::Int64) => {
            text.parse::<i64>().expect("a test reads every default").into()
        }
        _ => text.into(),
    })
}

/// A value without a type.
pub fn json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Uint(value) => (*value).into(),
        Value::Float(value) => (*value).into(),
        Value::Str(value) => (&**value).into(),
        Value::Seq(items) => items.iter().map(json).collect(),
        Value::Map(map) => {
            let entries = map.entries.iter();
            entries.map(|entry| (entry.key.to_string(), json(&entry.value))).collect()
        }
    }
}

#[cfg(test)]
mod tests;
