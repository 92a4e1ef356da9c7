//! Locations, fixes and reasons of the analysis, and user entries of the catalogue.

use shell_effects::{
    Catalogue, Container, Edit, ElementSpan, Entry, Hazard, MountedFile, Verdict, analyse,
    analyse_script, destroys_data, failure_hidden, may_spoil, not_idempotent, retry_cannot_help,
    unrecognised, unsafe_to_overlap,
};

fn hazards(argv: &[&str]) -> Vec<Hazard> {
    let analysis = analyse(Catalogue::built_in(), argv, &Container::default());
    not_idempotent(&analysis).into_iter().chain(destroys_data(&analysis)).collect()
}

fn at<'a>(argv: &[&'a str], location: ElementSpan) -> &'a str {
    &argv[location.element][location.span.range()]
}

fn apply(argv: &[&str], edit: &Edit) -> String {
    let mut text = argv[edit.location.element].to_owned();
    text.replace_range(edit.location.span.range(), &edit.text);
    text
}

/// The text of the only hazard of a script, and the fixed script.
fn fixed(script: &str) -> (String, String) {
    let argv = ["sh", "-ec", script];
    let found = hazards(&argv);
    let [hazard] = found.as_slice() else { panic!("{found:?}") };
    let new = apply(&argv, hazard.fix.as_ref().unwrap());
    assert!(hazards(&["sh", "-ec", &new]).is_empty(), "{new}");
    (at(&argv, hazard.location).to_owned(), new)
}

#[test]
fn fixes_apply_inside_quotes() {
    let cases = [
        ("kubectl -n a delete job b", "delete", "kubectl -n a delete --ignore-not-found job b"),
        ("helm install web ./c", "install", "helm upgrade --install web ./c"),
        ("mc mb a/b", "mb", "mc mb --ignore-existing a/b"),
        (
            "kafka-topics.sh --create --topic t",
            "--create",
            "kafka-topics.sh --create --if-not-exists --topic t",
        ),
        (
            r#"psql -c "create table \"t\" (id int)""#,
            "create table",
            r#"psql -c "create table IF NOT EXISTS \"t\" (id int)""#,
        ),
        (
            r#"sh -c "mysql -e 'CREATE DATABASE a; CREATE DATABASE IF NOT EXISTS b'""#,
            "CREATE DATABASE",
            r#"sh -c "mysql -e 'CREATE DATABASE IF NOT EXISTS a; CREATE DATABASE IF NOT EXISTS b'""#,
        ),
        (
            "psql -v ON_ERROR_STOP=1 <<SQL\nSELECT 1;\nCREATE SCHEMA a;\nSQL\n",
            "CREATE SCHEMA",
            "psql -v ON_ERROR_STOP=1 <<SQL\nSELECT 1;\nCREATE SCHEMA IF NOT EXISTS a;\nSQL\n",
        ),
    ];
    for (script, word, new) in cases {
        assert_eq!(fixed(script), (word.to_owned(), new.to_owned()));
    }
}

#[test]
fn a_location_names_the_element_of_the_command_line() {
    let argv = ["timeout", "60", "su", "app", "-c", "cd /app && createdb app"];
    let found = hazards(&argv);
    assert_eq!(found[0].location.element, 5);
    assert_eq!(at(&argv, found[0].location), "createdb");
}

#[test]
fn a_mounted_file_is_an_element_after_the_command_line() {
    let text = "set -e\ncreatedb app\n".to_owned();
    let container = Container {
        files: vec![MountedFile { path: "/scripts/init.sh".to_owned(), text: text.clone() }],
        ..Container::default()
    };
    let analysis = analyse(Catalogue::built_in(), &["sh", "/scripts/init.sh"], &container);
    let found = not_idempotent(&analysis);
    assert_eq!(found[0].location.element, 2);
    assert_eq!(&text[found[0].location.span.range()], "createdb");
}

#[test]
fn an_ephemeral_marker_is_named() {
    let found = hazards(&["sh", "-c", "[ -f /tmp/done ] || createdb app"]);
    assert!(found[0].guard.is_some());
    assert!(found[0].reason.contains("gone in the next pod"), "{}", found[0].reason);
}

#[test]
fn a_client_that_continues_after_an_error_is_named_once() {
    for (script, name) in [
        ("curl -sS \\\n  -X POST \\\n  http://search:9200/index", "curl"),
        ("psql <<'SQL'\nCREATE TABLE a (b int);\nINSERT INTO a VALUES (1);\nSQL", "psql"),
    ] {
        let argv = ["sh", "-ec", script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        let found: Vec<_> =
            failure_hidden(&analysis).iter().map(|one| at(&argv, one.location)).collect();
        assert_eq!(found, [name], "{script}");
    }
}

#[test]
fn arrays_expand_to_their_words() {
    for script in [
        "PSQL=(psql -h db); \"${PSQL[@]}\" -c 'DROP TABLE a'",
        "declare -a PSQL=(psql -h db); \"${PSQL[@]}\" -c 'DROP TABLE a'",
        "readonly PSQL=(\n psql\n -h db\n)\n\"${PSQL[@]}\" -c 'DROP TABLE a'",
        "f() { local PSQL=(psql); PSQL+=(-h db); \"${PSQL[@]}\" -c 'DROP TABLE a'; }; f",
    ] {
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-ec", script], &Container::default());
        let words = |one: &shell_effects::Invocation| {
            one.words.iter().map(|word| word.value.clone()).collect::<Vec<_>>()
        };
        let last = analysis.invocations.last().map(words).unwrap_or_default();
        assert_eq!(last, ["psql", "-h", "db", "-c", "DROP TABLE a"], "{script}");
    }
}

#[test]
fn options_take_effect_where_they_are_read() {
    let file = |text: &str| MountedFile { path: "/s/run".into(), text: text.into() };
    let with_errexit = "#!/bin/bash -e\nkubectl apply -f a\ndate\n";
    for (argv, text, hidden) in [
        (&["/s/run"][..], with_errexit, 0),
        (&["sh", "/s/run"], with_errexit, 1),
        (&["sh", "-c", with_errexit], "", 1),
        (&["sh", "-e", "/s/run"], with_errexit, 0),
        (&["bash", "-c", "set -euo pipefail; kubectl apply -f a | cat; date"], "", 0),
        (&["bash", "-c", "set -o errexit -o pipefail; kubectl apply -f a | cat; date"], "", 0),
        (&["bash", "-eo", "pipefail", "-c", "kubectl apply -f a | cat; date"], "", 0),
        (&["bash", "-c", "set -e pipefail; kubectl apply -f a; date"], "", 0),
    ] {
        let container = Container { files: vec![file(text)], ..Container::default() };
        let analysis = analyse(Catalogue::built_in(), argv, &container);
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{argv:?}");
    }
}

#[test]
fn the_status_of_the_only_program_is_not_hidden() {
    for script in ["/data/x.sh", "set -x; /data/x.sh", "cd /data && ./x.sh"] {
        let argv = ["sh", "-c", script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        assert!(failure_hidden(&analysis).is_empty(), "{script}");
    }
}

#[test]
fn a_line_that_begins_with_an_option_is_a_command() {
    let lost = |script: &str| {
        let argv = ["sh", "-c", script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        let all = analysis.lost_continuations.iter();
        all.map(|one| at(&argv, one.location).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        lost("kubectl create secret generic a\n  --dry-run=client -o yaml"),
        ["--dry-run=client"]
    );
    assert_eq!(lost("kubectl apply \\\n  -f a\n  -n b"), ["-n"]);
    assert_eq!(lost("x=$(kubectl get pods\n  -o name)"), ["-o"]);
    for script in [
        "kubectl apply \\\n  -f a",
        "options=(\n  --all\n)\necho $options",
        "cat <<EOF\n--all\nEOF",
        "case $1 in\n  -f) echo file;;\n  --all) echo all;;\nesac",
        "echo a\n-----BEGIN",
    ] {
        assert!(lost(script).is_empty(), "{script}");
    }
}

#[test]
fn only_little_stake_is_minor() {
    let is_minor = |command: &str| {
        let script = format!("{command} || true");
        let analysis =
            analyse(Catalogue::built_in(), &["sh", "-c", &script], &Container::default());
        let hidden = failure_hidden(&analysis);
        assert!(!hidden.is_empty(), "{command}");
        hidden.iter().all(|one| one.is_minor)
    };
    for command in [
        "kubectl annotate sc fast a=b",
        "kubectl label ns a b=c",
        "kubectl patch sc fast -p '{\"metadata\": {\"annotations\": {}}}'",
        "drush cache-clear all",
        "php artisan cache:clear",
        "mc rm a/b",
        "psql -c 'DELETE FROM sessions'",
        "dropdb check",
        "s3cmd del s3://a/b",
        "aws s3 rb s3://a",
    ] {
        assert!(is_minor(command), "{command}");
    }
    for command in [
        "kubectl apply -f a",
        "kubectl patch deployment a -p '{\"spec\": {}}'",
        "alembic upgrade head",
        "kafka-topics.sh --create --if-not-exists --topic a",
        "helm upgrade --install a b",
        "restic backup /data",
        "aws s3 cp a s3://b/c",
        "pg_restore -d a b",
    ] {
        assert!(!is_minor(command), "{command}");
    }
}

#[test]
fn golang_migrate_cannot_be_retried() {
    let argv = ["migrate", "-path", "/m", "-database", "$(URL)", "up"];
    let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
    assert_eq!(retry_cannot_help(&analysis)[0].verdict, Verdict::CannotRetry);
    assert!(not_idempotent(&analysis).is_empty() && unrecognised(&analysis).is_empty());
}

#[test]
fn tools_without_a_lock_must_not_overlap() {
    let overlap = |argv: &[&str]| {
        let analysis = analyse(Catalogue::built_in(), argv, &Container::default());
        !unsafe_to_overlap(&analysis).is_empty()
    };
    assert!(overlap(&["alembic", "upgrade", "head"]));
    assert!(!overlap(&["flyway", "migrate"]));
    assert!(!overlap(&["kubectl", "get", "pods"]));
}

#[test]
fn user_entries_extend_the_catalogue() {
    let own: Vec<Entry> = serde_yaml::from_str(
        "- {run: acme import, verdict: duplicates, why: imports again, unless: [--once]}\n\
         - {run: createdb, verdict: idempotent, why: ours asks first}\n",
    )
    .unwrap();
    let catalogue = Catalogue::with(&own);
    let count = |script| {
        let analysis = analyse(&catalogue, &["sh", "-ec", script], &Container::default());
        not_idempotent(&analysis).len()
    };
    assert_eq!(count("acme import a"), 1);
    assert_eq!(count("acme import --once a; createdb x"), 0);
}

/// The API server answers with 200 where a selector finds nothing
/// (<https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#deletecollection-delete-collection-of-pod>).
#[test]
fn a_selection_that_is_removed_again_is_no_error() {
    let count = |address: &str| {
        hazards(&[
            "sh",
            "-ec",
            &format!("psql -c 'UPDATE a SET b = 1'; curl -sf -X DELETE 'https://k/{address}'"),
        ])
        .len()
    };
    assert_eq!(count("pods?labelSelector=app%3Dshop"), 0);
    assert_eq!(count("pods/shop-0"), 1);
}

#[test]
fn recursion_ends() {
    let script = "f() f\nf || createdb a\ncreatedb c";
    assert_eq!(hazards(&["sh", "-ec", script]).len(), 1);
}

#[test]
fn only_a_file_that_must_not_exist_marks_finished_work() {
    let ephemeral = |script: &str| hazards(&["sh", "-c", script])[0].guard.is_some();
    for script in [
        "[ -f /tmp/done ] || createdb app",
        "[ ! -f /tmp/done ] && createdb app",
        "if [ ! -e /tmp/done ]; then createdb app; fi",
        "if [ -e /tmp/done ]; then echo done; else createdb app; fi",
        "[ -f /tmp/done ] && exit 0\ncreatedb app",
        "if [ -f /tmp/done ]; then exit 0; fi\ncreatedb app",
        "[ -f /tmp/done ] && echo done || createdb app",
    ] {
        assert!(ephemeral(script), "{script}");
    }
    for script in [
        "[ -f /input/app.sql ] && createdb app",
        "if [ -e /input/app.sql ]; then createdb app; fi",
        "test -f /input/app.sql || exit 0\ncreatedb app",
        "[ ! -f /input/app.sql ] && exit 0\ncreatedb app",
        "[ ! -f /input/app.sql ] && echo missing || createdb app",
        "[ -f /tmp/done ] || mkdir -p /tmp && createdb app",
    ] {
        assert!(!ephemeral(script), "{script}");
    }
}

#[test]
fn a_random_name_is_new_at_every_run() {
    let found = |script: &str| {
        let analysis = analyse_script(Catalogue::built_in(), script, &Container::default());
        not_idempotent(&analysis).len()
    };
    assert_eq!(found("oc create job --from=cronjob/sync sync"), 1);
    assert_eq!(found("oc create job --from=cronjob/sync sync-\"$RANDOM\""), 0);
}

#[test]
fn the_name_of_a_variable_says_nothing_about_a_request() {
    let only_reads = |url: &str| {
        let script = format!("set -e\ncurl -X POST '{url}' -d @/index.json");
        let analysis = analyse_script(Catalogue::built_in(), &script, &Container::default());
        failure_hidden(&analysis)[0].verdict == Verdict::ReadOnly
    };
    assert!(!only_reads("https://admin:${OPEN_SEARCH_PASSWORD}@logs:9200/shop/_doc"));
    assert!(only_reads("https://logs:9200/shop/_search"));
}

#[test]
fn a_mounted_manifest_may_generate_its_name() {
    let verdicts = |text: &str| {
        let files = vec![MountedFile { path: "/m/run.yaml".into(), text: text.into() }];
        let container = Container { files, ..Container::default() };
        let argv = ["kubectl", "create", "-f", "/m/run.yaml"];
        let found = not_idempotent(&analyse(Catalogue::built_in(), &argv, &container));
        found.iter().map(|hazard| hazard.verdict).collect::<Vec<_>>()
    };
    assert_eq!(verdicts("kind: Job\nmetadata:\n  generateName: run-"), [Verdict::Duplicates]);
    assert_eq!(verdicts("kind: Job\nmetadata:\n  name: run"), [Verdict::FailsWhenRepeated]);
}

#[test]
fn a_program_in_another_language_is_not_a_shell_script() {
    let file = |path: &str, text: &str| MountedFile { path: path.into(), text: text.into() };
    let files = vec![
        file("/s/a.py", "createdb(1)\ncreatedb x"),
        file("/s/b", "#!/usr/bin/python3\ncreatedb x"),
    ];
    let container = Container { files, ..Container::default() };
    for argv in [&["python3", "/s/a.py"][..], &["/s/a.py"], &["/s/b"]] {
        let analysis = analyse(Catalogue::built_in(), argv, &container);
        assert!(not_idempotent(&analysis).is_empty() && !unrecognised(&analysis).is_empty());
    }
}

#[test]
fn a_function_that_runs_its_missing_arguments_is_followed() {
    assert_eq!(
        hazards(&[
            "sh",
            "-ec",
            "f() { until \"$@\"; do sleep 1; done; }\nf\nif \"$@\"; then :; fi"
        ])
        .len(),
        0
    );
}

#[test]
fn a_query_piped_to_xargs_guards_its_command() {
    assert_eq!(
        hazards(&["sh", "-ec", "rpk topic list | awk '{print $1}' | xargs -r rpk topic create"])
            .len(),
        0
    );
    assert_eq!(hazards(&["sh", "-ec", "echo a b | xargs rpk topic create"]).len(), 1);
}

#[test]
fn a_tested_response_is_not_a_failure() {
    let post = "curl -s -X POST -d @/a.json http://grafana/api/serviceaccounts";
    let script = format!("A=$({post})\nif [ -z \"$A\" ]; then echo there; fi");
    assert_eq!(hazards(&["sh", "-ec", &script]).len(), 0);
    assert_eq!(hazards(&["sh", "-ec", &post.replace("-s", "-fs")]).len(), 1);
}

/// The hazards of a script in a pod with a `/scratch` that goes with it and a `/data` that does not.
fn hazards_on_volumes(script: &str) -> Vec<Hazard> {
    let container = Container {
        persistent_mounts: vec!["/data".into()],
        restart_mounts: vec!["/scratch".into()],
        ..Container::default()
    };
    let analysis = analyse(Catalogue::built_in(), &["bash", "-ec", script], &container);
    not_idempotent(&analysis).into_iter().chain(destroys_data(&analysis)).collect()
}

#[test]
fn a_database_that_the_script_throws_away_is_nobody_elses() {
    for script in [
        "initdb -D /tmp/pg\npg_ctl -D /tmp/pg start\ncreatedb a\npg_restore -d a /b/x",
        "pg_ctlcluster 15 main start\nsu postgres -c 'createdb a'",
        "mysqld --datadir=/tmp/d &\nmysql -e 'CREATE DATABASE a'",
        "psql -c 'DROP DATABASE IF EXISTS a'\npsql -c 'CREATE DATABASE a'\npg_restore -d a /b/x\ndropdb a",
        "psql -c 'BEGIN; INSERT INTO t VALUES (1); ROLLBACK;'",
    ] {
        let found: Vec<_> =
            hazards_on_volumes(script).into_iter().filter(|one| !one.after_failure).collect();
        assert!(found.is_empty(), "{script}: {found:?}");
    }
    for script in [
        "initdb -D /data/pg || true\npg_ctl -D /data/pg start\ncreatedb a",
        "pg_ctl -D /tmp/pg start\ncreatedb -h db a",
        "createdb a\npg_restore -d b /b/x\ndropdb c",
        "psql -c 'BEGIN; INSERT INTO t VALUES (1); COMMIT;'",
        "psql -c 'INSERT INTO t VALUES (1); BEGIN; SELECT 1; ROLLBACK;'",
    ] {
        let found = hazards_on_volumes(script);
        assert!(found.iter().any(|one| !one.after_failure), "{script}: {found:?}");
    }
}

#[test]
fn a_run_finds_the_file_that_it_names_before() {
    for script in [
        "kubectl get cm x -o json > /data/x\nrclone copy /data/x r:x\nrm /data/x",
        "pg_dump -f /data/x.sql shop\ngzip /data/x.sql\nrm /data/x.sql.gz",
        "python a.py --out=/data/x\nmv /data/x /data/y",
        "aws s3 cp /data/x s3://b/x\nrm /data/x",
    ] {
        assert!(hazards_on_volumes(script).is_empty(), "{script}");
    }
    for script in ["rm /data/x", "rclone copy /data/y r:y\nrm /data/x", "rm /data/x\ntouch /data/x"]
    {
        assert_eq!(hazards_on_volumes(script).len(), 1, "{script}");
    }
    assert_eq!(hazards_on_volumes("mv /data/x /data/y\npython a.py").len(), 1);
}

#[test]
fn rows_that_a_file_brings_again_are_not_lost() {
    for script in [
        "psql -c 'TRUNCATE t' -c \"\\copy t from /d/t.csv csv\"",
        "psql -c 'DELETE FROM t'\npsql -c \"COPY t (a, b) FROM '/d/t.csv'\"",
        "mysql -e 'TRUNCATE t'\nmysql -e \"LOAD DATA LOCAL INFILE '/d/t' INTO TABLE t\"",
    ] {
        assert!(hazards_on_volumes(script).is_empty(), "{script}");
    }
    for script in [
        "psql -c 'TRUNCATE t'\npsql -c \"COPY u FROM '/d/t.csv'\"",
        "mysql -e 'TRUNCATE t'\nmysql -e \"LOAD DATA INFILE '/d/t' INTO TABLE u\"",
    ] {
        assert_eq!(hazards_on_volumes(script).len(), 2, "{script}");
    }
}

#[test]
fn what_goes_with_the_pod_only_gets_in_the_way_of_a_retry() {
    let found = hazards_on_volumes("mkdir /scratch/a\nmkdir /data/b");
    let ways: Vec<_> = found.iter().map(|one| one.after_failure).collect();
    assert_eq!(ways, [true, false]);
}

#[test]
fn a_dump_of_all_databases_is_restored_in_spite_of_errors() {
    let hidden = |text: &str| {
        let files = vec![MountedFile { path: "/dumps/all.sql".into(), text: text.into() }];
        let container = Container { files, ..Container::default() };
        let argv = ["psql", "-h", "db", "-f", "/dumps/all.sql", "postgres"];
        let analysis = analyse(Catalogue::built_in(), &argv, &container);
        assert_eq!(not_idempotent(&analysis).len(), 0, "{text}");
        failure_hidden(&analysis).len()
    };
    let settings = "SET client_encoding = 'UTF8';\nSET standard_conforming_strings = on;\n";
    let roles = "CREATE ROLE app;\nALTER ROLE app WITH LOGIN;\n";
    assert_eq!(hidden(&format!("-- Roles\n{settings}{roles}")), 0);
    assert_eq!(hidden(&format!("{settings}\\connect app\nCREATE TABLE plans (id int);\n")), 0);
    // What a person wrote.
    assert_eq!(hidden("CREATE ROLE app LOGIN;\n\\connect app\nCREATE TABLE plans (id int);\n"), 1);
    assert_eq!(hidden("CREATE ROLE app;\n"), 1);
}

/// `secret/shop` and `secret shop` are one object.
#[test]
fn an_object_is_deleted_first_however_its_name_is_written() {
    let count = |deleted: &str| {
        let create = "kubectl create secret generic shop --from-literal=a=b";
        let script = format!("kubectl delete {deleted} --ignore-not-found; {create}");
        hazards(&["sh", "-ec", &script]).len()
    };
    assert_eq!([count("secret shop"), count("secret/shop"), count("secret/other")], [0, 0, 1]);
}

/// Nothing tells what the statements of a file do where they have run before.
#[test]
fn statements_of_a_file_may_spoil_what_is_there() {
    let of = |script: &str| {
        may_spoil(&analyse(Catalogue::built_in(), &["sh", "-c", script], &Container::default()))
    };
    assert!(of("mysql -e 'source /sql/schema.sql'"));
    assert!(of("psql -c '\\i /sql/schema.sql'"));
    assert!(!of("mysql -e 'CREATE DATABASE IF NOT EXISTS a'"));
}
