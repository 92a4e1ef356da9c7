//! Files of this repository that the command writes.

use std::path::Path;

use joblint::{rules, settings::Settings};

use super::support::{assert_golden, joblint, run, tree};

fn assert_generated(path: &str, arguments: &[&str]) {
    let (code, stdout, stderr) = run(&mut joblint(Path::new("."), arguments));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_golden(path, &stdout);
}

#[test]
fn the_rule_catalogue_is_current() {
    assert_generated("rules/README.md", &["rules", "--output", "markdown"]);
}

#[test]
fn the_settings_schema_is_current() {
    assert_generated("docs/settings.schema.json", &["config", "schema"]);
}

#[test]
fn the_schema_of_rules_is_current() {
    assert_generated("docs/rule.schema.json", &["config", "schema", "--rule"]);
    let schema = std::fs::read_to_string("docs/rule.schema.json").unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let mut rules = 0;
    for entry in std::fs::read_dir("examples/policies").unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let rule = text.split("---\n").last().unwrap();
        let rule: serde_json::Value = serde_yaml::from_str(rule).unwrap();
        assert!(schema.is_valid(&rule), "{rule}");
        let wrong = rule.to_string().replace("\"message\"", "\"mesage\"");
        assert!(!schema.is_valid(&serde_json::from_str(&wrong).unwrap()), "{wrong}");
        rules += 1;
    }
    assert_eq!(rules, 11);
}

/// What the schema calls wrong, the command refuses too, and the settings of all examples are right to both.
#[test]
fn the_settings_schema_knows_requirements() {
    let schema = std::fs::read_to_string("docs/settings.schema.json").unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let is_valid = |text: &str| {
        let by_schema = schema.is_valid(&serde_yaml::from_str(text).unwrap());
        let folder = tree(&[(".joblint.yaml", text)]);
        let by_command = Settings::read(&folder.path().join(".joblint.yaml")).is_ok();
        assert_eq!(by_schema, by_command, "{text}");
        by_schema
    };
    for example in rules::all().iter().flat_map(|rule| rule.examples()) {
        assert!(example.settings.is_none_or(|text| is_valid(&text)), "{}", example.name);
    }
    for wrong in [
        "5",
        "{}",
        "[]",
        "ttl:x",
        "image",
        "'label:'",
        "{ttl: 1d}",
        "{ttl: {}}",
        "{ttl: {max: 1w}}",
        "{ttl: {maks: 1d}}",
        "{hook: {}}",
        "{backoff-limit: {max: 1d}}",
        "{label: a, severity: off}",
        "{ttl: {max: 1d}, deadline: {max: 1d}}",
        "[{ttl: {max: 1d}, severity: info}]",
        "{any: []}",
        "{any: [ttl], hook: 1}",
        "{image: 5}",
        "{label: a, patern: a}",
    ] {
        assert!(!is_valid(&format!("require: [{wrong}]")), "{wrong}");
    }
    assert!(is_valid(
        "require: [{any: [ttl, {image: a}], severity: info, message: m}, 'annotation:a/b', {deadline: {min: 5}}]"
    ));
}
