//! `joblint upgrade`: whole output and exit codes, on repositories made for each test.

mod charts;
mod deployers;
mod kustomizations;
mod stated;

use std::{fs, path::Path, process::Command};

use job_lifecycle::Outcome::{
    self, Blocked, Deleted, FalseSuccess, Rejected, Replaced, Runs, RunsAgain, Unchanged,
};
use joblint::{settings::Settings, upgrade::compare_files};
use tempfile::TempDir;

use super::support::{self, assert_golden, file, joblint, tree, write};

const CHART: &[(&str, &str)] = &[
    ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.4.2\nappVersion: 1.4.2\n"),
    ("shop/values.yaml", "image: shop/app\nttl: 600\n"),
    (
        "shop/templates/_helpers.tpl",
        "{{- define \"shop.chart\" -}}\nhelm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}\n{{- end }}\n",
    ),
    (
        "shop/templates/migrate.yaml",
        "apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
spec:
  template:
    metadata:
      labels:
        {{- include \"shop.chart\" . | nindent 8 }}
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: {{ .Values.image }}:{{ .Chart.AppVersion }}
",
    ),
    (
        "shop/templates/seed.yaml",
        "apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-seed-{{ .Chart.AppVersion }}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: seed, image: \"shop/seed:1\"}]
",
    ),
    (
        "shop/templates/warm.yaml",
        "apiVersion: batch/v1
kind: Job
metadata:
  name: warm
  annotations:
    helm.sh/hook: post-install,post-upgrade
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: warm, image: \"shop/warm:1\"}]
",
    ),
];

/// Runs git without the configuration of the machine.
fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
    assert!(command.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap().status.success());
}

/// A repository with these files, tagged `v1`.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = tree(files);
    git(folder.path(), &["init", "-q"]);
    commit(folder.path(), "v1");
    folder
}

fn commit(folder: &Path, tag: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", tag]);
    git(folder, &["tag", tag]);
}

/// Exit code, standard output and standard error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    // `git` is found through `PATH`.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = joblint(folder, &["upgrade"]);
    support::run(command.args(arguments).env("PATH", path).env("LC_ALL", "C"))
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let all: Vec<_> = arguments.iter().chain(&["--output", "json"]).copied().collect();
    serde_json::from_str(&run(folder, &all).1).unwrap()
}

/// Kind, name and change of every workload.
fn changes(report: &serde_json::Value) -> Vec<(String, String)> {
    let jobs = report["jobs"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    jobs.map(|job| (text(&job["name"]), text(&job["change"]))).collect()
}

fn bumped() -> TempDir {
    let folder = repository(CHART);
    let text = CHART[0].1.replace("1.4.2", "1.5.0");
    write(folder.path(), &[("shop/Chart.yaml", &text)]);
    folder
}

#[test]
fn a_chart_against_a_tag() {
    let folder = bumped();
    let (code, stdout, stderr) = run(folder.path(), &["--base", "v1", "shop"]);
    assert_golden("tests/it/upgrade/chart.txt", &stdout);
    assert_eq!(code, 1);
    assert_eq!(stderr, "Found 3 problems (1 error, 2 info) in 6 files\n");
}

/// As `check`, which takes the Helm that loads the chart unless the one that deploys it is stated.
#[test]
fn a_chart_that_only_helm_4_refuses_is_compared() {
    let text = CHART[0].1.replace("v2", "v4");
    let files: Vec<_> =
        std::iter::once(("shop/Chart.yaml", &*text)).chain(CHART[1..].to_vec()).collect();
    let folder = repository(&files);
    write(folder.path(), &[("shop/Chart.yaml", &text.replace("1.4.2", "1.5.0"))]);
    let report = json(folder.path(), &["--base", "v1", "shop"]);
    assert_eq!(report["jobs"].as_array().map(Vec::len), Some(3), "{report}");
    let (code, _, stderr) = run(folder.path(), &["--base", "v1", "--deployer", "helm4", "shop"]);
    assert!(code == 2 && stderr.contains("Chart.yaml:1: unsupported chart version"), "{stderr}");
}

#[test]
fn the_working_tree_and_the_index_stay_untouched() {
    let folder = bumped();
    let before = fs::read(folder.path().join(".git/index")).unwrap();
    run(folder.path(), &["--base", "v1", "shop"]);
    assert_eq!(before, fs::read(folder.path().join(".git/index")).unwrap());
    assert!(fs::read_to_string(folder.path().join("shop/Chart.yaml")).unwrap().contains("1.5.0"));
    commit(folder.path(), "v2");
    // Between two commits, from a subfolder, and with a path in git's own notation.
    let below = json(&folder.path().join("shop"), &["--base", "v1"]);
    assert_eq!(changes(&below)[0], ("shop-migrate".into(), "rejected".into()));
    let named = json(folder.path(), &["--base", "v1:shop", "shop"]);
    assert_eq!(changes(&named), changes(&below));
    let part = json(folder.path(), &["--base", "v1", "shop/templates/_helpers.tpl"]);
    assert_eq!(changes(&part), changes(&below));
    let same = json(folder.path(), &["--base", "HEAD", "shop"]);
    assert_eq!(changes(&same)[0], ("shop-migrate".into(), "unchanged".into()));
}

#[test]
fn json_is_stable() {
    let folder = bumped();
    let report = json(folder.path(), &["--base", "v1", "shop", "--deployer", "helm3"]);
    let expected = serde_json::json!([
        {
            "kind": "Job", "name": "shop-migrate", "change": "rejected",
            "fields": [
                {
                    "path": "spec.template.metadata.labels[\"helm.sh/chart\"]",
                    "old": "shop-1.4.2", "new": "shop-1.5.0",
                },
                {
                    "path": "spec.template.spec.containers[name=\"migrate\"].image",
                    "old": "shop/app:1.4.2", "new": "shop/app:1.5.0",
                },
            ],
            "deployers": [{
                "deployer": "helm3", "outcome": "rejected",
                "reason": "the Job that is there is patched, and `spec.template` is immutable",
            }],
        },
        {
            "kind": "Job", "name": "shop-seed-1.5.0", "oldName": "shop-seed-1.4.2", "change": "renamed",
            "deployers": [{
                "deployer": "helm3", "outcome": "runs-again", "also": ["deleted"],
                "reason": "another name is another Job",
            }],
        },
        {
            "kind": "Job", "name": "warm", "change": "reruns",
            "deployers": [{"deployer": "helm3", "outcome": "runs-again"}],
        },
    ]);
    assert_eq!(report["jobs"], expected);
    let rules: Vec<_> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["rule"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["immutable-change", "job-reruns", "job-reruns"]);
    assert_eq!(report["findings"][0]["path"], "shop/templates/migrate.yaml");
    assert_eq!(report["findings"][0]["line"], 9);
}

#[test]
fn folders_archives_and_rendered_manifests_give_the_same_result() {
    let folder = bumped();
    let root = folder.path();
    git(root, &["archive", "-o", "old.tgz", "v1", "shop"]);
    let expected = changes(&json(root, &["--base", "v1", "shop"]));
    assert_eq!(changes(&json(root, &["--base", "old.tgz", "shop"])), expected);
    fs::create_dir(root.join("old")).unwrap();
    git(root, &["--work-tree", "old", "checkout", "v1", "--", "shop"]);
    assert_eq!(changes(&json(root, &["--base", "./old/shop", "shop"])), expected);
    let (_, rendered, _) =
        support::run(&mut joblint(root, &["render", "old/shop", "--name", "shop"]));
    write(root, &[("live.yaml", &rendered)]);
    assert_eq!(changes(&json(root, &["--base", "live.yaml", "shop"])), expected);
}

#[test]
fn value_files_in_the_tree_are_read_in_each_version() {
    let mut files = CHART.to_vec();
    files.push(("prod.yaml", "image: registry.example.com/old\n"));
    let folder = repository(&files);
    write(folder.path(), &[("prod.yaml", "image: registry.example.com/new\n")]);
    let (_, stdout, stderr) =
        run(folder.path(), &["--base", "v1", "shop", "-f", "prod.yaml", "--output", "json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let image = &report["jobs"][0]["fields"][0];
    assert_eq!(
        (&image["old"], &image["new"]),
        (&"registry.example.com/old:1.4.2".into(), &"registry.example.com/new:1.4.2".into())
    );
    assert!(
        stderr.contains("note: values `prod.yaml`: each version uses its own copy\n"),
        "{stderr}"
    );
    let report =
        json(folder.path(), &["--base", "v1", "shop", "-f", "prod.yaml", "--set", "image=a"]);
    assert_eq!(changes(&report)[0].1, "unchanged");
    write(folder.path(), &[("other.yaml", "image: a\n")]);
    let (code, _, stderr) = run(folder.path(), &["--base", "v1", "shop", "-f", "other.yaml"]);
    assert_eq!(code, 2);
    assert!(
        stderr.contains("values `other.yaml` are in the repository, but not in `v1`"),
        "{stderr}"
    );
}

const PLAIN: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: app:1
          env: [{name: DB_PASSWORD, value: canary-7f3a9b21c4}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: '0 4 * * *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: report, image: 'app:1'}]
";

#[test]
fn manifests_under_several_deployers() {
    let folder = repository(&[("jobs/all.yaml", PLAIN)]);
    let new = PLAIN.split("---\n").next().unwrap().replace("app:1", "app:2");
    write(folder.path(), &[("jobs/all.yaml", &new)]);
    let arguments = [
        "--base",
        "v1",
        "jobs",
        "-q",
        "--output",
        "concise",
        "--deployer",
        "argocd:prune=true",
        "--deployer",
        "flux:force=true,prune=false",
        "--deployer",
        "kubectl",
    ];
    let (code, stdout, stderr) = run(folder.path(), &arguments);
    assert_eq!((code, stderr.as_str()), (1, ""));
    assert_eq!(
        stdout,
        "jobs/all.yaml:3:18: info[job-reruns] the upgrade runs Job `migrate` again\n\
         jobs/all.yaml:10:18: error[immutable-change] the upgrade will fail: `spec.template` of Job `migrate` cannot \
         change (`app:1` becomes `app:2`)\n\
         v1:jobs/all.yaml:15:18: warning[job-orphaned] the upgrade leaves CronJob `report` behind, and it keeps \
         running\n"
    );
}

#[test]
fn no_format_prints_a_secret() {
    let folder = repository(&[("all.yaml", PLAIN)]);
    let new = PLAIN.replace("canary-7f3a9b21c4", "canary-8e4b0c32d5").replace("app:1", "app:2");
    write(folder.path(), &[("all.yaml", &new)]);
    for format in ["full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"] {
        let (code, stdout, stderr) = run(folder.path(), &["--base", "v1", "--output", format]);
        assert_eq!(code, 1);
        assert!(!stdout.contains("canary") && !stderr.contains("canary"), "{format}: {stdout}");
    }
    let report = json(folder.path(), &["--base", "v1"]);
    let fields = report["jobs"][0]["fields"].as_array().unwrap();
    let env = r#"spec.template.spec.containers[name="migrate"].env[name="DB_PASSWORD"].value"#;
    let expected = serde_json::json!({"path": env, "old": "***", "new": "***"});
    assert!(fields.contains(&expected), "{fields:?}");
}

#[test]
fn comments_ignore_findings() {
    let text = PLAIN.replace(
        "          image: app:1",
        "          # joblint: ignore[immutable-change] deleted by hand\n          image: app:1",
    );
    let folder = repository(&[("all.yaml", &text)]);
    write(folder.path(), &[("all.yaml", &text.replace("app:1", "app:2"))]);
    let (code, stdout, stderr) = run(folder.path(), &["--base", "v1", "--output", "concise"]);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert!(
        stderr.ends_with("No problems in 2 workloads (2 objects, 1 file); 1 ignored\n"),
        "{stderr}"
    );
    // A check compares no versions, so it must not call the comment unused.
    let check = ["check", "--select", "unused-ignore,immutable-change"];
    assert_eq!(support::run(&mut joblint(folder.path(), &check)).1, "");
}

/// Each chart is compared with its own base; vendored charts belong to their parent.
#[test]
fn a_folder_of_charts() {
    let vendored = [
        ("charts/a/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("charts/a/charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"),
        ("charts/a/charts/sub/templates/job.yaml", &PLAIN[..PLAIN.find("---").unwrap()]),
        ("charts/gone/Chart.yaml", "apiVersion: v2\nname: gone\nversion: 1.0.0\n"),
    ];
    let folder = repository(&vendored);
    let new = vendored[2].1.replace("app:1", "app:2");
    write(
        folder.path(),
        &[
            (vendored[2].0, &new),
            ("charts/b/Chart.yaml", "apiVersion: v2\nname: b\nversion: 1.0.0\n"),
        ],
    );
    fs::remove_dir_all(folder.path().join("charts/gone")).unwrap();
    let (code, stdout, stderr) =
        run(folder.path(), &["--base", "v1", "charts", "--output", "json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(changes(&report), [("migrate".to_owned(), "rejected".to_owned())]);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("note: chart `b` is not in `v1`: nothing to compare it with\n"),
        "{stderr}"
    );
    assert!(stderr.contains("note: chart `gone` is only in `v1`\n"), "{stderr}");
}

#[test]
fn missing_revisions_and_paths_are_errors() {
    let folder = repository(CHART);
    write(folder.path(), &[("later/job.yaml", PLAIN)]);
    for (arguments, error) in [
        (
            ["--base", "v9", "shop"],
            "error: `--base v9` is neither a path nor a revision of this repository\n",
        ),
        (["--base", "v1", "later"], "error: `later` is not in `v1`\n"),
        (["--base", "v1:nowhere", "shop"], "error: `nowhere` is not in `v1`\n"),
        (["--base", "v1:../..", "shop"], "error: `../..` leads out of the repository\n"),
        (["--base", "./shop", "nowhere"], "error: nowhere: no such file or folder\n"),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.starts_with(error), "{arguments:?}: {stderr}");
    }
    let alone = tree(&[("job.yaml", PLAIN)]);
    let (code, _, stderr) = run(alone.path(), &["--base", "v1", "job.yaml"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("`job.yaml` is not in a Git repository"), "{stderr}");
}
