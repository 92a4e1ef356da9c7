//! Failures that a script tells later: by a counter, by the end of a function, by the state that it asks for. Each was run in
//! `sh` or `bash` with commands that fail, to see the status.

use shell_effects::{
    Analysis, Catalogue, Container, HiddenBy, analyse, failure_hidden, lost_backup,
};

fn analysed(script: &str) -> Analysis {
    analyse(Catalogue::built_in(), &["bash", "-c", script], &Container::default())
}

fn hidden(script: &str) -> Vec<HiddenBy> {
    failure_hidden(&analysed(script)).iter().map(|hidden| hidden.by).collect()
}

#[test]
fn a_counter_that_decides_is_kept_where_a_function_returns() {
    let script = |raise: &str, end: &str| {
        format!(
            "set -eu; ERRORS=0; fail() {{ echo \"$1\"; {raise}; }}\n\
             copy() {{ kubectl apply -f \"$1\" || {{ fail \"no $1\"; return 1; }}; }}\n\
             copy a || true; {end}"
        )
    };
    let counts = "ERRORS=$((ERRORS + 1))";
    assert_eq!(hidden(&script(counts, "if [ $ERRORS -gt 0 ]; then exit 1; fi; date")), []);
    assert_eq!(hidden(&script("date", "date")), [HiddenBy::OrTrue]);
}

#[test]
fn a_bad_status_ends_a_strict_script_before_it_is_printed() {
    let script = |errexit: &str, flags: &str| {
        format!(
            "{errexit}code=$(curl {flags} -X PUT -d a http://shop/a -w '%{{http_code}}' -o /dev/null)\n\
             if [ \"$code\" = 200 ]; then echo ok; else echo \"Failed: $code\"; fi; echo done"
        )
    };
    assert_eq!(hidden(&script("set -e; ", "-sf")), []);
    for (errexit, flags) in [("set -e; ", "-s"), ("", "-sf")] {
        assert_eq!(hidden(&script(errexit, flags)), [HiddenBy::Reported], "{errexit}{flags}");
    }
}

#[test]
fn the_state_that_each_turn_asks_for_tells_whether_the_change_was_made() {
    let script = |asked: &str| {
        format!(
            "set -e; unseal() {{ for n in 1 2 3; do curl -s -X PUT -d k http://bao/v1/sys/unseal\n\
             state=$(curl -s {asked}); case \"$state\" in *'\"sealed\":false'*) return 0;; esac; sleep 5\n\
             done; return 1; }}\nif unseal; then exit 0; else exit 1; fi"
        )
    };
    assert_eq!(hidden(&script("http://bao/v1/sys/seal-status")), []);
    assert_eq!(hidden(&script("http://other/v1/sys/seal-status")), [HiddenBy::Condition]);
}

#[test]
fn a_loop_that_only_the_wanted_state_ends_makes_up_for_a_failure() {
    let script = |test: &str, behind: &str| {
        format!(
            "done=false; while [ \"$done\" = false ]; do for p in $(kubectl get plans -o name); do\n\
             state=$(kubectl get \"$p\" -o jsonpath={{.spec.approved}})\n\
             if {test}; then done=true; else kubectl patch \"$p\" -p '{{}}'; {behind} fi; done; sleep 5; done; date"
        )
    };
    assert_eq!(hidden(&script("[ \"$state\" = true ]", "")), []);
    assert_eq!(hidden(&script("[ \"$state\" = true ]", "done=true;")), [HiddenBy::Loop]);
    assert_eq!(hidden(&script("[ \"$state\" != true ]", "")), [HiddenBy::Loop]);
}

#[test]
fn what_a_loop_does_before_it_ends_is_done_once() {
    let script = |behind: &str| {
        format!(
            "while true; do plan=$(kubectl get plans -o name)\n\
             if [ \"$plan\" ]; then kubectl patch \"$plan\" -p '{{}}'; {behind}; fi; sleep 1; done"
        )
    };
    assert_eq!(hidden(&script("break")), [HiddenBy::Loop]);
    assert_eq!(hidden(&script("exit 0")), [HiddenBy::ExitZero]);
    assert_eq!(hidden(&script("continue")), []);
}

#[test]
fn errexit_takes_no_notice_of_a_branch_that_an_and_list_ends() {
    for script in [
        "set -e; if test -n \"$A\"; then kubectl apply -f a && date; fi; date",
        "set -e; { kubectl apply -f a && date; }; date",
        "set -e; case $A in a) kubectl apply -f a && date;; esac; date",
    ] {
        assert_eq!(hidden(script), [HiddenBy::AndList], "{script}");
    }
    assert_eq!(hidden("set -e; (kubectl apply -f a && date); date"), []);
    assert_eq!(hidden("set -e; f() { kubectl apply -f a && date; }; f; date"), []);
}

#[test]
fn a_script_that_is_kept_alive_does_not_succeed() {
    for (end, count) in
        [("tail -f /dev/null", 0), ("sleep infinity", 0), ("tail -f /l & date", 1), ("date", 1)]
    {
        assert_eq!(hidden(&format!("kubectl apply -f a; {end}")).len(), count, "{end}");
    }
}

#[test]
fn a_topic_that_is_described_is_there() {
    let create =
        "kafka-topics.sh --bootstrap-server k:9092 --create --if-not-exists --topic orders";
    for (topic, count) in [("orders", 0), ("returns", 1)] {
        let script = format!(
            "{create}\nkafka-topics.sh --bootstrap-server k:9092 --describe --topic {topic}"
        );
        assert_eq!(hidden(&script).len(), count, "{topic}");
    }
}

#[test]
fn what_changes_a_manifest_on_its_way_changes_no_object() {
    let secret = "kubectl create secret generic s --from-literal=a=b --dry-run=client -o yaml";
    let label = "kubectl label --local -f - k=v -o yaml";
    assert_eq!(hidden(&format!("set -e; {secret} | {label} | kubectl apply -f -")), []);
}

/// Tried with Git 2.43: without one of them `git checkout` ends with 1 or 128.
#[test]
fn a_branch_of_a_new_repository_needs_the_fetch() {
    let container = Container { persistent_mounts: vec!["/b".into()], ..Container::default() };
    let fetch = "git init; git remote add origin $URL; git fetch";
    for (end, count) in [("git checkout -t origin/main", 0), ("git checkout main", 3), ("date", 3)]
    {
        let script = format!("cd /b\n{fetch}\n{end}");
        let analysis = analyse(Catalogue::built_in(), &["bash", "-c", &script], &container);
        assert_eq!(failure_hidden(&analysis).len(), count, "{end}");
    }
}

#[test]
fn the_command_that_a_fallback_expects_to_fail_stands_behind_the_other() {
    let expected = |script: &str| {
        let found = failure_hidden(&analysed(script));
        found.first().map(|one| one.expected.is_some())
    };
    let (migrate, user) =
        ("python manage.py migrate", "python manage.py createsuperuser --noinput");
    assert_eq!(expected(&format!("{migrate} && {user} || true")), Some(true));
    assert_eq!(expected(&format!("{migrate} || true; {user} || true")), Some(false));
    assert_eq!(expected(&format!("{migrate} && kubectl apply -f a || true")), Some(false));
}

#[test]
fn a_loop_works_on_items() {
    for (script, is_for_item) in [
        ("for a in b c; do kubectl apply -f $a || echo no; done", true),
        ("for n in $(list); do create $n | kubectl apply -f - || echo no; done", true),
        ("for n in 1 2 3; do kubectl apply -f a || echo no; done", false),
        ("kubectl apply -f $a || echo no", false),
    ] {
        let found = failure_hidden(&analysed(script));
        assert_eq!(found.first().map(|one| one.is_for_item), Some(is_for_item), "{script}");
    }
}

#[test]
fn a_backup_is_lost_where_nothing_takes_it_out() {
    for (script, file) in [
        ("pg_dump -f /tmp/a.sql shop", Some("/tmp/a.sql")),
        (
            "mkdir -p /b; mysqldump shop | gzip > /b/a.gz; ls -l /b; find /b -mtime +7 -delete",
            Some("/b/a.gz"),
        ),
        ("cd /b; mongodump --archive=a.gz --gzip", None),
    ] {
        assert_eq!(lost_backup(&analysed(script)).map(|(_, path)| path), Some(file), "{script}");
    }
    for script in [
        "pg_dump shop",
        "pg_dump -f /dev/null shop",
        "pg_dump shop > /tmp/a.sql; aws s3 cp /tmp/a.sql s3://b/",
        "pg_dump shop | psql copy",
        "pg_dump shop > /tmp/a.sql; $UPLOAD",
        "pg_dump shop > /tmp/a.sql; sleep 600",
        "pg_dump shop > /tmp/a.sql; cat /tmp/a.sql",
        "tar -czf /tmp/a.tgz /data",
    ] {
        assert_eq!(lost_backup(&analysed(script)), None, "{script}");
    }
}

/// The monitor raises an alarm where no sign of life arrives.
#[test]
fn a_monitor_misses_the_sign_of_life_behind_a_failure() {
    for work in ["node import.js", "kubectl apply -f a", "pg_dump a > /b/a"] {
        let signed = format!("{work} && wget -q https://hc-ping.com/$KEY/a || echo done");
        assert_eq!(hidden(&signed), [], "{signed}");
        let always = format!("{work}; wget -q https://hc-ping.com/$KEY/a; echo done");
        assert_eq!(hidden(&always), [HiddenBy::LaterCommand], "{always}");
        let other = format!("{work} && wget -q https://shop.example/a || echo done");
        assert_eq!(hidden(&other), [HiddenBy::OrMessage], "{other}");
    }
}

#[test]
fn a_request_that_each_turn_of_a_wait_sends_is_sent_again() {
    let script = |loops: &str| {
        format!(
            "set -e; {loops} curl -s -X PUT -d a http://shop/a; sleep 5; done; kubectl scale deploy/a --replicas=1"
        )
    };
    let quiet = "`curl` without `--fail` exits with 0 after an error status";
    assert_eq!(hidden(&script("until kubectl get pod a | grep -q Ready; do")), []);
    assert_eq!(hidden(&script("for a in b c; do")), [HiddenBy::Client(quiet)], "a loop over items");
}

/// MySQL refuses an account that is not there, or has no rights for the database
/// (<https://dev.mysql.com/doc/refman/8.4/en/access-control.html>).
#[test]
fn an_account_that_a_later_command_signs_in_with_tells_that_it_was_made() {
    let script = |statement: &str, last: &str| {
        format!("mysql -h db -u root -e \"{statement}\"\nmysql -h db {last} shop < /sql/schema.sql")
    };
    let grant =
        "CREATE USER IF NOT EXISTS 'web'@'%' IDENTIFIED BY 'a'; GRANT ALL ON shop.* TO 'web'@'%'";
    assert_eq!(hidden(&script(grant, "-u web")), []);
    for last in ["-u other", "-u root", "-u web shop || true; mysql"] {
        let expected = [HiddenBy::LaterCommand; 2];
        assert_eq!(hidden(&script(grant, last)), expected, "{last}");
    }
}

#[test]
fn what_fails_is_done_again_until_the_answer_is_the_wanted_one() {
    let script = |test: &str, last: &str| {
        format!(
            "for app in a b; do while {test}; do kubectl rollout restart deploy/$app; sleep 9; {last}; done; done; echo done"
        )
    };
    let ready = "ready=$(kubectl get pods -l app=$app --no-headers | wc -l)";
    for test in ["[[ $ready != 2 ]]", "[ \"$ready\" -lt 2 ]"] {
        assert_eq!(hidden(&script(test, ready)), [], "{test}");
    }
    let counted = hidden(&script("[ $tries -lt 3 ]", "tries=$((tries + 1))"));
    assert_eq!(counted, [HiddenBy::Loop], "a loop that ends after three turns");
}

/// `true || true; echo $?` prints 0, and so does `false || true; echo $?`.
#[test]
fn a_test_of_the_status_behind_an_or_never_fails() {
    let script = |end: &str, test: &str| {
        format!(
            "set -e; kubectl apply -f a.yaml\noc wait --for=condition=Ready pod/a {end}\n{test}"
        )
    };
    let kept = "STATUS=$?\necho stop\nif [ $STATUS -ne 0 ]; then echo late; exit 1; fi";
    let direct = "if [ $? -ne 0 ]; then exit 1; fi";
    for test in [kept, direct] {
        assert_eq!(hidden(&script("> /dev/null || true", test)), [HiddenBy::OrTrue], "{test}");
        assert_eq!(hidden(&script("|| echo late", test)), [HiddenBy::OrMessage], "{test}");
        assert_eq!(hidden(&script("", test)), [], "{test}");
    }
    let only_said = "if [ $? -ne 0 ]; then echo late; fi";
    for test in [only_said, "echo done"] {
        assert_eq!(hidden(&script("|| true", test)), [], "{test}");
    }
}
