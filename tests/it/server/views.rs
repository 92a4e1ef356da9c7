//! What an editor shows of a chart and of an overlay beside findings: forecasts, the output of actions, definitions, and
//! the rendered text.

use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::Client;
use crate::support::tree;

const HELPERS: &str = "\
{{- define \"shop.image\" -}}
{{ .Values.image.name }}:{{ .Values.image.tag }}
{{- end }}
";

const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
spec:
  ttlSecondsAfterFinished: 600
  activeDeadlineSeconds: 600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: {{ include \"shop.image\" . }}
          {{- if .Values.image.pull }}
          imagePullPolicy: Always
          {{- end }}
";

const VALUES: &str = "image:\n  name: shop\n  tag: '1.0'\n  pull: false\n";

fn chart() -> TempDir {
    tree(&[
        (".joblint.yaml", "deployer: [helm4, argocd]\n"),
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("shop/values.yaml", VALUES),
        ("shop/ci/new-values.yaml", "image:\n  tag: '2.0'\n"),
        ("shop/templates/_helpers.tpl", HELPERS),
        ("shop/templates/job.yaml", JOB),
    ])
}

/// The line and column of a text in a file, both from 0.
fn find(text: &str, part: &str) -> [u64; 2] {
    let at = text.find(part).unwrap();
    let line = text[..at].matches('\n').count();
    [line as u64, (at - text[..at].rfind('\n').map_or(0, |end| end + 1)) as u64]
}

/// Path and line of places, from 0.
fn targets(client: &Client, found: &Value) -> Vec<(String, u64)> {
    let root = client.uri("") + "/";
    let one = |target: &Value| {
        let path = target["uri"].as_str().unwrap().strip_prefix(&root).unwrap().to_owned();
        (path, target["range"]["start"]["line"].as_u64().unwrap())
    };
    found.as_array().unwrap().iter().map(one).collect()
}

/// A Job whose image changes with every release cannot be changed in place: the API server rejects it, under Helm and
/// under Argo CD (`docs/observed.md`).
#[test]
fn a_job_has_its_outcomes_over_its_kind() {
    let folder = chart();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("shop/templates/job.yaml");
    let document = json!({ "textDocument": client.document("shop/templates/job.yaml") });
    let lenses = client.request("textDocument/codeLens", document)["result"].clone();
    let [lens] = &lenses.as_array().unwrap()[..] else { panic!("{lenses}") };
    assert_eq!(lens["range"]["start"]["line"], 1, "the line of the kind");
    assert_eq!(lens["command"]["title"], "Helm 4, Argo CD: next upgrade REJECTED");
    assert_eq!(lens["command"]["command"], "joblint.forecast");
    assert_eq!(lens["command"]["arguments"][0], client.uri("shop/templates/job.yaml"));
    let shown = |first: u64, last: u64| {
        let [start, end] = [first, last].map(|line| json!({ "line": line, "character": 0 }));
        json!({ "start": start, "end": end })
    };
    for (range, count) in [(shown(0, 5), 1), (shown(4, 9), 0)] {
        let document = client.document("shop/templates/job.yaml");
        let params = json!({ "textDocument": document, "range": range });
        let hints = client.request("textDocument/inlayHint", params)["result"].clone();
        assert_eq!(hints.as_array().unwrap().len(), count, "{hints}");
    }
    let hover = client.hover("shop/templates/job.yaml", 1, 2);
    let text = hover["result"]["contents"]["value"].as_str().unwrap();
    assert!(text.contains("| **upgrade**, a new version | **REJECTED**"), "{text}");
}

#[test]
fn an_action_shows_what_it_prints_under_each_value_set() {
    let folder = chart();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    let mut text = |path: &str, at: [u64; 2]| {
        client.open_file(path);
        let hover = client.about("textDocument/hover", path, at);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let whole = text("shop/templates/job.yaml", find(JOB, "include"));
    for part in ["With `values.yaml`", "shop:1.0\n", "With `ci/new-values.yaml`", "shop:2.0\n"] {
        assert!(whole.contains(part), "{part}: {whole}");
    }
    assert!(whole.contains("Reaches Job `shop-migrate`."), "{whole}");
    let inside = text("shop/templates/_helpers.tpl", find(HELPERS, ".Values.image.name"));
    assert!(
        inside.contains("With `values.yaml`, `ci/new-values.yaml`:\n\n```yaml\nshop\n```"),
        "{inside}"
    );
    assert!(inside.contains("Reaches Job `shop-migrate`."), "{inside}");
    let condition = text("shop/templates/job.yaml", find(JOB, "pull }}"));
    let value = "With `values.yaml`, `ci/new-values.yaml`:\n\n```yaml\nfalse\n```";
    assert!(condition.contains(value), "what a condition reads: {condition}");
}

/// What charts print is only kept of those that somebody has just looked at.
#[test]
fn a_chart_that_was_left_alone_is_rendered_again() {
    let names: Vec<String> = (0..6).map(|number| format!("shop{number}")).collect();
    let mut files = Vec::new();
    for name in &names {
        let about = format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
        for (path, text) in [
            ("Chart.yaml", &*about),
            ("values.yaml", VALUES),
            ("templates/_helpers.tpl", HELPERS),
            ("templates/job.yaml", JOB),
        ] {
            files.push((format!("{name}/{path}"), text.to_owned()));
        }
    }
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = tree(&files);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    names.iter().for_each(|name| client.open_file(&format!("{name}/templates/job.yaml")));
    for name in [&names[0], &names[5], &names[1]] {
        let path = format!("{name}/templates/job.yaml");
        let hover = client.about("textDocument/hover", &path, find(JOB, "include"));
        let text = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(text.contains("shop:1.0\n"), "{name}: {hover}");
        assert!(text.contains("Reaches Job"), "{name}: {hover}");
    }
    let path = format!("{}/templates/job.yaml", names[2]);
    let to = client.about("textDocument/definition", &path, find(JOB, "shop.image"));
    assert_eq!(targets(&client, &to), [(format!("{}/templates/_helpers.tpl", names[2]), 0)]);
}

#[cfg(unix)]
#[test]
fn an_overlay_is_rendered_in_a_folder_that_is_opened_by_a_link() {
    let folder = tree(&[
        ("real/base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("real/base/job.yaml", super::diagnostics::ALWAYS),
        ("real/prod/kustomization.yaml", "resources: [../base]\nnamePrefix: prod-\n"),
    ]);
    std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    let uri = client.uri("link");
    let event = json!({ "added": [{ "uri": uri, "name": "link" }], "removed": [] });
    client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    client.open_file("link/prod/kustomization.yaml");
    let document = json!({ "textDocument": client.document("link/prod/kustomization.yaml") });
    let rendered = client.request("joblint/rendered", document)["result"].clone();
    assert_eq!(rendered["unit"], "prod", "{rendered}");
    assert!(rendered["text"].as_str().unwrap().contains("name: prod-"), "{rendered}");
}

#[test]
fn a_client_with_lines_over_jobs_gets_no_hints_beside_them() {
    let folder = chart();
    let (_, own) = Client::with(folder.path(), &json!({ "textDocument": { "codeLens": {} } }));
    assert!(own["inlayHintProvider"].is_null(), "{own}");
    let (_, own) = Client::with(folder.path(), &json!({ "textDocument": { "inlayHint": {} } }));
    assert_eq!(own["inlayHintProvider"], true, "{own}");
}

#[test]
fn secrets_do_not_appear_over_actions() {
    let template = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  password: {{ .Values.db.password }}\n";
    let folder = tree(&[
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("shop/values.yaml", "db:\n  password: correct-horse-battery\n"),
        ("shop/templates/secret.yaml", template),
    ]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("shop/templates/secret.yaml");
    let hover =
        client.about("textDocument/hover", "shop/templates/secret.yaml", find(template, "db"));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("With `values.yaml`") && !text.contains("horse"), "{text}");
}

#[test]
fn definitions_lead_from_a_template_to_helpers_and_values() {
    let folder = chart();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    for path in ["shop/templates/job.yaml", "shop/templates/_helpers.tpl"] {
        client.open_file(path);
    }
    let mut from = |path: &str, at: [u64; 2]| {
        let found = client.about("textDocument/definition", path, at);
        targets(&client, &found)
    };
    let helper = from("shop/templates/job.yaml", find(JOB, "shop.image"));
    assert_eq!(helper, [("shop/templates/_helpers.tpl".to_owned(), 0)]);
    let tag = from("shop/templates/_helpers.tpl", find(HELPERS, "tag"));
    let [values, own] = ["shop/values.yaml", "shop/ci/new-values.yaml"].map(str::to_owned);
    assert_eq!(tag, [(values.clone(), 2), (own, 1)], "each value set");
    let pull = from("shop/templates/job.yaml", find(JOB, "pull }}"));
    assert_eq!(pull, [(values, 3)]);
    assert!(from("shop/templates/job.yaml", [0, 0]).is_empty());
}

/// The values of a dependency stand under its name in the chart that uses it.
#[test]
fn definitions_know_the_values_of_a_dependency() {
    let template = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      \
                    containers: [{name: a, image: \"{{ .Values.image }}\"}]\n";
    let folder = tree(&[
        (
            "shop/Chart.yaml",
            "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies: [{name: sub, version: 1.0.0}]\n",
        ),
        ("shop/values.yaml", "sub:\n  image: b:1\n"),
        ("shop/charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"),
        ("shop/charts/sub/values.yaml", "image: a:1\n"),
        ("shop/charts/sub/templates/job.yaml", template),
    ]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("shop/charts/sub/templates/job.yaml");
    let at = find(template, "image }}");
    let found = client.about("textDocument/definition", "shop/charts/sub/templates/job.yaml", at);
    assert_eq!(targets(&client, &found), [("shop/values.yaml".to_owned(), 1)]);
}

const BASE: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  backoffLimit: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: 'a:1'}]
";

const PATCH: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  backoffLimit: 5
";

fn overlay() -> TempDir {
    tree(&[
        (".git/HEAD", ""),
        ("base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("base/job.yaml", BASE),
        ("prod/kustomization.yaml", "resources:\n  - ../base\npatches:\n  - path: limit.yaml\n"),
        ("prod/limit.yaml", PATCH),
    ])
}

#[test]
fn definitions_lead_between_overlay_base_and_patch() {
    let folder = overlay();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    for path in ["prod/kustomization.yaml", "prod/limit.yaml", "base/job.yaml"] {
        client.open_file(path);
    }
    let mut from = |path: &str, at: [u64; 2]| {
        let found = client.about("textDocument/definition", path, at);
        targets(&client, &found)
    };
    let base = ("base/kustomization.yaml".to_owned(), 0);
    assert_eq!(from("prod/kustomization.yaml", [1, 6]), [base]);
    assert_eq!(from("prod/kustomization.yaml", [3, 12]), [("prod/limit.yaml".to_owned(), 0)]);
    assert!(from("prod/kustomization.yaml", [0, 2]).is_empty(), "a key");
    let limit = from("prod/limit.yaml", find(PATCH, "backoffLimit"));
    assert!(
        limit.iter().any(|(path, _)| path == "base/job.yaml"),
        "the object that the patch changes: {limit:?}"
    );
}

#[test]
fn the_rendered_view_follows_the_cursor() {
    let folder = chart();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("shop/templates/job.yaml");
    let mut view = |path: &str, at: [u64; 2], name: Value| {
        let position = json!({ "line": at[0], "character": at[1] });
        let document = client.document(path);
        let params = json!({ "textDocument": document, "position": position, "view": name });
        client.request("joblint/rendered", params)["result"].clone()
    };
    let from = view("shop/templates/job.yaml", find(JOB, "restartPolicy"), Value::Null);
    assert_eq!(from["unit"], "shop");
    assert_eq!(from["views"], json!(["values.yaml", "ci/new-values.yaml"]));
    let lines: Vec<_> = from["text"].as_str().unwrap().lines().collect();
    assert_eq!(from["origins"].as_array().unwrap().len(), lines.len(), "each line has its places");
    let line = from["line"].as_u64().unwrap() as usize;
    assert_eq!(lines[line].trim(), "restartPolicy: Never");
    let back = &from["origins"][line][0];
    assert_eq!(back["range"]["start"]["line"], find(JOB, "restartPolicy")[0], "and back");
    let image = lines.iter().position(|line| line.contains("image: shop:1.0")).unwrap();
    let paths: Vec<_> = targets_of(&from["origins"][image]);
    assert!(paths.iter().any(|path| path.ends_with("_helpers.tpl")), "{paths:?}");
    assert!(paths.iter().any(|path| path.ends_with("shop/values.yaml")), "{paths:?}");
    let new = view("shop/values.yaml", [2, 3], json!("ci/new-values.yaml"));
    assert!(new["text"].as_str().unwrap().contains("image: shop:2.0"), "{new}");
    assert_eq!(view("elsewhere.yaml", [0, 0], Value::Null), Value::Null);
}

fn targets_of(places: &Value) -> Vec<String> {
    places.as_array().unwrap().iter().map(|at| at["uri"].as_str().unwrap().to_owned()).collect()
}

/// An overlay is built with its patches; the line of the patch makes the line of the build.
#[test]
fn the_rendered_view_of_an_overlay_is_its_build() {
    let folder = overlay();
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open_file("prod/kustomization.yaml");
    client.open_file("prod/limit.yaml");
    let built = client.about("joblint/rendered", "prod/limit.yaml", find(PATCH, "backoffLimit"));
    let text = built["text"].as_str().unwrap();
    let line = built["line"].as_u64().unwrap() as usize;
    assert_eq!(text.lines().nth(line).unwrap().trim(), "backoffLimit: 5", "{text}");
    assert!(text.contains("image: a:1"), "{text}");
}

#[test]
fn commands_show_a_forecast_and_a_rule() {
    let folder = chart();
    let shows = json!({ "experimental": { "joblintResults": true } });
    let (mut client, own) = Client::with(folder.path(), &shows);
    assert_eq!(
        own["executeCommandProvider"]["commands"],
        json!(["joblint.forecast", "joblint.explain"])
    );
    client.open_file("shop/templates/job.yaml");
    let address = client.uri("shop/values.yaml");
    let run = |client: &mut Client, command: &str, argument: &str| {
        let params = json!({ "command": command, "arguments": [argument] });
        client.request("workspace/executeCommand", params)
    };
    let page = run(&mut client, "joblint.forecast", &address)["result"].clone();
    assert!(page["html"].as_str().unwrap().contains("shop-migrate"), "{page}");
    let rule = run(&mut client, "joblint.explain", "missing-ttl")["result"].clone();
    assert!(rule["markdown"].as_str().unwrap().starts_with("### missing-ttl"), "{rule}");
    assert!(client.messages_shown.is_empty(), "the client shows results itself");
    assert_eq!(run(&mut client, "joblint.explain", "no-rule")["error"]["code"], -32602);
    assert_eq!(run(&mut client, "joblint.unknown", "")["error"]["code"], -32602);
    let mut other = Client::in_folder(folder.path(), "utf-16");
    run(&mut other, "joblint.explain", "missing-ttl");
    other.hover("none", 0, 0);
    assert!(other.messages_shown[0].starts_with("missing-ttl: "), "{:?}", other.messages_shown);
}
