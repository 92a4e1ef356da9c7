//! Objects that a script deletes: by name, and by their labels (<https://kubernetes.io/docs/reference/kubectl/generated/kubectl_delete/>).

use shell_effects::{Analysis, Catalogue, Container, analyse, deleted_objects, selected_objects};

fn analysed(script: &str) -> Analysis {
    analyse(Catalogue::built_in(), &["sh", "-c", script], &Container::default())
}

#[test]
fn objects_deleted_by_name_are_known() {
    let deletes = |script: &str| {
        deleted_objects(&analysed(script))
            .iter()
            .any(|object| object.is_kind("job") && object.name == "app-init")
    };
    for script in [
        "kubectl delete job app-init",
        "kubectl -n app delete jobs.batch app-init --ignore-not-found",
        "kubectl delete job/other job/app-init -n app",
        "oc delete pod,job app-init || true",
        "NAME=app-init; kubectl delete job $NAME",
        "NAME=app-init; kubectl delete job \"${NAME}\" -n app",
        "curl -k -X DELETE https://kubernetes.default.svc/apis/batch/v1/namespaces/app/jobs/app-init",
    ] {
        assert!(deletes(script), "{script}");
    }
    for script in [
        "kubectl delete pod app-init",
        "kubectl delete job -l name=app-init",
        "kubectl delete -n app-init job other",
        "kubectl get job app-init",
        "curl -k https://kubernetes.default.svc/apis/batch/v1/namespaces/app/jobs/app-init",
        "curl -k -X DELETE https://kubernetes.default.svc/api/v1/namespaces/app/pods/app-init",
        "NAME=app-init; NAME=$1; kubectl delete job $NAME",
    ] {
        assert!(!deletes(script), "{script}");
    }
}

#[test]
fn objects_deleted_by_their_labels_are_known() {
    let labels = |script: &str| {
        let found = selected_objects(&analysed(script));
        let of_job = |one: &shell_effects::SelectedObjects| {
            let pairs = one.labels.iter().map(|(key, value)| format!("{key}={value}"));
            one.is_kind("job").then(|| pairs.collect::<Vec<_>>().join(","))
        };
        found.iter().find_map(of_job)
    };
    for (script, expected) in [
        ("kubectl delete job -l app=shop", "app=shop"),
        ("oc -n shop delete jobs --selector=app==shop,tier=web", "app=shop,tier=web"),
        ("kubectl delete jobs --all", ""),
        (
            "for job in $(kubectl get jobs -l app=shop -o name); do kubectl delete $job; done",
            "app=shop",
        ),
        ("kubectl get jobs -l app=shop -o name | xargs kubectl delete", "app=shop"),
        (
            "kubectl get jobs -l app=shop -o name | while read job; do kubectl delete \"$job\"; done",
            "app=shop",
        ),
    ] {
        assert_eq!(labels(script).as_deref(), Some(expected), "{script}");
    }
    for script in [
        "kubectl delete pod -l app=shop",
        "kubectl delete job shop",
        "kubectl get jobs -l app=shop",
        "kubectl get jobs -l app=shop; kubectl delete job other",
        "kubectl delete job -l app!=shop",
        "kubectl delete job -l 'app in (shop)'",
    ] {
        assert_eq!(labels(script), None, "{script}");
    }
}
