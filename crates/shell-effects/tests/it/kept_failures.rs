//! Failures that a script keeps, and what `set -e` would do to it. Each was run in `bash` with commands that fail, to see the
//! status.

use shell_effects::{
    Analysis, Catalogue, Container, MountedFile, analyse, failure_hidden, is_removed_again,
    not_idempotent, ordinary_name, stopped_by_errexit, taken_back,
};

fn analysed(script: &str) -> Analysis {
    analyse(Catalogue::built_in(), &["bash", "-c", script], &Container::default())
}

fn hides(script: &str) -> bool {
    !failure_hidden(&analysed(script)).is_empty()
}

#[test]
fn a_file_keeps_a_failure_if_a_later_test_reads_it() {
    for (first, test) in [
        ("pg_dump a > /b/a || echo a >> /t/bad", "[ -s /t/bad ] && exit 1; date"),
        ("{ pg_dump a || echo a > /t/bad; } | gzip > /b/a", "[ ! -e /t/bad ] || exit 1"),
        ("pg_dump a > /b/a && touch /t/ok; find /b -delete", "test -f /t/ok || exit 1"),
    ] {
        assert!(!hides(&format!("{first}; {test}")), "{first}");
        assert!(hides(&format!("{first}; date")), "{first}");
    }
    // Whoever only prints the file does not look at it.
    assert!(hides("pg_dump a > /b/a || echo a >> /t/bad; cat /t/bad"));
}

#[test]
fn a_variable_keeps_a_success_or_a_failure() {
    for script in [
        "ok=0; pg_dump a > /b/a && ok=1; find /b -delete; [ \"$ok\" = 1 ]",
        "n=0; for d in a b; do pg_dump $d > /b/$d && n=$((n+1)); done; [ $n -eq 2 ] || exit 1",
        "bad() { FAILED=1; echo \"$1\"; }; pg_dump a > /b/a || bad a; exit ${FAILED:-0}",
    ] {
        assert!(!hides(script), "{script}");
    }
    for script in [
        "pg_dump a > /b/a && ok=1; find /b -delete; echo ok=$ok",
        "bad() { FAILED=1; echo \"$1\"; }; pg_dump a > /b/a || bad a; date",
    ] {
        assert!(hides(script), "{script}");
    }
}

#[test]
fn a_dump_in_the_background_is_missed() {
    assert!(hides("pg_dump a > /b/a & pg_dump b > /b/b & wait; date"));
    assert!(!hides("pg_dump a > /b/a & p=$!; wait $p"));
}

#[test]
fn the_items_of_a_loop_may_be_worked_on_in_a_function_or_read_from_a_file() {
    let is_for_item = |script: &str| failure_hidden(&analysed(script))[0].is_for_item;
    assert!(is_for_item("f() { pg_dump $1 > /b/$1; date; }; for d in a b; do f $d; done; date"));
    assert!(is_for_item("while read -r d; do pg_dump $d > /b/$d; done < /etc/dbs; date"));
    // The pipe would lose the variable that the help speaks of.
    assert!(!is_for_item("cat /etc/dbs | while read -r d; do pg_dump $d > /b/$d; done; date"));
    assert!(!is_for_item("f() { pg_dump $1 > /b/$1; date; }; f a; date"));
}

#[test]
fn set_e_would_end_a_script_at_what_is_not_there_yet() {
    for (script, stopped) in [
        ("kubectl delete secret r; kubectl create secret generic r; date", Some("kubectl delete")),
        ("kubectl delete secret r --ignore-not-found; kubectl create secret generic r; date", None),
        ("kubectl delete secret r; kubectl create secret generic s; date", None),
        ("mc rb m/b; mc mb m/b; date", Some("mc rb")),
        ("mkdir /b/today; pg_dump a > /b/today/a; date", Some("mkdir")),
        ("mkdir -p /b/today; pg_dump a > /b/today/a; date", None),
        ("pkill worker; alembic upgrade head; date", Some("pkill")),
        ("psql -c 'CREATE DATABASE b'; psql -d b -f /s; date", Some("psql")),
        (
            "if [ \"$(psql -tAc 'SELECT 1' b)\" != 1 ]; then psql -c 'CREATE DATABASE b'; psql -d b -f /s; date; fi",
            None,
        ),
        ("vault status; vault operator unseal k; date", Some("vault status")),
        ("rclone moveto r:a r:b; rclone copy /b r:a; date", Some("rclone moveto")),
    ] {
        let found = stopped_by_errexit(&analysed(script), 2).map(ordinary_name);
        assert_eq!(found.as_deref(), stopped, "{script}");
    }
}

#[test]
fn what_is_stopped_is_started_again_unless_its_data_is_gone() {
    let again = |script: &str| {
        let analysis = analysed(script);
        let first = analysis.invocations[1].location;
        taken_back(&analysis, first).map(|one| one.words.last().unwrap().value.clone())
    };
    let scaled = |work: &str| {
        format!("kubectl scale deploy/a --replicas=0; {work}; kubectl scale deploy/a --replicas=1")
    };
    assert_eq!(again(&scaled("pg_dump a > /b/a")).as_deref(), Some("--replicas=1"));
    assert_eq!(again(&scaled("date; kubectl exec a -- rm -rf /data")), None);
    let locked = "touch /b/lock; pg_dump a > /b/a; rm -f /b/lock";
    assert_eq!(again(locked).as_deref(), Some("/b/lock"));
    assert_eq!(again("touch /b/lock; pg_dump a > /b/a; rm -f /b/other"), None);
    let patched =
        |value| format!("kubectl patch cronjob a -p '{{\"spec\":{{\"suspend\":{value}}}}}'");
    let script = format!("{}; pg_dump a > /b/a; {}", patched(true), patched(false));
    assert!(again(&script).is_some());
}

#[test]
fn what_the_script_removes_again_is_new_in_each_run() {
    let is_removed = |script: &str| {
        let analysis = analysed(script);
        let hazards = not_idempotent(&analysis);
        assert!(!hazards.is_empty(), "{script}");
        is_removed_again(&analysis, hazards[0].location, script)
    };
    assert!(is_removed("set -e; createdb tmp; psql -c 'select 1' tmp; dropdb tmp"));
    assert!(is_removed("set -e; createdb tmp; trap 'dropdb tmp' EXIT; psql -c 'select 1' tmp"));
    assert!(!is_removed("set -e; createdb tmp; psql -c 'select 1' tmp; dropdb u"));
    assert!(!is_removed("set -e; createdb tmp; if test -f /c; then dropdb tmp; fi"));
}

#[test]
fn a_comment_of_cypher_is_no_statement() {
    let script = "cypher-shell <<'END'\n// Make indexes\nMERGE (a:A)--(b:B);\nEND\ndate";
    let analysis = analysed(script);
    let found: Vec<_> = failure_hidden(&analysis)
        .iter()
        .map(|one| script[one.location.span.range()].to_owned())
        .collect();
    assert_eq!(found, ["MERGE"]);
}

#[test]
fn a_later_command_needs_what_an_earlier_one_makes() {
    for (script, is_hidden) in [
        (
            "set -e; pgbackrest --stanza=a stanza-create || true; pgbackrest --stanza=a --type=full backup; date",
            false,
        ),
        ("set -e; pgbackrest --stanza=a stanza-create || true; date", true),
        ("etcdctl snapshot save /tmp/a.db; gzip /tmp/a.db; mv /tmp/a.db.gz /backup/", false),
        ("etcdctl snapshot save /tmp/a.db; gzip /tmp/b.db; mv /tmp/b.db.gz /backup/", true),
        (
            "psql -c 'CREATE DATABASE shop'; psql -d shop -c 'CREATE EXTENSION IF NOT EXISTS a'",
            false,
        ),
        (
            "psql -c 'CREATE DATABASE shop'; psql -d cart -c 'CREATE EXTENSION IF NOT EXISTS a'",
            true,
        ),
        ("psql -c 'CREATE ROLE shop LOGIN'; psql -c \"ALTER ROLE shop PASSWORD 'a'\"", false),
        ("psql -c 'CREATE ROLE shop LOGIN'; psql -c \"ALTER ROLE cart PASSWORD 'a'\"", true),
        (
            "kubectl delete job a --ignore-not-found; kubectl apply -f a.yaml; kubectl wait --for=condition=complete job/a",
            false,
        ),
        (
            "kubectl delete job b --ignore-not-found; kubectl apply -f a.yaml; kubectl wait --for=condition=complete job/a",
            true,
        ),
        (
            "until kubectl get secret a; do kubectl create secret generic a; sleep 5; done; date",
            false,
        ),
        ("until kubectl get secret a; do kubectl create secret generic a; break; done; date", true),
        (
            "export VAULT_TOKEN=$(vault write -field=token auth/a/login); vault operator raft snapshot save /tmp/a; aws s3 cp /tmp/a s3://b/",
            false,
        ),
    ] {
        let found = failure_hidden(&analysed(script));
        assert_eq!(found.iter().any(|one| !one.is_minor), is_hidden, "{script}");
    }
}

#[test]
fn a_request_for_what_another_has_removed_may_be_repeated() {
    let found = |removed: &str| {
        let script = format!(
            "curl -s -X DELETE http://{removed}\ncurl -s -X POST -H 'Content-Type: application/json' http://a/connectors --data @/a.json"
        );
        let found = failure_hidden(&analysed(&script));
        found.iter().map(|one| (one.is_minor, one.relied_on.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(found("a/connectors/b"), [(true, false), (false, false)]);
    assert_eq!(found("a/groups/b"), [(false, false), (false, true)]);
}

#[test]
fn a_loop_over_what_a_query_prints_may_dump_nothing() {
    assert!(hides(
        "set -e; for db in $(psql -Atc 'select a'); do pg_dump $db -f /b/$db || exit 1; done"
    ));
    assert!(!hides(
        "set -e; all=$(psql -Atc 'select a'); for db in $all; do pg_dump $db -f /b/$db || exit 1; done"
    ));
}

#[test]
fn a_script_is_the_same_where_it_is_copied() {
    let file =
        MountedFile { path: "/scripts/a.sh".into(), text: "kubectl apply -f a\ndate\n".into() };
    let container = Container { files: vec![file], ..Container::default() };
    let is_read = |script: &str| {
        let analysis = analyse(Catalogue::built_in(), &["sh", "-c", script], &container);
        !failure_hidden(&analysis).is_empty()
    };
    assert!(is_read("cp /scripts/a.sh /tmp/b.sh && chmod +x /tmp/b.sh && /tmp/b.sh"));
    assert!(is_read("cp -f /scripts/a.sh /tmp/; sh /tmp/a.sh"));
    assert!(!is_read("cp /scripts/b.sh /tmp/b.sh; /tmp/b.sh"));
}

#[test]
fn a_later_command_fails_without_the_object_that_one_makes() {
    let hidden = |script: &str| {
        let found = failure_hidden(&analysed(script));
        found.iter().map(|one| script[one.location.span.range()].to_owned()).collect::<Vec<_>>()
    };
    for script in [
        "v=/shop; rabbitmqadmin declare vhost name=$v; rabbitmqadmin declare permission vhost=$v user=a",
        "kubectl create ns shop; kubectl apply -n shop -f a",
        "kubectl scale sts shop --replicas=$n; while [ $(kubectl get pods -l app=shop | wc -l) -gt $n ]; do sleep 5; done; date",
        "/usr/local/bin/adduser.sh; date",
        "TOKEN=$(curl -s https://shop.example/login -d a=b | sed s/a/b/) && curl -f -X POST -H \"Authorization: Bearer $TOKEN\" https://shop.example/a",
        "gpg --import k; tar -cf /b/a /data; gpg --encrypt -r shop /b/a",
        "kubectl delete pod shop-0; while kubectl get pod shop-0; do sleep 5; done; date",
    ] {
        assert_eq!(hidden(script), [""; 0], "{script}");
    }
    for (script, found) in [
        ("/usr/local/bin/import.sh; date", "/usr/local/bin/import.sh"),
        ("psql -c 'VACUUM'; if [ \"$?\" == \"0\" ]; then echo ok; else echo failed; fi", "VACUUM"),
        ("kubectl create secret generic a -n shop; kubectl apply -n shop -f b", "create secret"),
        (
            "oc create secret generic a -n shop; while [ -z $K ]; do sleep 3; K=$(oc get secret b -n shop); done; date",
            "create",
        ),
        ("mc alias set m http://m a b; mc mb m/one; mc mb m/two", "mb"),
        (
            "kubectl scale deploy/a --replicas=0; until kubectl get deploy/b; do sleep 1; done",
            "scale",
        ),
        (
            "kubectl rollout restart deploy/a; until kubectl rollout status deploy/a; do sleep 5; done",
            "rollout",
        ),
    ] {
        assert!(
            hidden(script).iter().any(|one| found.ends_with(one)),
            "{script}: {:?}",
            hidden(script)
        );
    }
}
