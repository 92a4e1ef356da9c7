//! Manifests that a repository names nowhere, although it names most others.

use joblint::results::Report;

use super::*;
use crate::support::{joblint, run};

/// Five manifests with a Job each that the API server rejects; a script applies four of them.
fn repository_with(script: &str) -> String {
    let mut files = format!("=== deploy.sh\n{script}\n");
    for name in ["a", "b", "c", "d", "e"] {
        let job = JOB.replace("name: migrate", &format!("name: {name}")).replace("Never", "Always");
        files += &format!("=== k8s/jobs/{name}.yaml\n{job}");
    }
    files
}

const FOUR: &str = "\
cd k8s
kubectl apply -f jobs/a.yaml -f jobs/b.yaml
kubectl apply -f \"$DIR/c.yaml\"
kubectl apply -f https://raw.example.org/acme/shop/main/k8s/jobs/d.yaml";

/// The manifests of which nothing is reported.
fn unnamed(report: &Report) -> Vec<String> {
    report.unnamed.keys().map(|path| inside(path).to_owned()).collect()
}

fn hidden(files: &str) -> Vec<String> {
    unnamed(&checked(files))
}

const NOTHING: [&str; 0] = [];
const OTHER: [&str; 1] = ["k8s/jobs/e.yaml"];

#[test]
fn a_manifest_that_nothing_names_unlike_the_others_needs_pedantic() {
    let report = checked(&repository_with(FOUR));
    assert_eq!(unnamed(&report), OTHER);
    assert_eq!(findings(&report, "restart-policy-always").len(), 4);
    let note = report.notes.iter().find(|note| note.contains("nothing in this repository names"));
    assert!(note.unwrap().starts_with("1 finding in 1 manifest that"), "{note:?}");

    let repository = repository(&repository_with(FOUR));
    let shows = |arguments: &[&str]| {
        run(&mut joblint(repository.path(), arguments)).1.contains("k8s/jobs/e.yaml:")
    };
    assert!(!shows(&[]));
    for asked in ["--pedantic", "k8s/jobs", "k8s/jobs/e.yaml"] {
        assert!(shows(&[asked]), "{asked}");
    }
}

#[test]
fn what_names_a_folder_names_its_manifests() {
    let with = |line: &str| hidden(&repository_with(&format!("{FOUR}\n{line}")));
    for line in
        ["kubectl apply -R -f k8s/", "kubectl apply -f k8s/jobs", "for f in k8s/jobs/*; do :; done"]
    {
        assert_eq!(with(line), NOTHING, "{line}");
    }
    for line in ["kubectl apply -f k8s/$NAME", "# see the jobs", "kubectl apply -f other/e.yml"] {
        assert_eq!(with(line), OTHER, "{line}");
    }
    let beside =
        |file: &str, text: &str| hidden(&format!("{}=== {file}\n{text}\n", repository_with(FOUR)));
    assert_eq!(beside("k8s/jobs/README.md", "    kubectl apply -f ."), NOTHING);
    assert_eq!(beside("k8s/jobs/README.md", "The manifests of k8s/jobs."), OTHER, "its own folder");
    assert_eq!(beside("k8s/fleet.yaml", "defaultNamespace: shop"), NOTHING);
}

/// Nobody waits for a text that repeats one folder.
#[test]
fn a_name_that_is_written_very_often_counts_as_a_path() {
    let files = repository_with(FOUR).replace("k8s/jobs/", "k8s/j/");
    let files = files.replace("f jobs/", "f j/");
    let with = |times: usize| hidden(&format!("{files}=== list.txt\n{}\n", "x/j/ ".repeat(times)));
    assert_eq!(with(10), ["k8s/j/e.yaml"]);
    assert_eq!(with(2000), NOTHING);
}

#[test]
fn a_repository_must_name_most_of_its_manifests() {
    let two = FOUR.lines().take(2).collect::<Vec<_>>().join("\n");
    assert_eq!(hidden(&repository_with(&two)), NOTHING);
    assert_eq!(hidden(&repository_with("kubectl apply -f $1")), NOTHING);
}

#[test]
fn of_manifests_of_one_name_the_folder_tells_which_is_meant() {
    let job = JOB.replace("Never", "Always");
    let same = |script: &str| {
        hidden(&format!(
            "{}=== batch/a.yaml\n{job}",
            repository_with(&format!("{FOUR} k8s/jobs/e.yaml\n{script}"))
        ))
    };
    assert_eq!(same(""), ["batch/a.yaml"]);
    assert_eq!(same("kubectl apply -f batch/a.yaml"), NOTHING);
    assert_eq!(same("kubectl apply -f a.yaml"), NOTHING, "it may run in any folder below");
}

#[test]
fn helm_sends_no_manifest_beside_the_templates() {
    let job = JOB.replace("Never", "Always");
    let chart = format!(
        "=== chart/Chart.yaml\napiVersion: v2\nname: shop\nversion: 0.1.0\n=== chart/cron.yaml\n{job}"
    );
    let with = |line: &str| hidden(&format!("{chart}=== deploy.sh\n{line}\n"));
    for line in ["helm upgrade shop ./chart", "kubectl apply -f other.yaml"] {
        assert_eq!(with(line), ["chart/cron.yaml"], "{line}");
    }
    assert_eq!(with("kubectl apply -f chart/cron.yaml"), NOTHING);
}
