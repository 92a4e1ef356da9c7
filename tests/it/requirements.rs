//! Findings of `require:`: their severity, their headline, and where they point.

use std::{fs, path::Path};

use super::support::{joblint, run, tree};

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  ttlSecondsAfterFinished: 600
  template:
    spec:
      restartPolicy: Always
      containers: [{name: migrate, image: 'app:1.4.2'}]
";

/// Exit code and standard output.
fn check(folder: &Path, format: &str) -> (i32, String) {
    let (code, stdout, _) = run(&mut joblint(folder, &["check", "-q", "--output", format, "."]));
    (code, stdout)
}

#[track_caller]
fn assert_run(folder: &Path, code: i32, stdout: &str) {
    assert_eq!(check(folder, "concise"), (code, stdout.to_owned()));
}

/// The severity of an entry counts more than that of the rule, and its message is the headline.
#[test]
fn a_requirement_has_a_severity_and_a_message() {
    let settings = "require:\n  - {ttl: {max: 5m}, severity: info, message: Jobs go at once}\n  - deadline\n\
                    rules: {missing-required: {severity: warning}}\nselect: [missing-required]\n";
    let folder = tree(&[("job.yaml", JOB), (".joblint.yaml", settings)]);
    let expected = "job.yaml:4:1: warning[missing-required] Job `migrate` lacks `activeDeadlineSeconds`, which the settings require\n\
                    job.yaml:5:28: info[missing-required] Job `migrate`: Jobs go at once\n";
    assert_run(folder.path(), 1, expected);
    let alone = "require: [{ttl: {max: 5m}, severity: info}]\nselect: [missing-required]\n";
    fs::write(folder.path().join(".joblint.yaml"), alone).unwrap();
    let message = "job.yaml:5:28: info[missing-required] Job `migrate` has `ttlSecondsAfterFinished` 600, which is more than 5m (300)\n";
    assert_run(folder.path(), 0, message);
}

/// What a value of the chart leaves open is not judged.
#[test]
fn a_broken_bound_of_a_chart_names_the_value() {
    let images = "        - {name: a, image: '{{ required \"asked\" .Values.registry }}/a:1'}\n        \
                  - {name: b, image: '{{ .Values.image }}'}\n        - {name: c, image: 'registry.example.com/c:1'}\n";
    let job = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: migrate}}\nspec:\n  ttlSecondsAfterFinished: {{{{ .Values.ttl }}}}\n  \
         template:\n    spec:\n      restartPolicy: Never\n      containers:\n{images}"
    );
    let settings = "require: [{ttl: {max: 1d}}, {image: 'registry.example.com/**'}]\nselect: [missing-required]\n";
    let folder = tree(&[
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("shop/values.yaml", "ttl: 604800\nimage: quay.io/b:1\n"),
        ("shop/templates/job.yaml", &job),
        (".joblint.yaml", settings),
    ]);
    let (code, text) = check(folder.path(), "full");
    assert_eq!((code, text.matches("error[").count()), (1, 2), "{text}");
    for place in [
        "job.yaml:5:31]",
        "job.yaml:11:28]",
        "values.yaml:1:6: ttl: 604800",
        "values.yaml:2:8: image: quay.io/b:1",
    ] {
        assert!(text.contains(place), "{place}\n{text}");
    }
}

#[test]
fn a_broken_bound_of_an_overlay_points_at_its_patch() {
    let patch = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec:\n  ttlSecondsAfterFinished: 604800\n";
    let overlay = "resources: [../base]\npatches: [{path: patch.yaml}]\n";
    let settings = "require: [{ttl: {max: 1d}}]\nselect: [missing-required]\n";
    let folder = tree(&[
        ("base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("base/job.yaml", JOB),
        ("overlay/kustomization.yaml", overlay),
        ("overlay/patch.yaml", patch),
        (".joblint.yaml", settings),
    ]);
    let message = "overlay/patch.yaml:5:28: error[missing-required] Job `migrate` has `ttlSecondsAfterFinished` 604800, which is more than 1d (86400)\n";
    assert_run(folder.path(), 1, message);
}

/// The policy that the command writes is one that it reads, with its examples too.
#[test]
fn the_starter_policy_is_a_policy() {
    let folder = tree(&[("job.yaml", &JOB.replace("app:", "quay.io/app:"))]);
    let (code, _, stderr) = run(&mut joblint(folder.path(), &["config", "init", "--policy"]));
    assert_eq!((code, &*stderr), (0, "Wrote .joblint.yaml\n"));
    let path = folder.path().join(".joblint.yaml");
    let (_, found) = check(folder.path(), "concise");
    for line in [
        "job.yaml:4:1: warning[missing-required] Job `migrate` lacks `activeDeadlineSeconds` of at most 6h (21600)",
        "job.yaml:3:1: info[missing-required] Job `migrate` lacks annotation `joblint.dev/idempotent`",
    ] {
        assert!(found.contains(line), "{found}");
    }
    assert_eq!(found.matches("missing-required").count(), 2, "{found}");
    let all = fs::read_to_string(&path).unwrap().replace("  # - {", "  - {");
    fs::write(&path, all).unwrap();
    let (_, found) = check(folder.path(), "concise");
    assert_eq!(found.matches("missing-required").count(), 5, "{found}");
}
