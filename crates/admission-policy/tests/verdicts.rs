//! Verdicts and messages equal to those of an API server (`testdata/policies`).

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::Arc,
};

use admission_policy::{Action, Binding, Denial, Policy, PolicySet, Reason, Request};
use job_lifecycle::Object;
use serde_json::{Value, json};
use yaml_spans::Source;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/policies");

/// What only the API server knows, by case and object: joblint says so and decides nothing.
const UNKNOWN: &[(&str, &str)] = &[
    // Whether a parameter that is not in the tree exists, and what it is.
    ("parameters that are missing", "plain"),
    ("parameters that may be missing", "plain"),
    ("missing parameters of a binding that warns", "plain"),
    ("absent: allowed, and needed only by some", "plain"),
    ("absent: denied, and refused anyway", "careful"),
    ("absent: denied and ignored", "plain"),
    ("absent: denied, and a binding warns", "plain"),
    ("absent: denied, and a binding warns", "careful"),
    ("absent: allowed, and refused if they are there", "plain"),
    ("absent: allowed, and refused if they are there", "careful"),
    // Who asks: any user may be the one whom the policy names.
    ("request: user", "plain"),
    // When: only a clock tells that the object is newer than a date.
    ("timestamps and durations", "plain"),
];

/// Refused whether or not a parameter exists, and for another reason if it does not.
const OTHER_WORDS: (&str, &str) = ("absent: denied, and refused anyway", "plain");

fn object(value: &Value) -> Object {
    let source = Arc::new(Source::new("policy.yaml", value.to_string()));
    let document = yaml_spans::parse(&source.text).remove(0).unwrap();
    Object::new(&source, document.root, document.span).unwrap()
}

fn read(name: &str) -> String {
    fs::read_to_string(format!("{FOLDER}/{name}")).unwrap()
}

fn yaml(name: &str) -> Value {
    let mut values: serde_yaml::Value = serde_yaml::from_str(&read(name)).unwrap();
    values.apply_merge().unwrap();
    serde_yaml::from_value(values).unwrap()
}

/// The name of a case's policy, binding and namespace, as the recorder makes it.
fn name(case: &Value) -> String {
    let case = case["case"].as_str().unwrap();
    let words = case.split(|character: char| !character.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-").to_lowercase()
}

fn policy(case: &Value) -> Value {
    const OWN: [&str; 6] = ["case", "bindings", "params", "namespace", "objects", "resources"];
    let fields = case.as_object().unwrap().iter().filter(|(key, _)| !OWN.contains(&key.as_str()));
    let mut spec: Value = fields.map(|(key, value)| (key.clone(), value.clone())).collect();
    if spec.get("matchConstraints").is_none() {
        let usual = json!(["jobs", "cronjobs"]);
        let resources = case.get("resources").unwrap_or(&usual);
        spec["matchConstraints"] = json!({ "resourceRules": [{
            "apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": resources,
        }] });
    }
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": { "name": name(case) },
        "spec": spec,
    })
}

fn bindings(case: &Value) -> Vec<Binding> {
    let usual = json!([{ "validationActions": ["Deny"] }]);
    let listed = case.get("bindings").unwrap_or(&usual).as_array().unwrap();
    let own = name(case);
    let binding = |(index, spec): (usize, &Value)| {
        let mut spec = spec.clone();
        spec["policyName"] = own.clone().into();
        spec["matchResources"]["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] =
            own.clone().into();
        let name = if index == 0 { own.clone() } else { format!("{own}-{}", index + 1) };
        let value = json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": { "name": name },
            "spec": spec,
        });
        Binding::read(&object(&value)).unwrap_or_else(|flaws| panic!("{own}: {flaws:?}"))
    };
    listed.iter().enumerate().map(binding).collect()
}

/// The policy with its bindings, its parameters and its namespace.
fn set(case: &Value, policy: Policy) -> PolicySet {
    let own = name(case);
    let labels = case.get("namespace").cloned().unwrap_or_else(|| json!({}));
    let namespace = json!({ "name": own, "labels": labels });
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": namespace });
    let params = case.get("params").and_then(Value::as_array).into_iter().flatten();
    let objects = params.chain([&namespace]).map(object).collect();
    PolicySet { policies: vec![policy], bindings: bindings(case), objects }
}

/// An object as it is sent: with a name; in an update merged into the old one.
fn sent(objects: &Value, new: &str, old: Option<&str>) -> Object {
    let mut value = objects[old.unwrap_or(new)].clone();
    if old.is_some() {
        merge(&mut value, &objects[new]);
        for kind in ["labels", "annotations"] {
            let kept = objects[new]["metadata"][kind].as_object().cloned().unwrap_or_default();
            if let Some(all) = value["metadata"][kind].as_object_mut() {
                all.retain(|key, _| kept.contains_key(key));
            }
        }
    }
    value["metadata"]["name"] = old.unwrap_or(new).into();
    object(&value)
}

fn merge(value: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else { return *value = patch.clone() };
    for (key, patch) in fields {
        merge(&mut value[key.as_str()], patch);
    }
}

/// What is said to one object: status, message and warnings.
fn said(objects: &Value, set: &PolicySet, verdict: &Value) -> Option<(u64, String, Vec<String>)> {
    let (new, old) = (verdict["object"].as_str()?, verdict["old"].as_str());
    let (object, before) = (sent(objects, new, old), old.map(|old| sent(objects, old, None)));
    let namespace = set.policies[0].name.clone();
    let request = Request { object: &object, old: before.as_ref(), namespace: Some(&namespace) };
    let found = set.judge(&request);
    if !found.unknown.is_empty() {
        return None;
    }
    let warns = |denial: &&Denial<'_>| denial.actions.contains(&Action::Warn);
    let warnings = found.denials.iter().filter(warns).map(Denial::server_text).collect();
    let denies = |denial: &&Denial<'_>| denial.actions.contains(&Action::Deny);
    Some(match found.denials.iter().find(denies) {
        None => (if old.is_some() { 200 } else { 201 }, String::new(), warnings),
        Some(denial) => {
            let reason = denial.validation.map_or(Reason::Invalid, |one| one.reason);
            let code = match reason {
                Reason::Invalid => 422,
                Reason::Forbidden => 403,
                Reason::TooLarge => 413,
            };
            (code, denial.server_text(), warnings)
        }
    })
}

/// The errors in the API server's warnings, without the names that it gives the types of a schema. It calls `limits` and
/// `requests` undefined, because it has no type for quantities; joblint does not repeat that.
fn errors(warnings: &[String]) -> Vec<String> {
    let parts = warnings.iter().flat_map(|warning| warning.split("ERROR: ").skip(1));
    let reasons = parts.filter_map(|part| part.lines().next()?.splitn(4, ':').nth(3));
    let reasons = reasons.map(|reason| reason.trim().to_owned());
    reasons.filter(|one| !["limits", "requests"].iter().any(|name| one.contains(name))).collect()
}

#[test]
fn verdicts_are_those_of_an_api_server() {
    let (cases, objects) = (yaml("cases.yaml"), yaml("objects.yaml"));
    let cases: BTreeMap<&str, &Value> = cases
        .as_array()
        .unwrap()
        .iter()
        .map(|case| (case["case"].as_str().unwrap(), case))
        .collect();
    let (mut failures, mut equal, mut unknown) = (Vec::new(), 0, 0);
    let mut warned = BTreeSet::new();
    let text = read("verdicts.jsonl");
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert_eq!(lines.next().unwrap()["server"], "v1.36.3");
    for verdict in lines {
        let case = verdict["case"].as_str().unwrap();
        if verdict["reason"] == "AlreadyExists" {
            // The recorder asked before the policies did.
            continue;
        }
        let read = Policy::read(&object(&policy(cases[case])));
        let message = verdict["message"].as_str().unwrap_or_default();
        let warnings: Vec<String> =
            serde_json::from_value(verdict["warnings"].clone()).unwrap_or_default();
        if let (Ok(policy), Some(_), false) = (&read, verdict.get("object"), warned.contains(case))
        {
            let own = policy.warnings();
            assert!(own.is_empty(), "{case}: the API server does not warn: {own:#?}");
        }
        let difference = match (read, verdict.get("object")) {
            (Err(flaws), None) if verdict["code"] == 422 => {
                let is_said = flaws.iter().any(|flaw| message.contains(&flaw.reason));
                (!is_said).then(|| format!("{flaws:#?}\n{message}"))
            }
            (Ok(policy), None) if verdict.get("code").is_none() => {
                let own: Vec<_> = policy.warnings().into_iter().map(|flaw| flaw.reason).collect();
                warned.insert(case.to_owned());
                let same = errors(&warnings).iter().all(|error| own.contains(error));
                (!same).then(|| format!("{own:#?}\n{warnings:#?}"))
            }
            (Ok(policy), Some(_)) => match said(&objects, &set(cases[case], policy), &verdict) {
                None if UNKNOWN.contains(&(case, verdict["object"].as_str().unwrap())) => {
                    unknown += 1;
                    continue;
                }
                None => Some("nothing is decided".to_owned()),
                Some((code, own, own_warnings)) => {
                    let same = verdict["code"] == code
                        && (message.ends_with(&own)
                            || (case, verdict["object"].as_str().unwrap()) == OTHER_WORDS)
                        && (message.is_empty() == own.is_empty())
                        && warnings == own_warnings;
                    (!same).then(|| format!("{code} {own} {own_warnings:?}\n{verdict}"))
                }
            },
            (Ok(_), _) => Some(format!("is not refused\n{message}")),
            (Err(flaws), _) => Some(format!("is refused: {flaws:#?}")),
        };
        match difference {
            None => equal += 1,
            Some(difference) => failures.push(format!("{case}: {difference}")),
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}\n{}",
        failures.len(),
        equal + failures.len(),
        failures.join("\n\n")
    );
    println!("{equal} verdicts equal, {unknown} unknown");
    assert_eq!(unknown, UNKNOWN.len(), "what is decided is not called unknown");
    assert!(equal > 200, "{equal}");
}
