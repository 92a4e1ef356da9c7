//! The tables under `testdata/forecast`, cell by cell: facts and observations, each row with its source.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use serde::Deserialize;

use super::*;
use crate::{churn::Change, deploy::classify, object::Object, source::Source, yaml};

/// One row: a workload under some deployers, and what was read or seen at each event.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    source: String,
    deployer: Vec<String>,
    /// Laid over a Job with one container.
    #[serde(default)]
    object: serde_json::Value,
    #[serde(default)]
    chart: bool,
    /// What an upgrade changes, where it is not the image: `nothing`, `mutable`, `name`.
    change: Option<String>,
    /// What a new render changes: `template`, `name`.
    render: Option<String>,
    /// Outcomes; the second word is what else happens. `absent`: cannot happen.
    events: BTreeMap<String, String>,
}

const JOB: &str = r#"{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate"}, "spec": {
    "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "m", "image": "app:1"}]}}}}"#;

fn merge(base: &mut serde_json::Value, over: &serde_json::Value) {
    let (Some(base), Some(over)) = (base.as_object_mut(), over.as_object()) else {
        return;
    };
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (_, serde_json::Value::Null) => _ = base.remove(key),
            (Some(own), value) if own.is_object() && value.is_object() => merge(own, value),
            _ => _ = base.insert(key.clone(), value.clone()),
        }
    }
}

fn object(case: &Case) -> Object {
    let mut json: serde_json::Value = serde_json::from_str(JOB).unwrap();
    merge(&mut json, &case.object);
    let text = json.to_string();
    let source = Arc::new(Source::new("a.yaml", text));
    let document = yaml::parse(&source.text).remove(0).unwrap();
    Object::new(&source, document.root, document.span).unwrap()
}

fn churn(case: &Case, object: &Object) -> Churn {
    let named = |what: &str| match what {
        "nothing" => Change::default(),
        "mutable" => Change { mutable: true, ..Change::default() },
        "name" => {
            Change { name: true, mutable: true, fields: vec!["spec.template"], causes: Vec::new() }
        }
        "template" => Change { mutable: true, fields: vec!["spec.template"], ..Change::default() },
        other => panic!("{}: no change is called {other}", case.source),
    };
    let mut churn = Churn::edited(object);
    if let Some(what) = &case.change {
        churn.upgrade = named(what);
    }
    if let Some(what) = &case.render {
        churn.render = named(what);
    }
    churn
}

fn shown(forecast: Option<&Forecast>) -> String {
    let Some(forecast) = forecast else { return "absent".to_owned() };
    let also = forecast.also.iter().map(|also| format!(" {also}"));
    forecast.outcome.name().to_owned() + &also.collect::<String>()
}

fn check(case: &Case, wrong: &mut Vec<String>) -> usize {
    let object = object(case);
    let churn = churn(case, &object);
    let mut cells = 0;
    for deployer in &case.deployer {
        let deployer: Deployer = deployer.parse().unwrap();
        let role = classify(&object, &deployer, case.chart);
        let work = Work::new(&object, role, case.chart).expect("a workload");
        for (event, expected) in &case.events {
            let found = Event::ALL.into_iter().find(|known| known.name() == event);
            let event = found.unwrap_or_else(|| panic!("{}: no event {event}", case.source));
            let found = forecast(&work, &churn, &deployer, event);
            if let Some(found) = &found {
                assert!(found.outcome != Outcome::Unknown || !found.reason.is_empty());
                assert!(!found.reason.contains(['{', '}']), "{}", found.reason);
            }
            if shown(found.as_ref()) != *expected {
                let (source, event, found) = (&case.source, event.name(), shown(found.as_ref()));
                wrong.push(format!("{source}: {deployer} {event}: {found}, not {expected}"));
            }
            cells += 1;
        }
    }
    cells
}

#[test]
fn every_cell_of_the_facts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/forecast");
    let (mut cells, mut wrong) = (0, Vec::new());
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "yaml")) {
        let cases: Vec<Case> = serde_yaml::from_str(&fs::read_to_string(file).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        cells += cases.iter().map(|case| check(case, &mut wrong)).sum::<usize>();
    }
    assert!(wrong.is_empty(), "{} of {cells} cells:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cells >= 300, "{cells}");
}
