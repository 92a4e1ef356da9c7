//! What a script waits for: places that the labels of scripts do not tell.

use shell_effects::{
    Analysis, Catalogue, Container, ElementSpan, analyse, endless, false_successes, unbounded_waits,
};

fn analysed(argv: &[&str]) -> Analysis {
    analyse(Catalogue::built_in(), argv, &Container::default())
}

fn texts<'a>(argv: &[&'a str], places: Vec<ElementSpan>) -> Vec<&'a str> {
    places.into_iter().map(|place| &argv[place.element][place.span.range()]).collect()
}

#[test]
fn what_only_passes_time_waits_for_nothing() {
    for (script, place) in [
        ("sleep infinity", "infinity"),
        ("kubectl get pods\ntail -f /dev/null", "-f"),
        ("while true; do sleep 1000; done", "while true; do sleep 1000; done"),
        ("while :; do date; sleep 60; done", "while :; do date; sleep 60; done"),
        ("until false; do sleep 9; done", "until false; do sleep 9; done"),
    ] {
        let argv = ["bash", "-c", script];
        let analysis = analysed(&argv);
        assert_eq!(texts(&argv, endless(&analysis)), [place], "{script}");
        assert!(unbounded_waits(&analysis).is_empty(), "{script}");
    }
    for script in [
        "while true; do nc -z db 5432 && break; sleep 5; done",
        "while true; do sleep 5 || exit 1; done",
        "until nc -z db 5432; do sleep 5; done",
    ] {
        let argv = ["bash", "-c", script];
        let analysis = analysed(&argv);
        let places = unbounded_waits(&analysis).into_iter().map(|wait| wait.location);
        assert_eq!(texts(&argv, places.collect()), [script]);
        assert!(endless(&analysis).is_empty(), "{script}");
    }
}

#[test]
fn the_script_waits_only_for_the_process_that_it_names() {
    let waits = |script: &str| !unbounded_waits(&analysed(&["sh", "-c", script])).is_empty();
    let wait = "until nc -z db 1; do sleep 2; done &";
    for after in [
        "wait",
        "wait $!",
        "p=$!\nwait $p",
        "p=$!\nwait \"${p}\"",
        "wait -n",
        "if a; then wait; fi",
    ] {
        assert!(waits(&format!("{wait}\n{after}")), "{after}");
    }
    for after in [
        "kubectl get pods",
        "kubectl wait --for=condition=Ready pod/a",
        "a=$!\nkubectl get pods &\np=$!\nwait $p",
        "kubectl get pods &\nwait $!",
        "# wait",
        "echo wait",
    ] {
        assert!(!waits(&format!("{wait}\n{after}")), "{after}");
    }
}

#[test]
fn a_probe_that_prints_says_what_it_waits_for() {
    for (condition, says_why) in [
        ("pg_isready -h db", true),
        ("! mysqladmin ping -h db", true),
        ("nc -vz db 5432", true),
        ("nc -z db 5432", false),
        ("pg_isready -q -h db", false),
        ("pg_isready -h db > /dev/null", false),
        ("[ \"$(pg_isready -h db)\" ]", false),
        ("curl -s http://db", false),
        ("curl -fsS http://db", true),
        ("wget -q -O /tmp/x http://db", false),
        ("getent hosts db", false),
        ("vault status", true),
        ("kubectl get crd shops", true),
    ] {
        let script = format!("until {condition}; do sleep 2; done");
        let analysis = analysed(&["sh", "-c", &script]);
        let found: Vec<_> =
            unbounded_waits(&analysis).iter().map(|wait| wait.turn.says_why).collect();
        assert_eq!(found, [says_why], "{script}");
    }
}

/// What would say more than that something is not up is not thrown away.
#[test]
fn a_loop_that_prints_says_what_it_waits_for_unless_the_reason_is_lost() {
    for (condition, says_why) in [
        ("nc -z db 5432", true),
        ("nc -z db 5432 > /dev/null 2>&1", true),
        ("psql -c 'SELECT 1'", true),
        ("psql -c 'SELECT 1' > /dev/null", true),
        ("psql -c 'SELECT 1' > /dev/null 2>&1", false),
        ("psql -c 'SELECT 1' &> /dev/null", false),
        ("manage.py check 2>/dev/null", false),
        ("[ \"$(kubectl get job a -o name 2>/dev/null)\" ]", false),
        ("mongosh --quiet --eval \"db.adminCommand('ping')\" >/dev/null 2>&1", true),
        ("kafka-broker-api-versions --bootstrap-server kafka:9094 >/dev/null 2>&1", true),
        ("mc alias set shop http://minio a b >/dev/null 2>&1", false),
        ("curl -s http://shop/health >/dev/null 2>&1", true),
        ("curl -sf http://shop/v1/auth >/dev/null 2>&1", false),
    ] {
        for script in [
            format!("until {condition}; do echo waiting; sleep 2; done"),
            format!("echo waiting\nuntil {condition}; do sleep 2; done"),
            format!("while true; do {condition} && break; echo waiting; sleep 2; done"),
        ] {
            let analysis = analysed(&["sh", "-c", &script]);
            let found: Vec<_> =
                unbounded_waits(&analysis).iter().map(|wait| wait.turn.says_why).collect();
            assert_eq!(found, [says_why], "{script}");
        }
    }
}

/// The answer to a refused query is empty, which ends a loop that waits for the last object to go.
#[test]
fn a_refusal_is_hidden_only_where_the_loop_goes_on() {
    for (script, hides) in [
        ("until kubectl get ns a >/dev/null 2>&1; do sleep 2; done", true),
        ("until [ -n \"$(kubectl get ns a 2>/dev/null)\" ]; do sleep 2; done", true),
        ("while [ \"$(kubectl get pod 2>/dev/null | wc -l)\" != 0 ]; do sleep 2; done", false),
        ("until kubectl get ns a; do sleep 2; done", false),
    ] {
        let analysis = analysed(&["sh", "-c", script]);
        let found: Vec<_> =
            unbounded_waits(&analysis).iter().map(|wait| wait.turn.hides_refusal).collect();
        assert_eq!(found, [hides], "{script}");
    }
}

#[test]
fn a_loop_over_pages_waits_for_nothing() {
    for (script, waits) in [
        ("while :; do [ \"$(count)\" -gt 0 ] || break; psql -c 'DELETE FROM q'; done", 0),
        ("while :; do psql -c 'CREATE TABLE q (a int)' && break; done", 1),
        ("while :; do [ \"$(count)\" -gt 0 ] && break; date; done", 1),
        ("while :; do p=$(list --from \"$n\"); n=$(rest \"$p\"); [ -n \"$n\" ] || break; done", 0),
        ("while true; do n=$(list --from \"$n\"); if [ -z \"$n\" ]; then exit 0; fi; done", 0),
        ("while :; do list --from \"$n\"; n=$(rest); [ -n \"$n\" ] || break; done", 0),
        (
            "while :; do if [ \"$n\" ]; then p=$(list --from \"$n\"); else p=$(list); fi; n=$(rest \"$p\"); [ \"$n\" ] || break; done",
            0,
        ),
        (
            "while :; do if [ \"$n\" ]; then tell \"$n\"; fi; n=$(rest); [ \"$n\" ] || break; done",
            1,
        ),
        ("while :; do p=$(list); n=$(rest \"$p\"); [ -n \"$n\" ] && break; done", 1),
        ("while :; do echo \"$n\"; n=$(rest); [ -n \"$n\" ] && break; done", 1),
        ("while :; do [ \"$n\" ] && break; n=$(rest); done", 1),
        ("while :; do n=$(list --from \"$n\"); [ -n \"$n\" ] || break; sleep 5; done", 1),
        // What is left is less after each turn.
        (
            "while :; do l=$(list); if [ -z \"$l\" ]; then break; fi; for i in $l; do rm $i; done; done",
            0,
        ),
        ("while true; do l=$(list); [ -z \"$l\" ] && break; echo \"$l\" | xargs rm; done", 0),
        (
            "while :; do l=$(list); [ \"$l\" ] || break; echo \"$l\" | while read i; do rm $i; done; done",
            0,
        ),
        (
            "while :; do l=$(list); if [ \"$l\" ]; then for i in $l; do rm $i; done; else break; fi; done",
            0,
        ),
        ("while :; do l=$(list); [ \"$l\" ] && break; for i in $l; do echo $i; done; done", 1),
        ("while :; do l=$(list); [ \"$l\" ] && break; for i in 1 2; do rm $i; done; done", 1),
        (
            "while :; do l=$(list); [ \"$l\" ] || break; for i in $l; do rm $i; done; sleep 5; done",
            1,
        ),
    ] {
        let analysis = analysed(&["sh", "-c", script]);
        assert_eq!(unbounded_waits(&analysis).len(), waits, "{script}");
    }
}

#[test]
fn a_turn_pauses_whichever_way_it_goes() {
    for (script, pauses) in [
        ("until nc -z db 1; do sleep 2; done", true),
        ("until nc -z db 1; do :; done", false),
        ("while ! nc -z db 1 || ! sleep 1; do :; done", true),
        ("while true; do nc -z db 1 && break || sleep 5; done", true),
        ("while true; do nc -z db 1 && echo up && break; done", false),
        ("while true; do if nc -z db 1; then break; else sleep 5; fi; done", true),
        ("while true; do if nc -z db 1; then break; fi; done", false),
        ("while true; do if nc -z db 1; then if up; then break; else sleep 5; fi; fi; done", false),
        ("while true; do case $(state) in up) break;; *) sleep 5;; esac; done", true),
    ] {
        let analysis = analysed(&["sh", "-c", script]);
        let found: Vec<_> =
            unbounded_waits(&analysis).iter().map(|wait| wait.turn.pauses).collect();
        assert_eq!(found, [pauses], "{script}");
    }
}

#[test]
fn a_wait_may_end_with_0_on_purpose() {
    let asks = "if kubectl get pvc a; then echo bound; exit 0; fi; sleep 5";
    let counted = format!("n=0; while [ $n -lt 9 ]; do n=$((n+1)); {asks}; done");
    let open = "echo 'not yet there, the next sync makes it'";
    for (script, succeeds) in [
        (format!("{counted}; {open}; exit 0"), false),
        (format!("kubectl delete pvc a --ignore-not-found; {counted}; {open}; exit 0"), false),
        (format!("for i in 1 2 3; do {asks}; done; {open}; true"), false),
        // Nobody says that 0 is meant, or that nothing is wrong.
        (format!("{counted}; {open}"), true),
        (format!("{counted}; echo 'timeout: not bound'; exit 0"), true),
        (format!("{counted}; echo 'giving up'; exit 0"), true),
        (format!("{counted}; exit 0"), true),
        // It is behind a success, too.
        (
            format!("for i in 1 2 3; do kubectl get pvc a && break; sleep 5; done; {open}; exit 0"),
            true,
        ),
        // What it waits for is its own work.
        (format!("kubectl apply -f /a; {counted}; {open}; exit 0"), true),
    ] {
        let analysis = analysed(&["sh", "-c", &script]);
        assert_eq!(!false_successes(&analysis).is_empty(), succeeds, "{script}");
    }
}
