//! Annotations that would make a hook, on the pods of Jobs.

use super::{findings, names, tree};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\nappVersion: 1.0.0\n";

/// A Job of a chart with a hook annotation on its pods, and a command.
fn job(name: &str, command: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  ttlSecondsAfterFinished: 300\n  template:\n    \
         metadata:\n      annotations: {{helm.sh/hook: post-install}}\n      labels: {{v: '{{{{ .Chart.AppVersion }}}}'}}\n    \
         spec:\n      restartPolicy: Never\n      containers:\n      - {{name: main, image: 'app:1.0', command: [{command}]}}\n"
    )
}

const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec:\n  template:\n    spec:\n      \
    containers: [{name: main, image: app}]\n      volumes: [{name: key, secret: {secretName: shop-key}}]\n";

#[test]
fn charts_of_one_author_have_one_finding_and_no_other_about_the_upgrade() {
    let [a, b] = ["migrate", "seed"].map(|name| job(name, "run"));
    let folder = tree(&[
        ("a/Chart.yaml", CHART),
        ("a/templates/job.yaml", &a),
        ("b/Chart.yaml", CHART),
        ("b/templates/job.yaml", &b),
    ]);
    let found = findings(&folder, "hook-on-pod-template", &[]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [vec!["migrate", "seed"]]);
    // It explains the upgrade that fails within the TTL, of which joblint says less.
}

#[test]
fn a_job_that_others_wait_for_must_not_become_a_hook() {
    let help = |command: &str| {
        let job = job("keys", command);
        let folder = tree(&[
            ("a/Chart.yaml", CHART),
            ("a/templates/job.yaml", &job),
            ("a/templates/deployment.yaml", DEPLOYMENT),
        ]);
        let found = findings(&folder, "hook-on-pod-template", &[]);
        found[0]["help"].as_str().unwrap().to_owned()
    };
    let awaited = help("kubectl, create, secret, generic, shop-key");
    assert!(awaited.contains("Deployment `shop` mounts what the Job makes"), "{awaited}");
    let other = help("kubectl, create, secret, generic, other");
    assert!(other.starts_with("Move the annotations"), "{other}");
}
