//! Every manifest is read as `kubectl` reads it. `testdata/regenerate` records the output of `kubectl`.

use std::fs;

use serde_json::Value;
use yaml_spans as yaml;

/// Known differences and their reasons.
const KNOWN: &[(&str, &str)] = &[
    (
        "json-flow-yaml",
        "kubectl 1.32 rejects text that starts with `{` but is not JSON; 1.33 reads it as YAML",
    ),
    ("json-comment", "see json-flow-yaml"),
    ("json-trailing-comma", "see json-flow-yaml"),
    ("json-then-marker", "kubectl 1.32 expects JSON up to the end; 1.33 continues with YAML"),
];

#[test]
fn reads_what_kubectl_reads() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/kubectl.json");
    let golden: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let cases = golden["cases"].as_object().unwrap();
    let manifests = super::manifests();
    assert_eq!(
        manifests.keys().collect::<Vec<_>>(),
        cases.keys().collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>(),
        "run testdata/regenerate"
    );
    assert!(manifests.len() >= 150);
    let mut failures = Vec::new();
    for (name, text) in &manifests {
        let known = KNOWN.iter().find(|(known, _)| known == name);
        match (compare(text, &cases[name.as_str()]), known) {
            (Err(difference), None) => failures.push(format!("{name}: {difference}")),
            (Ok(()), Some((_, why))) => {
                failures.push(format!("{name} no longer differs, remove it from KNOWN: {why}"))
            }
            _ => {}
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

fn compare(text: &str, case: &Value) -> Result<(), String> {
    let ours = yaml::parse(text);
    let error = ours.iter().find_map(|document| document.as_ref().err());
    let objects = ours.iter().flatten().map(|document| plain(document.root.to_json()));
    let objects: Vec<Value> = objects.collect();
    let theirs: Vec<Value> =
        case["objects"].as_array().expect("a list").iter().cloned().map(plain).collect();
    match (case.get("error"), error) {
        (Some(error), None) => return Err(format!("kubectl rejects it: {error}")),
        (None, Some(error)) => return Err(format!("only we reject it: {}", error.reason)),
        _ => {}
    }
    // kubectl stops at the first error; this crate reads the other documents.
    let same = if error.is_some() { objects.starts_with(&theirs) } else { objects == theirs };
    match same || error.is_some() && objects.len() < theirs.len() {
        true => Ok(()),
        false => Err(format!("ours\n{}\ntheirs\n{}", list(&objects), list(&theirs))),
    }
}

fn list(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("{object:#}")).collect::<Vec<_>>().join("\n")
}

/// The value with all numbers as floats, as `kubectl.json` holds them.
fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64()),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, value)| (key, plain(value))).collect()
        }
        other => other,
    }
}
