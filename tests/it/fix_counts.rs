//! One tree, one number of fixes: what `--fix` says, and what JSON, SARIF, the summary and `--statistics` count.

use std::{fs, path::Path};

use serde_json::Value as Json;

use super::support::{joblint, run, tree};

/// A Job with a restart policy that the API server rejects.
fn job(name: &str, policy: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  template:\n    spec:\n      \
         restartPolicy: {policy}\n      containers:\n        - name: a\n          image: app:1.4.2\n"
    )
}

fn seen(folder: &Path, arguments: &[&str]) -> String {
    run(&mut joblint(folder, arguments)).1
}

fn json(folder: &Path, arguments: &[&str]) -> Json {
    serde_json::from_str(&seen(folder, arguments)).unwrap()
}

/// A chart, an overlay with its base, and manifests. Each of the six Jobs has one fixable finding of the rule; the two
/// of the base are fixed by one edit each, although two overlays build them.
#[test]
fn every_count_of_fixes_is_the_same() {
    let template = job("{{ .Release.Name }}-a", "Always");
    let folder = tree(&[
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("shop/values.yaml", "policy: Always\n"),
        ("shop/templates/a.yaml", &template),
        ("shop/templates/b.yaml", &job("{{ .Release.Name }}-b", "{{ .Values.policy }}")),
        ("base/kustomization.yaml", "resources: [c.yaml, d.yaml]\n"),
        ("base/c.yaml", &job("c", "Always")),
        ("base/d.yaml", &job("d", "Always")),
        ("test/kustomization.yaml", "resources: [../base]\n"),
        ("prod/kustomization.yaml", "resources: [../base]\nnamePrefix: prod-\n"),
        ("plain/e.yaml", &job("e", "Always")),
        ("plain/f.yaml", &job("f", "Always")),
    ]);
    let folder = folder.path();
    let select = ["--select", "restart-policy-always", "--unsafe-fixes"];
    let with = |more: &[&'static str]| [&select[..], more].concat();

    let findings = json(folder, &with(&["-q", "--output", "json"]));
    let own = |finding: &Json| {
        let also = finding["also"].as_array().cloned().unwrap_or_default();
        let all = std::iter::once(finding.clone()).chain(also);
        all.filter(|one| one["fixes"].as_array().is_some_and(|fixes| !fixes.is_empty())).count()
    };
    let in_json: usize = findings["findings"].as_array().unwrap().iter().map(own).sum();
    assert_eq!(in_json, 6, "{findings:#}");

    let sarif = json(folder, &with(&["-q", "--output", "sarif"]));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let changes = |result: &Json| -> usize {
        let fixes = result["fixes"].as_array().cloned().unwrap_or_default();
        let replacements = |change: &Json| change["replacements"].as_array().unwrap().len();
        let of_fix = |fix: &Json| -> usize {
            fix["artifactChanges"].as_array().unwrap().iter().map(replacements).sum()
        };
        fixes.iter().map(of_fix).sum()
    };
    assert_eq!(results.iter().map(changes).sum::<usize>(), 6, "{sarif:#}");

    let statistics = json(folder, &with(&["-q", "--statistics", "--output", "json"]));
    assert_eq!(statistics["rules"][0]["fixable"], 6, "{statistics:#}");
    let summary = run(&mut joblint(folder, &with(&[]))).2;
    assert!(summary.contains("; 6 fixable with --fix --unsafe-fixes"), "{summary}");

    let diff = seen(folder, &with(&["-q", "--diff"]));
    assert_eq!(
        diff.lines().filter(|line| line.starts_with("+ ") || *line == "+policy: Never").count(),
        6,
        "{diff}"
    );
    let fixed = run(&mut joblint(folder, &with(&["--fix"]))).2;
    assert!(fixed.starts_with("Fixed 6 problems in 6 files\n"), "{fixed}");
    assert_eq!(seen(folder, &with(&["-q"])), "");
    let values = fs::read_to_string(folder.join("shop/values.yaml")).unwrap();
    assert_eq!(values, "policy: Never\n");
}
