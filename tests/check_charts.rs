//! `joblint check` on charts from outside: whole output, places in templates and values.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use tempfile::TempDir;

const CHART: (&str, &str) =
    ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: '2.0'\n");

/// A folder with a chart of these files beside its `Chart.yaml`.
fn chart(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files.iter().chain([&CHART]) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Standard output of a quiet run in this format, and the exit code.
fn check(folder: &Path, arguments: &[&str], format: &str, input: &str) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_joblint"));
    command.args(["check", "-q", "--output", format]).args(arguments);
    command.current_dir(folder).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

fn concise(folder: &Path, arguments: &[&str]) -> Vec<String> {
    check(folder, arguments, "concise", "").0.lines().map(str::to_owned).collect()
}

const POLICY: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}
spec:
  ttlSecondsAfterFinished: 600
  template:
    spec:
      restartPolicy: {{ .Values.policy }}
      containers:
        - {name: migrate, image: 'app:1.4.2'}
";
const FOUND: &str = "shop/templates/job.yaml:9:25: error[restart-policy-always] a Job pod must not \
                     use restartPolicy Always";

#[test]
fn a_finding_points_at_the_action_and_the_value() {
    let folder =
        chart(&[("shop/templates/job.yaml", POLICY), ("shop/values.yaml", "policy: Always\n")]);
    let (json, code) = check(folder.path(), &["shop"], "json", "");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let found = &json["findings"][0];
    assert_eq!(code, 1);
    assert_eq!(found["path"], "shop/templates/job.yaml");
    // `{{ .Values.policy }}` without the braces: an action starts at its pipeline.
    assert_eq!((&found["line"], &found["column"]), (&9.into(), &25.into()));
    assert_eq!(found["inputs"], serde_json::json!(["Values.policy"]));
    assert_eq!(found["valueSets"], serde_json::json!(["values.yaml"]));
    let value = &found["labels"][1];
    assert_eq!(value["text"], "`Values.policy` is set here");
    assert_eq!((&value["path"], &value["line"]), (&"shop/values.yaml".into(), &1.into()));
    assert_eq!(json["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn every_value_set_is_rendered_and_the_message_names_those_that_matter() {
    let folder = chart(&[
        ("shop/templates/job.yaml", POLICY),
        ("shop/values.yaml", "policy: Never\n"),
        ("shop/ci/a-values.yaml", "policy: Always\n"),
        ("shop/ci/b-values.yaml", "policy: Always\n"),
        ("shop/ci/notes.yaml", "policy: Always\n"),
    ]);
    let lines = concise(folder.path(), &["."]);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with(&format!("{FOUND} (in 2 of 3 value sets)")), "{}", lines[0]);
    fs::remove_file(folder.path().join("shop/ci/a-values.yaml")).unwrap();
    let lines = concise(folder.path(), &["."]);
    assert!(lines[0].starts_with(&format!("{FOUND} (with ci/b-values.yaml)")), "{}", lines[0]);
}

#[test]
fn stated_values_stand_for_all_sets() {
    let folder = chart(&[
        ("shop/templates/job.yaml", POLICY),
        ("shop/values.yaml", "policy: Always\n"),
        ("shop/ci/b-values.yaml", "policy: Always\n"),
        ("prod.yaml", "policy: OnFailure\n"),
    ]);
    assert_eq!(concise(folder.path(), &["shop", "--values", "prod.yaml"]), [""; 0]);
    assert_eq!(concise(folder.path(), &["shop", "--set", "policy=Never"]), [""; 0]);
    let lines = concise(folder.path(), &["shop", "-f", "prod.yaml", "--set", "policy=Always"]);
    assert!(lines[0].starts_with(FOUND), "{lines:?}");
}

#[test]
fn the_settings_add_value_sets_to_the_charts_they_name() {
    let folder = chart(&[
        ("shop/templates/job.yaml", POLICY),
        ("shop/values.yaml", "policy: Never\n"),
        ("deploy/prod.yaml", "policy: Always\n"),
        (".joblint.yaml", "values: [{chart: shop, files: [deploy/prod.yaml]}]\n"),
    ]);
    let lines = concise(folder.path(), &["."]);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with(&format!("{FOUND} (with deploy/prod.yaml)")), "{}", lines[0]);
    let settings = folder.path().join(".joblint.yaml");
    fs::write(&settings, "values: [{chart: 'other/*', files: [deploy/prod.yaml]}]\n").unwrap();
    assert_eq!(concise(folder.path(), &["."]), [""; 0]);
}

#[test]
fn any_file_of_a_chart_selects_the_chart_once() {
    let folder = chart(&[
        ("shop/templates/job.yaml", POLICY),
        ("shop/templates/_helpers.tpl", "{{ define \"x\" }}{{ end }}"),
        ("shop/values.yaml", "policy: Always\n"),
    ]);
    let files = ["shop/templates/job.yaml", "shop/templates/_helpers.tpl", "shop/values.yaml"];
    assert_eq!(concise(folder.path(), &files).len(), 1);
    for file in files {
        assert!(concise(folder.path(), &[file])[0].starts_with(FOUND));
    }
    let lines = concise(&folder.path().join("shop"), &["templates/job.yaml"]);
    assert!(lines[0].starts_with("templates/job.yaml:9:25: "), "{}", lines[0]);
    assert_eq!(concise(&folder.path().join("shop"), &[]), lines);
    let inside = folder.path().join("shop/templates");
    let lines = concise(&inside, &["job.yaml"]);
    assert!(lines[0].starts_with("../templates/job.yaml:9:25: "), "{}", lines[0]);
}

#[test]
fn standard_input_stands_for_a_template() {
    let folder =
        chart(&[("shop/templates/job.yaml", POLICY), ("shop/values.yaml", "policy: Never\n")]);
    let edited = POLICY.replace("{{ .Values.policy }}", "Always");
    let arguments = ["-", "--stdin-filename", "shop/templates/job.yaml"];
    let (lines, code) = check(folder.path(), &arguments, "concise", &edited);
    assert!(lines.starts_with("shop/templates/job.yaml:9:22: error[restart-policy-"), "{lines}");
    assert_eq!(code, 1);
    assert_eq!(check(folder.path(), &arguments, "concise", POLICY), (String::new(), 0));
}

#[test]
fn comments_and_annotations_ignore_under_every_value_set() {
    let guarded = POLICY.replace("spec:\n  ttl", "{{- if .Values.x }}{{ end }}\nspec:\n  ttl");
    let ignored = |mark: &str| format!("{mark}\n{{{{- if true }}}}\n{guarded}{{{{- end }}}}\n");
    let values = ("shop/values.yaml", "policy: Never\n");
    let ci = ("shop/ci/a-values.yaml", "policy: Always\n");
    for mark in [
        "# joblint: ignore[restart-policy-always] on purpose",
        "{{/* joblint: ignore[restart-policy-always] on purpose */}}",
    ] {
        let text = ignored(mark);
        let folder = chart(&[("shop/templates/job.yaml", &text), values, ci]);
        assert_eq!(concise(folder.path(), &["shop"]), [""; 0], "{mark}");
    }
    let annotation =
        "  annotations: {joblint.dev/ignore: 'restart-policy-always: on purpose'}\nspec:\n  ttl";
    let text = POLICY.replace("spec:\n  ttl", annotation);
    let folder = chart(&[("shop/templates/job.yaml", &text), values, ci]);
    assert_eq!(concise(folder.path(), &["shop"]), [""; 0]);
    let folder = chart(&[("shop/templates/job.yaml", &text), values]);
    let lines = concise(folder.path(), &["shop"]);
    assert!(
        lines[0].starts_with("shop/templates/job.yaml:5:37: warning[unused-ignore]"),
        "{lines:?}"
    );
}

#[test]
fn what_was_fetched_is_mended_where_it_is_asked_for() {
    let job = POLICY.replace("  ttlSecondsAfterFinished: 600\n", "");
    let dependency = "dependencies:\n  - name: db\n    version: 1.0.0\n    repository: ";
    let with = |repository: &str| format!("{}{dependency}{repository}\n", CHART.1);
    let sub = [
        ("shop/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("shop/charts/db/templates/job.yaml", &job),
        ("shop/charts/db/values.yaml", "policy: Always\n"),
    ];
    let folder = chart(&sub);
    fs::write(folder.path().join(CHART.0), with("https://charts.example.com")).unwrap();
    let lines = concise(folder.path(), &["shop"]);
    // An error counts, a warning (no TTL) is the business of others.
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("shop/Chart.yaml:6:5: error[restart-policy-always]"), "{lines:?}");
    fs::write(folder.path().join("shop/values.yaml"), "db:\n  policy: Always\n").unwrap();
    let lines = concise(folder.path(), &["shop"]);
    assert!(lines[0].starts_with("shop/values.yaml:2:11: error[restart-policy-always]"));
    fs::remove_file(folder.path().join("shop/values.yaml")).unwrap();
    fs::write(folder.path().join(CHART.0), with("file://../db")).unwrap();
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].starts_with("shop/charts/db/templates/job.yaml:8:25: error"), "{lines:?}");
}

#[test]
fn a_helper_that_wrote_it_is_shown() {
    let helper = "{{ define \"shop.policy\" }}{{ .Values.policy }}{{ end }}\n";
    let job = POLICY.replace(".Values.policy", "include \"shop.policy\" .");
    let folder = chart(&[
        ("shop/templates/job.yaml", &job),
        ("shop/templates/_helpers.tpl", helper),
        ("shop/values.yaml", "policy: Always\n"),
    ]);
    let (json, _) = check(folder.path(), &["shop"], "json", "");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let labels = json["findings"][0]["labels"].as_array().unwrap();
    let paths: Vec<_> = labels.iter().map(|label| label["path"].as_str().unwrap()).collect();
    let expected = ["shop/templates/job.yaml", "shop/templates/_helpers.tpl", "shop/values.yaml"];
    assert_eq!(paths, expected);
}

#[test]
fn a_packed_chart_is_checked() {
    let folder =
        chart(&[("shop/templates/job.yaml", POLICY), ("shop/values.yaml", "policy: Always\n")]);
    let file = fs::File::create(folder.path().join("shop-0.1.0.tgz")).unwrap();
    let encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let mut archive = tar::Builder::new(encoder);
    archive.append_dir_all("shop", folder.path().join("shop")).unwrap();
    archive.into_inner().unwrap().finish().unwrap();
    let lines = concise(folder.path(), &["shop-0.1.0.tgz"]);
    let expected = "shop-0.1.0.tgz!/templates/job.yaml:9:25: error[restart-policy-always]";
    assert!(lines[0].starts_with(expected), "{lines:?}");
}

#[test]
fn a_chart_that_does_not_render_exits_with_2_and_a_place() {
    let folder = chart(&[("shop/templates/job.yaml", "a: {{ template \"absent\" . }}\n")]);
    let (text, code) = check(folder.path(), &["shop"], "concise", "");
    assert_eq!(code, 2);
    assert!(text.starts_with("shop/templates/job.yaml:1:"), "{text}");
    assert!(text.contains("error[unrenderable]"), "{text}");
    let broken = chart(&[("shop/values.yaml", "a: [\n")]);
    let (text, code) = check(broken.path(), &["shop"], "concise", "");
    assert_eq!(code, 2);
    assert!(text.starts_with("shop/values.yaml:"), "{text}");
}

#[test]
fn a_secret_value_is_not_printed() {
    let job =
        POLICY.replace("image: 'app:1.4.2'", "image: 'app:1.4.2', env: {{ toJson .Values.env }}");
    let values = "policy: Always\nenv:\n  - {name: DB_PASSWORD, value: zebra-4711-canary}\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", values)]);
    for format in ["full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"] {
        let (text, _) = check(folder.path(), &["shop", "--pedantic"], format, "");
        assert!(!text.contains("canary") && text.contains("restart-policy-always"), "{format}");
    }
}

#[test]
fn a_job_that_is_off_is_checked_under_the_values_that_switch_it_on() {
    let job = format!(
        "{{{{- if and .Values.migrate.enabled (eq .Values.db \"mysql\") }}}}\n{POLICY}{{{{- end }}}}\n"
    );
    let values = "policy: Always\ndb: postgres\nmigrate: {enabled: false}\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", values)]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let with = " (with db=mysql, migrate.enabled=true)";
    assert!(lines[0].starts_with("shop/templates/job.yaml:10:25: error[restart-policy-always]"));
    assert!(lines[0].contains(with), "{}", lines[0]);
}

#[test]
fn what_renders_of_a_broken_chart_is_checked_nevertheless() {
    let files = [
        ("shop/templates/a.yaml", "a: {{ .Values.absent.deep }}\n"),
        ("shop/templates/job.yaml", POLICY),
        ("shop/values.yaml", "policy: Always\n"),
    ];
    let folder = chart(&files);
    let (text, code) = check(folder.path(), &["shop"], "concise", "");
    assert_eq!(code, 2);
    let rules: Vec<_> =
        text.lines().map(|line| line.split(['[', ']']).nth(1).unwrap_or_default()).collect();
    assert_eq!(rules, ["unrenderable", "restart-policy-always"], "{text}");
    // What it needs is perhaps in the dependency that is not there.
    let dependency =
        "dependencies: [{name: db, version: 1.0.0, repository: https://x.example.com}]\n";
    fs::write(folder.path().join(CHART.0), format!("{}{dependency}", CHART.1)).unwrap();
    let (text, code) = check(folder.path(), &["shop"], "concise", "");
    assert_eq!(code, 1, "{text}");
    assert!(!text.contains("unrenderable") && text.contains("not-rendered"), "{text}");
}

#[test]
fn a_value_set_that_renders_alone_is_named() {
    let job = format!("{{{{ required \"say which\" .Values.need }}}}\n---\n{POLICY}");
    let ci = "need: '# here'\npolicy: Always\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/ci/test-values.yaml", ci)]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains(" (with ci/test-values.yaml)"), "{lines:?}");
}

#[test]
fn a_chart_may_ask_the_cluster_for_a_kind() {
    // `helm template` knows no kinds, a cluster since 1.21 serves this one.
    let cron = "{{- if .Capabilities.APIVersions.Has \"batch/v1/CronJob\" }}
apiVersion: batch/v1
{{- else }}
apiVersion: batch/v1beta1
{{- end }}
kind: CronJob
metadata: {name: report}
spec:
  schedule: '0 3 * * *'
  concurrencyPolicy: Forbid
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: report, image: 'app:1.4.2'}]
";
    let folder = chart(&[("shop/templates/cron.yaml", cron)]);
    let at = |version: &str| concise(folder.path(), &["shop", "--kube-version", version]);
    assert_eq!(concise(folder.path(), &["shop"]), [""; 0]);
    assert_eq!(at("1.21"), [""; 0]);
    assert_eq!(at("1.20"), [""; 0]);
}

#[test]
fn a_table_given_to_a_dependency_is_not_where_its_error_is_mended() {
    // The helper looks at a table, which it may hand to `tpl` as a whole.
    let helper = "{{- define \"db.policy\" }}{{ $shared := .global }}
{{- if $shared.policy }}{{ $shared.policy }}
{{- else }}{{ tpl (printf \"%s%s\" .policy ($shared.suffix | default \"\")) . }}{{ end }}{{ end }}\n";
    let job = POLICY.replace(".Values.policy", "include \"db.policy\" .Values | trim");
    let job = format!("{helper}{job}");
    let sub = [
        ("shop/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("shop/charts/db/templates/job.yaml", &job),
        ("shop/charts/db/values.yaml", "policy: Always\n"),
        ("shop/values.yaml", "global:\n  zone: a\n"),
    ];
    let folder = chart(&sub);
    let dependency =
        "dependencies:\n  - {name: db, version: 1.0.0, repository: https://x.example.com}\n";
    fs::write(folder.path().join(CHART.0), format!("{}{dependency}", CHART.1)).unwrap();
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("shop/Chart.yaml:6:6: error[restart-policy-always]"), "{lines:?}");
}

#[test]
fn a_job_that_cannot_be_switched_on_does_not_hide_another() {
    let list = format!(
        "{{{{- range .Values.users }}}}\n{}{{{{- end }}}}\n",
        POLICY.replace(".Release", "$.Release").replace(".Values.policy", ".policy.name")
    );
    let flag = format!("{{{{- if .Values.migrate.enabled }}}}\n{POLICY}{{{{- end }}}}\n");
    let (none, ci) = ("users: []\nmigrate: {enabled: false}\npolicy: Always\n", "zone: a\n");
    let folder = chart(&[
        ("shop/templates/a.yaml", &list),
        ("shop/templates/b.yaml", &list),
        ("shop/templates/c.yaml", &list),
        ("shop/templates/d.yaml", &list),
        ("shop/templates/e.yaml", &list),
        ("shop/templates/f.yaml", &list),
        ("shop/templates/job.yaml", &flag),
        ("shop/values.yaml", none),
        ("shop/ci/test-values.yaml", ci),
    ]);
    let lines = concise(folder.path(), &["shop"]);
    let said = "shop/templates/a.yaml:3:7: info[not-rendered] a part of this chart was not rendered: no set \
                of values renders this, nor 5 other Jobs: with `users=[\"placeholder\"]` its template fails: \
                `.policy.name`: can't evaluate field policy in type interface {}";
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0], said, "of no set of values in particular");
    assert!(lines[1].contains("job.yaml:10:25: error[restart-policy-always]"), "{lines:?}");
}

#[test]
fn a_template_that_fails_is_said_once() {
    let job = format!("a: {{{{ .Values.absent.deep }}}}\n---\n{POLICY}");
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/templates/z.yaml", &job)]);
    let (text, _) = check(folder.path(), &["shop"], "json", "");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let [found] = &json["findings"].as_array().unwrap()[..] else { panic!("{text}") };
    assert_eq!(
        (&found["rule"], &found["path"]),
        (&"unrenderable".into(), &"shop/templates/z.yaml".into())
    );
    let labels = found["labels"].as_array().unwrap().iter();
    let places: Vec<_> = labels.map(|label| (&label["path"], label["line"].as_u64())).collect();
    let job = (&"shop/templates/job.yaml".into(), Some(4));
    assert!(
        places.contains(&job) && text.contains("its template fails: `.Values.absent.deep`: nil"),
        "{text}"
    );
}

/// Who switches it on sets the account too, and more than a placeholder.
#[test]
fn what_made_up_values_leave_empty_is_nobodys_mistake() {
    let job = POLICY.replace("{{ .Values.policy }}", "Never").replace(
        "        - {name: migrate, image: 'app:1.4.2'}",
        "        - name: {{ .Values.geo.name }}
          image: 'app:1.4.2'
          env: {{ toYaml .Values.geo.env }}
          volumeMounts:
            - name: {{ .Values.geo.volume | quote }}
              mountPath: {{ .Values.geo.path }}
            - {name: '', mountPath: /b}
      volumes:
        {{- range .Values.geo.volumes }}
        - {{ toYaml . }}
        {{- end }}
        - name: {{ .Values.geo.account }}_x",
    );
    let job = format!("{{{{- if .Values.geo.account }}}}\n{job}\n{{{{- end }}}}\n");
    let values = "geo: {account: '', name: , volume: '', path: '', env: [], volumes: []}\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", values)]);
    let lines = concise(folder.path(), &["shop", "--select", "invalid-job"]);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("job.yaml:18:") && lines[0].contains("Required value"), "{lines:?}");
    // The same values, written by somebody, are judged.
    let lines =
        concise(folder.path(), &["shop", "--select", "invalid-job", "--set", "geo.account=a"]);
    assert!(lines.len() > 3, "{lines:#?}");
}

#[test]
fn a_view_names_what_the_job_needs() {
    let guarded = |flag: &str| format!("{{{{- if .Values.{flag} }}}}\n{POLICY}{{{{- end }}}}\n");
    let folder = chart(&[
        ("shop/templates/a.yaml", &guarded("a.enabled")),
        ("shop/templates/b.yaml", &guarded("b.enabled")),
        ("shop/values.yaml", "policy: Always\na: {enabled: false}\nb: {enabled: false}\n"),
    ]);
    let lines = concise(folder.path(), &["shop", "--select", "restart-policy-always"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("a.yaml") && lines[0].contains("(with a.enabled=true)"), "{lines:?}");
    assert!(lines[1].contains("b.yaml") && lines[1].contains("(with b.enabled=true)"), "{lines:?}");
}

#[test]
fn a_job_for_upgrades_is_checked_as_one() {
    let job =
        format!("{{{{- if and .Release.IsUpgrade .Values.migrate }}}}\n{POLICY}{{{{- end }}}}\n");
    let values = ("shop/values.yaml", "policy: Always\nmigrate: true\n");
    let folder = chart(&[("shop/templates/job.yaml", &job), values]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("(with Release.IsUpgrade=true)"), "{lines:?}");
    // Argo CD never upgrades, so there is no such Job.
    assert_eq!(concise(folder.path(), &["shop", "--deployer", "argocd"]), [""; 0]);
    let lines = concise(folder.path(), &["shop", "--deployer", "argocd", "--deployer", "helm4"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
}
