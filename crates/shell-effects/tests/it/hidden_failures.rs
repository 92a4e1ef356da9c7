//! What hides a failure, and what tells it elsewhere.

use shell_effects::{
    Catalogue, Container, HiddenBy, Invocation, MountedFile, Pipefail, analyse, failure_hidden,
    stopped_by_errexit,
};

#[test]
fn a_hidden_failure_names_what_hides_it() {
    let cases = [
        ("kubectl apply -f a || true", HiddenBy::OrTrue),
        ("kubectl apply -f a || echo failed", HiddenBy::OrMessage),
        ("kubectl apply -f a || { echo failed; true; }", HiddenBy::OrMessage),
        ("warn() { echo $1 >&2; }; kubectl apply -f a || warn failed", HiddenBy::OrMessage),
        ("kubectl apply -f a; date", HiddenBy::LaterCommand),
        ("mysql -e 'SOURCE /tmp/a.sql' shop; date", HiddenBy::LaterCommand),
        ("mysql -e '\\. /tmp/a.sql' shop; date", HiddenBy::LaterCommand),
        ("set -e; kubectl apply -f a && date; date", HiddenBy::AndList),
        ("kubectl apply -f a | cat", HiddenBy::Pipe { pipefail: Pipefail::Unset }),
        (
            "kubectl apply -f a | cat; r=$?; if [ $r -ne 0 ]; then exit 1; fi",
            HiddenBy::PipeStatus { pipefail: Pipefail::Unset },
        ),
        ("set -e; drush sql-dump | gzip > /b/a.gz", HiddenBy::Pipe { pipefail: Pipefail::Unset }),
        (
            "set -e pipefail; kubectl apply -f a | cat",
            HiddenBy::Pipe { pipefail: Pipefail::Misspelt { supported: true } },
        ),
        (
            "set -eu pipefail -o nounset; kubectl apply -f a | cat",
            HiddenBy::Pipe { pipefail: Pipefail::Misspelt { supported: true } },
        ),
        ("kubectl apply -f a || (echo failed; exit 1); date", HiddenBy::SubshellExit),
        ("kubectl apply -f a &", HiddenBy::Background),
        ("echo $(kubectl apply -f a)", HiddenBy::Substitution { piped: false }),
        ("export a=$(kubectl apply -f a | cat)", HiddenBy::Substitution { piped: true }),
        ("for a in b c; do kubectl apply -f $a; done", HiddenBy::Loop),
        ("u=(b c); for a in \"${u[@]}\"; do kubectl apply -f $a; done", HiddenBy::Loop),
        ("u=(\"$X\"); for a in ${u[@]}; do kubectl apply -f $a; done", HiddenBy::Loop),
        (
            "list | while read a; do kubectl apply -f $a; if [ $? -ne 0 ]; then exit 1; fi; done; date",
            HiddenBy::SubshellExit,
        ),
        (
            "list | while read a; do if ! kubectl apply -f $a; then exit 1; fi; done; date",
            HiddenBy::SubshellExit,
        ),
        ("(kubectl apply -f a || exit 1); date", HiddenBy::SubshellExit),
        ("kubectl apply -f a; true", HiddenBy::OrTrue),
        ("php artisan db:seed --force; echo done", HiddenBy::LaterCommand),
        ("bundle exec rails db:seed; echo done", HiddenBy::LaterCommand),
        ("npx prisma db seed; echo done", HiddenBy::LaterCommand),
        (
            "clickhouse client --host=h --multiquery \"ALTER TABLE a DROP COLUMN b\"; echo done",
            HiddenBy::LaterCommand,
        ),
        (
            "kubectl apply -f a\nr=$?\nif [ $r -ne 0 ]; then echo failed $r; fi\ndate",
            HiddenBy::Reported,
        ),
    ];
    for (script, by) in cases {
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-c", script], &Container::default());
        let found: Vec<_> = failure_hidden(&analysis).iter().map(|hidden| hidden.by).collect();
        assert_eq!(found, [by], "{script}");
    }
}

#[test]
fn the_program_that_reads_a_script_decides_what_pipefail_does() {
    let text = "#!/bin/bash\nkubectl apply -f a | cat\n";
    let files = vec![MountedFile { path: "/s/run".into(), text: text.into() }];
    let container = Container { files, ..Container::default() };
    for (argv, pipefail) in [
        (&["/s/run"][..], Pipefail::Unset),
        (&["bash", "/s/run"], Pipefail::Unset),
        (&["sh", "/s/run"], Pipefail::OtherShell),
        (&["sh", "-c", "sh /s/run"], Pipefail::OtherShell),
        (&["sh", "-c", ". /s/run"], Pipefail::Unsupported),
        (&["bash", "-c", ". /s/run"], Pipefail::Unset),
    ] {
        let analysis = analyse(Catalogue::built_in(), argv, &container);
        let found = failure_hidden(&analysis).first().map(|one| one.by);
        assert_eq!(found, Some(HiddenBy::Pipe { pipefail }), "{argv:?}");
    }
}

#[test]
fn a_failed_sign_in_is_told_by_what_needs_it() {
    let login = "vault write -field=token auth/approle/login role_id=$R secret_id=$S";
    for (script, hidden) in [
        ("export VAULT_TOKEN=$(LOGIN)\nvault operator raft snapshot save /share/s", 0),
        ("export VAULT_TOKEN=$(LOGIN) && vault operator raft snapshot save /share/s", 0),
        (
            "export VAULT_TOKEN=$(LOGIN) && if [ -z \"$(vault auth list | grep oidc)\" ]; then exit 1; fi && echo done",
            0,
        ),
        ("export VAULT_TOKEN=$(LOGIN) && if [ -n \"$ALL\" ]; then vault kv put a b=c; fi", 1),
        ("export VAULT_TOKEN=$(LOGIN | jq -r .token)\nvault kv put a b=c", 0),
        (
            "export VAULT_TOKEN=$(LOGIN | jq -r .token) && cd $(mktemp -d) && vault_export.py a && mv a /b/a",
            0,
        ),
        ("VAULT_TOKEN=$(LOGIN)\nvault kv put a b=c\nif [ $? != 0 ]; then exit 1; fi", 0),
        ("TOKEN=$(LOGIN | jq -r .token)\nargocd app sync shop --auth-token \"$TOKEN\"", 0),
        (
            "TOKEN=$(LOGIN | jq -r .token)\ncurl -fH \"Authorization: Bearer $TOKEN\" -X PUT https://shop/a",
            0,
        ),
        (
            "set -e\nexport VAULT_TOKEN=$(LOGIN) && export ALL=\"$(vault read -field=data $P)\" \\\n  && export PGPASSWORD=$(echo $ALL | jq -r .p)\npg_dump shop > /b/a.sql",
            0,
        ),
        (
            "set -e\nexport JWT=$(cat /t) && export VAULT_TOKEN=$(LOGIN | jq -r .token)\nexport ALL=\"$(vault read -field=data $P)\" \\\n  && export PGPASSWORD=$(echo $ALL | jq -r .p)\npg_dump shop > /b/a.sql",
            0,
        ),
        // Another value may do as well.
        (
            "VAULT_TOKEN=$(LOGIN | jq -r .token)\nexport PGPASSWORD=$(vault kv get a || echo \"$P\")\npg_dump shop > /b/a.sql",
            1,
        ),
        // The client of the token does not run, or its failure is lost as well.
        ("export VAULT_TOKEN=$(LOGIN)\nkubectl apply -f a", 1),
        ("export VAULT_TOKEN=$(LOGIN)\nvault kv put a b=c || true", 2),
        ("export VAULT_TOKEN=$(LOGIN)\nif [ -n \"$ALL\" ]; then vault kv put a b=c; fi", 1),
        // The token is what is stored.
        (
            "TOKEN=$(LOGIN | jq -r .token)\nkubectl create secret generic a --from-literal=token=\"${TOKEN}\"",
            1,
        ),
    ] {
        let script = script.replace("LOGIN", login);
        let argv = ["bash", "-c", &script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        let found = failure_hidden(&analysis);
        assert_eq!(found.len(), hidden, "{script} {found:?}");
    }
}

/// A second command of the same words has another input, another server, or another item of a list.
#[test]
fn the_same_words_are_not_always_the_same_work() {
    for script in [
        "kubectl apply -f - <<E\nkind: ConfigMap\nmetadata: {name: a}\nE\nkubectl apply -f - <<E\nkind: ConfigMap\nmetadata: {name: b}\nE",
        "psql -v ON_ERROR_STOP=1 shop < a.sql\npsql -v ON_ERROR_STOP=1 shop < b.sql",
        "DATABASE_URL=$A alembic upgrade head\nDATABASE_URL=$B alembic upgrade head",
        "set -e\nfor a in a b c; do kubectl create -f $a && continue; echo $a; done",
    ] {
        let argv = ["bash", "-c", script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        assert_eq!(failure_hidden(&analysis).len(), 1, "{script}");
    }
}

#[test]
fn the_exit_of_a_subshell_counts_where_the_script_looks_at_it() {
    let turn = "do kubectl apply -f $a || exit 1; done";
    for script in [
        format!("set -e; list | while read a; {turn}; date"),
        format!("list | while read a; {turn}; if [ $? -ne 0 ]; then exit 1; fi; date"),
        format!("list | while read a; {turn}"),
        format!("list | while read a; {turn} || exit 1; date"),
        format!("while read a; {turn} < list; date"),
    ] {
        let argv = ["bash", "-c", &script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        assert_eq!(failure_hidden(&analysis).len(), 0, "{script}");
    }
}

/// What a script is for is lost where only commands decide that change nothing. A program that decides may need what the
/// others do.
#[test]
fn programs_that_nobody_knows_are_what_a_script_is_for() {
    let hidden = |script: &str| {
        let analysis = analyse(Catalogue::built_in(), &["sh", "-c", script], &Container::default());
        let found = failure_hidden(&analysis);
        found.iter().map(|one| (one.location.span.start, one.may_show)).collect::<Vec<_>>()
    };
    for (script, expected) in [
        ("/app/import run; echo done", vec![(0, false)]),
        ("/app/a; ./b; ls", vec![(0, false), (8, false)]),
        ("node a.js; date", vec![(0, false)]),
        ("java -jar a.jar; java -jar b.jar", vec![(0, true)]),
        ("python3 a.py; python3 b.py", vec![(8, true)]),
        ("curl -f -o f https://a/f; chmod +x f; ls", vec![(0, false)]),
        ("curl -f -o f https://a/f; chmod +x f; ls f", vec![]),
        ("curl -f -o f https://a/f; chmod +x f", vec![]),
        ("set -e; ./a; ./b; ls", vec![]),
        ("./a --out /d/x; ./b --in /d/x", vec![]),
        ("./wait-for db; ./a", vec![]),
        ("./a --version; ls", vec![]),
        ("./a --out /d/smoke-test-1; ls", vec![(0, false)]),
        ("./a --out=/d/smoke-test-1; ls", vec![(0, false)]),
        ("./a --check=/d/one; ls", vec![]),
        ("./a http://shop/health; ls", vec![]),
        ("sh /d/tests/run.sh; ls", vec![]),
        ("./a smoke-test; ls", vec![]),
        ("sync a; push b; ls", vec![]),
        ("./a && ./b; ls", vec![(0, false)]),
        ("if ./a; then echo ok; else echo no; fi", vec![(3, false)]),
        ("./a || echo no; ls", vec![(0, false)]),
        ("./a || echo no; ./b", vec![]),
        ("sh /s/save.sh; find /b -mtime +7 -delete; ls", vec![(0, false)]),
        ("npm run migrate; ls", vec![(0, false)]),
        ("for s in a b; do python train.py $s; done", vec![(24, false)]),
        ("npm run test; ls", vec![]),
        ("python manage.py sync_orders; ls", vec![(7, false)]),
        ("kubectl wait pod/a --for=condition=Ready; ls", vec![]),
        ("kubectl wait pod/a --for=condition=Ready; date", vec![(8, false)]),
        ("oc wait pod/a --for=condition=Ready; oc exec a -- ls", vec![]),
        ("curl -s http://shop/cron; date", vec![(0, false)]),
        ("wget -q -O /dev/null http://shop/cron; date", vec![(0, false)]),
        ("wget --spider http://shop; date", vec![]),
    ] {
        assert_eq!(hidden(script), expected, "{script}");
    }
}

/// A query that fails in front of a pipe prints nothing, which is what the script wants to see.
#[test]
fn an_empty_answer_is_good() {
    let pipe = HiddenBy::Pipe { pipefail: Pipefail::Unset };
    let query = "bad=$(kubectl get nodes -o json | jq -r .items[])";
    for (script, is_hidden) in [
        (format!("set -e\n{query}\nif [ -n \"$bad\" ]; then echo $bad; exit 1; fi"), true),
        (format!("set -e\n{query}\nif [[ -z $bad ]]; then echo ok; else exit 1; fi"), true),
        (format!("set -e\n{query}\n[ -z \"$bad\" ] && echo ok"), true),
        (format!("set -e\n{query}\n[ -z \"$bad\" ] || exit 1\necho ok"), true),
        (format!("set -eo pipefail\n{query}\n[ -z \"$bad\" ] && echo ok"), false),
        (format!("set -e\n{query}\nif [ -z \"$bad\" ]; then exit 1; fi"), false),
        (format!("set -e\n{query}\n[ -n \"$bad\" ] || exit 1"), false),
        (format!("set -e\n{query}\necho \"bad: $bad\""), false),
        ("set -e\nbad=$(kubectl get pods | grep Error)\n[ -z \"$bad\" ] && echo ok".into(), false),
    ] {
        let argv = ["bash", "-c", &script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        let found: Vec<_> = failure_hidden(&analysis).iter().map(|hidden| hidden.by).collect();
        let expected = if is_hidden { vec![pipe] } else { vec![] };
        assert_eq!(found, expected, "{script}");
    }
}

/// `--fail` is about the status codes of HTTP.
#[test]
fn other_protocols_tell_a_failure() {
    let hidden = |url: &str| {
        let script = format!("set -e\ncurl -T /tmp/a {url}");
        let container = Container::default();
        failure_hidden(&analyse(Catalogue::built_in(), &["sh", "-c", &script], &container)).len()
    };
    for url in ["https://a/b", "a/b", "--url http://a/b", "\"$URL\"", "\"https://a/b?c=d://e\""] {
        assert_eq!(hidden(url), 1, "{url}");
    }
    for url in
        ["smtps://a:465", "--url 'smtp://a' --mail-from b@c", "sftp://a/b", "--url=ftp://a/b"]
    {
        assert_eq!(hidden(url), 0, "{url}");
    }
}

/// What reads the file fails the script where the dump has made none.
#[test]
fn a_dump_whose_file_is_read_is_not_hidden() {
    let count = |script: &str| {
        let argv = ["bash", "-c", script];
        failure_hidden(&analyse(Catalogue::built_in(), &argv, &Container::default())).len()
    };
    for test in [
        "[ -s \"$F\" ] || exit 1",
        "if ! pg_restore -l $F > /dev/null; then exit 1; fi",
        "tar -tf $F || exit 1",
    ] {
        assert_eq!(count(&format!("pg_dump -f $F db; {test}; date")), 0, "{test}");
    }
    for test in ["[ -s $F ] || date", "[ -s $G ] || exit 1", "pg_restore -l $G || exit 1"] {
        assert_ne!(count(&format!("pg_dump -f $F db; {test}; date")), 0, "{test}");
    }
    assert_eq!(count("mongodump --archive=/b/x --gzip; [ -s /b/x ] || exit 1; date"), 0);
    assert_ne!(count("pg_dump db | gzip > /b/x; gunzip -t /b/x || exit 1; date"), 0);
}

#[test]
fn commands_that_find_nothing_on_an_ordinary_day_end_a_strict_script() {
    for (script, stopped) in [
        ("ls -t /b/x-* | tail -n +5 | xargs rm; pg_dump x > /b/x; date", Some("rm")),
        ("ls /b/x-*; pg_dump x > /b/x; date", Some("ls")),
        ("grep -h b /c/*.conf; pg_dump x > /b/x; date", Some("grep")),
        ("rm /b/x.old; pg_dump x > /b/x; date", Some("rm")),
        ("ls -t /b/x-* | tail -n +5 | xargs -0r rm; pg_dump x > /b/x; date", None),
        ("ls -t /b/x-* | xargs -I{} rm {}; pg_dump x > /b/x; date", None),
        ("ls -t /b/x-* | tail -n +5 | xargs rm -f; pg_dump x > /b/x; date", None),
        ("ls /b; pg_dump x > /b/x; date", None),
        ("if grep -q b /c; then date; fi; pg_dump x > /b/x; date", None),
        ("rm -rf /b/*; pg_dump x > /b/x; date", None),
        ("cp /b/x /t/x; mc cp /t/x m/b; rm /t/x; date", None),
        ("grep b /c || true; pg_dump x > /b/x; date", None),
        ("d=$(diff -r a b); [ -n \"$d\" ] && date; pg_dump x > /b/x; date", Some("diff")),
        ("n=$(ls /c | grep b); [ -n \"$n\" ] && date; pg_dump x > /b/x; date", Some("grep")),
        ("n=$(grep b /c | head -1); [ -n \"$n\" ] && date; pg_dump x > /b/x; date", None),
        ("n=$(grep b /c) || n=; [ -n \"$n\" ] && date; pg_dump x > /b/x; date", None),
        ("kubectl diff -f /c > /d; pg_dump x > /b/x; date", Some("kubectl")),
        ("terraform plan -detailed-exitcode; terraform apply; date", Some("terraform")),
        ("terraform plan; terraform apply; date", None),
        ("for n in a b; do echo $n | grep -q a && continue; kubectl apply -f $n; done; date", None),
        ("grep -q a /c && date; kubectl apply -f /d; date", None),
    ] {
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-c", script], &Container::default());
        let found = stopped_by_errexit(&analysis, 2).map(Invocation::program_name);
        assert_eq!(found, stopped, "{script}");
    }
}

#[test]
fn a_backup_is_needed_where_nothing_else_is_done_or_its_data_is_lost() {
    for (script, hidden) in [
        ("pg_dump -f /b/x app || true", 1),
        ("set -e; pg_dump app > /b/x || true; dropdb app", 1),
        ("set -e; pg_dump app > /b/x || true; alembic upgrade head", 0),
        ("set -e; pg_dump app > /b/x || true; mc cp /b/x m/b", 0),
        ("set -e; pg_dump app > /b/x && mv /b/x /b/y; date", 1),
        ("set -e; pg_dump app > /b/x && mv /b/x /b/y", 0),
        ("set -e; f() { pg_dump -f /b/x app; echo dumped; }; f || exit 1", 1),
        ("pg_dump -f /b/x app; exit 0", 1),
    ] {
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-c", script], &Container::default());
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}

#[test]
fn what_the_deciding_command_cannot_do_without_is_not_hidden() {
    for (script, hidden) in [
        ("etcdctl snapshot save /tmp/a.db; aws s3 cp /tmp/a.db s3://b/", 0),
        ("etcdctl snapshot save /b/a.db; aws s3 cp /b/a.db s3://b/", 1),
        ("etcdctl snapshot save /tmp/a.db; aws s3 cp /tmp/b.db s3://b/", 1),
        ("set -e; redis-cli BGSAVE | grep -q started", 0),
        ("set -e; redis-cli BGSAVE", 1),
    ] {
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-c", script], &Container::default());
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}

/// `set -e` in a script that another one calls does not help where that one goes on.
#[test]
fn what_hides_a_failure_is_the_script_that_goes_on() {
    for (inner, outer, is_called) in [
        ("set -e\nkubectl apply -f a\n", "/s/inner; echo done", Some(true)),
        ("kubectl apply -f a\ndate\n", "/s/inner; echo done", Some(false)),
        ("kubectl apply -f a\n", "/s/inner; echo done", Some(true)),
        ("set -e\nkubectl apply -f a\n", "/s/inner", None),
    ] {
        let file = MountedFile { path: "/s/inner".into(), text: format!("#!/bin/sh\n{inner}") };
        let container = Container { files: vec![file], ..Container::default() };
        let analysis = analyse(Catalogue::built_in(), &["sh", "-c", outer], &container);
        let found = failure_hidden(&analysis);
        let called = found.first().map(|one| one.call.is_some());
        assert_eq!(called, is_called, "{inner} {outer}");
        let hides = found.first().map(|one| one.hiding_element() == one.location.element);
        assert_eq!(hides, is_called.map(|called| !called), "{inner} {outer}");
    }
}

/// The directory at which a volume is mounted is there.
#[test]
fn to_make_a_mount_changes_nothing() {
    for (directory, hidden) in [("/data", 0), ("/data/", 0), ("/data/a", 1), ("/tmp/a", 0)] {
        let script = format!("set -e; d={directory}; mkdir -p \"$d\" && cd \"$d\"; touch a");
        let persistent_mounts = vec!["/data".to_owned()];
        let container = Container { persistent_mounts, ..Container::default() };
        let analysis = analyse(Catalogue::built_in(), &["bash", "-c", &script], &container);
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}

/// What a server answers instead of a file stays on the volume.
#[test]
fn a_download_to_a_volume_counts() {
    for (script, hidden) in [
        ("set -e; curl -L -o /data/a.json https://example.com/a.json; ls /data", 1),
        ("curl -o /data/a.json https://example.com/a.json; ls /data", 1),
        ("set -e; curl -fL -o /data/a.json https://example.com/a.json; ls /data", 0),
        ("set -e; curl -L -o /tmp/a.json https://example.com/a.json; ls /tmp", 0),
        ("set -e; curl -L -o /data/a.json https://example.com/a.json; [ -s /data/a.json ]", 0),
    ] {
        let persistent_mounts = vec!["/data".to_owned()];
        let container = Container { persistent_mounts, ..Container::default() };
        let analysis = analyse(Catalogue::built_in(), &["bash", "-c", script], &container);
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}

#[test]
fn a_test_that_asks_for_the_result_tells_a_failure() {
    let hidden = |script: &str| {
        let script = script
            .replace("ADD", "clickhouse client -q \"INSERT INTO queue VALUES ('a')\" --host=$S");
        let argv = ["bash", "-c", &script];
        let analysis = analyse(Catalogue::built_in(), &argv, &Container::default());
        failure_hidden(&analysis).len()
    };
    let query = "$(clickhouse client -q \"SELECT state FROM queue WHERE name = 'a'\" --host=$S)";
    for (test, count) in [
        ("if [[ done != QUERY ]]; then exit 1; fi", 0),
        ("if [ \"QUERY\" != done ]; then echo failed; exit 1; fi", 0),
        ("if [[ -z QUERY ]]; then exit 1; fi", 0),
        ("if [[ done == QUERY ]]; then echo yes; else exit 1; fi", 0),
        ("if [[ done == QUERY ]]; then exit 1; fi", 1),
        ("if [[ done != QUERY ]]; then echo failed; fi", 1),
        (
            "if [[ done == QUERY ]]; then echo yes; elif [ -n \"$X\" ]; then echo no; else exit 1; fi",
            1,
        ),
        ("if [[ done != $(clickhouse client -q 'SELECT state FROM others') ]]; then exit 1; fi", 1),
    ] {
        let test = test.replace("QUERY", query);
        let in_loops =
            format!("for S in a b; do ADD; done\nfor S in a b; do {test}; done\necho end");
        assert_eq!(hidden(&in_loops), count, "{in_loops}");
        let in_order = format!("ADD\n{test}\necho end");
        assert_eq!(hidden(&in_order), count, "{in_order}");
    }
}

#[test]
fn the_last_question_to_a_store_tells_that_it_made_no_bucket() {
    for (script, hidden) in [
        ("mc mb --ignore-existing store/a\necho done\nmc ls store/", 0),
        ("mc mb --ignore-existing store/a\nmc ls other", 1),
        ("mc mb --ignore-existing store/a\nmc ls store || true", 1),
        ("mc mirror /data store/a\nmc ls store", 1),
    ] {
        let analysis = analyse(Catalogue::built_in(), &["sh", "-c", script], &Container::default());
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}

/// Where a volume is mounted, there is a directory.
#[test]
fn the_place_of_a_mount_can_be_entered() {
    let container = Container {
        persistent_mounts: vec!["/data".into(), "/backup".into()],
        ..Container::default()
    };
    for (folder, is_minor) in [("/data", true), ("/data/", true), ("/data/shop", false)] {
        let script = format!("cd {folder}\nrsync -a . /backup/");
        let analysis = analyse(Catalogue::built_in(), &["sh", "-c", &script], &container);
        let found: Vec<_> = failure_hidden(&analysis).iter().map(|one| one.is_minor).collect();
        assert_eq!(found.iter().all(|minor| *minor), is_minor, "{script}");
    }
}

#[test]
fn what_stands_behind_a_question_of_its_own_may_be_repeated() {
    for (script, is_guarded) in [
        ("createdb shop; echo done", false),
        ("if ! psql -lqt | grep -qw shop; then createdb shop; fi; echo done", true),
    ] {
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-c", script], &Container::default());
        let hidden = failure_hidden(&analysis);
        assert_eq!(hidden.len(), 1, "{script}");
        assert_eq!(hidden[0].repeatable.is_none(), is_guarded, "{script}");
    }
}
