//! `joblint forecast`: whole output and exit codes.

use std::path::Path;

use super::support::{self, assert_golden, joblint, tree};

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  ttlSecondsAfterFinished: 60
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: shop/migrate:1.4.2
";

const HOOK: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: seed
  annotations:
    helm.sh/hook: post-install,post-upgrade
    helm.sh/hook-delete-policy: hook-succeeded
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: seed, image: 'shop/seed:1.4.2'}]
";

/// Exit code, standard output and standard error.
fn run(folder: &Path, arguments: &[&str], locale: &str) -> (i32, String, String) {
    support::run(joblint(folder, &["forecast"]).args(arguments).env("LC_ALL", locale))
}

#[test]
fn without_a_known_deployer_every_deployer_is_shown() {
    let folder = tree(&[("job.yaml", JOB)]);
    let (code, stdout, stderr) = run(folder.path(), &["job.yaml"], "C.UTF-8");
    assert_eq!(code, 0);
    assert_golden("tests/it/forecast/table.txt", &stdout);
    assert_eq!(
        stderr,
        "note: no deployer is configured or detected, so all are shown; choose one with `--deployer`\n"
    );
}

#[test]
fn a_deployer_with_options_and_two_events() {
    let folder = tree(&[("job.yaml", JOB)]);
    let arguments =
        ["--deployer", "argocd:selfHeal=true,prune=true", "--event", "upgrade,after-ttl"];
    let expected = "Job migrate  job.yaml:1
  argocd: prune=true, selfHeal=true
             argocd
  upgrade    REJECTED [1]
  after-ttl  LOOP [2]
[1] the Job that is there is patched, and `spec.template` is immutable
    job.yaml:12:18  a new version is another image than `shop/migrate:1.4.2`
[2] self-heal puts it back: a run every run time + 60 s + a back-off of at most 300 s
    job.yaml:6:3  60 s after a run the Job is gone
";
    let (code, stdout, stderr) = run(folder.path(), &arguments, "C");
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, expected, ""));
}

#[test]
fn a_failure_blocks_the_rest_of_the_deploy() {
    let folder = tree(&[("all.yaml", &format!("{JOB}---\n{HOOK}"))]);
    let expected = "Job migrate  all.yaml:1
           helm3
  upgrade  REJECTED [1]
[1] the Job that is there is patched, and `spec.template` is immutable
    all.yaml:12:18  a new version is another image than `shop/migrate:1.4.2`

Job seed  all.yaml:14
           helm3
  upgrade  BLOCKED [1]
[1] the deploy fails over `migrate` before it comes to this
";
    let arguments = ["--deployer", "helm3", "--event", "upgrade"];
    let (code, stdout, stderr) = run(folder.path(), &arguments, "C");
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, expected, ""));
}

/// helm A.4: the pre-upgrade hook has ended before the Job is sent, so nothing is patched. What it deletes after the
/// Job of the release comes too late.
#[test]
fn a_hook_that_deletes_a_job_by_name_lets_it_run_again() {
    let cleaner = |events: &str| {
        let hook = HOOK.replace("post-install,post-upgrade", events);
        let command = "image: 'bitnami/kubectl:1.31', command: [sh, -c, 'kubectl delete job migrate --ignore-not-found']";
        hook.replace("image: 'shop/seed:1.4.2'", command).replace("name: seed", "name: clean")
    };
    let outcome = |events: &str| {
        let all = format!("{}---\n{JOB}", cleaner(events));
        let folder = tree(&[("all.yaml", &all)]);
        let arguments = ["--deployer", "helm4", "--event", "upgrade", "--output", "json"];
        let (_, stdout, _) = run(folder.path(), &arguments, "C.UTF-8");
        let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let of_job = json["workloads"].as_array().unwrap();
        let is_job = |one: &&serde_json::Value| one["name"] == "migrate";
        let job = of_job.iter().find(is_job).unwrap();
        let cell = &job["forecast"][0]["events"]["upgrade"];
        (cell["outcome"].as_str().unwrap().to_owned(), cell["reason"].as_str().unwrap().to_owned())
    };
    let (first, reason) = outcome("pre-install,pre-upgrade");
    assert_eq!((&*first, &*reason), ("replaced", "the hook `clean` deletes the old `migrate`"));
    assert_eq!(outcome("post-upgrade").0, "rejected");
}

#[test]
fn json_is_stable() {
    let folder = tree(&[("hook.yaml", HOOK)]);
    let arguments = ["--deployer", "helm4", "--event", "install,after-failure", "--output", "json"];
    let (code, stdout, stderr) = run(folder.path(), &arguments, "C");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let found: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let label = |line, column, end, text: &str| {
        serde_json::json!({"path": "hook.yaml", "line": line, "column": column,
            "endLine": line, "endColumn": end, "text": text})
    };
    let expected = serde_json::json!({
        "version": 1,
        "workloads": [{
            "kind": "Job", "name": "seed", "path": "hook.yaml", "line": 1, "column": 1,
            "forecast": [{
                "deployer": "helm4",
                "hook": {
                    "events": ["post-install", "post-upgrade"],
                    "deletePolicies": ["hook-succeeded"],
                    "weight": 0,
                },
                "events": {
                    "install": {"outcome": "runs"},
                    "after-failure": {
                        "outcome": "rejected",
                        "fields": ["spec.template"],
                        "reason": "the old `seed` is still there, and `spec.template` is immutable",
                        "fact": "helm A.6",
                        "factUrl": "https://joblint.dev/facts/helm#a.6",
                        "labels": [
                            label(7, 33, 47, "nothing here deletes the old object before the next run"),
                            label(12, 40, 57, "a new version is another image than `shop/seed:1.4.2`"),
                        ],
                    },
                },
            }],
        }],
    });
    assert_eq!(found, expected);
}

#[test]
fn markdown_pastes_into_a_pull_request() {
    let folder = tree(&[("job.yaml", JOB)]);
    let arguments = [
        "--deployer",
        "helm3",
        "--deployer",
        "helm4",
        "--event",
        "install,upgrade",
        "--output",
        "markdown",
    ];
    let expected = "### Job migrate

`job.yaml:1`

| event | helm3 | helm4 |
|---|---|---|
| **install**, the first deploy | runs | runs |
| **upgrade**, a new version | **REJECTED** ① | **REJECTED** ① |

① the Job that is there is patched, and `spec.template` is immutable
- `job.yaml:12:18` a new version is another image than `shop/migrate:1.4.2`
";
    let (code, stdout, stderr) = run(folder.path(), &arguments, "C");
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, expected, ""));
}

#[test]
fn the_html_page_is_self_contained_and_escapes_manifests() {
    let named = JOB.replace("name: migrate\nspec", "name: \"<script>alert(1)</script>\"\nspec");
    let folder = tree(&[("job.yaml", &named)]);
    let (code, stdout, _) = run(folder.path(), &["job.yaml", "--output", "html"], "C");
    assert_eq!(code, 0);
    assert!(stdout.contains("&lt;script&gt;alert(1)"), "the name is shown as text");
    assert_eq!(stdout.matches("<script>").count(), 1, "one script, our own");
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!stdout.contains(outside), "{outside}");
    }
    assert!(stdout.contains("<mark>&quot;&lt;script&gt;alert(1)"));
}

#[test]
fn no_format_prints_a_secret() {
    let secret = "canary-7f3a9b21c4";
    let text = JOB.replace(
        "          image: shop/migrate:1.4.2\n",
        &format!(
            "          image: shop/migrate:1.4.2\n          env: [{{name: DB_PASSWORD, value: {secret}}}]\n"
        ),
    );
    let folder = tree(&[("job.yaml", &text)]);
    for format in ["table", "json", "markdown", "html"] {
        let (code, stdout, stderr) = run(folder.path(), &["--output", format], "C.UTF-8");
        assert_eq!(code, 0);
        assert!(!stdout.contains(secret) && !stderr.contains(secret), "{format}");
    }
}

#[test]
fn unreadable_input_exits_with_2() {
    let folder = tree(&[("bad.yaml", "kind: Job\n\tx: [")]);
    let (code, stdout, stderr) = run(folder.path(), &["bad.yaml", "gone.yaml"], "C");
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("error: bad.yaml:2:"), "{stderr}");
    assert!(stderr.contains("error: gone.yaml: "), "{stderr}");
    let (code, _, stderr) = run(folder.path(), &["--deployer", "argo"], "C");
    assert_eq!(code, 2);
    assert!(stderr.contains("unknown deployer `argo`"), "{stderr}");
}

#[test]
fn a_tree_without_workloads_gets_a_note() {
    let folder = tree(&[("map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")]);
    let seen = run(folder.path(), &[], "C");
    assert_eq!(seen, (0, String::new(), "note: no Job, CronJob or hook here\n".to_owned()));
}

#[test]
fn a_value_set_of_a_chart_is_shown_when_its_forecast_differs() {
    let template = "{{- if .Values.migrate }}\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n\
        {{- with .Values.annotations }}\n  annotations: {{- toYaml . | nindent 4 }}\n{{- end }}\nspec:\n  \
        ttlSecondsAfterFinished: 60\n  template:\n    spec:\n      restartPolicy: Never\n      containers: \
        [{name: m, image: \"app:{{ .Values.image.tag }}\"}]\n{{- end }}\n";
    let folder = tree(&[
        ("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("values.yaml", "migrate: true\nimage: {tag: \"1\"}\nseed: false\n"),
        ("templates/migrate.yaml", template),
        ("templates/seed.yaml", &template.replace("migrate", "seed")),
        ("ci/hook-values.yaml", "annotations: {helm.sh/hook: post-upgrade}\n"),
        ("ci/other-values.yaml", "image: {tag: \"2\"}\n"),
    ]);
    let arguments = ["--deployer", "helm3", "--event", "upgrade"];
    let (code, stdout, _) = run(folder.path(), &arguments, "C");
    let heads: Vec<_> = stdout.lines().filter(|line| line.starts_with("Job ")).collect();
    assert_eq!(code, 0);
    assert_eq!(
        heads,
        [
            "Job migrate  templates/migrate.yaml:2",
            "Job migrate  templates/migrate.yaml:2  with ci/hook-values.yaml",
            "Job seed  templates/seed.yaml:2  with seed=true",
        ]
    );
    let rejected = stdout.lines().filter(|line| line.contains("upgrade  REJECTED")).count();
    assert_eq!(rejected, 2, "{stdout}");
}

/// Argo CD renders every sync as an installation (argocd 4), so this Job never exists there.
#[test]
fn a_job_for_upgrades_has_no_forecast_without_a_release() {
    let job = format!("{{{{ if .Release.IsUpgrade }}}}\n{JOB}{{{{ end }}}}\n");
    let metadata = "apiVersion: v2\nname: shop\nversion: 1.4.0\n";
    let folder = tree(&[("Chart.yaml", metadata), ("templates/job.yaml", &job)]);
    let shown = |deployer| run(folder.path(), &[".", "--deployer", deployer], "C.UTF-8").1;
    assert!(shown("helm4").contains("Job migrate"));
    assert!(!shown("argocd").contains("Job migrate"));
}

/// `oc process` makes no release, so Helm's hooks are ordinary Jobs.
#[test]
fn an_openshift_template_is_not_for_helm() {
    let template = format!(
        "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {{name: t}}\nobjects:\n- {}",
        HOOK.trim_end().replace('\n', "\n  ")
    );
    let folder = tree(&[("template.yaml", &template)]);
    let (_, stdout, _) = run(folder.path(), &["."], "C");
    assert!(stdout.contains("kubectl") && !stdout.contains("helm3"), "{stdout}");
}

#[test]
fn a_rejection_says_when_the_ttl_ends_it() {
    let job = JOB.replace("Finished: 60", "Finished: 5");
    let folder = tree(&[("job.yaml", &*job)]);
    let (_, stdout, _) = run(folder.path(), &[".", "--deployer", "kubectl"], "C");
    let text = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("immutable; 5 s after its run the TTL removes it"), "{stdout}");
}
