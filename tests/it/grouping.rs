//! One finding per cause: findings about several workloads are reported once and name them all, and ignores, baselines
//! and fixes still work for each workload.

mod copied_text;
mod hook_on_pods;

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::support::{joblint, repository, run, tree};

/// A helper prints the pod of every Job of a list.
const HELPER: &str = r#"{{- define "shop.pod" }}
restartPolicy: Always
containers: [{name: main, image: "app:1"}]
{{- end }}
"#;
const RANGE: &str = r"{{- range .Values.jobs }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ . }}
spec:
  ttlSecondsAfterFinished: 100000
  template:
    spec:
      {{- include `shop.pod` $ | nindent 6 }}
{{- end }}
";
const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";

fn chart(jobs: &str) -> TempDir {
    tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", &format!("jobs: [{jobs}]\n")),
        ("shop/templates/_pod.tpl", HELPER),
        ("shop/templates/jobs.yaml", RANGE),
    ])
}

fn job(name: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  template:\n    spec:\n      \
         restartPolicy: Never\n      containers: [{{name: main, image: 'app:1.0'}}]\n"
    )
}

fn findings(folder: &TempDir, rule: &str, arguments: &[&str]) -> Vec<Value> {
    let arguments = [&["-q", "--output", "json", "--select", rule], arguments].concat();
    let (_, stdout, _) = run(&mut joblint(folder.path(), &arguments));
    let mut report: Value = serde_json::from_str(&stdout).unwrap();
    report["findings"].as_array_mut().unwrap().drain(..).collect()
}

/// The name of the workload of a finding, and those of `also`.
fn names(finding: &Value) -> Vec<&str> {
    let also = finding["also"].as_array().into_iter().flatten().map(|one| &one["workload"]);
    let all = std::iter::once(&finding["workload"]).chain(also);
    all.map(|workload| workload["name"].as_str().unwrap()).collect()
}

#[test]
fn a_line_of_a_helper_is_one_finding_for_all_jobs() {
    let found = findings(&chart("a, b, c"), "restart-policy-always", &[]);
    assert_eq!(found.len(), 1);
    assert_eq!(names(&found[0]), ["a", "b", "c"]);
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("Job `a`") && message.ends_with("(and 2 more Jobs)"), "{message}");
    assert_eq!(found[0]["path"], "shop/templates/_pod.tpl");
    assert_eq!(found[0]["also"][0]["path"], "shop/templates/_pod.tpl");
}

#[test]
fn two_flaws_on_one_line_stay_two_findings() {
    let text = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, ttl: 1}\nspec: {limit: 2, template: {spec: \
                {restartPolicy: Never, keep: 3, containers: [{name: main, image: 'app:1.0'}]}}}\n";
    let found = findings(&tree(&[("job.yaml", text)]), "unknown-field", &[]);
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|finding| finding.get("also").is_none()));
}

/// A Job whose `spec` holds these lines.
fn with_spec(lines: &str) -> String {
    job("a").replacen("spec:\n", &format!("spec:\n{lines}"), 1)
}

fn message(finding: &Value) -> &str {
    finding["message"].as_str().unwrap()
}

/// The rule, what the only finding of it says about a file, and the number of its labels.
fn only(text: &str, rule: &str) -> (String, usize) {
    let found = findings(&tree(&[("job.yaml", text)]), rule, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    let labels = found[0]["labels"].as_array().map_or(0, |all| all.len() - 1);
    (message(&found[0]).to_owned(), labels)
}

#[test]
fn the_unknown_fields_of_a_misplaced_block_are_one_finding() {
    let (message, labels) = only(
        &job("a").replace(
            "'app:1.0'}",
            "'app:1.0', env: [{name: A, limits: {cpu: 1}, requests: {cpu: 1}}]}",
        ),
        "unknown-field",
    );
    let expected = "Job `a` has unknown fields in `containers[0].env[0]`: `limits` and `requests`";
    assert_eq!((&*message, labels), (expected, 1));
}

/// Of a misspelt field, nothing follows for its neighbours.
#[test]
fn a_misspelt_field_is_a_finding_of_its_own() {
    let text = with_spec("  backofLimit: 0\n  retries: 1\n  tolerance: 2\n");
    let found = findings(&tree(&[("job.yaml", &text)]), "unknown-field", &[]);
    let messages: Vec<_> = found.iter().map(message).collect();
    let expected = [
        "Job `a` has an unknown field: `spec.backofLimit`, did you mean `backoffLimit`?",
        "Job `a` has unknown fields in `spec`: `retries` and `tolerance`",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn the_fields_of_a_misplaced_block_are_one_finding_wherever_they_belong() {
    let text =
        job("a").replacen("    spec:\n", "    volumes: []\n    backoffLimit: 0\n    spec:\n", 1);
    let found = findings(&tree(&[("job.yaml", &text)]), "misplaced-field", &[]);
    assert_eq!(found.len(), 1);
    let expected = "`volumes` and `backoffLimit` of Job `a` are in the wrong place: they belong to \
                    `spec.template.spec` and `spec`";
    assert_eq!(message(&found[0]), expected);
    let help = "Move `volumes` to `spec.template.spec`, `backoffLimit` to `spec`";
    assert_eq!(found[0]["help"], help);
}

/// What the API server misses stands in the wrong place.
#[test]
fn a_required_field_in_the_wrong_place_is_one_finding() {
    let moved = "spec:\n  restartPolicy: Never\n  containers: [{name: main, image: 'app:1.0'}]\n";
    let text = format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\n{moved}");
    let folder = tree(&[("job.yaml", &text)]);
    let found = |rule: &str| findings(&folder, rule, &[]).len();
    assert_eq!([found("misplaced-field"), found("invalid-job")], [1, 0]);
    let without = text.replace("containers:", "shelves:");
    let folder = tree(&[("job.yaml", &without)]);
    let found = |rule: &str| findings(&folder, rule, &[]).len();
    assert_eq!([found("misplaced-field"), found("invalid-job")], [1, 1]);
}

#[test]
fn numbers_without_quotes_in_one_list_are_one_finding() {
    let env = "env: [{name: A, value: 1}, {name: B, value: b}, {name: C, value: true}]";
    let (message, labels) =
        only(&job("a").replace("'app:1.0'}", &format!("'app:1.0', {env}}}")), "wrong-type");
    let expected = "API server will reject Job `a`: `containers[0].env[0].value` and \
                    `containers[0].env[2].value` take a string";
    assert_eq!((&*message, labels), (expected, 1));
}

#[test]
fn a_block_that_is_there_twice_is_one_finding() {
    let block = "  parallelism: 1\n  completions: 1\n  parallelism: 2\n  completions: 2\n";
    let (message, labels) = only(&with_spec(block), "duplicate-key");
    let expected =
        "Job `a` sets `completions` and `parallelism` twice: their first values are lost";
    assert_eq!((&*message, labels), (expected, 3));
}

/// What a hook that needs several objects waits for in vain: of two references to one object, the first counts.
#[test]
fn the_objects_that_a_hook_needs_too_early_are_one_finding() {
    let hook = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, annotations: {argocd.argoproj.io/hook: \
                PreSync}}\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n        \
                - name: main\n          image: 'app:1.0'\n          envFrom: [{configMapRef: {name: b}}, \
                {secretRef: {name: c}}, {secretRef: {name: c}}]\n";
    let object = |kind: &str, name: &str| {
        format!("---\napiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}}}\n")
    };
    let text = [hook, &object("ConfigMap", "b"), &object("Secret", "c")].concat();
    let (message, labels) = only(&text, "hook-needs-later-object");
    let expected =
        "Job `a` never starts at the first sync: ConfigMap `b` and Secret `c` are created after it";
    assert_eq!((&*message, labels), (expected, 2));
}

#[test]
fn jobs_that_leak_or_expire_in_one_folder_are_one_finding() {
    let nameless =
        |prefix: &str| job("a").replacen("name: a", &format!("generateName: {prefix}-"), 1);
    let folder = tree(&[("a.yaml", &nameless("a")), ("b.yaml", &nameless("b"))]);
    let found = findings(&folder, "generate-name-leaks", &["--deployer", "kubectl:mode=create"]);
    assert_eq!(found.len(), 1);
    assert!(message(&found[0]).ends_with("(and 1 more Job)"), "{}", message(&found[0]));

    let expiring = |ttl: u32| with_spec(&format!("  ttlSecondsAfterFinished: {ttl}\n"));
    let named = |name: &str, ttl| expiring(ttl).replacen("name: a", &format!("name: {name}"), 1);
    let folder = tree(&[("a.yaml", &named("a", 60)), ("b.yaml", &named("b", 90))]);
    let found = findings(&folder, "ttl-out-of-sync", &["--deployer", "argocd:automated"]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["a", "b"]]);

    let of = |name: &str| named(name, 60).replace("60", "{{ .Values.ttl }}");
    let folder = tree(&[
        ("Chart.yaml", CHART),
        ("values.yaml", "ttl: 60\n"),
        ("templates/a.yaml", &of("a")),
        ("templates/b.yaml", &of("b")),
    ]);
    let found = findings(&folder, "ttl-out-of-sync", &["--deployer", "argocd:automated"]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["a", "b"]]);
}

#[test]
fn a_habit_of_a_folder_is_one_finding() {
    let folder = tree(&[("a.yaml", &job("a")), ("b.yaml", &job("b")), ("other/c.yaml", &job("c"))]);
    let found = findings(&folder, "missing-ttl", &[]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [vec!["a", "b"], vec!["c"]]);
    assert_eq!(found[0]["also"][0]["path"], "b.yaml");
    let (_, text, _) = run(&mut joblint(folder.path(), &["-q", "--select", "missing-ttl", "."]));
    assert!(text.contains("  also: Job `b` (b.yaml:5)\n"), "{text}");
}

#[test]
fn an_ignored_job_leaves_the_group() {
    let ignored = |name: &str| {
        job(name).replacen(
            "spec:\n",
            "# joblint: ignore[missing-ttl] kept for its logs\nspec:\n",
            1,
        )
    };
    let folder = tree(&[("a.yaml", &ignored("a")), ("b.yaml", &job("b")), ("c.yaml", &job("c"))]);
    let found = findings(&folder, "missing-ttl", &[]);
    assert_eq!(found.len(), 1);
    assert_eq!(names(&found[0]), ["b", "c"]);
}

/// Accepting a finding accepts the workloads that it names, and no other.
#[test]
fn a_job_that_joins_an_accepted_group_is_reported() {
    let folder = chart("b, c");
    let accept = joblint(folder.path(), &["baseline", "-q"]).status().unwrap();
    assert!(accept.success());
    assert_eq!(findings(&folder, "restart-policy-always", &[]).len(), 0);
    fs::write(folder.path().join("shop/values.yaml"), "jobs: [b, c, d]\n").unwrap();
    let found = findings(&folder, "restart-policy-always", &[]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["d"]]);

    let folder = tree(&[("b.yaml", &job("b")), ("c.yaml", &job("c"))]);
    fs::write(folder.path().join(".joblint.yaml"), "deployer: [kubectl]\n").unwrap();
    let accept = joblint(folder.path(), &["baseline", "-q", "--pedantic"]).status().unwrap();
    assert!(accept.success());
    fs::write(folder.path().join("a.yaml"), job("a")).unwrap();
    let found = findings(&folder, "missing-ttl", &[]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["a"]]);
}

/// Code scanning closes and opens alerts by fingerprint: one about other workloads is another alert.
#[test]
fn the_fingerprint_depends_on_the_workloads() {
    let of = |jobs: &str| findings(&chart(jobs), "restart-policy-always", &[]).remove(0);
    let (two, three) = (of("a, b"), of("a, b, c"));
    assert_ne!(two["fingerprint"], three["fingerprint"]);
    assert_eq!(two["fingerprint"], of("a, b")["fingerprint"]);
    assert_eq!(two["also"][0]["fingerprint"], three["also"][0]["fingerprint"]);
}

#[test]
fn fixes_reach_every_workload_of_a_group() {
    let folder = tree(&[("a.yaml", &job("a")), ("b.yaml", &job("b"))]);
    let arguments =
        ["--fix", "--unsafe-fixes", "-q", "--select", "missing-ttl", "--deployer", "kubectl"];
    run(&mut joblint(folder.path(), &arguments));
    for path in ["a.yaml", "b.yaml"] {
        let text = fs::read_to_string(folder.path().join(path)).unwrap();
        assert!(text.contains("ttlSecondsAfterFinished"), "{path}: {text}");
    }
}

/// A value set that renames a Job renders the same Job.
#[test]
fn another_name_in_another_value_set_is_not_another_job() {
    let folder = chart("a");
    fs::create_dir(folder.path().join("shop/ci")).unwrap();
    fs::write(folder.path().join("shop/ci/x-values.yaml"), "jobs: [z]\n").unwrap();
    let found = findings(&folder, "restart-policy-always", &[]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["a"]]);
    assert_eq!(found[0]["valueSets"].as_array().unwrap().len(), 2);
}

/// A chart whose dependency is not vendored.
fn dependent(name: &str) -> (String, String) {
    let chart = format!(
        "apiVersion: v2\nname: {name}\nversion: 1.0.0\ndependencies:\n  - {{name: db, version: 1.x.x, repository: \
         'https://charts.example.com'}}\n"
    );
    (format!("{name}/Chart.yaml"), chart)
}

#[test]
fn charts_that_lack_dependencies_are_one_finding() {
    let charts = ["a", "b", "c"].map(dependent);
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    let templates = ["a", "b", "c"].map(|name| (format!("{name}/templates/map.yaml"), map.into()));
    let files: Vec<_> = charts.into_iter().chain(templates).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = tree(&files);
    let [finding] = &findings(&folder, "not-rendered", &["."])[..] else { panic!() };
    assert_eq!(finding["message"], "dependency `db` is not vendored (and 2 more charts)");
    assert_eq!(finding["path"], "a/Chart.yaml");
    let labels = finding["labels"].as_array().unwrap().iter().map(|one| &one["path"]);
    assert_eq!(labels.collect::<Vec<_>>(), ["a/Chart.yaml", "b/Chart.yaml", "c/Chart.yaml"]);

    // An ignore speaks for its own chart.
    let path = folder.path().join("a/Chart.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("  - {", "  # joblint: ignore[not-rendered] vendored in CI\n  - {"),
    )
    .unwrap();
    let [finding] = &findings(&folder, "not-rendered", &["."])[..] else { panic!() };
    assert_eq!(finding["message"], "dependency `db` is not vendored (and 1 more chart)");
    assert_eq!(finding["path"], "b/Chart.yaml");
}

/// Each chart has its own copy of the library, and the line of the helper is one.
#[test]
fn a_helper_of_several_charts_is_one_finding() {
    let helper =
        format!("{{{{ define \"common.job\" }}}}{}{{{{ end }}}}\n", job("{{ .Chart.Name }}-init"));
    let library = "apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n";
    let of = |name: &str| {
        format!(
            "{}dependencies: [{{name: common, version: 1.0.0, repository: 'file://../common'}}]\n",
            CHART.replace("shop", name)
        )
    };
    let (a, b, job) = (of("a"), of("b"), "{{ include \"common.job\" . }}\n");
    let folder = tree(&[
        ("common/Chart.yaml", library),
        ("common/templates/_job.tpl", &helper),
        ("a/Chart.yaml", &a),
        ("a/templates/job.yaml", job),
        ("b/Chart.yaml", &b),
        ("b/templates/job.yaml", job),
    ]);
    let found = findings(&folder, "missing-ttl", &["."]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["a-init", "b-init"]]);
}

#[test]
fn a_line_of_the_values_is_one_finding_for_all_templates() {
    let of = |name: &str| job(name).replace("Never", "{{ .Values.policy }}");
    let folder = tree(&[
        ("Chart.yaml", CHART),
        ("values.yaml", "policy: Always\nother: Always\n"),
        ("templates/a.yaml", &of("first")),
        ("templates/b.yaml", &of("second")),
        ("templates/c.yaml", &of("third").replace("policy }}", "other }}")),
        ("templates/d.yaml", &job("fourth").replace("Never", "Always")),
    ]);
    let found = findings(&folder, "restart-policy-always", &["."]);
    let expected = [vec!["first", "second"], vec!["third"], vec!["fourth"]];
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), expected);
    assert_eq!(found[0]["also"][0]["path"], "templates/b.yaml");
}

/// What a chart renders for its examples is one text in several folders.
#[test]
fn copies_of_a_manifest_are_one_finding() {
    let other = job("init").replace("app:1.0", "app:2.0");
    let folder = tree(&[
        ("a/rendered/job.yaml", &*job("init")),
        ("b/rendered/job.yaml", &job("init")),
        ("c/rendered/jobs.yaml", &job("init")),
        ("d/rendered/job.yaml", &format!("# by hand\n---\n{}", job("init"))),
        ("e/rendered/job.yaml", &other),
    ]);
    let found = findings(&folder, "missing-ttl", &["."]);
    let paths = |finding: &Value| {
        let also = finding["also"].as_array().into_iter().flatten();
        let all: Vec<_> =
            std::iter::once(finding).chain(also).map(|one| one["path"].clone()).collect();
        all
    };
    let expected = [
        vec!["a/rendered/job.yaml", "b/rendered/job.yaml"],
        // Another file name, another text.
        vec!["c/rendered/jobs.yaml"],
        vec!["d/rendered/job.yaml"],
        vec!["e/rendered/job.yaml"],
    ];
    assert_eq!(found.iter().map(paths).collect::<Vec<_>>(), expected);
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.ends_with("(and 1 copy)"), "{message}");
}

/// Findings without an object name the copies as labels.
#[test]
fn copies_of_a_broken_manifest_are_one_finding() {
    let broken = format!("{}---\na: [1\n", job("init"));
    let folder =
        tree(&[("a/job.yaml", &*broken), ("b/job.yaml", &broken), ("c/job.yaml", "a: [1\n")]);
    let found = findings(&folder, "unreadable", &["."]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0]["message"].as_str().unwrap().ends_with("(and 1 copy)"));
    let labels = found[0]["labels"].as_array().unwrap().iter();
    assert!(labels.map(|one| &one["path"]).any(|path| path == "b/job.yaml"), "{found:?}");
    // Each of them may hide a Job.
    let (_, text, _) = run(&mut joblint(folder.path(), &["-q", "--output", "json"]));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["unchecked"].as_array().unwrap().len(), 2);
}

#[test]
fn files_of_a_folder_that_have_one_flaw_are_one_finding() {
    let broken = |name: &str| job(name).replace("  name:", "\tname:");
    let unclosed = job("d").replace("name: d", "name: \"d");
    let folder = tree(&[
        ("jobs/a.yaml", &broken("a")),
        ("jobs/b.yaml", &broken("b")),
        ("jobs/c.yaml", &broken("c")),
        ("jobs/d.yaml", &unclosed),
        ("other/e.yaml", &broken("e")),
    ]);
    let found = findings(&folder, "unreadable", &[]);
    let messages: Vec<_> = found.iter().map(|one| one["message"].as_str().unwrap()).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(messages[0].contains("and 2 more files"), "{messages:?}");
}

#[test]
fn a_sub_chart_that_several_charts_vendor_is_one_finding() {
    let of = |name: &str| CHART.replace("shop", name);
    let (sub, a, b, c) = (of("sub"), of("a"), of("b"), of("c"));
    let wrong = job("{{ .Release.Name }}-init").replace("Never", "Always");
    let folder = tree(&[
        ("a/Chart.yaml", &*a),
        ("a/charts/sub/Chart.yaml", &sub),
        ("a/charts/sub/templates/job.yaml", &wrong),
        ("b/Chart.yaml", &b),
        ("b/charts/sub/Chart.yaml", &sub),
        ("b/charts/sub/templates/job.yaml", &wrong),
        ("c/Chart.yaml", &c),
        ("c/charts/sub/Chart.yaml", &sub),
        ("c/charts/sub/templates/job.yaml", &wrong),
    ]);
    let found = findings(&folder, "restart-policy-always", &["."]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["a-init", "b-init", "c-init"]]);
    assert_eq!(found[0]["also"][1]["path"], "c/charts/sub/templates/job.yaml");
}

#[test]
fn manifests_of_tests_need_pedantic() {
    let wrong = job("migrate").replace("Never", "Always");
    // What a test expects of a Job is not applied.
    let expected = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nstatus: {succeeded: 1}\n";
    let folder = tree(&[("chart/e2e/job.yaml", &*wrong), ("chart/e2e/assert.yaml", expected)]);
    let rules = |flags: &[&str]| {
        let (_, stdout, _) =
            run(&mut joblint(folder.path(), &[&["--output", "json"], flags].concat()));
        let report: Value = serde_json::from_str(&stdout).unwrap();
        let findings = report["findings"].as_array().unwrap().iter();
        findings.map(|one| one["rule"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(rules(&[]), [""; 0]);
    let all = rules(&["--pedantic"]);
    assert!(
        ["missing-ttl", "restart-policy-always"]
            .iter()
            .all(|rule| all.iter().any(|own| own == rule))
    );
}

/// An Application with a sync option that Argo CD does not know.
fn application(name: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\nspec:\n  source: {{repoURL: \
         'https://example.com/charts', chart: shop, targetRevision: 1.0.0}}\n  syncPolicy:\n    syncOptions:\n      - \
         Retry=true\n"
    )
}

#[test]
fn an_option_that_applications_repeat_is_one_finding() {
    let (shop, mail) = (application("shop"), application("mail"));
    let files = [("a/shop.yaml", &*shop), ("b/shop.yaml", &*shop), ("c/mail.yaml", &*mail)];
    let found = findings(&tree(&files), "sync-option-unknown", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(names(&found[0]), ["shop", "shop", "mail"]);
}

#[test]
fn definitions_with_one_retired_event_are_one_finding() {
    let definition = |name: &str| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {name}\n  \
             annotations:\n    helm.sh/hook: crd-install\n"
        )
    };
    let both =
        format!("{}---\n{}", definition("shops.example.com"), definition("items.example.com"));
    let chart = tree(&[("shop/Chart.yaml", CHART), ("shop/templates/crds.yaml", &both)]);
    let found = findings(&chart, "unknown-hook-event", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(names(&found[0]), ["shops.example.com", "items.example.com"]);
}

#[test]
fn what_a_short_ttl_leaves_is_one_info() {
    let job = |name: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  ttlSecondsAfterFinished: 600\n  \
             template:\n    spec:\n      restartPolicy: Never\n      containers: [{{name: main, image: \
             '{name}:{{{{ .Values.{name}.tag }}}}'}}]\n"
        )
    };
    let chart = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "load: {tag: 1.4.2}\nmigrate: {tag: 2.0.0}\n"),
        ("shop/templates/load.yaml", &job("load")),
        ("shop/templates/migrate.yaml", &job("migrate")),
        ("mail/Chart.yaml", &CHART.replace("shop", "mail")),
        ("mail/values.yaml", "load: {tag: 1.4.2}\n"),
        ("mail/templates/load.yaml", &job("load")),
    ]);
    let found = findings(&chart, "template-changes-under-fixed-name", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(names(&found[0]), ["load", "load", "migrate"]);
    assert_eq!(found[0]["severity"], "info");
}

/// A CronJob of an API version that Kubernetes 1.25 removed.
fn old_cron_job(name: &str) -> String {
    format!(
        "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: {name}\nspec:\n  schedule: '@daily'\n  \
         jobTemplate:\n    spec:\n      template:\n        spec:\n          restartPolicy: Never\n          containers: \
         [{{name: main, image: 'app:1.0'}}]\n"
    )
}

#[test]
fn a_removed_api_version_is_one_finding_for_all_charts_and_folders() {
    let quoted = old_cron_job("load").replace("batch/v1beta1", "\"batch/v1beta1\"");
    let older = old_cron_job("clean").replace("v1beta1", "v2alpha1");
    let files = [
        ("a/report.yaml", old_cron_job("report")),
        ("a/clean.yaml", older),
        ("b/report.yaml", old_cron_job("report")),
        ("b/two.yaml", format!("{}---\n{}", old_cron_job("same"), old_cron_job("same"))),
        ("shop/Chart.yaml", CHART.to_owned()),
        ("shop/templates/load.yaml", quoted),
    ];
    let folder = tree(&files.each_ref().map(|(path, text)| (*path, &**text)));
    let found = findings(&folder, "removed-api-version", &[]);
    // Two objects of one name in a file stay apart.
    let expected = [vec!["clean"], vec!["report", "report", "same", "load"], vec!["same"]];
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), expected);
    let message = found[1]["message"].as_str().unwrap();
    assert!(message.ends_with("(and 3 more CronJobs)"), "{message}");

    run(&mut joblint(folder.path(), &["--fix", "-q", "--select", "removed-api-version"]));
    for path in ["a/report.yaml", "b/report.yaml", "b/two.yaml", "shop/templates/load.yaml"] {
        let text = fs::read_to_string(folder.path().join(path)).unwrap();
        assert!(!text.contains("v1beta1"), "{path}: {text}");
    }
}

/// A Job with two images that are gone is one finding, and so are the Jobs beside it.
#[test]
fn images_that_are_gone_are_one_finding() {
    let two = job("a").replace(
        "[{name: main, image: 'app:1.0'}]",
        "[{name: main, image: 'bitnami/mysql:9.3.0'}, {name: up, image: 'bitnami/rclone:1.69.3'}]",
    );
    let one = job("b").replace("app:1.0", "docker.io/bitnami/kubectl:1.27");
    let brought = job("c")
        .replace("image: 'app:1.0'", "image: 'bitnami/kubectl:1.27', imagePullPolicy: Never");
    let folder = tree(&[("k/a.yaml", &two), ("k/b.yaml", &one), ("k/c.yaml", &brought)]);
    let found = findings(&folder, "removed-image", &[]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [vec!["a", "b"]]);
    run(&mut joblint(
        folder.path(),
        &["--fix", "--unsafe-fixes", "-q", "--select", "removed-image"],
    ));
    let text = fs::read_to_string(folder.path().join("k/a.yaml")).unwrap();
    assert!(text.contains("bitnamilegacy/mysql:9.3.0"), "{text}");
    assert!(text.contains("bitnamilegacy/rclone:1.69.3"), "{text}");
}

const IMAGE: &str = "{{- define \"shop.image\" }}
- {name: main, image: 'app:{{ .Values.tag }}'}
{{- end }}
";

/// A Job whose container comes from the helper, with a line of its spec.
fn tagged(name: &str, line: &str) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  backoffLimit: 0\n{line}  template:\n    \
         spec:\n      restartPolicy: Never\n      containers:\n        {{{{- include \"shop.image\" . | nindent 8 }}}}\n"
    )
}

/// The TTL soon removes one of the Jobs, which is then none of those that the next upgrade fails for.
#[test]
fn a_finding_names_only_jobs_of_its_severity() {
    let brief = tagged("brief", "  ttlSecondsAfterFinished: 600\n");
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "tag: 1.0.0\n"),
        ("shop/templates/_image.tpl", IMAGE),
        ("shop/templates/a.yaml", &brief),
        ("shop/templates/b.yaml", &tagged("b", "")),
        ("shop/templates/c.yaml", &tagged("c", "")),
    ]);
    let found = findings(&folder, "template-changes-under-fixed-name", &["shop"]);
    let severities = found.iter().map(|one| one["severity"].as_str().unwrap());
    let mut all: Vec<_> = severities.zip(found.iter().map(names)).collect();
    all.sort();
    assert_eq!(all, [("info", vec!["brief"]), ("warning", vec!["b", "c"])]);
}

/// The same annotation in the templates of a chart has one remedy, and another value another one.
#[test]
fn one_value_in_the_jobs_of_a_chart_is_one_finding() {
    let with = |name: &str, value: &str| {
        job(name).replace(
            "template:\n",
            &format!("template:\n    metadata: {{annotations: {{a: '{{{{ {value} }}}}'}}}}\n"),
        )
    };
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/templates/a.yaml", &with("a", ".Chart.Version")),
        ("shop/templates/b.yaml", &with("b", ".Chart.Version")),
        ("shop/templates/c.yaml", &with("c", ".Release.Revision")),
        ("mail/Chart.yaml", &CHART.replace("shop", "mail")),
        ("mail/templates/d.yaml", &with("d", ".Chart.Version")),
    ]);
    let found = findings(&folder, "template-changes-under-fixed-name", &[]);
    let mut all: Vec<_> = found.iter().map(names).collect();
    all.sort();
    assert_eq!(all, [vec!["a", "b"], vec!["c"], vec!["d"]]);
}

/// The name is wrong in the values, for all Jobs that it is part of.
#[test]
fn a_value_in_the_names_of_several_jobs_is_one_finding() {
    let named = |prefix: &str| {
        job("a").replace("name: a\n", &format!("name: {prefix}-{{{{ .Values.database }}}}\n"))
    };
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "database: shop_db\n"),
        ("shop/templates/a.yaml", &named("create")),
        ("shop/templates/b.yaml", &named("drop")),
    ]);
    let found = findings(&folder, "invalid-name", &[]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["create-shop_db", "drop-shop_db"]]);
}

/// A chart and another one that takes it in print the Job from one line; which of their versions changes it is another matter.
#[test]
fn a_chart_and_the_one_that_takes_it_in_are_one_finding() {
    let parent = format!(
        "{}dependencies: [{{name: shop, version: 1.0.0, repository: 'file://../shop'}}]\n",
        CHART.replace("shop", "all")
    );
    let job = job("a").replace(
        "template:\n",
        "template:\n    metadata: {annotations: {a: '{{ .Chart.Version }}'}}\n",
    );
    let job = job.replace("name: a\n", "name: '{{ .Release.Name }}-a'\n");
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/templates/a.yaml", &job),
        ("all/Chart.yaml", &parent),
    ]);
    let found = findings(&folder, "template-changes-under-fixed-name", &[]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["shop-a", "all-a"]], "{found:?}");
    assert_eq!(found[0]["severity"], "error");
}

/// Nobody deploys a part of another chart with the values for its tests.
#[test]
fn values_for_the_tests_of_a_part_need_pedantic() {
    let hook = "{{ if hasPrefix \"ci-\" .Values.name }}".to_owned()
        + &job("a").replace(
            "name: a\n",
            "name: a\n  annotations: {helm.sh/hook: post-install, helm.sh/hook-delete-policy: hook-succeeded}\n",
        )
        + "{{ end }}\n";
    let parent = format!(
        "{}dependencies: [{{name: shop, version: 1.0.0, repository: 'file://../shop'}}]\n",
        CHART.replace("shop", "all")
    );
    let part = [
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "name: a\n"),
        ("shop/ci/on-values.yaml", "name: ci-a\n"),
        ("shop/templates/a.yaml", &*hook),
    ];
    let found = |files: &[(&str, &str)]| rules(&tree(files), &["--deployer", "helm3"]);
    assert_eq!(found(&part), ["stale-hook-blocks"]);
    assert!(found(&[&part[..], &[("all/Chart.yaml", &*parent)]].concat()).is_empty());
}

#[test]
fn branches_that_print_one_job_are_one_finding() {
    let job = |env: &str| {
        job("schema").replace(
            "'app:1.0'",
            &format!("'app:{{{{ .Values.tag }}}}', env: [{{name: A, value: {env}}}]"),
        )
    };
    let template = format!(
        "{{{{- if .Values.host }}}}\n{}{{{{- else }}}}\n{}{{{{- end }}}}\n",
        job("'{{ .Values.host }}'"),
        job("inside")
    );
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "tag: 1.0.0\nhost: ''\n"),
        ("shop/templates/job.yaml", &template),
    ]);
    let found = findings(&folder, "template-changes-under-fixed-name", &["shop"]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["schema"]]);
}

#[test]
fn a_job_that_has_to_be_enabled_joins_those_that_are() {
    let hook = |name: &str| {
        let annotations = "\n  annotations:\n    helm.sh/hook: pre-upgrade\n    helm.sh/hook-delete-policy: hook-succeeded";
        job(name).replace(name, &format!("{name}{annotations}"))
    };
    let backup = format!("{{{{- if .Values.backup }}}}\n{}{{{{- end }}}}\n", hook("backup"));
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "backup: false\n"),
        ("shop/templates/migrate.yaml", &hook("migrate")),
        ("shop/templates/backup.yaml", &backup),
    ]);
    let found = findings(&folder, "stale-hook-blocks", &["shop"]);
    assert_eq!(found.iter().map(names).collect::<Vec<_>>(), [["migrate", "backup"]]);
    assert_eq!(found[0]["also"][0]["note"], "with backup=true");
}

/// An Application that applies a folder.
fn application_of(folder: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {folder}}}\nspec:\n  source: {{repoURL: \
         'git@example.org:acme/shop.git', path: {folder}}}\n"
    )
}

/// Nothing lets a deployer replace plain Jobs: one cause, wherever they are. Another deployer is another cause.
#[test]
fn jobs_that_one_deployer_cannot_replace_are_one_finding() {
    let files = [
        ("apps/a.yaml", application_of("a")),
        ("apps/b.yaml", application_of("b")),
        ("c/fleet.yaml", "namespace: shop\n".to_owned()),
        ("a/one.yaml", job("one")),
        ("a/two.yaml", job("two")),
        ("b/three.yaml", job("three")),
        ("c/four.yaml", job("four")),
        ("c/five.yaml", job("five")),
    ];
    let files: Vec<_> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    let folder = repository("git@example.org:acme/shop.git", &files);
    let found = findings(&folder, "unreplaceable-job", &[]);
    let mut all: Vec<_> = found.iter().map(names).collect();
    all.iter_mut().for_each(|names| names.sort());
    all.sort();
    assert_eq!(all, [vec!["five", "four"], vec!["one", "three", "two"]]);
}

/// A ServiceAccount and its rights are declared to go after a hook that the author made of none of them.
#[test]
fn delete_policies_without_a_hook_are_one_habit_of_a_chart() {
    let object = |kind: &str, version: &str| {
        format!(
            "---\napiVersion: {version}\nkind: {kind}\nmetadata:\n  name: clean\n  annotations:\n    \
             helm.sh/hook-delete-policy: hook-succeeded\n"
        )
    };
    let rbac = "rbac.authorization.k8s.io/v1";
    let template =
        object("ServiceAccount", "v1") + &object("Role", rbac) + &object("RoleBinding", rbac);
    let folder = tree(&[("shop/Chart.yaml", CHART), ("shop/templates/rights.yaml", &template)]);
    let found = findings(&folder, "hook-annotation-without-hook", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["also"].as_array().map(Vec::len), Some(2), "{found:?}");
}

/// Whoever left it out did so in each Job of the file.
#[test]
fn jobs_of_a_file_without_a_restart_policy_are_one_finding() {
    let bare =
        |name: &str| format!("---\n{}", job(name).replace("      restartPolicy: Never\n", ""));
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/templates/jobs.yaml", &(bare("first") + &bare("second"))),
        ("shop/templates/other.yaml", &bare("third")),
    ]);
    let found = findings(&folder, "restart-policy-always", &[]);
    assert_eq!(
        found.iter().map(names).collect::<Vec<_>>(),
        [vec!["first", "second"], vec!["third"]]
    );
}

/// What Helm has printed into an example beside a chart has the flaws of the template.
#[test]
fn a_rendered_example_is_no_cause_of_its_own() {
    let flawed = |name: &str| job(name).replace("Never", "Always");
    let printed = |chart: &str, name: &str| {
        format!("---\n# Source: {chart}/templates/job.yaml\n{}", flawed(name))
    };
    let template = flawed("{{ .Values.name }}");
    let of = |example: &str| {
        tree(&[
            ("charts/one/Chart.yaml", CHART),
            ("charts/one/values.yaml", "name: first\n"),
            ("charts/one/templates/job.yaml", &template),
            ("charts/one/examples/big/rendered/all.yaml", example),
        ])
    };
    let folder = of(&(printed("shop", "first") + &printed("shop", "second")));
    let found = findings(&folder, "restart-policy-always", &[]);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!(one["path"], "charts/one/templates/job.yaml");
    assert_eq!(names(one), ["first", "first", "second"]);
    assert_eq!(findings(&folder, "restart-policy-always", &["charts/one/examples"]).len(), 2);
    let apart = |example: &str| findings(&of(example), "restart-policy-always", &[]).len();
    assert_eq!(apart(&flawed("first")), 2, "nothing says that it was printed");
    let other = printed("shop", "first").replace("templates/job.yaml", "templates/other.yaml");
    assert_eq!(apart(&other), 2, "the template is another one");
}

/// The rules that report something about a folder by default.
fn rules(folder: &TempDir, arguments: &[&str]) -> Vec<String> {
    let (_, stdout, _) =
        run(&mut joblint(folder.path(), &[&["-q", "--output", "json"], arguments].concat()));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let found = report["findings"].as_array().into_iter().flatten();
    found.map(|one| one["rule"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_hook_that_never_starts_neither_runs_twice_nor_waits() {
    let manifest = |events: &str, command: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\ndata: {{A: b}}\n---\napiVersion: batch/v1\nkind: Job\n\
             metadata:\n  name: migrate\n  annotations:\n    helm.sh/hook: {events}\n    \
             helm.sh/hook-delete-policy: before-hook-creation\nspec:\n  template:\n    spec:\n      \
             restartPolicy: Never\n      containers:\n      - name: main\n        image: app:1.0\n        \
             command: [sh, -c, '{command}']\n        envFrom: [{{configMapRef: {{name: settings}}}}]\n"
        )
    };
    let found = |events: &str, command: &str, tool: &str| {
        let folder =
            tree(&[("Chart.yaml", CHART), ("templates/a.yaml", &manifest(events, command))]);
        rules(&folder, &["--deployer", tool])
    };
    let wait = "until nc -z db 5432; do :; done; app migrate";
    assert_eq!(
        found("post-install,pre-upgrade", "app migrate", "argocd"),
        ["hook-needs-later-object"]
    );
    assert_eq!(found("pre-install,pre-upgrade", wait, "helm4"), ["hook-needs-later-object"]);
    assert_eq!(found("pre-upgrade", wait, "helm4"), ["unbounded-wait", "hook-needs-later-object"]);
}

#[test]
fn a_field_that_the_jobs_of_a_chart_repeat_at_a_wrong_place_is_one_finding() {
    let job = |name: &str, field: &str| {
        job(name).replace("  template:\n", &format!("  {field}\n  template:\n"))
    };
    let found = |first: &str, second: &str| {
        let folder = tree(&[
            ("Chart.yaml", CHART),
            ("templates/a.yaml", &job("first", first)),
            ("templates/b.yaml", &job("second", second)),
        ]);
        let found = findings(&folder, "unknown-field", &[]);
        let found = found.into_iter().chain(findings(&folder, "misplaced-field", &[]));
        found.map(|one| names(&one).len()).collect::<Vec<_>>()
    };
    assert_eq!(found("replicas: 1", "replicas: 1"), [2]);
    assert_eq!(found("schedule: '@daily'", "schedule: '@daily'"), [2]);
    assert_eq!(found("replicas: 1", "serviceName: db"), [1, 1]);
    assert_eq!(found("replicas: 1", "replicas: 1\n  serviceName: db"), [1, 1]);
}

#[test]
fn a_job_whose_hook_is_on_its_pods_is_one_finding() {
    let found = |place: &str| {
        let manifest = job("migrate")
            .replace("app:1.0", "app:{{ .Chart.Version }}")
            .replace("  template:\n", &format!("  template:\n{place}"));
        let folder = tree(&[("Chart.yaml", CHART), ("templates/a.yaml", &manifest)]);
        rules(&folder, &["--deployer", "helm4"])
    };
    let hook = "    metadata: {annotations: {helm.sh/hook: pre-upgrade}}\n";
    assert_eq!(found(""), ["template-changes-under-fixed-name"]);
    assert_eq!(found(hook), ["template-changes-under-fixed-name"]);
}

#[test]
fn copies_of_a_broken_kustomization_are_one_finding() {
    let broken = "resources: [../../rbac.yaml, job.yaml]\n";
    let job = job("migrate");
    let folder = tree(&[
        ("apps/db/overlays/prod/job.yaml", &job),
        ("apps/web/shared/overlays/prod/job.yaml", &job),
        ("overlays/prod/job.yaml", &job),
        ("overlays/test/job.yaml", &job),
        ("apps/db/overlays/prod/kustomization.yaml", broken),
        ("apps/web/shared/overlays/prod/kustomization.yaml", broken),
        ("overlays/prod/kustomization.yaml", broken),
        ("overlays/test/kustomization.yaml", "resources: [../../roles.yaml, job.yaml]\n"),
    ]);
    let found = findings(&folder, "unrenderable", &[]);
    let messages: Vec<_> = found.iter().map(|one| one["message"].as_str().unwrap()).collect();
    assert_eq!(
        messages,
        [
            "kustomization `prod` does not build: `apps/db/rbac.yaml` does not exist (and 2 copies)",
            "kustomization `test` does not build: `roles.yaml` does not exist"
        ]
    );
}

/// What each overlay changes about a Job of their base has one cause: the name in the base.
#[test]
fn overlays_that_change_one_job_are_one_finding() {
    let overlay = "resources: [../../base]\nimages: [{name: app, newTag: v1.4.2}]\n";
    let folder = tree(&[
        ("k8s/base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("k8s/base/job.yaml", &job("migrate")),
        ("k8s/overlays/dev/kustomization.yaml", overlay),
        ("k8s/overlays/prod/kustomization.yaml", overlay),
    ]);
    let found = findings(&folder, "kustomize-churn", &[]);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!(one["also"].as_array().unwrap().len(), 1, "{one}");
}

/// Charts that are copies of one another lack the same program in the same image.
#[test]
fn charts_that_lack_one_program_are_one_finding() {
    let script = |chart: &str| {
        let command =
            format!("image: 'postgres:16', command: [sh, -c, 'aws s3 cp /{chart} s3://b/']");
        job(chart).replace("image: 'app:1.0'", &command)
    };
    let folder = tree(&[
        ("books/Chart.yaml", CHART),
        ("books/templates/job.yaml", &script("books")),
        ("toys/Chart.yaml", CHART),
        ("toys/templates/job.yaml", &script("toys")),
    ]);
    let found = findings(&folder, "program-not-in-image", &[]);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert!(one["message"].as_str().unwrap().ends_with("(and 1 more Job)"), "{one}");
}

/// Overlays that have the folder of all of them as their base do not build for one reason, whatever else they hold.
#[test]
fn overlays_with_one_flaw_are_one_finding() {
    let overlay = |prefix: &str| format!("namePrefix: {prefix}\nresources:\n  - ../../\n");
    let folder = tree(&[
        ("k8s/kustomization.yaml", "resources: [job.yaml]\n"),
        ("k8s/job.yaml", &job("migrate")),
        ("k8s/overlays/dev/kustomization.yaml", &overlay("dev-")),
        ("k8s/overlays/prod/kustomization.yaml", &overlay("p-")),
    ]);
    let found = findings(&folder, "unrenderable", &[]);
    let messages: Vec<_> = found.iter().map(|one| one["message"].as_str().unwrap()).collect();
    let [message] = &messages[..] else { panic!("{messages:?}") };
    assert!(message.contains("cycle detected") && message.ends_with("(and 1 copy)"), "{message}");
}

#[test]
fn a_hook_of_the_uninstall_blocks_the_next_uninstall() {
    let annotations =
        "  annotations: {helm.sh/hook: post-delete, helm.sh/hook-delete-policy: hook-succeeded}\n";
    let hook = job("clean").replace("  name: clean\n", &format!("  name: clean\n{annotations}"));
    let folder = tree(&[("Chart.yaml", CHART), ("templates/a.yaml", &hook)]);
    let found = findings(&folder, "stale-hook-blocks", &[]);
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("a failed run of Job `clean` blocks the next uninstall"),
        "{message}"
    );
}
