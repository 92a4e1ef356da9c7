//! What `failure-hidden` says of a script as a whole: its remedy, its fix, and how many findings it is.

use joblint::{check::check_unit, diagnostic::Diagnostic, settings::Settings};

use super::support::{file, findings, plain};

/// The findings about a script that a CronJob runs with a volume at `/b`.
fn found(shell: &str, script: &str) -> Vec<Diagnostic> {
    found_with(&Settings::default(), shell, script)
}

fn found_with(settings: &Settings, shell: &str, script: &str) -> Vec<Diagnostic> {
    let script = script.replace('\n', "\n                    ");
    let text = format!(
        "apiVersion: batch/v1
kind: CronJob
metadata: {{name: job}}
spec:
  schedule: '5 3 * * *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: job
              image: app:1.4.2
              volumeMounts: [{{name: b, mountPath: /b}}]
              command:
                - {shell}
                - -c
                - |
                    {script}
          volumes: [{{name: b, persistentVolumeClaim: {{claimName: b}}}}]
"
    );
    let report = check_unit(&plain(vec![file("job.yaml", text)]), settings);
    report.findings.into_iter().filter(|one| one.rule.id == "failure-hidden").collect()
}

#[test]
fn the_remedy_fits_the_script() {
    let strict = "Start the script with `set -e`";
    for (script, remedy, is_fixed) in [
        ("alembic upgrade head\necho done", strict, true),
        (
            "ls -t /b/x-* | tail -n +5 | xargs rm\nalembic upgrade head\necho done",
            "End the script where such a command fails, with `command || exit 1`: `set -e` would also \
             end it at `rm`, which can fail although nothing is wrong",
            false,
        ),
        (
            "mc ls m\nmc mb m/bucket\nexit 0",
            "Make `mc mb` safe to repeat (`--ignore-existing`), then let the script exit with the \
             status of the command",
            false,
        ),
        (
            "mc mb m/bucket\nmc mirror /b m/bucket\necho done",
            "Make `mc mb` safe to repeat (`--ignore-existing`), then start the script with `set -e`",
            false,
        ),
        ("mc mb --ignore-existing m/bucket\nmc mirror /b m/bucket\necho done", strict, true),
        (
            "kubectl scale deploy/shop --replicas=0\nalembic upgrade head\nkubectl scale deploy/shop \
             --replicas=2",
            "Have a `trap … EXIT` run `kubectl scale deploy/shop --replicas=2`, then start the script \
             with `set -e`",
            false,
        ),
        (
            "php artisan down\nphp artisan migrate --force\nphp artisan up",
            "Have a `trap … EXIT` run `artisan up`, then start the script with `set -e`",
            false,
        ),
        (
            "pg_dump shop > /b/new && mv /b/new /b/shop\nls /b",
            "Put each command on its own line, under `set -e`",
            false,
        ),
        (
            "set -e\ncurl -X POST http://shop/jobs && echo done\ndate",
            "Put each command on its own line, under `set -e`, and add `--fail` to `curl`",
            false,
        ),
        (
            "curl -X POST http://shop/jobs || true",
            "Write `|| exit 1` instead: without `--fail`, `||` only catches a request that gets no answer",
            false,
        ),
        ("cd /b && alembic upgrade head\ndate", strict, true),
        (
            "kafka-topics.sh --create --topic a --partitions 3 || kafka-topics.sh --alter --topic a \
             --partitions 3\necho done",
            "Make `kafka-topics.sh --alter` safe to repeat (ask for the number with `--describe` \
             first), then start the script with `set -e`",
            false,
        ),
        (
            "rake db:schema:load\necho done",
            "Make `rake db:schema:load` safe to repeat (`rails db:prepare`), then start the script with \
             `set -e`",
            false,
        ),
    ] {
        let found = found("sh", script);
        let [finding] = &found[..] else { panic!("{script}: {found:?}") };
        assert_eq!(finding.help, remedy, "{script}");
        assert_eq!(!finding.fixes.is_empty(), is_fixed, "{script}");
    }
}

#[test]
fn what_later_work_may_need_takes_pedantic() {
    let settings = Settings { pedantic: true, ..Settings::default() };
    for script in [
        "rake db:schema:load\nrake db:seed",
        "kubectl create configmap shop --from-file /b\nhelm upgrade shop /chart",
        "kafka-topics.sh --create --topic a\n./producer --topic a",
        "vault secrets enable kv\nalembic upgrade head",
        "set -e\nkey=$(vault write -format=json sys/tools/random bytes=16 | jq -r .data.random_bytes)\n\
         curl --fail -d key=$key http://shop/keys",
        "set -e\nkubectl apply -o yaml -f /b | ./record\ndate",
    ] {
        assert!(found("sh", script).is_empty(), "{script}");
        assert_eq!(found_with(&settings, "sh", script).len(), 1, "{script}");
    }
    for script in [
        "alembic upgrade head\nkubectl get pods",
        "alembic upgrade head\nkubectl delete pod shop-0",
        "mc mb shop/a\nmc anonymous set download shop/b",
        "kubectl apply -f /b || true\nhelm upgrade shop /chart",
        "pg_dump shop | gzip > /b/shop.gz\naws s3 cp /b/shop.gz s3://shop/",
        "set -e\nalembic upgrade head | tee /b/log\ndate",
    ] {
        assert_eq!(found("sh", script).len(), 1, "{script}");
    }
}

#[test]
fn what_the_author_can_do_without_is_not_reported() {
    for script in [
        "set -e\npg_dump -f /b/x shop\ncurl -d ok http://status.example.com/done || true",
        "set -e\nrestic backup /b\nrestic forget --keep-daily 7 --prune || true",
        "alembic upgrade head\nrc=$?\ncurl -sX POST http://localhost:4191/shutdown\nexit $rc",
        "alembic upgrade head || rc=1\ncurl -sX POST http://localhost:4191/shutdown\nexit ${rc:-0}",
    ] {
        assert!(found("sh", script).is_empty(), "{script}");
    }
    let changes = "alembic upgrade head\nrc=$?\nkubectl apply -f /b\nexit $rc";
    assert_eq!(found("sh", changes).len(), 1);
    assert_eq!(found("sh", "curl -d ok http://status.example.com/done || true").len(), 1);
}

#[test]
fn pipefail_is_advised_where_the_script_can_go_on_with_it() {
    let dump = "pg_dump shop | sha512sum > /b/sum";
    for (script, remedy) in [
        (format!("set -e\n{dump}"), "Start the script with `set -o pipefail`"),
        (
            format!("set -eo pipefail\nkubectl exec db-0 -- bash -c \"{dump}\""),
            "Start the script of the inner `-c` with `set -o pipefail`, too",
        ),
        (
            format!(
                "set -e\nold=$(kubectl get cm -o json | jq .x)\n{dump}\n[ -n \"$old\" ] || exit 1"
            ),
            "Write the output to a file first, and check its status",
        ),
    ] {
        let found = found("bash", &script);
        let [finding] = &found[..] else { panic!("{script}: {}", found.len()) };
        assert_eq!(finding.help, remedy, "{script}");
    }
}

#[test]
fn a_script_is_one_finding_about_what_matters_most() {
    let report = "curl -X POST \"$HOOK\" -d '{\"status\": \"done\"}'";
    for (shell, script, named) in [
        // Old files go at the next run.
        (
            "sh",
            "pg_dump x | gzip > /b/x.gz\nfind /b -mtime +30 -delete\necho done",
            Some("pg_dump"),
        ),
        ("sh", "find /b -mtime +30 -delete\necho done", None),
        (
            "sh",
            "find /b -mtime +30 -delete\npg_dump x > /b/x\nfind /b -mtime +9 -delete\necho done",
            Some("pg_dump"),
        ),
        ("sh", "aws s3 cp /b/x s3://b/x\npg_dump x | gzip > /b/x.gz\necho done", Some("pg_dump")),
        // Nobody would repeat the backup for the sake of the message.
        ("bash", "set -euo pipefail\npg_dump -f /b/x db\naws s3 cp /b/x s3://b/\nREPORT", None),
        ("bash", "set -euo pipefail\naws s3 cp /b/x s3://b/\nREPORT\nrm /b/y\necho done", None),
        ("bash", "set -euo pipefail\nREPORT", Some("curl")),
        ("bash", "set -euo pipefail\nREPORT\naws s3 cp /b/x s3://b/", Some("curl")),
        (
            "bash",
            "set -euo pipefail\naws s3 cp /b/x s3://b/\ncurl -X POST http://search/_reindex -d '{\"a\": 1}'",
            Some("curl"),
        ),
        // The next command fails without the database.
        (
            "bash",
            "createdb t_$(date +%s) || true\necho restoring\nif pg_restore -d t_$(date +%s) /b/x; then echo ok; else exit 1; fi",
            None,
        ),
    ] {
        let script = script.replace("REPORT", report);
        let found = found(shell, &script);
        let named_by = |one: &Diagnostic| named.is_some_and(|own| one.message.contains(own));
        assert_eq!(found.len(), usize::from(named.is_some()), "{script}: {found:#?}");
        assert!(found.iter().all(named_by), "{script}: {found:#?}");
    }
}

/// The entry point of the image of curl runs a program if it is given one.
#[test]
fn arguments_of_the_image_of_curl_may_be_a_script() {
    let found = |arguments: &str| {
        let text = format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: ask}}\nspec:\n  backoffLimit: 0\n  template:\n    spec:\n      \
             restartPolicy: Never\n      containers: [{{name: ask, image: 'curlimages/curl:8.11.0', args: {arguments}}}]\n"
        );
        let report = check_unit(&plain(vec![file("job.yaml", text)]), &Settings::default());
        report.findings.iter().filter(|one| one.rule.id == "failure-hidden").count()
    };
    assert_eq!(found("[-s, 'https://shop.example.com/cron?task=mail']"), 1);
    assert_eq!(found("[sh, -c, 'curl -s https://shop.example.com/cron?task=mail']"), 1);
    assert_eq!(found("[sh, -c, 'curl -si https://shop.example.com/next | grep location:']"), 0);
}

/// A variable that takes a field of the pod holds one word, so a loop over it has one turn; one of another source may hold
/// several.
#[test]
fn a_loop_over_a_field_of_the_pod_has_one_turn() {
    let found = |source: &str| {
        let manifest = format!(
            "apiVersion: batch/v1
kind: Job
metadata: {{name: a}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: a
          image: bash:5.2.37
          command: [bash, -c, 'for n in $NS; do kubectl apply -f /d/x.yaml -n $n; done']
          env: [{{name: NS, valueFrom: {{{source}}}}}]
"
        );
        let found = findings(&[("a.yaml", &manifest)], &[]);
        found.iter().filter(|one| one["rule"] == "failure-hidden").count()
    };
    assert_eq!(found("fieldRef: {fieldPath: metadata.namespace}"), 0);
    assert_eq!(found("fieldRef: {fieldPath: \"metadata.annotations['n']\"}"), 1);
    assert_eq!(found("configMapKeyRef: {name: c, key: n}"), 1);
}

/// Without the option `psql` ends with 0 after a refused statement, and the script would see no failure.
#[test]
fn a_script_that_only_prints_the_status_of_psql_needs_its_option_too() {
    let script = "psql $URL <<SQL\nINSERT INTO a SELECT * FROM b;\nUPDATE c SET d = 1;\nSQL\ncode=$?\n\
                  if [ $code -eq 0 ]; then echo done; else echo failed; fi";
    let found = found("bash", script);
    let [one] = &found[..] else { panic!("{found:?}") };
    let help =
        "Exit with 1 where the script prints the error, and add `-v ON_ERROR_STOP=1` to `psql`";
    assert_eq!(one.help, help);
}

/// What is on a volume may be left of another run, unless the script has asked for it.
#[test]
fn a_later_command_misses_a_file_that_was_not_there() {
    let script = |test: &str| {
        format!(
            "if {test}; then\n  cp /a/sample.conf /b/a.conf\n  echo made\nfi\nhead -3 /b/a.conf"
        )
    };
    assert!(found("sh", &script("[ ! -s /b/a.conf ]")).is_empty());
    assert_eq!(found("sh", &script("[ -n \"$AGAIN\" ]")).len(), 1);
}

#[test]
fn sqlcmd_needs_its_option() {
    let one = |script: &str| found("bash", script);
    let all = one("set -e\nsqlcmd -S db -Q \"BACKUP DATABASE shop TO DISK = '/b/shop.bak'\"");
    let [finding] = &all[..] else { panic!("{all:?}") };
    assert_eq!(finding.help, "Add `-b` to `sqlcmd`");
    assert!(finding.message.ends_with("(no `-b`)"), "{}", finding.message);
    assert!(
        one("set -e\nsqlcmd -b -S db -Q \"BACKUP DATABASE shop TO DISK = '/b/shop.bak'\"")
            .is_empty()
    );
}
