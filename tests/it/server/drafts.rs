//! What the editor shows before a check is complete.

use std::fs;

use serde_json::{Value, json};

use super::client::{Client, rules};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
/// The pod template of the first changes with each release, which only a prediction shows. That the second restarts, each
/// render shows.
const JOBS: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  template:
    metadata:
      labels:
        version: {{ .Chart.Version | quote }}
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: registry.example.com/shop:1.2
---
apiVersion: batch/v1
kind: Job
metadata:
  name: seed
spec:
  template:
    spec:
      restartPolicy: Always
      containers:
        - name: seed
          image: registry.example.com/shop:1.2
";
const PLAIN: &str = "restart-policy-always";
const PREDICTED: &str = "template-changes-under-fixed-name";

fn chart() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("templates")).unwrap();
    fs::write(folder.path().join("Chart.yaml"), CHART).unwrap();
    fs::write(folder.path().join("templates/jobs.yaml"), JOBS).unwrap();
    folder
}

fn at(diagnostics: &[Value], rule: &str) -> Option<u64> {
    let found = diagnostics.iter().find(|one| one["code"] == rule)?;
    found["range"]["start"]["line"].as_u64()
}

#[test]
fn plain_findings_come_first_and_predicted_ones_stay_at_their_lines() {
    let folder = chart();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("templates/jobs.yaml");
    let before = client.diagnostics("templates/jobs.yaml");
    assert!(at(&before, PLAIN).is_some() && at(&before, PREDICTED).is_some(), "{before:?}");
    let top = json!({ "line": 0, "character": 0 });
    client.change(
        "templates/jobs.yaml",
        json!({ "range": { "start": top, "end": top }, "text": "# one\n" }),
    );
    let first = client.first_published("templates/jobs.yaml");
    let complete = client.diagnostics("templates/jobs.yaml");
    for shown in [&first, &complete] {
        for rule in [PLAIN, PREDICTED] {
            assert_eq!(at(shown, rule), at(&before, rule).map(|line| line + 1), "{shown:?}");
        }
    }
    let sorted = |shown: &[Value]| {
        let mut all: Vec<_> = rules(shown).into_iter().map(str::to_owned).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(&first), sorted(&complete));
}

#[test]
fn a_plain_finding_that_is_mended_is_gone_at_once() {
    let folder = chart();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("templates/jobs.yaml");
    client.diagnostics("templates/jobs.yaml");
    let text = JOBS.replace("Always", "Never");
    client.change("templates/jobs.yaml", json!({ "text": text }));
    let first = client.first_published("templates/jobs.yaml");
    assert_eq!(at(&first, PLAIN), None);
    assert!(at(&first, PREDICTED).is_some(), "{first:?}");
}

#[test]
fn a_client_that_asks_gets_the_draft_and_is_told_of_more() {
    let folder = chart();
    let capabilities = json!({
        "workspace": { "diagnostics": { "refreshSupport": true } },
        "textDocument": { "diagnostic": {} },
    });
    let (mut client, _) = Client::with(folder.path(), &capabilities);
    client.open_file("templates/jobs.yaml");
    let params = json!({ "textDocument": client.document("templates/jobs.yaml") });
    client.request("textDocument/diagnostic", params.clone());
    client
        .wait(|client| client.asked.contains(&"workspace/diagnostic/refresh".into()).then_some(()));
    let complete = client.request("textDocument/diagnostic", params);
    let items = complete["result"]["items"].as_array().unwrap();
    assert!(at(items, PLAIN).is_some() && at(items, PREDICTED).is_some(), "{complete}");
}
