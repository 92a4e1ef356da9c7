//! First lines of findings: their length, names with random parts, and help that fits the cause.

use std::path::Path;

use super::support::{joblint, run, tree};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
const JOB: &str = "  template:
    spec:
      restartPolicy: Always
      containers: [{name: a, image: 'a:1'}]
";

fn check(folder: &Path, format: &str) -> String {
    run(&mut joblint(folder, &["check", "-q", "--output", format])).1
}

/// The findings of a rule that is selected, so that the pedantic ones are among them.
fn selected(files: &[(&str, &str)], rule: &str) -> Vec<serde_json::Value> {
    let folder = tree(files);
    let flags = ["check", "-q", "--output", "json", "--select", rule];
    let text = run(&mut joblint(folder.path(), &flags)).1;
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["findings"].as_array().unwrap().clone()
}

/// The findings of a rule, as JSON.
fn found(files: &[(&str, &str)], rule: &str) -> Vec<serde_json::Value> {
    let folder = tree(files);
    let json: serde_json::Value = serde_json::from_str(&check(folder.path(), "json")).unwrap();
    let all = json["findings"].as_array().unwrap();
    all.iter().filter(|one| one["rule"] == rule).cloned().collect()
}

#[test]
fn a_random_part_of_a_name_is_a_star() {
    let name = "  name: '{{ .Chart.Name }}-{{ randAlphaNum 5 | lower }}'\n";
    let job = format!("apiVersion: batch/v1\nkind: Job\nmetadata:\n{name}spec:\n{JOB}");
    let found =
        found(&[("Chart.yaml", CHART), ("templates/job.yaml", &job)], "restart-policy-always");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.starts_with("API server will reject Job `shop-*`"), "{message}");
}

#[test]
fn value_sets_make_no_headline_longer_than_a_line() {
    let job = format!(
        "{{{{ if .Values.jobs.migrations.ofTheDatabase.enabled }}}}\napiVersion: batch/v1\nkind: Job\n\
         metadata: {{name: shop}}\nspec:\n{JOB}{{{{ end }}}}\n"
    );
    let values = "jobs: {migrations: {ofTheDatabase: {enabled: false}}}\n";
    let folder =
        tree(&[("Chart.yaml", CHART), ("values.yaml", values), ("templates/job.yaml", &job)]);
    let text = check(folder.path(), "full");
    let headline = "error[restart-policy-always]: API server will reject Job `shop`: `restartPolicy` must be \
                    `Never` or `OnFailure`\n";
    assert!(text.contains(headline), "{text}");
    assert!(text.contains("\n  note: with jobs.migrations.ofTheDatabase.enabled=true\n"), "{text}");
}

/// What declares a dependency, and what to do about its absence.
const MISSING: [(&str, &str); 4] = [
    (
        "{name: db, version: 1.x, repository: 'https://charts.example.com'}",
        "Run `helm dependency build`",
    ),
    (
        "{name: db, version: 1.x, repository: 'oci://registry.example.com/charts'}",
        "Run `helm dependency build`",
    ),
    (
        "{name: db, version: 1.x, repository: 'file://../common'}",
        "Correct the path: `../common` holds no chart that loads",
    ),
    ("{name: db, version: 1.x}", "Put the chart into `charts/`, or declare its `repository`"),
];

#[test]
fn the_help_about_a_missing_dependency_fits_where_it_is_declared() {
    for (dependency, help) in MISSING {
        let chart = format!("{CHART}dependencies:\n  - {dependency}\n");
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
        let files = [("Chart.yaml", &*chart), ("templates/map.yaml", map)];
        let found = selected(&files, "not-rendered");
        assert_eq!(found[0]["help"], help, "{dependency}");
        assert_eq!(found[0]["message"], "dependency `db` is not vendored");
    }
}

#[test]
fn remote_resources_are_one_finding_for_each_kustomization() {
    let remote = "https://github.com/example/a/deploy?ref=v1";
    let kustomization =
        format!("resources:\n  - job.yaml\n  - {remote}\n  - {remote}2\n  - {remote}3\n");
    let job = format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: shop}}\nspec:\n{JOB}");
    let found =
        selected(&[("kustomization.yaml", &kustomization), ("job.yaml", &job)], "not-rendered");
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["severity"], &found[0]["line"]), (&"info".into(), &3.into()));
    assert_eq!(found[0]["help"], "Copy the remote resource into the repository to have it checked");
}

/// The remedy of a chart does not fit a kustomization, and a file that is not there is named.
#[test]
fn what_does_not_build_is_named_with_its_remedy() {
    let job = format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: shop}}\nspec:\n{JOB}");
    let broken = "configMapGenerator:\n  - {name: a, files: [env/a.txt]}\nresources: [job.yaml]\n";
    let found =
        found(&[("stage/kustomization.yaml", broken), ("stage/job.yaml", &job)], "unrenderable");
    let expected = "kustomization `stage` does not build: `stage/env/a.txt` does not exist";
    assert_eq!(found[0]["message"], expected);
    assert_eq!(found[0]["help"], "Add the file, or remove the entry that names it");
}

#[test]
fn a_chart_that_does_not_render_is_named() {
    let job = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: '{{{{ int64 .Values | nosuch }}}}'}}\nspec:\n{JOB}"
    );
    let found =
        found(&[("shop/Chart.yaml", CHART), ("shop/templates/job.yaml", &job)], "unrenderable");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.starts_with("cannot render chart `shop`: parse error"), "{message}");
}

#[test]
fn a_pod_hook_of_an_uninstall_fails_the_uninstall() {
    let pod = |events: &str| {
        let text = format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: clean\n  annotations:\n    helm.sh/hook: {events}\nspec:\n  \
             restartPolicy: Never\n  containers: [{{name: main, image: 'app:1.0'}}]\n"
        );
        let files = [("Chart.yaml", CHART), ("templates/pod.yaml", &text)];
        let found = selected(&files, "pod-hook");
        found[0]["message"].as_str().unwrap().to_owned()
    };
    assert!(pod("pre-delete").contains("fails the uninstall"), "{}", pod("pre-delete"));
    let both = pod("pre-delete,post-install");
    assert!(both.contains("fails the deploy"), "{both}");
}

/// The server's path names only the map.
#[test]
fn a_refused_label_is_named_with_its_value() {
    let job = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: shop\n  labels: {{example.com/team: Shop Team}}\nspec:\n{}",
        JOB.replace("Always", "Never")
    );
    let found = found(&[("job.yaml", &job)], "invalid-job");
    let message = found[0]["message"].as_str().unwrap();
    let expected =
        "API server will reject Job `shop`: `metadata.labels`: `example.com/team: Shop Team` must ";
    assert!(message.starts_with(expected), "{message}");
}

/// An ordinary claim would exist only after the hook that mounts it.
#[test]
fn a_claim_that_a_hook_needs_is_not_to_become_ordinary() {
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: keys\n  annotations: {helm.sh/hook: pre-install}\nspec: {}\n";
    let job = |event: &str| {
        let volumes = "      volumes: [{name: keys, persistentVolumeClaim: {claimName: keys}}]\n";
        let about = format!(
            "metadata:\n  name: make\n  annotations: {{helm.sh/hook: {event}, helm.sh/hook-weight: '1'}}\n"
        );
        let uses = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: uses}\nspec:\n  containers: [{name: a, image: 'a:1'}]\n";
        let spec = JOB.replace("Always", "Never");
        let pod = format!("{uses}{}", volumes.replace("      ", "  "));
        format!("apiVersion: batch/v1\nkind: Job\n{about}spec:\n{spec}{volumes}{pod}")
    };
    let early = "Create it by hand or with an earlier release: Job `make` mounts it before ordinary objects exist";
    for (event, is_early) in [("pre-install", true), ("post-install", false)] {
        let job = job(event);
        let files =
            [("Chart.yaml", CHART), ("templates/claim.yaml", claim), ("templates/job.yaml", &job)];
        let found = found(&files, "hook-deletes-data");
        assert_eq!(found.len(), 1, "{event}");
        assert_eq!(found[0]["help"] == early, is_early, "{}", found[0]["help"]);
    }
}
