//! Places, fixes and reasons that the analysis gives, and the catalogue behind them.

use shell_effects::{
    Catalogue, Edit, Entry, File, Hazard, Hide, Place, Setting, Verdict, analyse, destroys_data,
    failure_hidden, not_idempotent, retry_cannot_help, unrecognised, unsafe_to_overlap,
};

fn hazards(argv: &[&str]) -> Vec<Hazard> {
    let analysis = analyse(Catalogue::built_in(), argv, &Setting::default());
    not_idempotent(&analysis).into_iter().chain(destroys_data(&analysis)).collect()
}

fn at<'a>(argv: &[&'a str], place: Place) -> &'a str {
    &argv[place.element][place.span.range()]
}

fn apply(argv: &[&str], edit: &Edit) -> String {
    let mut text = argv[edit.place.element].to_owned();
    text.replace_range(edit.place.span.range(), &edit.text);
    text
}

/// The text of the one hazard of a script, and the script with its fix.
fn fixed(script: &str) -> (String, String) {
    let argv = ["sh", "-ec", script];
    let found = hazards(&argv);
    let [hazard] = found.as_slice() else { panic!("{found:?}") };
    let new = apply(&argv, hazard.fix.as_ref().unwrap());
    assert!(hazards(&["sh", "-ec", &new]).is_empty(), "{new}");
    (at(&argv, hazard.place).to_owned(), new)
}

#[test]
fn fixes_make_it_safe_through_quotes() {
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
    for (script, place, new) in cases {
        assert_eq!(fixed(script), (place.to_owned(), new.to_owned()));
    }
}

#[test]
fn a_place_names_the_element_of_the_command_line() {
    let argv = ["timeout", "60", "su", "app", "-c", "cd /app && createdb app"];
    let found = hazards(&argv);
    assert_eq!(found[0].place.element, 5);
    assert_eq!(at(&argv, found[0].place), "createdb");
}

#[test]
fn a_mounted_file_is_an_element_after_the_command_line() {
    let text = "set -e\ncreatedb app\n".to_owned();
    let setting = Setting {
        files: vec![File { path: "/scripts/init.sh".to_owned(), text: text.clone() }],
        ..Setting::default()
    };
    let analysis = analyse(Catalogue::built_in(), &["sh", "/scripts/init.sh"], &setting);
    let found = not_idempotent(&analysis);
    assert_eq!(found[0].place.element, 2);
    assert_eq!(&text[found[0].place.span.range()], "createdb");
}

#[test]
fn a_lost_marker_is_named() {
    let found = hazards(&["sh", "-c", "[ -f /tmp/done ] || createdb app"]);
    assert!(found[0].guard.is_some());
    assert!(found[0].reason.contains("gone in the next pod"), "{}", found[0].reason);
}

#[test]
fn a_client_that_goes_on_is_named_once() {
    for (script, name) in [
        ("curl -sS \\\n  -X POST \\\n  http://search:9200/index", "curl"),
        ("psql <<'SQL'\nCREATE TABLE a (b int);\nINSERT INTO a VALUES (1);\nSQL", "psql"),
    ] {
        let argv = ["sh", "-ec", script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Setting::default());
        let found: Vec<_> =
            failure_hidden(&analysis).iter().map(|one| at(&argv, one.place)).collect();
        assert_eq!(found, [name], "{script}");
    }
}

#[test]
fn a_hidden_failure_says_how() {
    let cases = [
        ("kubectl apply -f a || true", Hide::OrTrue),
        ("kubectl apply -f a; date", Hide::LaterCommand),
        ("set -e; kubectl apply -f a && date; date", Hide::AndList),
        ("kubectl apply -f a | cat", Hide::Pipe { pipefail: true }),
        ("kubectl apply -f a &", Hide::Background),
        ("echo $(kubectl apply -f a)", Hide::Substitution),
        ("for a in b c; do kubectl apply -f $a; done", Hide::Loop),
    ];
    for (script, how) in cases {
        let analysis = analyse(Catalogue::built_in(), &["bash", "-c", script], &Setting::default());
        let found: Vec<_> = failure_hidden(&analysis).iter().map(|hidden| hidden.how).collect();
        assert_eq!(found, [how], "{script}");
    }
}

#[test]
fn golang_migrate_cannot_be_retried() {
    let argv = ["migrate", "-path", "/m", "-database", "$(URL)", "up"];
    let analysis = analyse(Catalogue::built_in(), &argv, &Setting::default());
    assert_eq!(retry_cannot_help(&analysis)[0].verdict, Verdict::CannotRetry);
    assert!(not_idempotent(&analysis).is_empty() && unrecognised(&analysis).is_empty());
}

#[test]
fn tools_without_a_lock_must_not_overlap() {
    let overlap = |argv: &[&str]| {
        let analysis = analyse(Catalogue::built_in(), argv, &Setting::default());
        !unsafe_to_overlap(&analysis).is_empty()
    };
    assert!(overlap(&["alembic", "upgrade", "head"]));
    assert!(!overlap(&["flyway", "migrate"]));
    assert!(!overlap(&["kubectl", "get", "pods"]));
}

#[test]
fn users_extend_the_catalogue() {
    let own: Vec<Entry> = serde_yaml::from_str(
        "- {run: acme import, verdict: duplicates, why: imports again, unless: [--once]}\n\
         - {run: createdb, verdict: idempotent, why: ours asks first}\n",
    )
    .unwrap();
    let catalogue = Catalogue::with(&own);
    let count = |script| {
        let analysis = analyse(&catalogue, &["sh", "-ec", script], &Setting::default());
        not_idempotent(&analysis).len()
    };
    assert_eq!(count("acme import a"), 1);
    assert_eq!(count("acme import --once a; createdb x"), 0);
    serde_yaml::from_str::<Entry>("{run: a, verdict: safe, why: b}").unwrap_err();
    serde_yaml::from_str::<Entry>("{run: a, verdict: idempotent, why: b, typo: c}").unwrap_err();
}

#[test]
fn entries_name_one_thing_and_hazards_their_source() {
    let catalogue = Catalogue::built_in();
    assert!(catalogue.entries().len() >= 150);
    for entry in catalogue.entries() {
        assert_eq!(entry.error(), None, "{entry:?}");
        assert!(!entry.verdict.is_hazard() || entry.source.is_some(), "{entry:?}");
    }
    let schema = serde_json::to_string(&schemars::schema_for!(Entry)).unwrap();
    assert!(schema.contains("fails-when-repeated") && schema.contains("destroys-before"));
}

#[test]
fn a_function_that_is_itself_is_followed_to_an_end() {
    let script = "f() f\nf || createdb a\ncreatedb c";
    assert_eq!(hazards(&["sh", "-ec", script]).len(), 1);
}

#[test]
fn only_a_file_that_must_not_be_there_marks_what_was_done() {
    let lost = |script: &str| hazards(&["sh", "-c", script])[0].guard.is_some();
    for script in [
        "[ -f /tmp/done ] || createdb app",
        "[ ! -f /tmp/done ] && createdb app",
        "if [ ! -e /tmp/done ]; then createdb app; fi",
        "if [ -e /tmp/done ]; then echo done; else createdb app; fi",
        "[ -f /tmp/done ] && exit 0\ncreatedb app",
        "if [ -f /tmp/done ]; then exit 0; fi\ncreatedb app",
    ] {
        assert!(lost(script), "{script}");
    }
    for script in [
        "[ -f /input/app.sql ] && createdb app",
        "if [ -e /input/app.sql ]; then createdb app; fi",
        "test -f /input/app.sql || exit 0\ncreatedb app",
        "[ ! -f /input/app.sql ] && exit 0\ncreatedb app",
    ] {
        assert!(!lost(script), "{script}");
    }
}

#[test]
fn a_program_of_another_language_is_no_shell_script() {
    let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
    let files = vec![
        file("/s/a.py", "createdb(1)\ncreatedb x"),
        file("/s/b", "#!/usr/bin/python3\ncreatedb x"),
    ];
    let setting = Setting { files, ..Setting::default() };
    for argv in [&["python3", "/s/a.py"][..], &["/s/a.py"], &["/s/b"]] {
        let analysis = analyse(Catalogue::built_in(), argv, &setting);
        assert!(not_idempotent(&analysis).is_empty() && !unrecognised(&analysis).is_empty());
    }
}

#[test]
fn a_function_called_without_the_words_it_runs_is_followed() {
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
fn what_a_list_hands_to_xargs_is_asked_for() {
    assert_eq!(
        hazards(&["sh", "-ec", "rpk topic list | awk '{print $1}' | xargs -r rpk topic create"])
            .len(),
        0
    );
    assert_eq!(hazards(&["sh", "-ec", "echo a b | xargs rpk topic create"]).len(), 1);
}

#[test]
fn an_answer_that_the_script_reads_is_no_failure() {
    let post = "curl -s -X POST -d @/a.json http://grafana/api/serviceaccounts";
    let script = format!("A=$({post})\nif [ -z \"$A\" ]; then echo there; fi");
    assert_eq!(hazards(&["sh", "-ec", &script]).len(), 0);
    assert_eq!(hazards(&["sh", "-ec", &post.replace("-s", "-fs")]).len(), 1);
}
