//! What a script waits for: places that the labels of scripts do not tell.

use shell_effects::{
    Analysis, Catalogue, Container, ElementSpan, analyse, endless, unbounded_waits,
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
    ] {
        let script = format!("until {condition}; do sleep 2; done");
        let analysis = analysed(&["sh", "-c", &script]);
        let found: Vec<_> = unbounded_waits(&analysis).iter().map(|wait| wait.says_why).collect();
        assert_eq!(found, [says_why], "{script}");
    }
}
