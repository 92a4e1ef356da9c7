//! What hides a failure in a loop, and what tells it there.

use shell_effects::{Catalogue, Container, HiddenBy, MountedFile, analyse, failure_hidden};

/// Nothing leaves the loop, so that the script never ends with 0.
#[test]
fn a_script_that_never_ends_does_not_succeed() {
    let restart = "kubectl rollout restart deploy shop";
    for (body, hidden) in [
        (format!("if [ \"$(date +%H)\" = 07 ]; then {restart}; fi; sleep 30"), 0),
        (format!("if [ \"$(date +%H)\" = 07 ]; then {restart}; break; fi; sleep 30"), 1),
        (format!("if [ -f /b/stop ]; then exit; fi; {restart}; sleep 30"), 1),
    ] {
        let script = format!("while true; do {body}; done");
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-c", &script], &Container::default());
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}

#[test]
fn the_only_turn_of_a_loop_decides() {
    for script in [
        "for a in b; do kubectl apply -f $a; done",
        "u=(b); for a in \"${u[@]}\"; do kubectl apply -f $a; done",
        "u=('b c'); for a in \"${u[@]}\"; do kubectl apply -f \"$a\"; done",
    ] {
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-c", script], &Container::default());
        assert!(failure_hidden(&analysis).is_empty(), "{script}");
    }
    for (path, by) in [("items[0]", None), ("items[*]", Some(HiddenBy::Loop))] {
        let script = format!(
            "for a in $(kubectl get pods -o jsonpath='{{.{path}.metadata.name}}'); do kubectl apply -f $a; done"
        );
        let argv = ["bash", "-c", &script];
        let found = failure_hidden(&analyse(Catalogue::built_in(), &argv, &Container::default()));
        let of_body = found.iter().map(|one| one.by).find(|by| *by == HiddenBy::Loop);
        assert_eq!(of_body, by, "{path}");
    }
}

#[test]
fn a_field_of_the_pod_is_one_turn() {
    let container = Container { pod_fields: vec!["NS".to_owned()], ..Container::default() };
    for (script, hidden) in [
        ("for n in $NS; do kubectl apply -f f -n $n; done", 0),
        ("for n in \"${NS}\"; do kubectl apply -f f -n $n; done", 0),
        ("for n in $OTHER; do kubectl apply -f f -n $n; done", 1),
        ("NS=\"a b\"; for n in $NS; do kubectl apply -f f -n $n; done", 1),
    ] {
        let analysis = analyse(Catalogue::built_in(), &["bash", "-c", script], &container);
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}

/// A loop that ends only when the object is as it should be tells that the command before it, or in it, has failed.
#[test]
fn a_loop_that_ends_only_with_the_result_tells_a_failure() {
    let ready = "[ \"$(kubectl get pod shop-0 -o jsonpath={.status.phase})\" = Running ]";
    for (script, hidden) in [
        (
            "kubectl scale sts shop --replicas=0\nuntil [ \"$(kubectl get sts shop)\" = 0 ]; do sleep 3; done\ndate",
            0,
        ),
        (
            "kubectl apply -f /shop.yaml\nuntil kubectl exec deploy/shop -- test -f /done; do sleep 3; done\ndate",
            0,
        ),
        (
            "kubectl apply -f /job.yaml\nuntil [ \"$(kubectl get pods -l job-name=shop -o name)\" = a ]; do sleep 3; done\ndate",
            0,
        ),
        (
            "kubectl apply -f /shop.yaml\nuntil kubectl exec deploy/other -- test -f /done; do sleep 3; done\ndate",
            1,
        ),
        ("kubectl apply -f /shop.yaml\nkubectl exec deploy/shop -- test -f /done\ndate", 1),
        (
            "curl -X POST shop:9000/migrate\nwhile [ \"$A\" != UP ]; do sleep 5; A=$(curl -s shop:9000/state); done",
            0,
        ),
        (
            "curl -X POST shop:9000/migrate\nwhile [ \"$A\" != UP ]; do sleep 5; A=$(curl -s cart:9000/state); done",
            1,
        ),
        (
            "n=0\nwhile true; do\nif READY; then break; fi\nif [ $n -lt 3 ]; then kubectl rollout restart sts shop; sleep 60; n=$((n+1)); else exit 1; fi\ndone",
            0,
        ),
        (
            "for i in 1 2 3; do\nif READY; then exit 0; fi\nkubectl rollout restart sts shop; sleep 60\ndone\nexit 1",
            0,
        ),
        (
            "n=0\nwhile true; do\nif READY; then break; fi\nif [ $n -lt 3 ]; then kubectl rollout restart sts shop; sleep 60; n=$((n+1)); else break; fi\ndone",
            1,
        ),
        (
            "for i in 1 2 3; do\nif READY; then exit 0; fi\nkubectl rollout restart sts shop; sleep 60\ndone\ndate",
            1,
        ),
    ] {
        let script = script.replace("READY", ready);
        let file = |path: &str, name: &str| MountedFile {
            path: path.into(),
            text: format!("kind: Job\nmetadata:\n  name: {name}\n"),
        };
        let container =
            Container { files: vec![file("/job.yaml", "shop")], ..Container::default() };
        let analysis = analyse(Catalogue::built_in(), &["bash", "-c", &script], &container);
        let found = failure_hidden(&analysis);
        assert_eq!(found.len(), hidden, "{script} {found:?}");
    }
}

#[test]
fn a_loop_over_the_only_file_of_a_folder_runs_once() {
    let hidden = |pattern: &str, names: &[&str]| {
        let file = |name: &&str| MountedFile {
            path: format!("/scripts/{name}"),
            text: "CREATE TABLE a (id int);".into(),
        };
        let files = names.iter().map(file).collect();
        let script = format!("for f in {pattern}; do psql -f \"$f\"; done");
        let container = Container { files, ..Container::default() };
        let analysis = analyse(Catalogue::built_in(), &["sh", "-c", &script], &container);
        let found = failure_hidden(&analysis);
        found
            .iter()
            .map(|one| (one.by == HiddenBy::Loop, one.relied_on.is_some()))
            .collect::<Vec<_>>()
    };
    let once = [(false, true)];
    assert_eq!(hidden("/scripts/*", &["a.sql"]), once);
    assert_eq!(hidden("/scripts/*.sql", &["a.sql", "b.txt"]), once);
    for (pattern, names) in [
        ("/scripts/*", &["a.sql", "b.sql"][..]),
        ("/scripts/*/*", &["a.sql"]),
        ("/others/*", &["a.sql"]),
    ] {
        assert_eq!(hidden(pattern, names), [(true, false)], "{pattern}");
    }
}
