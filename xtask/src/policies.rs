//! `cargo xtask policies`: what a real API server says to the policies and objects of `testdata/policies`.

use std::{collections::BTreeMap, env, fs, path::Path, process::ExitCode, thread, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::observe::cluster::{Answer, Cluster};

const FOLDER: &str = "testdata/policies";

const POLICIES: &str = "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const BINDINGS: &str = "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/// How long the API server may take to enforce policies, and the controller to check their types.
const PATIENCE: Duration = Duration::from_secs(10);

/// Send the objects of testdata/policies to a real API server that enforces its policies.
///
/// Writes `testdata/policies/verdicts.jsonl`. KUBECONFIG names the cluster, which needs the controller
/// `validatingadmissionpolicy-status-controller`. Policies and namespaces of an earlier run must be gone.
#[derive(clap::Args)]
pub struct Arguments {
    /// Print the verdicts of the cases whose name contains this, and write nothing
    word: Option<String>,
}

/// A policy with the objects that it judges; README.md in the folder explains the fields.
#[derive(Deserialize)]
struct Case {
    case: String,
    /// The fields of the policy's `spec`.
    #[serde(flatten)]
    spec: BTreeMap<String, Value>,
}

/// An object, or two states of one.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Request {
    Create(String),
    Update { old: String, new: String },
}

/// What the API server says to a policy or an object.
#[derive(Serialize)]
struct Verdict {
    case: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    /// The status of the response; none if the policy was only warned of.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub fn run(arguments: &Arguments) -> crate::Outcome {
    let kubeconfig = env::var("KUBECONFIG").map_err(|_| "KUBECONFIG names no cluster")?;
    let cluster = Cluster::new(Path::new(&kubeconfig));
    let read = |name: &str| fs::read_to_string(crate::own(FOLDER).join(name));
    let objects: BTreeMap<String, Value> = merged(&read("objects.yaml")?)?;
    let mut cases: Vec<Case> = serde_yaml::from_str(&read("cases.yaml")?)?;
    cases.retain(|case| arguments.word.as_ref().is_none_or(|word| case.case.contains(word)));
    let mut verdicts = Vec::new();
    for case in &cases {
        prepare(&cluster, case, &objects);
    }
    for case in &cases {
        verdicts.extend(install(&cluster, case));
    }
    thread::sleep(PATIENCE);
    for case in &cases {
        verdicts.extend(type_warnings(&cluster, case));
        verdicts
            .extend(requests(case).iter().map(|request| send(&cluster, case, request, &objects)));
    }
    for case in &cases {
        remove(&cluster, case);
    }
    let mut lines = vec![json!({"server": cluster.version()}).to_string()];
    for verdict in &verdicts {
        lines.push(serde_json::to_string(verdict)?);
    }
    match &arguments.word {
        Some(_) => println!("{}", lines.join("\n")),
        None => fs::write(crate::own(FOLDER).join("verdicts.jsonl"), lines.join("\n") + "\n")?,
    }
    println!("{} verdicts", verdicts.len());
    Ok(ExitCode::SUCCESS)
}

/// The objects of a file, with the merge keys of YAML applied.
fn merged(text: &str) -> Result<BTreeMap<String, Value>, serde_yaml::Error> {
    let mut values: serde_yaml::Value = serde_yaml::from_str(text)?;
    values.apply_merge()?;
    serde_yaml::from_value(values)
}

impl Case {
    /// The name of the policy, of its binding and of the namespace of its objects.
    fn name(&self) -> String {
        let words = self.case.split(|character: char| !character.is_ascii_alphanumeric());
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-").to_lowercase()
    }

    fn field(&self, name: &str) -> Option<&Value> {
        self.spec.get(name)
    }
}

fn requests(case: &Case) -> Vec<Request> {
    let listed = case.field("objects").cloned().unwrap_or_default();
    serde_json::from_value(listed).unwrap_or_default()
}

/// Creates the namespace, the parameters and the objects that are updated later.
fn prepare(cluster: &Cluster, case: &Case, objects: &BTreeMap<String, Value>) {
    let name = case.name();
    cluster.create_namespace(&name);
    if let Some(labels) = case.field("namespace") {
        cluster
            .patch(&format!("api/v1/namespaces/{name}"), &json!({"metadata": {"labels": labels}}));
    }
    for params in case.field("params").and_then(Value::as_array).into_iter().flatten() {
        expect(&cluster.answer("POST", &format!("api/v1/namespaces/{name}/configmaps"), params));
    }
    for request in requests(case) {
        if let Request::Update { old, .. } = request {
            let (path, object) = named(&name, &updated(&old), &objects[&old]);
            expect(&cluster.answer("POST", &path, &object));
        }
    }
}

fn expect(answer: &Answer) {
    assert!(answer.code < 300, "{}", answer.body);
}

/// The path of the objects of a kind, and an object with a name.
fn named(namespace: &str, name: &str, object: &Value) -> (String, Value) {
    let mut object = object.clone();
    object["metadata"]["name"] = name.into();
    let kind = match object["kind"].as_str() {
        Some("Pod") => "api/v1/namespaces/{}/pods",
        Some("CronJob") => "apis/batch/v1/namespaces/{}/cronjobs",
        _ => "apis/batch/v1/namespaces/{}/jobs",
    };
    (kind.replace("{}", namespace), object)
}

/// Creates the policy and its bindings. The verdict is why the policy is refused.
fn install(cluster: &Cluster, case: &Case) -> Option<Verdict> {
    const OWN: [&str; 5] = ["bindings", "params", "namespace", "objects", "resources"];
    let name = case.name();
    let fields = case.spec.iter().filter(|(field, _)| !OWN.contains(&field.as_str()));
    let mut spec: Value = fields.map(|(field, value)| (field.clone(), value.clone())).collect();
    if spec.get("matchConstraints").is_none() {
        let resources =
            case.field("resources").cloned().unwrap_or_else(|| json!(["jobs", "cronjobs"]));
        let operations = json!(["CREATE", "UPDATE"]);
        let rule = json!({
            "apiGroups": ["batch"], "apiVersions": ["v1"], "operations": operations, "resources": resources,
        });
        spec["matchConstraints"] = json!({"resourceRules": [rule]});
    }
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": spec,
    });
    let answer = cluster.answer("POST", POLICIES, &policy);
    if answer.code >= 300 {
        return Some(verdict(case, None, None, &answer));
    }
    for (index, binding) in bindings(case).iter().enumerate() {
        expect(&cluster.answer("POST", BINDINGS, &bound(&name, index, binding)));
    }
    None
}

fn bindings(case: &Case) -> Vec<Value> {
    let usual = || json!([{"validationActions": ["Deny"]}]);
    let listed = case.field("bindings").cloned().unwrap_or_else(usual);
    serde_json::from_value(listed).expect("bindings are a list")
}

/// A binding that holds in the namespace of its case alone.
fn bound(name: &str, index: usize, binding: &Value) -> Value {
    let mut spec = binding.clone();
    spec["policyName"] = name.into();
    spec["matchResources"]["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] =
        name.into();
    let own = if index == 0 { name.to_owned() } else { format!("{name}-{}", index + 1) };
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": own},
        "spec": spec,
    })
}

/// What the type check against the schemas of the matched kinds says.
fn type_warnings(cluster: &Cluster, case: &Case) -> Option<Verdict> {
    let policy = cluster.get(&format!("{POLICIES}/{}", case.name()));
    let warnings = policy["status"]["typeChecking"]["expressionWarnings"].as_array()?.clone();
    let text = |warning: &Value| {
        let field = |name: &str| warning[name].as_str().unwrap_or_default().to_owned();
        format!("{}: {}", field("fieldRef"), field("warning"))
    };
    let warnings: Vec<_> = warnings.iter().map(text).collect();
    let nothing = Answer { code: 0, warnings, body: Value::Null };
    Some(Verdict { code: None, ..verdict(case, None, None, &nothing) })
}

fn send(
    cluster: &Cluster,
    case: &Case,
    request: &Request,
    objects: &BTreeMap<String, Value>,
) -> Verdict {
    let namespace = case.name();
    match request {
        Request::Create(object) => {
            let (path, body) = named(&namespace, object, &objects[object]);
            verdict(case, None, Some(object), &cluster.answer("POST", &path, &body))
        }
        Request::Update { old, new } => {
            let (path, mut body) = named(&namespace, &updated(old), &objects[new]);
            // A merge patch takes away what it sets to null.
            for kind in ["labels", "annotations"] {
                for key in keys(&objects[old]["metadata"][kind]) {
                    if objects[new]["metadata"][kind].get(&key).is_none() {
                        body["metadata"][kind][key] = Value::Null;
                    }
                }
            }
            let answer = cluster.answer("PATCH", &format!("{path}/{}", updated(old)), &body);
            verdict(case, Some(old), Some(new), &answer)
        }
    }
}

/// The name of an object that is updated: another one may have the name of its old state.
fn updated(old: &str) -> String {
    format!("updated-{old}")
}

fn keys(value: &Value) -> Vec<String> {
    value.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect()
}

fn verdict(case: &Case, old: Option<&String>, object: Option<&String>, answer: &Answer) -> Verdict {
    let failed = answer.body["status"] == "Failure";
    let text = |name: &str| answer.body[name].as_str().filter(|_| failed).map(str::to_owned);
    Verdict {
        case: case.case.clone(),
        old: old.cloned(),
        object: object.cloned(),
        code: Some(answer.code),
        reason: text("reason"),
        message: text("message"),
        warnings: answer.warnings.clone(),
    }
}

fn remove(cluster: &Cluster, case: &Case) {
    let name = case.name();
    for index in 0..bindings(case).len() {
        let own = if index == 0 { name.clone() } else { format!("{name}-{}", index + 1) };
        cluster.delete(&format!("{BINDINGS}/{own}"));
    }
    cluster.delete(&format!("{POLICIES}/{name}"));
    cluster.delete(&format!("api/v1/namespaces/{name}"));
}
