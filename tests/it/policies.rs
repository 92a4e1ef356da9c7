//! The policies and rules of `examples/policies`.

use std::{fs, path::Path, sync::Arc};

use admission_policy::{Binding, Policy, PolicySet, Request};
use job_lifecycle::Object;
use serde_json::Value;
use yaml_spans::Source;

use super::support::{joblint, run};

fn object(value: &Value) -> Object {
    let source = Arc::new(Source::new("policy.yaml", value.to_string()));
    let document = yaml_spans::parse(&source.text).remove(0).unwrap();
    Object::new(&source, document.root, document.span).unwrap()
}

/// Each policy of `examples/policies` refuses the `bad` examples of the rule in its file, and takes the `good` ones.
#[test]
fn examples_are_refused_as_policies_and_as_rules() {
    let mut tested = 0;
    for entry in fs::read_dir("examples/policies").unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let documents: Vec<Value> = serde_yaml::Deserializer::from_str(&text)
            .map(|document| serde::Deserialize::deserialize(document).unwrap())
            .collect();
        let of_kind = |kind: &str| documents.iter().find(|one| one["kind"] == kind);
        let Some(policy) = of_kind("ValidatingAdmissionPolicy") else { continue };
        let policy =
            Policy::read(&object(policy)).unwrap_or_else(|flaws| panic!("{path:?}: {flaws:?}"));
        assert!(policy.warnings().is_empty(), "{path:?}: {:?}", policy.warnings());
        let binding = Binding::read(&object(of_kind("ValidatingAdmissionPolicyBinding").unwrap()));
        let set = PolicySet {
            policies: vec![policy],
            bindings: vec![binding.unwrap()],
            ..PolicySet::default()
        };
        for example in of_kind("Rule").unwrap()["examples"].as_array().unwrap() {
            for (key, refused) in [("bad", true), ("good", false)] {
                let Some(text) = example[key].as_str() else { continue };
                let workload = object(&serde_yaml::from_str(text).unwrap());
                let request = Request { object: &workload, old: None, namespace: Some("shop") };
                let verdict = set.judge(&request);
                assert!(verdict.unknown.is_empty(), "{path:?} {example}");
                assert_eq!(!verdict.denials.is_empty(), refused, "{path:?} {example}");
                tested += 1;
            }
        }
    }
    assert_eq!(tested, 30);
    let (code, stdout, stderr) = run(&mut joblint(Path::new("."), &["test", "examples/policies"]));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.ends_with(" of 11 rules: all hold\n"), "{stdout}");
}
