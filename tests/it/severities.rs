//! How severe a finding is, what it needs to be reported, and what its headline says, for the patterns that occur most.

use serde_json::Value;

use super::support::{joblint, run, tree};

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\nappVersion: '2.0'\n";
const VALUES: &str = "image: {tag: v1.0, moving: latest}\nlevel: info\n";

/// A Job of a chart, with a label of its pods, lines of its metadata and of its `spec`, and the fields of its container.
fn job(name: &str, meta: &str, spec: &str, label: &str, container: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\n{meta}spec:\n{spec}  template:\n    metadata: \
         {{labels: {{v: \"{label}\"}}}}\n    spec:\n      restartPolicy: Never\n      containers: [{{name: main, \
         {container}}}]\n"
    )
}

fn hook(policy: &str, container: &str) -> String {
    let meta = format!(
        "  annotations: {{helm.sh/hook: pre-upgrade, helm.sh/hook-delete-policy: {policy}}}\n"
    );
    job("a", &meta, "", "a", container)
}

/// The findings of one rule about a template of a chart.
fn findings(template: &str, rule: &str, arguments: &[&str]) -> Vec<Value> {
    let files = [("Chart.yaml", CHART), ("values.yaml", VALUES), ("templates/job.yaml", template)];
    let flags = ["-q", "--output", "json", "."];
    let (_, stdout, _) = run(&mut joblint(tree(&files).path(), &[&flags, arguments].concat()));
    let mut report: Value = serde_json::from_str(&stdout).unwrap();
    let all = report["findings"].as_array_mut().unwrap().drain(..);
    all.filter(|finding| finding["rule"] == rule).collect()
}

/// The severity of the only finding; empty if there is none.
fn severity(template: &str, rule: &str, arguments: &[&str]) -> String {
    match &findings(template, rule, arguments)[..] {
        [] => String::new(),
        [one] => one["severity"].as_str().unwrap().to_owned(),
        several => panic!("{several:?}"),
    }
}

/// What every release changes is an error, what only some change a warning, the rest a remark. A TTL lowers it by one
/// level, under an hour to a remark with `--pedantic`.
#[test]
fn predictions_are_as_severe_as_they_are_likely() {
    const RULE: &str = "template-changes-under-fixed-name";
    let image = |text: &str| format!("image: '{text}'");
    let own = image("app:1.0");
    let certain = ["error", "warning", ""];
    let likely = ["warning", "info", ""];
    let rows = [
        ("{{ .Chart.Version }}", &own, certain),
        ("{{ .Release.Revision }}", &own, certain),
        ("{{ randAlphaNum 5 }}", &own, certain),
        ("{{ now | unixEpoch }}", &own, certain),
        ("{{ .Chart.AppVersion }}", &own, likely),
        ("a", &image("app:{{ .Values.image.tag }}"), likely),
        ("a", &image("app:{{ .Chart.AppVersion }}"), likely),
        ("a", &image("app:{{ .Values.image.moving }}"), ["", "", ""]),
        ("{{ .Values.level }}", &own, ["", "", ""]),
    ];
    let lifetimes = ["", "  ttlSecondsAfterFinished: 86400\n", "  ttlSecondsAfterFinished: 600\n"];
    for (label, container, expected) in rows {
        for (ttl, expected) in lifetimes.into_iter().zip(expected) {
            let text = job("a", "", ttl, label, container);
            assert_eq!(severity(&text, RULE, &["--deployer", "helm3"]), expected, "{text}");
        }
    }
    let other = job("a", "", "", "{{ .Values.level }}", &own);
    assert_eq!(severity(&other, RULE, &["--deployer", "helm3", "--pedantic"]), "info");
}

#[test]
fn habits_and_remarks_are_no_warnings() {
    const WAIT: &str = "command: [sh, -c, 'until nc -z db 5432; do sleep 1; done']";
    let plain = |spec: &str, container: &str| job("a", "", spec, "a", container);
    let migrate = "image: 'app:1.0', command: [alembic, upgrade, head]";
    let long = hook("before-hook-creation", migrate)
        .replace("spec:\n  template", "spec:\n  activeDeadlineSeconds: 3600\n  template");
    let install = hook("before-hook-creation", migrate).replace("pre-upgrade", "pre-install");
    let both = plain("", migrate).replace("  name: a\n", "  name: a\n  generateName: a-\n");
    let kept = hook("before-hook-creation", migrate)
        .replace("{helm.sh/hook:", "{helm.sh/resource-policy: keep, helm.sh/hook:");
    let init =
        format!("image: 'app:1.0'}}]\n      initContainers: [{{name: w, image: 'b:1', {WAIT}");
    let later = "image: 'app:1.0', envFrom: [{configMapRef: {name: later}}]";
    let later = format!(
        "{}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: later}}\ndata: {{A: b}}\n",
        hook("before-hook-creation", later)
    );
    // The severity by default, and with `--pedantic`.
    let rows = [
        ("hook-outlives-timeout", &long, "helm3", ["", "warning"]),
        ("hook-outlives-timeout", &long, "helm3:timeout=5m", ["warning", "warning"]),
        ("install-only-hook", &install, "helm3", ["", "info"]),
        ("default-backoff-limit", &plain("", migrate), "helm3", ["", "warning"]),
        ("overlap", &plain("", migrate), "helm3", ["", "info"]),
        ("name-and-generate-name", &both, "kubectl", ["", "info"]),
        ("hook-keep-policy", &kept, "helm3", ["", "info"]),
        ("unbounded-wait", &plain("", &init), "helm3", ["", "info"]),
        ("hook-needs-later-object", &later, "helm3", ["info", "info"]),
        ("unknown-delete-policy", &hook("before-hook", migrate), "helm3", ["error", "error"]),
    ];
    for (rule, text, deployer, [regular, pedantic]) in rows {
        let deployer = ["--deployer", deployer];
        assert_eq!(severity(text, rule, &deployer), regular, "{rule}: {text}");
        let arguments = [&deployer[..], &["--pedantic"]].concat();
        assert_eq!(severity(text, rule, &arguments), pedantic, "{rule}, pedantic: {text}");
    }
}

/// A headline names the object and says what will happen.
#[test]
fn headlines_say_what_will_happen() {
    let app = "image: 'app:1.0'";
    let schema = "image: 'app:1.0', command: [/schema.sh]";
    let swallowed = "image: 'app:1.0', command: [sh, -c, 'alembic upgrade head; echo done']";
    let rows = [
        (
            "missing-ttl",
            job("legacy", "", "", "a", app),
            "Job `legacy` has no TTL and stays in the cluster after it finishes",
        ),
        (
            "idempotency-unknown",
            hook("before-hook-creation", schema),
            "cannot tell whether Job `a` can safely run `/schema.sh` twice",
        ),
        (
            "stale-hook-blocks",
            hook("hook-succeeded", app),
            "a failed run of Job `a` blocks the next upgrade: delete policy lacks `before-hook-creation`",
        ),
        (
            "unknown-delete-policy",
            hook("hook-success", app),
            "Job `a` is never deleted, and the next upgrade fails: `hook-success` is not a delete policy",
        ),
        (
            "template-changes-under-fixed-name",
            job("shop-init", "", "", "{{ .Chart.Version }}", app),
            "next upgrade will fail: pod template of `shop-init` changes with `Chart.Version`, its name does not",
        ),
        (
            "failure-hidden",
            job("a", "", "", "a", swallowed),
            "Job `a` succeeds even if `alembic upgrade` fails (no `set -e`)",
        ),
        (
            "not-idempotent",
            job("a", "", "", "a", "image: 'app:1.0', command: [peer, channel, create, -c, news]"),
            "`peer channel create` of Job `a` fails on a second run, and a failure repeats it",
        ),
    ];
    for (rule, text, expected) in rows {
        let found = findings(&text, rule, &["--deployer", "helm3", "--pedantic"]);
        assert_eq!(found.len(), 1, "{rule}: {found:?}");
        assert_eq!(found[0]["message"], expected);
        let help = found[0]["help"].as_str().unwrap();
        assert!(help.starts_with(char::is_uppercase), "{help}");
    }
}

/// A headline names what matters most, and not what comes first.
#[test]
fn headlines_name_what_matters_most() {
    let script =
        |text: &str| job("a", "", "", "a", &format!("image: app, command: [sh, -c, '{text}']"));
    let message = |text: &str, rule: &str| {
        let found = findings(text, rule, &["--deployer", "helm3"]);
        found[0]["message"].as_str().unwrap().to_owned()
    };
    for (text, named) in [
        ("kubectl label ns a b=c; kubectl apply -f a.yaml; kubectl get pods", "kubectl apply"),
        ("alembic upgrade head; kubectl label ns a b=c; kubectl get pods", "alembic upgrade"),
        ("git commit -m a; git push; git log", "git push"),
    ] {
        let expected = format!("Job `a` succeeds even if `{named}` fails (no `set -e`)");
        assert_eq!(message(&script(text), "failure-hidden"), expected);
    }
    let helped = job("a", "", "", "a", "image: \"app:{{ .Values.image.tag }}\"").replace(
        "      containers:",
        "      initContainers: [{name: w, image: \"db:{{ .Values.database.tag }}\"}]\n      containers:",
    );
    let named = message(&helped, "template-changes-under-fixed-name");
    assert!(named.contains("changes with `Values.image.tag`"), "{named}");
}

#[test]
fn a_substitution_in_export_is_assigned_first() {
    let help = |text: &str| {
        let text = job("a", "", "", "a", &format!("image: app, command: [sh, -ec, '{text}']"));
        findings(&text, "failure-hidden", &["--pedantic"])[0]["help"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        help("export POD=$(kubectl create -f a -o name); echo done"),
        "Assign the output first, and `export` the variable behind it, under `set -e`"
    );
    assert_eq!(
        help("notify $(kubectl create -f a -o name)"),
        "Assign the output to a variable first, under `set -e`"
    );
}

/// Where nobody knows who deploys the Job, the sync option that replaces it says that somebody has thought of it.
#[test]
fn a_job_that_is_replaced_may_change() {
    let with = |annotation: &str, arguments: &[&str]| {
        let meta = format!("  annotations: {{{annotation}}}\n");
        let text = job("a", &meta, "", "{{ .Chart.Version }}", "image: 'app:1.0'");
        severity(&text, "template-changes-under-fixed-name", arguments)
    };
    let replaced = "argocd.argoproj.io/sync-options: 'Force=true,Replace=true'";
    assert_eq!(with(replaced, &[]), "");
    assert_eq!(with(replaced, &["--pedantic"]), "error");
    assert_eq!(with(replaced, &["--deployer", "helm4"]), "error");
    let unforced = "argocd.argoproj.io/sync-options: Replace=true";
    assert_eq!(with(unforced, &[]), "", "`replace-without-force` reports it");
    assert_eq!(with(unforced, &["--deployer", "helm4"]), "error");
    assert_eq!(with("argocd.argoproj.io/sync-options: Prune=false", &[]), "error");
}

/// What its authors have put aside needs `--pedantic`: a deprecated chart, and a folder of that name that nothing deploys.
#[test]
fn what_is_put_aside_is_left_alone() {
    let bad = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {restartPolicy: Always, \
               containers: [{name: main, image: app}]}}}\n";
    let deprecated = format!("{CHART}deprecated: true\n");
    for (chart, folder, is_found) in [
        (CHART, "shop", true),
        (&*deprecated, "shop", false),
        (CHART, "archive", false),
        (CHART, "wip-charts", false),
        (CHART, "golden", true),
    ] {
        let (own, template) =
            (format!("{folder}/Chart.yaml"), format!("{folder}/templates/job.yaml"));
        let folder = tree(&[(&*own, chart), (&*template, bad)]);
        let check = |flags: &[&str]| run(&mut joblint(folder.path(), flags)).1;
        assert_eq!(
            check(&["check", "-q"]).contains("restart-policy-always"),
            is_found,
            "{own} {chart}"
        );
        assert!(check(&["check", "-q", "--pedantic"]).contains("restart-policy-always"), "{own}");
    }
}

/// So does what a README above it calls deprecated, which a note names.
#[test]
fn what_its_readme_calls_deprecated_is_left_alone() {
    let bad = job("a", "", "", "a", "image: app").replace("Never", "Always");
    let template = ("charts/shop/templates/job.yaml", &*bad);
    let chart = ("charts/shop/Chart.yaml", CHART);
    let ended = "# Charts\n\n> This repository has been **deprecated**.\n";
    let open = "# Charts\n\nDeprecated values are listed below.\n";
    let [own, above] = ["charts/shop/README.md", "README.md"];
    for (readme, text, is_found) in
        [(above, ended, false), (own, "# Shop (DEPRECATED)\n", false), (above, open, true)]
    {
        let folder =
            tree(&[(".git/config", ""), chart, template, (readme, text), ("jobs/job.yaml", &bad)]);
        let note = format!("note: {readme} calls what it describes deprecated");
        let check = |flags: &[&str]| {
            let (_, stdout, stderr) = run(&mut joblint(folder.path(), flags));
            (stdout.matches("restart-policy-always").count() > 0, stderr.matches(&note).count())
        };
        let of_chart = ["check", "charts/shop"];
        assert_eq!(check(&of_chart), (is_found, usize::from(!is_found)), "{readme} {text}");
        assert_eq!(check(&["check", "jobs"]).0, readme == own || is_found, "{readme} {text}");
        assert_eq!(check(&["check", "charts/shop", "--pedantic"]), (true, 0), "{readme}");
    }
}

/// So does a manifest that tests in Java read.
#[test]
fn the_input_of_tests_needs_pedantic() {
    let bad = job("a", "", "", "a", "image: app").replace("Never", "Always");
    for (path, is_found) in [("src/test/resources/job.yaml", false), ("src/main/job.yaml", true)] {
        let folder = tree(&[(path, &bad)]);
        let check = |flags: &[&str]| run(&mut joblint(folder.path(), flags)).1;
        assert_eq!(check(&["check", "-q"]).contains("restart-policy-always"), is_found, "{path}");
        assert!(check(&["check", "-q", "--pedantic"]).contains("restart-policy-always"), "{path}");
    }
}

/// Only what certainly runs again, and certainly does harm then, is reported by default.
#[test]
fn a_second_run_that_may_never_happen_needs_pedantic() {
    let script = |events: &str, text: &str| {
        let container = format!("image: app, command: [sh, -ec, '{text}']");
        job("a", &format!("  annotations: {{helm.sh/hook: '{events}'}}\n"), "", "a", &container)
    };
    let create = "createdb app; app migrate";
    let of = |text: &str, options: &[&str]| severity(text, "not-idempotent", options);
    assert_eq!(of(&script("post-install,post-upgrade", create), &[]), "error");
    let retried = script("post-install", create);
    assert_eq!([of(&retried, &[]), of(&retried, &["--pedantic"])], ["", "warning"]);
    let issue = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=a -keyout a.key -out a.crt; kubectl create secret \
                 tls a --cert=a.crt --key=a.key --dry-run=client -o yaml | kubectl apply -f -";
    let issued = script("post-install,post-upgrade", issue);
    assert_eq!([of(&issued, &[]), of(&issued, &["--pedantic"])], ["", "error"]);
}

/// A schedule that deletes by name finds something to delete again; one that creates does not.
#[test]
fn a_schedule_may_delete_by_name() {
    let cron = |text: &str| {
        format!(
            "apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: a}}\nspec:\n  schedule: '@daily'\n  jobTemplate: \
             {{spec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: a, image: app, command: [sh, -ec, \
             '{text}']}}]}}}}}}}}\n"
        )
    };
    let of = |text: &str| severity(&cron(text), "not-idempotent", &[]);
    assert_eq!(of("kubectl delete job stale"), "");
    assert_eq!(of("kubectl create job again --from=cronjob/a"), "warning");
}

/// A Secret that the templates print only if the cluster lacks it is made before the chart is installed.
#[test]
fn an_object_behind_a_lookup_is_there() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys}\n";
    let pod = hook("before-hook-creation", "image: app, envFrom: [{secretRef: {name: keys}}]")
        .replace("pre-upgrade", "pre-install");
    let guarded = format!(
        "{pod}---\n{{{{ if not (lookup \"v1\" \"Secret\" .Release.Namespace \"keys\") }}}}\n{secret}{{{{ end }}}}\n"
    );
    let plain = format!("{pod}---\n{secret}");
    assert_eq!(severity(&plain, "hook-needs-later-object", &[]), "error");
    assert_eq!(severity(&guarded, "hook-needs-later-object", &[]), "");
}

/// What exists only with values that test the chart, or that joblint chose, is no error: nobody is known to deploy it.
#[test]
fn what_nobody_deploys_is_no_error() {
    const RULE: &str = "template-changes-under-fixed-name";
    let job = job("a", "", "", "{{ .Chart.Version }}", "image: 'app:1.0'");
    let optional = format!("{{{{- if .Values.extra }}}}\n{job}{{{{- end }}}}\n");
    assert_eq!(severity(&job, RULE, &[]), "error");
    assert_eq!(severity(&optional, RULE, &[]), "warning");
    assert_eq!(severity(&optional, RULE, &["--set", "extra=true"]), "error");
}

/// A Job that only deletes something, and that somebody has to switch on, does what they want.
/// The rules of the findings about a tree.
fn rules(files: &[(&str, &str)], arguments: &[&str]) -> Vec<String> {
    let flags = [&["-q", "--output", "json", "."], arguments].concat();
    let (_, stdout, _) = run(&mut joblint(tree(files).path(), &flags));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

/// No server takes a Job without a name, so a program completes one that nothing deploys.
#[test]
fn a_manifest_that_a_program_completes_needs_pedantic() {
    let nameless = job("a", "", "  ttlSecondsAfterFinished: 86400\n", "a", "image: 'app:1.0'")
        .replace("  name: a\n", "  labels: {app: a}\n");
    let loose = [("job.yaml", &*nameless)];
    assert!(!rules(&loose, &[]).contains(&"invalid-name".to_owned()));
    for arguments in [&["--pedantic"][..], &["--deployer", "kubectl"]] {
        assert!(rules(&loose, arguments).contains(&"invalid-name".to_owned()), "{arguments:?}");
    }
}

/// An empty text alone is a mistake, unless a script writes another into it.
#[test]
fn a_manifest_that_a_script_fills_in_needs_pedantic() {
    let open = job("a", "", "  ttlSecondsAfterFinished: 86400\n", "a", "image: ''");
    let found = |path: &str, script: &str| {
        let found = rules(&[("deploy/job.yaml", &open), (path, script)], &[]);
        found.contains(&"invalid-job".to_owned())
    };
    let (fills, applies) = ("yq -i '.a = env(A)' job.yaml\n", "kubectl apply -f job.yaml\n");
    assert!(!found("deploy/run.sh", fills));
    assert!(!found("Makefile", &format!("run:\n\tcd deploy && {fills}")));
    assert!(found("deploy/run.sh", applies));
    assert!(found("other/run.sh", fills));
}

/// Whoever enables a dependency from elsewhere gets another version of it.
#[test]
fn a_dependency_from_elsewhere_that_is_off_needs_pedantic() {
    let broken = job("a", "", "", "a", "image: 'app:1.0'").replace("Never", "Always");
    let count = |parent: &str, own: &str, values: &str| {
        let chart = format!("{CHART}{parent}");
        let sub = format!("apiVersion: v2\nname: db\nversion: 1.0.0\n{own}");
        let files = [
            ("Chart.yaml", &*chart),
            ("values.yaml", values),
            ("charts/db/Chart.yaml", &sub),
            ("charts/db/values.yaml", "job: {enabled: false}\n"),
            (
                "charts/db/templates/job.yaml",
                &format!("{{{{ if .Values.job.enabled }}}}\n{broken}{{{{ end }}}}\n"),
            ),
        ];
        let found = rules(&files, &[]);
        found.iter().filter(|rule| *rule == "restart-policy-always").count()
    };
    let fetched =
        "dependencies: [{name: db, version: 1.0.0, repository: 'https://charts.example.com'}]\n";
    let linked = "dependencies: [{name: db, version: 1.0.0, repository: ''}]\n";
    let theirs = "sources: [https://github.com/other/db]\n";
    let (off, on) = ("db: {}\n", "db: {job: {enabled: true}}\n");
    assert_eq!(count(fetched, "", off), 0);
    assert_eq!(count(linked, theirs, off), 0);
    assert_eq!(count(fetched, "", on), 1);
    assert_eq!(count(linked, theirs, on), 1);
    assert_eq!(count(linked, "", off), 1);
    let parent = format!("{linked}home: https://github.com/other/shop\n");
    assert_eq!(count(&parent, theirs, off), 1);
}

/// A chart of the repository fetches the dependency, and is one itself.
#[test]
fn a_dependency_of_a_dependency_that_is_off_needs_pedantic() {
    let broken = job("a", "", "", "a", "image: 'app:1.0'").replace("Never", "Always");
    let broken = format!("{{{{ if .Values.job.enabled }}}}\n{broken}{{{{ end }}}}\n");
    let count = |address: &str| {
        let (chart, own) = (
            format!("{CHART}dependencies: [{{name: api, version: 1.0.0, repository: ''}}]\n"),
            format!(
                "apiVersion: v2\nname: api\nversion: 1.0.0\ndependencies: [{{name: db, version: 1.0.0, repository: '{address}'}}]\n"
            ),
        );
        let files = [
            ("Chart.yaml", &*chart),
            ("charts/api/Chart.yaml", &own),
            ("charts/api/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
            ("charts/api/charts/db/values.yaml", "job: {enabled: false}\n"),
            ("charts/api/charts/db/templates/job.yaml", &broken),
        ];
        let found = rules(&files, &[]);
        found.iter().filter(|rule| *rule == "restart-policy-always").count()
    };
    assert_eq!(count("https://charts.example.com"), 0);
    assert_eq!(count(""), 1);
}

/// What a chart calls a template with decides what the template prints.
#[test]
fn names_that_an_absent_template_makes_are_the_same_in_one_chart_only() {
    let job = |name: &str| {
        job("a", "", "", "a", "image: 'app:1.0'").replace("name: a\n", &format!("name: '{name}'\n"))
    };
    let (same, own) = ("{{ include \"common.name\" . }}", "{{ include \"common.own\" . }}");
    let sub = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
    let chart = format!(
        "{CHART}dependencies: [{{name: common, version: 1.0.0, repository: 'https://charts.example.com'}}]\n"
    );
    let count = |jobs: [(&str, String); 2]| {
        let [(one, first), (other, second)] = jobs;
        let files = [
            ("Chart.yaml", &*chart),
            ("charts/a/Chart.yaml", &sub("a")),
            ("charts/b/Chart.yaml", &sub("b")),
            (one, &first),
            (other, &second),
        ];
        rules(&files, &[]).iter().filter(|rule| *rule == "duplicate-job").count()
    };
    let [a, b, second] =
        ["charts/a/templates/job.yaml", "charts/b/templates/job.yaml", "charts/a/templates/b.yaml"];
    assert_eq!(count([(a, job(same)), (b, job(same))]), 0);
    assert_eq!(count([(a, job(same)), (second, job(own))]), 0);
    assert_eq!(count([(a, job(same)), (second, job(same))]), 1);
}

/// What only an invented version changes needs `--pedantic`.
#[test]
fn an_app_version_without_a_number_may_stay() {
    let count = |version: &str, image: &str| {
        let chart = CHART.replace("appVersion: '2.0'", &format!("appVersion: {version}"));
        let template = job("a", "", "", "a", image);
        let files = [
            ("Chart.yaml", &*chart),
            ("values.yaml", "tag: '1.0'\n"),
            ("templates/job.yaml", &template),
        ];
        let found = rules(&files, &[]);
        found.iter().filter(|rule| *rule == "template-changes-under-fixed-name").count()
    };
    let image = "image: 'app:{{ .Chart.AppVersion }}'";
    assert_eq!([count("latest", image), count("v2-alpine", image)], [0, 1]);
    let other =
        "image: 'app:{{ .Chart.AppVersion }}', env: [{name: TAG, value: '{{ .Values.tag }}'}]";
    assert_eq!(count("latest", &format!("{other}, args: ['{{{{ .Chart.Version }}}}']")), 1);
    assert_eq!(count("latest", "image: 'app:{{ .Values.tag }}-{{ .Chart.AppVersion }}'"), 1);
}

/// One word of the values is one finding.
#[test]
fn a_value_that_the_name_repeats_is_refused_once() {
    let found = |container: &str| {
        let template = job("{{ .Values.name }}", "", "", "a", "image: 'app:1.0'");
        let template = template.replace("name: main", &format!("name: {container}"));
        let files = [
            ("Chart.yaml", CHART),
            ("values.yaml", "name: cronJob\nmain: Main\n"),
            ("templates/job.yaml", &template),
        ];
        let mut found = rules(&files, &[]);
        found.retain(|rule| rule.starts_with("invalid-"));
        found
    };
    assert_eq!(found("'{{ .Values.name }}'"), ["invalid-name"]);
    assert_eq!(found("'{{ .Values.main }}'"), ["invalid-name", "invalid-job"]);
    assert_eq!(found("Main"), ["invalid-name", "invalid-job"]);
}

#[test]
fn a_job_that_deletes_on_request_is_a_remark() {
    const RULE: &str = "destroys-data";
    let meta = "  annotations: {helm.sh/hook: 'post-install,post-upgrade', helm.sh/hook-delete-policy: before-hook-creation}\n";
    let job = job("a", meta, "", "a", "image: 'app:1.0', command: [psql, -c, DROP DATABASE shop]");
    let optional = format!("{{{{- if .Values.extra }}}}\n{job}{{{{- end }}}}\n");
    assert_eq!(severity(&job, RULE, &[]), "error");
    assert_eq!(severity(&optional, RULE, &[]), "");
    assert_eq!(severity(&optional, RULE, &["--pedantic"]), "info");
}

/// The image in the file of a Job is edited by whoever sees the name beside it, unless a bot of the repository does it.
#[test]
fn a_bot_does_not_see_the_name_beside_the_image() {
    let text = job("a", "", "", "a", "image: 'shop:1.4.2'");
    let found = |bot: &[(&str, &str)]| {
        let files =
            [("app/kustomization.yaml", "resources: [job.yaml]\n"), ("app/job.yaml", &*text)];
        let folder = tree(&[&files, bot].concat());
        let arguments = ["check", ".", "--deployer", "kubectl", "--output", "concise", "-q"];
        run(&mut joblint(folder.path(), &arguments)).1.contains("[kustomize-churn]")
    };
    assert!(!found(&[]));
    assert!(!found(&[(".github/dependabot.yml", "updates: [{package-ecosystem: npm}]\n")]));
    assert!(found(&[(".github/dependabot.yml", "updates: [{package-ecosystem: docker}]\n")]));
    assert!(!found(&[("renovate.json", "{extends: ['config:recommended']}")]));
    let pipeline = (".github/workflows/renovate.yaml", "on: push");
    assert!(found(&[pipeline]));
    assert!(!found(&[pipeline, ("renovate.json5", "{}")]));
    let patterns = "{kubernetes: {managerFilePatterns: ['/app/.+\\.yaml$/']}}";
    assert!(found(&[("renovate.json", patterns)]));
    assert!(found(&[("renovate.json", "{extends: ['github>shop/renovate-config']}")]));
}

/// A loop is an error where a second run is known to do harm, which `not-idempotent` says by default. Of an image without a
/// command nothing is known.
#[test]
fn a_loop_is_an_error_only_where_it_does_harm() {
    const RULE: &str = "ttl-reruns";
    const DEPLOYER: &str = "flux:interval=10m,driftDetection=enabled,kind=HelmRelease";
    let of = |container: &str| {
        let job = job("a", "", "  ttlSecondsAfterFinished: 60\n", "a", container);
        severity(&job, RULE, &["--deployer", DEPLOYER, "--pedantic"])
    };
    assert_eq!(of("image: 'app:1.0'"), "warning", "the image says nothing");
    assert_eq!(of("image: 'app:1.0', command: [createdb, shop]"), "error", "it fails again");
    assert_eq!(of("image: 'app:1.0', command: [kubectl, apply, -f, x.yaml]"), "warning");
}

/// A name that is too long only with an option that nobody sets is a trap, and no Job that the server refuses.
#[test]
fn a_name_that_nobody_deploys_is_no_error() {
    const RULE: &str = "name-too-long";
    let job = job(&"a".repeat(64), "", "", "a", "image: 'app:1.0'");
    let optional = format!("{{{{- if .Values.extra }}}}\n{job}{{{{- end }}}}\n");
    assert_eq!(severity(&job, RULE, &[]), "error");
    assert_eq!(severity(&optional, RULE, &[]), "warning");
    assert_eq!(severity(&optional, RULE, &["--set", "extra=true"]), "error");
}
