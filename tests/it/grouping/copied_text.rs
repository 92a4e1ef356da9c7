//! What scripts and annotations of several folders say in the same words is one finding.

use super::{CHART, findings, job, message, names, tree};

/// A Job that runs a script.
fn script(name: &str, lines: &str) -> String {
    let lines = lines.replace('\n', "\n            ");
    let shell = format!(
        "'app:1.0'\n        command: [sh, -c]\n        args:\n          - |\n            {lines}"
    );
    job(name).replace(
        "[{name: main, image: 'app:1.0'}]",
        &format!("\n      - name: main\n        image: {shell}"),
    )
}

const SCHEMA: &str = "set -e\npsql -c 'DROP TABLE users; CREATE TABLE users (id int);'";

/// Each folder of a tutorial starts with the same statement. Another table is another cause.
#[test]
fn a_statement_that_folders_repeat_is_one_finding() {
    let other = SCHEMA.replace("users", "orders");
    let folder = tree(&[
        ("one/schema.yaml", &*script("schema", SCHEMA)),
        ("two/load.yaml", &script("load", &format!("echo start\n{SCHEMA}"))),
        ("three/schema.yaml", &script("schema", &format!("{SCHEMA}\npsql -c 'SELECT 1'"))),
        ("four/orders.yaml", &script("orders", &other)),
    ]);
    let found =
        findings(&folder, "destroys-data", &["--deployer", "argocd:selfHeal=true", "--pedantic"]);
    let mut all: Vec<_> = found.iter().map(names).collect();
    all.iter_mut().for_each(|names| names.sort());
    all.sort();
    assert_eq!(all, [vec!["load", "schema", "schema"], vec!["orders"]]);
}

/// Loops with one first line may wait for different things.
#[test]
fn a_wait_that_folders_repeat_is_one_finding() {
    let wait = |host: &str| {
        format!("while true; do\n  pg_isready -q -h {host} && break\n  sleep 2\ndone\nmigrate up")
    };
    let folder = tree(&[
        ("one/wait.yaml", &*script("wait", &wait("db"))),
        ("two/wait.yaml", &script("wait", &wait("db"))),
        ("three/wait.yaml", &script("wait", &wait("db").replace("sleep 2", "sleep 5"))),
        ("four/wait.yaml", &script("wait", &wait("queue"))),
    ]);
    let found = findings(&folder, "unbounded-wait", &[]);
    let also = |finding: &serde_json::Value| finding["also"].as_array().map_or(0, Vec::len);
    let mut numbers: Vec<_> = found.iter().map(also).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 0, 1], "{found:?}");
}

/// A rendered copy is applied as it is, the manifest by its kustomization.
#[test]
fn a_script_of_a_kustomization_and_of_its_rendered_copy_is_one_finding() {
    let job = script("load", "kubectl apply -f /config\necho done");
    let folder = tree(&[
        ("base/kustomization.yaml", "resources: [load.yaml]\n"),
        ("base/load.yaml", &job),
        ("rendered/02-job-load.yml", &format!("# made by `make render`\n{job}")),
    ]);
    let found = findings(&folder, "failure-hidden", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(names(&found[0]), ["load", "load"]);
}

/// The labels of the rendered manifests differ, and so do their file names.
#[test]
fn an_annotation_in_rendered_copies_is_one_finding() {
    let rendered = |version: &str| {
        job("clean").replace(
            "name: clean",
            &format!(
                "name: clean\n  labels: {{version: '{version}'}}\n  annotations:\n    helm.sh/hook-delete-policy: hook-succeeded"
            ),
        )
    };
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/templates/job.yaml", &rendered("{{ .Chart.Version }}")),
        ("examples/a/all.yaml", &rendered("1.0")),
        ("examples/b/job.yaml", &rendered("1.1")),
    ]);
    let found = findings(&folder, "hook-annotation-without-hook", &["--pedantic"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(names(&found[0]), ["clean", "clean", "clean"]);
    assert!(message(&found[0]).ends_with("(and 2 copies)"), "{}", message(&found[0]));
}
