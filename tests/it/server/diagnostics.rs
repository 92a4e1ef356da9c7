//! Diagnostics follow the unsaved texts.

use std::fs;

use serde_json::json;

use super::client::{Client, rules};
use crate::support::tree;

/// A manifest with one finding, at the value of `restartPolicy` in line 9.
pub const ALWAYS: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: warm
spec:
  ttlSecondsAfterFinished: 600
  activeDeadlineSeconds: 600
  template:
    spec: {restartPolicy: Always, containers: [{name: a, image: 'a:1'}]}
";

#[test]
fn diagnostics_appear_and_vanish() {
    let folder = tree(&[("job.yaml", ALWAYS)]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open("job.yaml", &ALWAYS.replace("Always", "Never"));
    assert_eq!(rules(&client.diagnostics("job.yaml")), [""; 0], "the unsaved text counts");
    let never =
        json!({ "start": { "line": 8, "character": 26 }, "end": { "line": 8, "character": 31 } });
    client.change("job.yaml", json!({ "range": never, "text": "Always" }));
    let found = client.diagnostics("job.yaml");
    assert_eq!(rules(&found), ["restart-policy-always"]);
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["source"], "joblint");
    let href = found[0]["codeDescription"]["href"].as_str().unwrap();
    assert!(href.ends_with("/restart-policy-always"), "{href}");
    client.close("job.yaml");
    assert!(client.shown().is_empty(), "a closed file is not checked");
}

#[test]
fn nothing_is_told_twice() {
    let other = ALWAYS.replace("name: warm", "name: cool");
    let folder = tree(&[("job.yaml", ALWAYS), ("other.yaml", &other)]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    for path in ["job.yaml", "other.yaml"] {
        client.open_file(path);
        client.told(path);
    }
    let [before, known] = ["job.yaml", "other.yaml"].map(|path| client.told(path));
    client.change("job.yaml", json!({ "text": format!("{ALWAYS}# Warm\n") }));
    assert!(client.told("job.yaml") > before, "another text, with the same diagnostics");
    assert_eq!(client.told("other.yaml"), known, "nothing has changed");
    client.change("other.yaml", json!({ "text": other.replace("Always", "Never") }));
    assert_eq!(client.told("other.yaml"), known + 1);
    // The client may have dropped what it showed.
    client.close("other.yaml");
    client.open_file("other.yaml");
    assert_eq!(rules(&client.diagnostics("other.yaml")), ["restart-policy-always"]);
    let known = client.told("other.yaml");
    client.close("other.yaml");
    client.open_file("other.yaml");
    assert!(client.told("other.yaml") > known, "opened again with the same text and version");
}

#[test]
fn columns_after_other_letters_count_the_agreed_units() {
    let text = ALWAYS.replace("spec: {", "spec: {nodeName: 'ä😀', ");
    let line = text.lines().nth(8).unwrap();
    let before = &line[..line.find("Always").unwrap()];
    for (encoding, column) in [
        ("utf-8", before.len()),
        ("utf-16", before.encode_utf16().count()),
        ("utf-32", before.chars().count()),
    ] {
        let folder = tree(&[]);
        let mut client = Client::in_folder(folder.path(), encoding);
        client.open("job.yaml", &text);
        let found = client.diagnostics("job.yaml");
        let always = found.iter().find(|one| one["code"] == "restart-policy-always").unwrap();
        let end = column + "Always".len();
        let range = json!({
            "start": { "line": 8, "character": column },
            "end": { "line": 8, "character": end },
        });
        assert_eq!(always["range"], range, "{encoding}");
    }
}

const CHART: &[(&str, &str)] = &[
    ("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
    ("chart/values.yaml", "restart: Never\n"),
];

/// The chart with the manifest as its template, whose value comes from `values.yaml`.
fn chart() -> tempfile::TempDir {
    let template = ALWAYS.replace("Always", "{{ .Values.restart }}");
    let template = ("chart/templates/job.yaml", &*template);
    tree(&[CHART, &[template]].concat())
}

#[test]
fn unsaved_values_change_the_finding_of_a_template() {
    let folder = chart();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("chart/values.yaml");
    assert_eq!(rules(&client.diagnostics("chart/templates/job.yaml")), [""; 0]);
    client.change("chart/values.yaml", json!({ "text": "restart: Always\n" }));
    let template = client.diagnostics("chart/templates/job.yaml");
    let values = client.diagnostics("chart/values.yaml");
    for (found, other) in [(&template, "chart/values.yaml"), (&values, "chart/templates/job.yaml")]
    {
        assert_eq!(rules(found), ["restart-policy-always"]);
        let related = found[0]["relatedInformation"].as_array().unwrap();
        assert!(related.iter().any(|one| one["location"]["uri"] == client.uri(other)), "{found:?}");
    }
    assert_eq!(values[0]["range"]["start"], json!({ "line": 0, "character": 9 }));
    client.change("chart/values.yaml", json!({ "text": "restart: OnFailure\n" }));
    assert_eq!(rules(&client.diagnostics("chart/templates/job.yaml")), [""; 0]);
}

#[test]
fn settings_count_when_they_are_saved() {
    let folder = tree(&[("job.yaml", ALWAYS), (".joblint.yaml", "ignore: 1\n")]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("job.yaml");
    let problem = client.diagnostics(".joblint.yaml");
    assert_eq!(problem.len(), 1, "{problem:?}");
    assert_eq!(problem[0]["range"]["start"], json!({ "line": 0, "character": 8 }));
    let settings = "rules:\n  restart-policy-always: {severity: info}\n";
    fs::write(folder.path().join(".joblint.yaml"), settings).unwrap();
    let saved = json!({ "textDocument": client.document(".joblint.yaml") });
    client.notify("textDocument/didSave", saved);
    let found = client.diagnostics("job.yaml");
    assert_eq!((rules(&found), &found[0]["severity"]), (vec!["restart-policy-always"], &json!(3)));
    assert_eq!(rules(&client.diagnostics(".joblint.yaml")), [""; 0]);
}

#[test]
fn one_finding_for_a_run_shows_in_each_file() {
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    let old = ALWAYS.replace("batch/v1", "extensions/v1beta1").replace("Always", "Never");
    client.open("a/job.yaml", &old);
    client.open("b/other.yaml", &old.replace("warm", "clean"));
    for (path, other) in [("a/job.yaml", "b/other.yaml"), ("b/other.yaml", "a/job.yaml")] {
        let found = client.diagnostics(path);
        assert_eq!(rules(&found), ["removed-api-version"], "{path}");
        let related = found[0]["relatedInformation"].as_array().unwrap();
        assert!(related.iter().any(|one| one["location"]["uri"] == client.uri(other)), "{found:?}");
    }
}

#[test]
fn other_yaml_is_left_alone() {
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open("mkdocs.yml", "plugins: !!python/name:a.b [\n");
    client.open("main.go", "package main\n");
    assert!(client.shown().is_empty());
    assert!(client.log.is_empty(), "{:?}", client.log);
}

const BASE: &str = "resources: [job.yaml]\n";
const OVERLAY: &str = "resources: [../../base]\nnamePrefix: prod-\n";

/// The folder that the editor works in is no repository; the base of the overlay is below it all the same.
#[test]
fn an_overlay_is_checked_with_its_base_although_nothing_else_is_open() {
    let folder = tree(&[
        ("base/job.yaml", ALWAYS),
        ("base/kustomization.yaml", BASE),
        ("overlays/prod/kustomization.yaml", OVERLAY),
    ]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("overlays/prod/kustomization.yaml");
    let found = client.diagnostics("base/job.yaml");
    assert_eq!(rules(&found), ["restart-policy-always"]);
    assert!(found[0]["message"].as_str().unwrap().contains("prod-warm"), "{found:?}");
}

/// Neither is the folder of a patch, which is no Job of its own.
#[test]
fn a_patch_is_checked_with_its_overlay_although_nothing_else_is_open() {
    let overlay = format!("{OVERLAY}patches: [{{path: patch.yaml}}]\n");
    let patch = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: warm}\nspec:\n  template:\n    spec: {restartPolicy: Never}\n";
    let folder = tree(&[
        ("base/job.yaml", ALWAYS),
        ("base/kustomization.yaml", BASE),
        ("overlays/prod/kustomization.yaml", &overlay),
        ("overlays/prod/patch.yaml", patch),
    ]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("overlays/prod/patch.yaml");
    assert_eq!(rules(&client.diagnostics("overlays/prod/patch.yaml")), [""; 0]);
    assert!(client.shown().is_empty());
    client.change("overlays/prod/patch.yaml", json!({ "text": patch.replace("Never", "Always") }));
    let found = client.diagnostics("overlays/prod/patch.yaml");
    assert_eq!(rules(&found), ["restart-policy-always"]);
}

#[test]
fn folders_of_the_workspace_come_and_go() {
    let (folder, other) = (tree(&[]), tree(&[("job.yaml", ALWAYS)]));
    let mut client = Client::in_folder(folder.path(), "utf-16");
    let path = other.path().canonicalize().unwrap().join("job.yaml");
    let path = path.to_str().unwrap();
    client.open(path, ALWAYS);
    assert_eq!(rules(&client.diagnostics(path)), ["restart-policy-always"], "outside of them");
    let uri = format!("file://{}", other.path().canonicalize().unwrap().display());
    let folder = json!([{ "uri": uri, "name": "other" }]);
    for event in
        [json!({ "added": folder, "removed": [] }), json!({ "added": [], "removed": folder })]
    {
        client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
        assert_eq!(rules(&client.diagnostics(path)), ["restart-policy-always"]);
    }
}

/// A client that asks for diagnostics gets those of open files when it asks, and those of others as before.
#[test]
fn a_client_can_ask_for_diagnostics() {
    let folder = tree(&[("job.yaml", ALWAYS)]);
    let capabilities = json!({
        "textDocument": { "diagnostic": {} },
        "workspace": {
            "diagnostics": { "refreshSupport": true },
            "codeLens": { "refreshSupport": true },
        },
    });
    let (mut client, own) = Client::with(folder.path(), &capabilities);
    assert_eq!(own["diagnosticProvider"]["interFileDependencies"], true, "{own}");
    client.open_file("job.yaml");
    let ask = |client: &mut Client, known: &str| {
        let document = client.document("job.yaml");
        let params = json!({ "textDocument": document, "previousResultId": known });
        client.request("textDocument/diagnostic", params)["result"].clone()
    };
    let full = ask(&mut client, "");
    assert_eq!(full["kind"], "full");
    assert_eq!(rules(full["items"].as_array().unwrap()), ["restart-policy-always"]);
    assert!(client.shown().is_empty(), "nothing is sent unasked");
    assert_eq!(ask(&mut client, full["resultId"].as_str().unwrap())["kind"], "unchanged");
    fs::write(folder.path().join(".joblint.yaml"), "select: [missing-ttl]\n").unwrap();
    let change = json!({ "uri": client.uri(".joblint.yaml"), "type": 1 });
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [change] }));
    assert_eq!(ask(&mut client, "")["items"], json!([]), "the settings on disk count");
    client.hover("none", 0, 0);
    assert!(
        client.asked.contains(&"workspace/diagnostic/refresh".to_owned()),
        "{:?}",
        client.asked
    );
    assert!(client.asked.contains(&"workspace/codeLens/refresh".to_owned()), "{:?}", client.asked);
}
