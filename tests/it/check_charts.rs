//! `joblint check` on charts: whole output, and the positions in templates and values.

mod disabled_jobs;
mod guards;
mod unset_values;

use std::{fs, path::Path};

use tempfile::TempDir;

use super::support::{joblint, repository, run, run_with_input, tree, write};

const CHART: (&str, &str) =
    ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: '2.0'\n");

/// A folder with a chart of `Chart.yaml` and these files.
fn chart(files: &[(&str, &str)]) -> TempDir {
    let folder = tree(&[CHART]);
    write(folder.path(), files);
    folder
}

/// Standard output of a quiet run in this format, and the exit code.
fn check(folder: &Path, arguments: &[&str], format: &str) -> (String, i32) {
    let mut command = joblint(folder, &["check", "-q", "--output", format]);
    let (code, stdout, _) = run(command.args(arguments));
    (stdout, code)
}

fn concise(folder: &Path, arguments: &[&str]) -> Vec<String> {
    check(folder, arguments, "concise").0.lines().map(str::to_owned).collect()
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
const FOUND: &str = "shop/templates/job.yaml:9:25: error[restart-policy-always] API server will reject Job \
                     `shop`: `restartPolicy` must be `Never` or `OnFailure`";

#[test]
fn a_finding_points_at_the_action_and_the_value() {
    let folder =
        chart(&[("shop/templates/job.yaml", POLICY), ("shop/values.yaml", "policy: Always\n")]);
    let (json, code) = check(folder.path(), &["shop"], "json");
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

/// A person edits the line of the script, and not the action that prints it.
#[test]
fn a_line_of_a_script_that_a_template_prints_is_shown_where_it_is_written() {
    let script = "echo start\npsql -c \"UPDATE a SET b = 1\"\necho done\n";
    let values = format!("script: |\n  {}", script.replace('\n', "\n  "));
    let last_label = |action: &str| {
        let template = format!(
            "apiVersion: batch/v1
kind: Job
metadata: {{name: a}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {{name: a, image: 'postgres:17.6', command: [sh, /s/run.sh], volumeMounts: [{{name: s, mountPath: /s}}]}}
      volumes: [{{name: s, configMap: {{name: a}}}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: a}}
data:
  run.sh: |{{{{ {action} | nindent 4 }}}}
"
        );
        let folder = chart(&[
            ("shop/templates/job.yaml", &template),
            ("shop/run.sh", script),
            ("shop/values.yaml", &values),
        ]);
        let (json, _) = check(folder.path(), &["shop", "--select", "failure-hidden"], "json");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let label = json["findings"][0]["labels"].as_array().unwrap().last().unwrap().clone();
        (label["path"].as_str().unwrap().to_owned(), label["line"].as_u64().unwrap())
    };
    assert_eq!(last_label(".Files.Get \"run.sh\""), ("shop/run.sh".to_owned(), 2));
    assert_eq!(last_label(".Values.script"), ("shop/values.yaml".to_owned(), 3));
}

#[test]
fn every_value_set_is_rendered_and_the_message_names_the_affected_ones() {
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

/// What fails with one set is tried first with the next.
#[test]
fn a_value_set_that_renders_is_found_behind_those_that_do_not() {
    let port = "{{ $_ := .Values.service.port.number }}";
    let folder = chart(&[
        ("shop/templates/job.yaml", POLICY),
        ("shop/templates/a.yaml", port),
        ("shop/values.yaml", "policy: Always\nservice: {}\n"),
        ("shop/ci/a-values.yaml", "policy: OnFailure\n"),
        ("shop/ci/b-values.yaml", "service: {port: {}}\n"),
        ("shop/ci/c-values.yaml", "policy: Never\n"),
        ("shop/ci/d-values.yaml", "service: {port: {number: 1}}\n"),
    ]);
    let (json, _) = check(folder.path(), &["."], "json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let found = json["findings"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    let sets = ["ci/b-values.yaml", "ci/d-values.yaml"];
    assert_eq!(found[0]["valueSets"], serde_json::json!(sets));
}

/// A chart without values of its own is always given those of an environment.
#[test]
fn values_of_environments_stand_for_those_that_a_chart_lacks() {
    let template = ("shop/templates/job.yaml", "{{ $_ := .Values.service.port }}POLICY");
    let job = template.1.replace("POLICY", POLICY);
    let environment = "policy: Always\nservice: {port: 80}\n";
    let folder = chart(&[
        (template.0, &job),
        ("shop/values-production.yaml", environment),
        ("shop/values-staging.yaml", "policy: Never\nservice: {port: 80}\n"),
    ]);
    let lines = concise(folder.path(), &["."]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let found = format!("{FOUND} (with values-production.yaml)");
    assert!(lines[0].starts_with(&found), "{}", lines[0]);
    // What the deployment gives beside them is filled in.
    let tagged = format!("{{{{ $_ := .Values.image.tag }}}}{job}");
    fs::write(folder.path().join(template.0), tagged).unwrap();
    let lines = concise(folder.path(), &["."]);
    assert!(lines[0].starts_with(FOUND), "{lines:?}");
    fs::write(folder.path().join("shop/values.yaml"), "service: {port: 80}\n").unwrap();
    assert_eq!(concise(folder.path(), &["."]), [""; 0]);
}

#[test]
fn values_on_the_command_line_replace_all_value_sets() {
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
fn each_file_of_a_chart_selects_the_chart_once() {
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
fn standard_input_replaces_a_template() {
    let folder =
        chart(&[("shop/templates/job.yaml", POLICY), ("shop/values.yaml", "policy: Never\n")]);
    let edited = POLICY.replace("{{ .Values.policy }}", "Always");
    let arguments = ["-", "--stdin-filename", "shop/templates/job.yaml"];
    let check = |input: &str| {
        let mut command = joblint(folder.path(), &["check", "-q", "--output", "concise"]);
        run_with_input(command.args(arguments), input)
    };
    let (code, lines, _) = check(&edited);
    assert!(lines.starts_with("shop/templates/job.yaml:9:22: error[restart-policy-"), "{lines}");
    assert_eq!(code, 1);
    assert_eq!(check(POLICY), (0, String::new(), String::new()));
}

#[test]
fn comments_and_annotations_ignore_findings_of_every_value_set() {
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
fn a_finding_in_a_fetched_dependency_points_at_the_parent_chart() {
    let job = POLICY.replace("  ttlSecondsAfterFinished: 600\n", "");
    let dependency = "dependencies:\n  - name: db\n    version: 1.0.0\n    repository: ";
    let with = |repository: &str| format!("{}{dependency}{repository}\n", CHART.1);
    let sub = [
        ("shop/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("shop/charts/db/templates/job.yaml", &job),
        ("shop/charts/db/values.yaml", "policy: Always\n"),
    ];
    let folder = chart(&sub);
    let flags = ["shop", "--select", "restart-policy-always", "--select", "missing-ttl"];
    fs::write(folder.path().join(CHART.0), with("https://charts.example.com")).unwrap();
    let lines = concise(folder.path(), &flags);
    // Of a fetched dependency only errors are reported, so the missing TTL is not.
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("shop/Chart.yaml:6:5: error[restart-policy-always]"), "{lines:?}");
    fs::write(folder.path().join("shop/values.yaml"), "db:\n  policy: Always\n").unwrap();
    let lines = concise(folder.path(), &flags);
    assert!(lines[0].starts_with("shop/values.yaml:2:11: error[restart-policy-always]"));
    fs::remove_file(folder.path().join("shop/values.yaml")).unwrap();
    fs::write(folder.path().join(CHART.0), with("file://../db")).unwrap();
    let lines = concise(folder.path(), &flags);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].starts_with("shop/charts/db/templates/job.yaml:8:25: error"), "{lines:?}");
}

#[test]
fn a_chart_that_needs_a_helper_of_its_umbrella_is_checked_within_it() {
    let umbrella = "apiVersion: v2\nname: all\nversion: 1.0.0\ndependencies:\n  - {name: db, version: 1.0.0, repository: 'file://../base/db'}\n  \
                    - {name: common, version: 1.0.0, repository: 'file://../common'}\n";
    let job = POLICY.replace("{{ .Values.policy }}", "{{ include \"policy\" . }}");
    let helper = "{{ define \"policy\" }}Always{{ end }}\n";
    let cases = [
        ("all/templates/_helpers.tpl", "policy", true),
        ("common/templates/_helpers.tpl", "policy", true),
        ("all/templates/_helpers.tpl", "other", false),
    ];
    for (path, name, is_found) in cases {
        let helper = helper.replace("policy", name);
        let folder = chart(&[
            ("base/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
            ("base/db/templates/job.yaml", &job),
            ("common/Chart.yaml", "apiVersion: v2\nname: common\nversion: 1.0.0\n"),
            ("all/Chart.yaml", umbrella),
            (path, &helper),
        ]);
        let lines = concise(folder.path(), &[".", "--ignore", "missing-ttl"]);
        let is_alone = lines.iter().any(|line| line.contains("warning[unrenderable]"));
        let is_within = lines.iter().any(|line| line.contains("error[restart-policy-always]"));
        assert_eq!((is_alone, is_within), (!is_found, is_found), "{path}: {lines:?}");
    }
}

#[test]
fn a_helper_that_wrote_the_value_is_a_label() {
    let helper = "{{ define \"shop.policy\" }}{{ .Values.policy }}{{ end }}\n";
    let job = POLICY.replace(".Values.policy", "include \"shop.policy\" .");
    let folder = chart(&[
        ("shop/templates/job.yaml", &job),
        ("shop/templates/_helpers.tpl", helper),
        ("shop/values.yaml", "policy: Always\n"),
    ]);
    let (json, _) = check(folder.path(), &["shop"], "json");
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
    let job = format!("{{{{ template \"absent\" . }}}}\n---\n{POLICY}");
    let folder = chart(&[("shop/templates/job.yaml", &job)]);
    let (text, code) = check(folder.path(), &["shop"], "concise");
    assert_eq!(code, 2);
    assert!(text.starts_with("shop/templates/job.yaml:1:"), "{text}");
    assert!(text.contains("error[unrenderable]"), "{text}");
    let broken = chart(&[("shop/values.yaml", "a: [\n"), ("shop/templates/job.yaml", POLICY)]);
    let (text, code) = check(broken.path(), &["shop"], "concise");
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
        let (text, _) = check(folder.path(), &["shop", "--pedantic"], format);
        assert!(!text.contains("canary") && text.contains("restart-policy-always"), "{format}");
    }
}

/// The rest of a CronJob whose API version a template chooses.
const CRON: &str = "kind: CronJob
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

#[test]
fn capabilities_list_the_kinds_of_the_cluster_version() {
    // `helm template` lists no kinds; a cluster serves this one since 1.21.
    let cron = format!(
        "{{{{- if .Capabilities.APIVersions.Has \"batch/v1/CronJob\" }}}}
apiVersion: batch/v1
{{{{- else }}}}
apiVersion: batch/v1beta1
{{{{- end }}}}
{CRON}"
    );
    let folder = chart(&[("shop/templates/cron.yaml", &cron)]);
    let at = |version: &str| concise(folder.path(), &["shop", "--kube-version", version]);
    assert_eq!(concise(folder.path(), &["shop"]), [""; 0]);
    assert_eq!(at("1.21"), [""; 0]);
    assert_eq!(at("1.20"), [""; 0]);
}

#[test]
fn capabilities_lack_the_versions_that_the_cluster_has_removed() {
    let cron = |has: &str, lacks: &str| {
        format!(
            "{{{{- if .Capabilities.APIVersions.Has \"batch/v1beta1\" }}}}
apiVersion: {has}
{{{{- else }}}}
apiVersion: {lacks}
{{{{- end }}}}
{CRON}"
        )
    };
    let found = |text: &str, arguments: &[&str]| {
        let folder = chart(&[("shop/templates/cron.yaml", text)]);
        concise(folder.path(), &[&["shop"], arguments].concat())
    };
    let old = cron("batch/v1", "batch/v2alpha1");
    let gone = "shop/templates/cron.yaml:4:13: warning[removed-api-version] CronJob `report` cannot be created: \
                Kubernetes 1.21 removed `batch/v2alpha1`";
    let gone = |found: &[String]| found.len() == 1 && found[0].starts_with(gone);
    assert!(gone(&found(&old, &[])));
    assert!(gone(&found(&old, &["--deployer", "fleet"])));
    assert_eq!(found(&old, &["--kube-version", "1.24"]), [""; 0]);
    // They call `helm template`, which knows every version of Helm's libraries.
    assert_eq!(found(&old, &["--deployer", "argocd"]), [""; 0]);
    assert_eq!(found(&old, &["--deployer", "kubectl"]), [""; 0]);
    let new = cron("batch/v1beta1", "batch/v1");
    assert_eq!(found(&new, &[]), [""; 0]);
    assert_eq!(found(&new, &["--deployer", "argocd"]).len(), 1);
}

#[test]
fn an_unrelated_table_for_a_dependency_does_not_attract_its_finding() {
    // The helper reads the table, and may pass it to `tpl` as a whole.
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
fn sets_that_change_no_job_are_not_rendered() {
    let service =
        "apiVersion: v1\nkind: Service\nmetadata: {name: shop}\nspec: {ports: [{port: 80}]}\n";
    let sets = |files: &[(&str, &str)]| {
        let folder = chart(files);
        let (_, _, notes) = run(&mut joblint(folder.path(), &["check", "shop", "--verbose"]));
        let line = notes.lines().find(|line| line.starts_with("chart shop:")).unwrap().to_owned();
        line.split("; ").find(|part| part.starts_with("values: ")).unwrap().to_owned()
    };
    let ci = ("shop/ci/a-values.yaml", "policy: Always\n");
    let empty = ("shop/ci/default-values.yaml", "# The defaults.\n");
    let job = ("shop/templates/job.yaml", POLICY);
    let values = ("shop/values.yaml", "policy: Never\n");
    assert_eq!(sets(&[job, values, ci, empty]), "values: values.yaml, ci/a-values.yaml");
    assert_eq!(
        sets(&[("shop/templates/service.yaml", service), values, ci]),
        "values: values.yaml"
    );
    let kind = ("shop/templates/any.yaml", "apiVersion: batch/v1\nkind: {{ .Values.type }}\n");
    let by_set = ("shop/ci/a-values.yaml", "type: Job\n");
    let none = ("shop/values.yaml", "type: List\n");
    assert_eq!(sets(&[kind, none, by_set]), "values: values.yaml, ci/a-values.yaml");
}

/// A dependency that is a link into a submodule is there for whoever checks the submodule out.
#[cfg(unix)]
#[test]
fn a_link_into_a_submodule_that_is_not_checked_out_is_a_note() {
    use std::os::unix::fs::symlink;

    let files: [(&str, &str); 3] = [
        (
            ".gitmodules",
            "[submodule \"vendor/db\"]\n\tpath = vendor/db\n\turl = https://example.org/db.git\n",
        ),
        ("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("chart/templates/job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n"),
    ];
    let found = |target: &str| {
        let folder = repository("git@example.org:acme/shop.git", &files);
        std::fs::create_dir(folder.path().join("chart/charts")).unwrap();
        symlink(target, folder.path().join("chart/charts/db")).unwrap();
        let (_, out, errors) = run(&mut joblint(folder.path(), &["--color", "never"]));
        assert!(!out.contains(&*folder.path().to_string_lossy()), "{out}");
        out + &errors
    };
    let note = found("../../vendor/db/chart");
    assert!(note.contains("submodule `vendor/db` is not checked out"), "{note}");
    assert!(!note.contains("error["), "{note}");
    let outside = found("../../../elsewhere/db");
    assert!(outside.contains("error[unreadable]: cannot read this file: charts/db"), "{outside}");
    assert!(outside.contains("charts/db"), "{outside}");
    assert!(!outside.contains("marked line"), "{outside}");
}

/// Two objects in one document are there with two values: the note names both.
#[test]
fn two_objects_without_a_line_between_them_are_one_finding() {
    let job = |name: &str| {
        format!(
            "{{{{- with .Values.{name} }}}}\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec:\n  \
             backoffLimit: 0\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{{name: main, \
             image: 'app:1.0'}}]\n{{{{- end }}}}\n"
        )
    };
    let folder = chart(&[
        ("shop/values.yaml", "pre: []\npost: []\n"),
        ("shop/templates/jobs.yaml", &format!("{}{}", job("pre"), job("post"))),
    ]);
    let found = concise(folder.path(), &["--select", "duplicate-key"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("shop/templates/jobs.yaml:13:1: warning[duplicate-key]"),
        "{found:?}"
    );
    assert!(
        found[0].contains("Job `pre` is lost: no `---` separates it from Job `post`"),
        "{found:?}"
    );
    let values = ["pre=…", "post=…"];
    assert!(values.iter().all(|value| found[0].contains(value)), "{found:?}");
}

/// `printf` writes `%!s(<nil>)` for a value that nobody has set, which a shell does not read as one word.
#[test]
fn a_command_with_a_value_that_is_not_set_is_not_judged() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: clean}\nspec:\n  backoffLimit: 0\n  template:\n    \
               spec:\n      restartPolicy: Never\n      containers:\n        - name: main\n          image: 'app:1.0'\n          \
               args: [sh, -c, {{ printf \"clean -H %s -u %s -k 5\" .Values.host .Values.user | quote }}]\n";
    let found = |values: &str| {
        let folder = chart(&[("shop/values.yaml", values), ("shop/templates/job.yaml", job)]);
        concise(folder.path(), &["--select", "lost-continuation"]).len()
    };
    assert_eq!(found("host:\nuser:\n"), 0);
    assert_eq!(found("host: \"h\\n\"\nuser: a\n"), 1, "a line break of the value");
}

/// A template prints the body of a loop many times: its line is one place.
#[test]
fn a_line_of_a_loop_is_one_label() {
    let folder = chart(&[
        ("shop/values.yaml", "files: [a, b]\n"),
        (
            "shop/templates/job.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: scripts}\ndata:\n  run.sh: |\n    #!/bin/sh\n    \
             {{- range .Values.files }}\n    kubectl apply -f /x/{{ . }}.yaml\n    {{- end }}\n    echo finished\n---\n\
             apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: load\n  annotations: {helm.sh/hook: \
             post-install}\nspec:\n  activeDeadlineSeconds: 60\n  backoffLimit: 1\n  template:\n    spec:\n      \
             restartPolicy: Never\n      containers:\n        - name: main\n          image: bitnami/kubectl:1.30\n          \
             command: [/bin/sh, /s/run.sh]\n          volumeMounts: [{name: s, mountPath: /s}]\n      volumes: [{name: s, \
             configMap: {name: scripts}}]\n",
        ),
    ]);
    let (out, _) = check(folder.path(), &["--select", "failure-hidden"], "json");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let labels = report["findings"][0]["labels"].as_array().unwrap();
    assert_eq!(labels.iter().filter(|one| one["text"] == "this runs it").count(), 1, "{out}");
    assert!(!labels.iter().any(|one| one["text"] == "so may this"), "{out}");
}

/// What the defaults do is no matter of a value set, even if values that test the chart switch it off.
#[test]
fn what_the_defaults_do_is_said_without_them() {
    let job = POLICY.replace("{{ .Values.policy }}", "Always");
    let folder = chart(&[
        ("shop/values.yaml", "now: true\n"),
        ("shop/ci/off-values.yaml", "now: false\n"),
        ("shop/templates/job.yaml", &format!("{{{{- if .Values.now }}}}\n{job}{{{{- end }}}}\n")),
    ]);
    let found = concise(folder.path(), &["--select", "restart-policy-always"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("must be `Never` or `OnFailure`"), "{found:?}");
}

/// Suites of helm-unittest, and kept output, compare what the chart renders; no cluster gets it. Without them, the values may be
/// installed.
#[test]
fn values_that_only_tests_compare_are_nobodys() {
    let files = [
        ("shop/templates/job.yaml", POLICY),
        ("shop/values.yaml", "policy: Never\n"),
        ("shop/tests/values-01.yaml", "policy: Always\n"),
    ];
    let folder = chart(&files);
    let lines = concise(folder.path(), &["shop"]);
    assert!(lines.iter().any(|line| line.contains("restart-policy-always")), "{lines:?}");
    write(folder.path(), &[("shop/tests/jobs_test.yaml", "suite: jobs\ntests: []\n")]);
    assert_eq!(concise(folder.path(), &["shop"]), [""; 0]);
    fs::rename(folder.path().join("shop/tests/jobs_test.yaml"), folder.path().join("notes.yaml"))
        .unwrap();
    assert!(!concise(folder.path(), &["shop"]).is_empty());
    let rendered = "---\n# Source: shop/templates/job.yaml\nkind: Job\n";
    write(folder.path(), &[("shop/snapshots/values-01.yaml", rendered)]);
    assert_eq!(concise(folder.path(), &["shop"]), [""; 0]);
    // What the template itself says is wrong under all values.
    write(
        folder.path(),
        &[("shop/templates/job.yaml", &POLICY.replace("{{ .Values.policy }}", "Always"))],
    );
    assert_eq!(concise(folder.path(), &["shop"]).len(), 1);
}

/// Values that only a test installs repeat a variable: that is for whoever wrote the test. Those that users have are not.
#[test]
fn an_entry_that_values_of_tests_repeat_is_theirs() {
    let env = "env: [{name: FOO, value: a}]\n";
    let list = "- {env: [{name: FOO, value: b}{{ range .Values.env }}, {name: {{ .name }}, value: {{ .value }}}{{ end }}], ";
    let job = POLICY.replace("{{ .Values.policy }}", "Never").replace("- {", list);
    let found = |values: &str| {
        let folder = chart(&[("shop/templates/job.yaml", &job), (values, env)]);
        concise(folder.path(), &["shop", "--select", "duplicate-entry"]).len()
    };
    assert_eq!([found("shop/ci/test-values.yaml"), found("shop/values.yaml")], [0, 1]);
}

/// A build puts the file into the chart; what fails without it is incomplete, and not broken.
#[test]
fn a_template_that_fails_without_a_file_of_the_build_is_incomplete() {
    let helper = "{{- define \"manifest\" }}{{ $_ := set .Values \"manifest\" (.Files.Get \"assets/a.yaml\" | fromYaml) }}{{ end }}\n";
    let job = format!(
        "{{{{- $_ := include \"manifest\" . }}}}{{{{ $stacks := .Values.manifest.stacks }}}}{{{{ if ne (len $stacks) 1 }}}}{{{{ fail \"x\" }}}}{{{{ end }}}}\n{POLICY}"
    );
    let files = [
        ("shop/templates/_manifest.tpl", helper),
        ("shop/templates/job.yaml", &*job),
        ("shop/values.yaml", "policy: Never\n"),
    ];
    let folder = chart(&files);
    let (text, code) = check(folder.path(), &["shop"], "concise");
    assert_eq!((&*text, code), ("", 2), "a Job was missed");
    write(folder.path(), &[("shop/assets/a.yaml", "a: 1\n")]);
    let (text, _) = check(folder.path(), &["shop"], "concise");
    assert!(text.contains("error[unrenderable]"), "{text}");
}

/// A build fills in what stands between percent signs, with which the values are no YAML. Another character is a mistake.
#[test]
fn values_that_a_build_fills_in_are_a_form() {
    let found = |tag: &str| {
        let values = format!("policy: Never\nimage:\n  tag: {tag}\n");
        let folder = chart(&[("shop/templates/job.yaml", POLICY), ("shop/values.yaml", &values)]);
        let (_, text, notes) = run(&mut joblint(folder.path(), &["shop", "--output", "concise"]));
        (text, notes)
    };
    let (text, notes) = found("%TAG%");
    assert_eq!(text, "");
    assert!(notes.contains("another tool replaces `%TAG%`"), "{notes}");
    let (text, _) = found("{{< .tag | quote >}}");
    assert_eq!(text, "");
    for tag in ["%tag", "{{ .Values.tag }}"] {
        let (text, _) = found(tag);
        assert!(text.contains("error[unrenderable]"), "{text}");
    }
}

/// A repository of charts keeps the library that it publishes beside them. Of another version, it may be another library.
#[test]
fn a_library_of_the_very_version_beside_the_chart_is_used() {
    let found = |version: &str, kind: &str| {
        let library = format!("apiVersion: v2\nname: common\ntype: {kind}\nversion: 1.2.3\n");
        let shop = format!(
            "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies:\n  - name: common\n    version: {version}\n    repository: https://charts.example.com\n"
        );
        let folder = tree(&[
            ("charts/shop/Chart.yaml", &*shop),
            ("charts/shop/templates/job.yaml", "{{ include \"common.job\" . }}\n"),
            ("charts/common/Chart.yaml", &*library),
            (
                "charts/common/templates/_job.tpl",
                &format!(
                    "{{{{- define \"common.job\" -}}}}\n{}{{{{- end -}}}}\n",
                    POLICY.replace("{{ .Values.policy }}", "Always")
                ),
            ),
        ]);
        fs::create_dir(folder.path().join(".git")).unwrap();
        let (text, _) = check(folder.path(), &["charts/shop"], "concise");
        // It can be corrected there.
        text.matches("charts/common/templates/_job.tpl").count()
    };
    assert_eq!(found("1.2.3", "library"), 1);
    assert_eq!(found("1.2.4", "library"), 0);
    assert_eq!(found("1.2.3", "application"), 0);
}

/// Each of the libraries names all of them. Without an end, there are more of them than a disk holds.
#[test]
fn libraries_that_name_one_another_are_read_once_each() {
    let names: Vec<_> = (0..12).map(|index| format!("lib{index}")).collect();
    let listed = |name: &String| {
        format!("  - {{name: {name}, version: 1.0.0, repository: https://charts.example.com}}\n")
    };
    let all = names.iter().map(listed).collect::<String>();
    let library = |name: &String| {
        format!("apiVersion: v2\nname: {name}\ntype: library\nversion: 1.0.0\ndependencies:\n{all}")
    };
    let shop = format!("apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies:\n{all}");
    let job = POLICY.replace("{{ .Values.policy }}", "Always");
    let mut files = vec![
        ("charts/shop/Chart.yaml".to_owned(), shop),
        ("charts/shop/templates/job.yaml".to_owned(), job),
    ];
    files.extend(names.iter().map(|name| (format!("charts/{name}/Chart.yaml"), library(name))));
    let files: Vec<_> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = tree(&files);
    fs::create_dir(folder.path().join(".git")).unwrap();
    let (text, _) = check(folder.path(), &["charts/shop"], "concise");
    assert!(text.contains("restart-policy-always"), "{text}");
}

/// What tests compare with is only looked for in regular files of the repository.
#[cfg(unix)]
#[test]
fn rendered_files_are_not_looked_for_outside_of_the_repository() {
    let outside = tree(&[("values.yaml", "---\n# Source: shop/templates/job.yaml\n")]);
    let folder = tree(&[
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"),
        ("shop/values.yaml", "policy: Never\n"),
        ("shop/templates/job.yaml", POLICY),
        ("shop/tests/values.yaml", "policy: Always\n"),
    ]);
    let found = || check(folder.path(), &["shop"], "concise").0.matches("restart-policy").count();
    let shown = found();
    let expected = folder.path().join("shop/expected");
    fs::create_dir(&expected).unwrap();
    fs::write(folder.path().join("shop/.helmignore"), "expected/\n").unwrap();
    let link = expected.join("values.yaml");
    std::os::unix::fs::symlink(outside.path().join("values.yaml"), &link).unwrap();
    assert_eq!((shown, found()), (1, 1));
    fs::remove_file(&link).unwrap();
    fs::copy(outside.path().join("values.yaml"), &link).unwrap();
    assert_eq!(found(), 0, "a suite compares texts");
}

/// The values of an environment may be a link to where all of them are kept.
#[cfg(unix)]
#[test]
fn a_link_to_values_elsewhere_renders_a_chart() {
    let folder = tree(&[
        (".git/HEAD", ""),
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"),
        ("shop/values.schema.json", r#"{"type": "object", "required": ["policy"]}"#),
        ("shop/templates/job.yaml", POLICY),
        ("environments/prod", "policy: Always\n"),
    ]);
    let found = || check(folder.path(), &["shop"], "concise").0.matches("restart-policy").count();
    assert_eq!(found(), 0, "no values");
    let link = folder.path().join("environments/prod.yaml");
    std::os::unix::fs::symlink("prod", link).unwrap();
    assert_eq!(found(), 1);
}

/// No Helm loads a chart with a link to nothing, but it is deployed where the file is: `.gitignore` leaves out one with
/// passwords.
#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_is_kept_elsewhere_hides_no_job() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: users}\nspec: {template: {spec: {containers: [{name: a, image: a:1}]}}}\n";
    let chart = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
    let folder = tree(&[("Chart.yaml", chart), ("templates/job.yaml", job), ("files/a", "a")]);
    std::os::unix::fs::symlink("../users.js", folder.path().join("files/users.js")).unwrap();
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &["check", "."]));
    assert_eq!(code, 1, "{stderr}");
    assert!(stdout.contains("restart-policy-always"), "{stdout}");
    assert!(stderr.contains("files/users.js:1: a link to nothing"), "{stderr}");
    std::os::unix::fs::symlink("../gone.yaml", folder.path().join("templates/b.yaml")).unwrap();
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &["check", "."]));
    assert_eq!((code, &*stdout), (0, ""), "a template is part of the chart: {stderr}");
    assert!(stderr.contains("templates/b.yaml` is a link to `../gone.yaml`"), "{stderr}");
}

/// The `YAMLReader` with which Helm 4 reads values (`pkg/chart/v2/loader/load.go`, `k8s.io/apimachinery` 0.34.1) ends a document at
/// such a line and refuses it; `sigs.k8s.io/yaml` 1.4.0, with which Helm 3 does, reads `x -----END`.
#[test]
fn helm_3_reads_a_line_of_a_quoted_text_that_begins_with_dashes() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, annotations: {text: {{ .Values.a | quote }}}}\nspec: {template: {spec: {containers: [{name: a, image: a:1}]}}}\n";
    let folder =
        chart(&[("shop/values.yaml", "a: \"x\n-----END\"\n"), ("shop/templates/job.yaml", job)]);
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &["check", "shop"]));
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stdout.contains("restart-policy-always") && !stdout.contains("unrenderable"),
        "{stdout}"
    );
    assert!(stderr.contains("shop/values.yaml:2: Helm 4 refuses this line"), "{stderr}");
    let (code, _, stderr) = run(&mut joblint(folder.path(), &["render", "shop"]));
    let refused = "Error: cannot load values.yaml: error reading yaml document: invalid Yaml document separator: --END\"";
    assert_eq!((code, stderr.lines().next()), (2, Some(refused)));
    let (code, stdout, _) = run(&mut joblint(folder.path(), &["render", "--helm", "3", "shop"]));
    assert_eq!(code, 0);
    assert!(stdout.contains("text: \"x -----END\""), "{stdout}");
}

/// `sigs.k8s.io/yaml` 1.4.0 reads the first of these and refuses the others, and Helm 4 refuses all. joblint reads none of them, under
/// neither version; it says so, and ends.
#[test]
fn text_behind_the_first_separator_of_the_values_ends_the_chart() {
    for values in ["--- {a: b}\n", "--- a: b\n", "--- |\n x\n"] {
        let folder = chart(&[("shop/values.yaml", values), ("shop/templates/a.yaml", "kind: A\n")]);
        let (code, _, stderr) = run(&mut joblint(folder.path(), &["check", "shop"]));
        assert_eq!(code, 0, "{values}");
        assert!(stderr.contains("cannot load values.yaml"), "{values} {stderr}");
        for helm in ["3", "4"] {
            let (code, _, stderr) =
                run(&mut joblint(folder.path(), &["render", "--helm", helm, "shop"]));
            assert_eq!(code, 2, "{values}");
            assert!(stderr.starts_with("Error: cannot load values.yaml: "), "{values} {stderr}");
        }
    }
}
