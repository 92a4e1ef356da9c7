//! The request to the API server that a policy is asked about.

use job_lifecycle::{
    Object,
    kubernetes::admitted::{Admitted, admitted},
};
use kubernetes_cel::Value;
use serde_json::Value as Json;

/// A request that creates or updates a Job, CronJob or Pod.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The object as it will be.
    pub object: &'a Object,
    /// The object as it is; absent when it is created.
    pub old: Option<&'a Object>,
    /// The namespace; `None` if nobody knows it.
    pub namespace: Option<&'a str>,
}

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `CREATE`.
    Create,
    /// `UPDATE`.
    Update,
}

/// Kinds, their groups and resources.
const RESOURCES: &[(&str, &str, &str)] =
    &[("Job", "batch", "jobs"), ("CronJob", "batch", "cronjobs"), ("Pod", "", "pods")];

impl Operation {
    /// The name in policies.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
        }
    }
}

impl<'a> Request<'a> {
    /// What the request does.
    pub fn operation(&self) -> Operation {
        if self.old.is_some() { Operation::Update } else { Operation::Create }
    }

    /// The namespace: as the object says, else that of the request.
    pub(crate) fn namespace(&self) -> Option<&'a str> {
        self.object.namespace().or(self.namespace)
    }
}

/// A request with its values for expressions.
pub(crate) struct Prepared<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) group: &'static str,
    pub(crate) version: &'a str,
    pub(crate) resource: &'static str,
    pub(crate) object: Side,
    pub(crate) old: Option<Side>,
}

/// One of the two versions of the object.
pub(crate) struct Side {
    json: Json,
    unknown: Vec<Vec<String>>,
    pub(crate) value: Value,
}

impl<'a> Prepared<'a> {
    /// `None` for other kinds than Job, CronJob and Pod.
    pub(crate) fn new(request: &'a Request<'a>) -> Option<Self> {
        let object = request.object;
        let (_, group, resource) =
            RESOURCES.iter().find(|row| (row.0, row.1) == (object.kind(), object.group()))?;
        let version = object.api_version().rsplit('/').next().unwrap_or_default();
        let old = match request.old {
            Some(old) => Some(Side::new(old, request)?),
            None => None,
        };
        let object = Side::new(object, request)?;
        Some(Self { request, group, version, resource, object, old })
    }

    /// The `request` of expressions.
    pub(crate) fn value(&self) -> Value {
        let object = self.request.object;
        let kind = Value::map([
            ("group", self.group.into()),
            ("version", self.version.into()),
            ("kind", object.kind().into()),
        ]);
        let resource = Value::map([
            ("group", self.group.into()),
            ("version", self.version.into()),
            ("resource", self.resource.into()),
        ]);
        let known = |name: &str, value: Option<&str>| match value {
            Some(value) => value.into(),
            None => Value::hidden(&format!("request.{name}")),
        };
        Value::map([
            ("kind", kind.clone()),
            ("resource", resource.clone()),
            ("requestKind", kind),
            ("requestResource", resource),
            ("name", known("name", object.name())),
            ("namespace", known("namespace", self.request.namespace())),
            ("operation", self.request.operation().name().into()),
            ("userInfo", user()),
            // Nothing is deployed by a dry run.
            ("dryRun", false.into()),
            ("options", self.options()),
        ])
    }

    /// The options of the request. Deployers choose their own names and checks.
    fn options(&self) -> Value {
        let kind = match self.request.operation() {
            Operation::Create => "CreateOptions",
            Operation::Update => "UpdateOptions",
        };
        let chosen =
            |field: &'static str| (field, Value::unknown(&format!("request.options.{field}")));
        Value::map([
            ("apiVersion", "meta.k8s.io/v1".into()),
            ("kind", kind.into()),
            chosen("fieldManager"),
            chosen("fieldValidation"),
        ])
    }
}

/// Who asks: there is always a name, a uid and groups.
fn user() -> Value {
    let name = |field: &str| format!("request.userInfo.{field}");
    let hidden = ["username", "uid", "groups"].map(|field| (field, Value::hidden(&name(field))));
    Value::map(hidden.into_iter().chain([("extra", Value::unknown(&name("extra")))]))
}

/// The `object` of expressions for an object that is created; `None` for other kinds than Job, CronJob and Pod.
pub fn value(object: &Object, namespace: Option<&str>) -> Option<Value> {
    let request = Request { object, old: None, namespace };
    Some(Side::new(object, &request)?.value)
}

impl Side {
    fn new(object: &Object, request: &Request<'_>) -> Option<Self> {
        let Admitted { object: json, unknown } =
            admitted(object, request.namespace(), request.old.is_some())?;
        let value = with_unknown(&json, &unknown, &mut Vec::new());
        Some(Self { json, unknown, value })
    }

    /// The value of a label; the outer `None` when nobody knows it.
    pub(crate) fn label(&self, key: &str) -> Option<Option<&str>> {
        let is_it = |path: &Vec<String>| {
            let path: Vec<_> = path.iter().map(String::as_str).collect();
            path == ["metadata", "labels", key]
        };
        if self.unknown.iter().any(is_it) {
            return None;
        }
        Some(self.json["metadata"]["labels"].get(key).and_then(Json::as_str))
    }
}

/// The value for expressions, with what only a cluster knows.
fn with_unknown(json: &Json, unknown: &[Vec<String>], path: &mut Vec<String>) -> Value {
    let below: Vec<_> = unknown.iter().filter(|one| one.starts_with(path)).collect();
    if below.is_empty() {
        return Value::from(json);
    }
    if below.iter().any(|one| one.len() == path.len()) {
        return Value::hidden(&format!("object.{}", path.join(".")));
    }
    let Json::Object(fields) = json else { return Value::from(json) };
    let mut all = Vec::new();
    for (key, value) in fields {
        path.push(key.clone());
        all.push((key.clone(), with_unknown(value, unknown, path)));
        path.pop();
    }
    let missing = below.iter().filter(|one| one.len() == path.len() + 1);
    for one in missing {
        let key = &one[path.len()];
        // Labels that a Job takes from its template are there only if the template has some.
        if !fields.contains_key(key) && path != &["metadata", "labels"] {
            all.push((key.clone(), Value::hidden(&format!("object.{}", one.join(".")))));
        }
    }
    Value::map(all.iter().map(|(key, value)| (&**key, value.clone())))
}
