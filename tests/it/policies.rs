//! The policies and rules of `examples/policies`.

use std::{fs, path::Path, sync::Arc};

use admission_policy::{Binding, Policy, PolicySet, Request};
use job_lifecycle::Object;
use serde_json::Value;
use yaml_spans::Source;

use super::support::{findings, joblint, repository, run, tree};

fn object(value: &Value) -> Object {
    let source = Arc::new(Source::new("policy.yaml", value.to_string()));
    let document = yaml_spans::parse(&source.text).remove(0).unwrap();
    Object::new(&source, document.root, document.span).unwrap()
}

/// Each policy of `examples/policies` refuses the `bad` examples of the rule in its file, and takes the `good` ones.
#[test]
fn examples_are_refused_as_policies_and_as_rules() {
    let mut tested = 0;
    for entry in fs::read_dir("examples/policies").unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let documents: Vec<Value> = serde_yaml::Deserializer::from_str(&text)
            .map(|document| serde::Deserialize::deserialize(document).unwrap())
            .collect();
        let of_kind = |kind: &str| documents.iter().find(|one| one["kind"] == kind);
        let Some(policy) = of_kind("ValidatingAdmissionPolicy") else { continue };
        let policy =
            Policy::read(&object(policy)).unwrap_or_else(|flaws| panic!("{path:?}: {flaws:?}"));
        assert!(policy.warnings().is_empty(), "{path:?}: {:?}", policy.warnings());
        let binding = Binding::read(&object(of_kind("ValidatingAdmissionPolicyBinding").unwrap()));
        let set = PolicySet {
            policies: vec![policy],
            bindings: vec![binding.unwrap()],
            ..PolicySet::default()
        };
        for example in of_kind("Rule").unwrap()["examples"].as_array().unwrap() {
            for (key, refused) in [("bad", true), ("good", false)] {
                let Some(text) = example[key].as_str() else { continue };
                let workload = object(&serde_yaml::from_str(text).unwrap());
                let request = Request { object: &workload, old: None, namespace: Some("shop") };
                let verdict = set.judge(&request);
                assert!(verdict.unknown.is_empty(), "{path:?} {example}");
                assert_eq!(!verdict.denials.is_empty(), refused, "{path:?} {example}");
                tested += 1;
            }
        }
    }
    assert_eq!(tested, 30);
    let (code, stdout, stderr) = run(&mut joblint(Path::new("."), &["test", "examples/policies"]));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.ends_with(" of 11 rules: all hold\n"), "{stdout}");
}

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  namespace: shop\n  annotations: {joblint.dev/idempotent: \"true\"}\n  \
                   labels: {team: shop}\nspec:\n  ttlSecondsAfterFinished: 604800\n  template:\n    spec:\n      restartPolicy: Never\n      \
                   containers: [{name: a, image: \"a:1.4.2\"}]\n";

/// A policy for Jobs with one validation, and its binding.
fn policy(expression: &str, action: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: own}}\nspec:\n  \
         matchConstraints:\n    resourceRules:\n      - {{apiGroups: [batch], apiVersions: [v1], resources: [jobs], operations: [CREATE, UPDATE]}}\n  \
         validations:\n    - expression: {expression}\n      message: it is refused\n---\n\
         apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: own}}\nspec:\n  \
         policyName: own\n  validationActions: [{action}]\n"
    )
}

const TTL: &str = "object.spec.ttlSecondsAfterFinished <= 86400";

#[test]
fn actions_are_severities() {
    for (action, severity, said) in [
        ("Deny", "error", "the API server will refuse Job `migrate`: it is refused"),
        ("Warn", "warning", "the API server will warn about Job `migrate`: it is refused"),
        ("Audit", "info", "the audit log will record a failure of Job `migrate`: it is refused"),
    ] {
        let folder = tree(&[("job.yaml", JOB), ("policies/own.yaml", &policy(TTL, action))]);
        let arguments = [".", "--output", "concise", "--quiet"];
        let (code, stdout, _) = run(&mut joblint(folder.path(), &arguments));
        assert_eq!(stdout, format!("job.yaml:9:28: {severity}[policy[own]] {said}\n"));
        assert_eq!(code, i32::from(severity != "info"));
    }
}

#[test]
fn findings_obey_comments_and_settings() {
    let ignored = JOB.replace("604800", "604800 # joblint: ignore[policy[own]] is read on Mondays");
    let lowered = "rules: {\"policy[own]\": {severity: info}}\n";
    let entry = "ignore: [{rule: \"policy[own]\", name: \"mig*\", reason: is read on Mondays}]\n";
    let selected = "select: [\"policy[other]\"]\n";
    let policy = policy(TTL, "Deny");
    for (job, settings, expected) in [
        (&*ignored, "", ""),
        (JOB, entry, ""),
        (JOB, selected, ""),
        (
            JOB,
            lowered,
            "job.yaml:9:28: info[policy[own]] the API server will refuse Job `migrate`: it is refused\n",
        ),
    ] {
        let files = [("job.yaml", job), ("own.yaml", &*policy), (".joblint.yaml", settings)];
        let folder = tree(&files);
        let arguments = [".", "--output", "concise", "--quiet"];
        let (code, stdout, stderr) = run(&mut joblint(folder.path(), &arguments));
        assert_eq!((code, &*stdout, &*stderr), (0, expected, ""), "{settings}");
    }
}

#[test]
fn a_named_policy_needs_no_binding() {
    let policy = policy(TTL, "Deny");
    let alone = policy.split("---\n").next().unwrap();
    let folder = tree(&[("shop/job.yaml", JOB), ("own.yaml", alone)]);
    let check = |arguments: &[&str]| run(&mut joblint(folder.path(), arguments));
    let (code, stdout, stderr) = check(&[".", "--output", "concise"]);
    let note = "note: policy `own` has no binding in this repository: not evaluated\n";
    assert_eq!((code, &*stdout, stderr.contains(note)), (0, "", true), "{stderr}");
    let (code, stdout, _) = check(&["shop", "--output", "concise", "--policy", "own.yaml"]);
    assert_eq!((code, stdout.matches("policy[own]").count()), (1, 1), "{stdout}");
    assert_eq!(check(&["shop"]).0, 0, "policies beside the checked paths do not count");
}

/// The same tree is judged by the same policies from any folder of it.
#[test]
fn policies_above_the_working_directory_do_not_count() {
    let folder = repository("", &[("shop/job.yaml", JOB), ("own.yaml", &policy(TTL, "Deny"))]);
    for (below, path, expected) in
        [("", ".", 1), ("", "shop", 0), ("shop", ".", 0), ("shop", "..", 1)]
    {
        let (_, stdout, _) = concise(&folder.path().join(below), &[path]);
        assert_eq!(
            stdout.matches("policy[own]").count(),
            expected,
            "{path} in {below:?}: {stdout}"
        );
    }
}

/// A chart that renders a policy with its parameters, and nothing else. `{{ .Values.limit }}` is the limit.
fn guard(policy: &str) -> String {
    let policy = policy
        .replace(
            "spec:\n  matchConstraints",
            "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n  matchConstraints",
        )
        .replace("it is refused", "more than {{ .Values.limit }}")
        .replace(
            "policyName: own",
            "policyName: own\n  paramRef: {name: limits, parameterNotFoundAction: Deny}",
        );
    let limits = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits}\ndata:\n  limit: {{ .Values.limit | quote }}\n";
    format!("{policy}{limits}")
}

const OF_PARAMS: &str = "object.spec.ttlSecondsAfterFinished <= int(params.data.limit)";
/// All but the rules of joblint.
const POLICIES: &str = "policy[own],invalid-policy";
const CHART: &str = "apiVersion: v2\nname: guard\nversion: 1.0.0\n";

/// Exit code, standard output, notes.
fn concise(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    run(&mut joblint(folder, &[arguments, &["--output", "concise"]].concat()))
}

/// An Argo CD Application that deploys the chart `guard`.
const DEPLOYED: &str = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: guard}\nspec:\n  \
                        source: {repoURL: https://example.com/shop.git, path: guard}\n";

#[test]
fn policies_of_charts_are_rendered() {
    let job = JOB.replace("604800", "600").replace("migrate", "guard-{{ .Release.Revision }}");
    let check = |policy: &str, values: &str| {
        let files = [
            ("job.yaml", JOB),
            ("guard.yaml", DEPLOYED),
            ("guard/Chart.yaml", CHART),
            ("guard/values.yaml", values),
            ("guard/templates/policy.yaml", policy),
        ];
        let of = |files: &[(&str, &str)]| {
            let folder = repository("https://example.com/shop.git", files);
            let (code, stdout, _) = concise(folder.path(), &[".", "--select", POLICIES]);
            (code, stdout)
        };
        let found = of(&files);
        let with_job = [&files[..], &[("guard/templates/job.yaml", &job)]].concat();
        assert_eq!(of(&with_job), found, "a Job of the chart changes nothing");
        found
    };
    let policy = guard(&policy(OF_PARAMS, "Deny"));
    let refused = "job.yaml:9:28: error[policy[own]] the API server will refuse Job `migrate`: more than 3600\n";
    assert_eq!(check(&policy, "limit: 3600\n"), (1, refused.to_owned()));
    assert_eq!(check(&policy, "limit: 604800\n"), (0, String::new()));
    let (code, stdout) = check(&policy.replace("int(params", "nothing(params"), "limit: 1\n");
    assert_eq!(code, 2);
    assert!(stdout.starts_with("guard/templates/policy.yaml:"), "{stdout}");
    assert!(
        stdout.contains(
            "error[invalid-policy] policy `own` is not evaluated: undeclared reference to 'nothing'"
        ),
        "{stdout}"
    );
}

/// The policies of a chart hold where it is installed, and nobody is known to install it here.
#[test]
fn a_chart_that_nothing_deploys_judges_its_own_jobs() {
    let policy = guard(&policy(OF_PARAMS, "Deny"));
    let folder = tree(&[
        ("job.yaml", JOB),
        ("guard/Chart.yaml", CHART),
        ("guard/values.yaml", "limit: 3600\n"),
        ("guard/templates/policy.yaml", &policy),
        ("guard/templates/job.yaml", &JOB.replace("migrate", "prepare")),
    ]);
    let (code, stdout, stderr) = concise(folder.path(), &[".", "--select", POLICIES]);
    let refused = "guard/templates/job.yaml:9:28: error[policy[own]] the API server will refuse Job `prepare`: more than 3600\n";
    assert_eq!((code, &*stdout), (1, refused));
    let note =
        "note: policy `own` judges only what its chart installs: nothing here deploys the chart\n";
    assert!(stderr.contains(note), "{stderr}");
    let (_, stdout, _) = concise(folder.path(), &[".", "--policy", "guard"]);
    assert_eq!(stdout.matches("policy[own]").count(), 2, "{stdout}");
}

/// A folder of repositories is not one cluster.
#[test]
fn a_policy_judges_its_own_repository() {
    let policy = policy(TTL, "Deny");
    let other = JOB.replace("migrate", "prepare");
    let files = [("a/job.yaml", JOB), ("b/job.yaml", &*other), ("b/own.yaml", &*policy)];
    for (nested, judged) in [(&[][..], &["a", "b"][..]), (&["b"], &["b"]), (&["a"], &["a", "b"])] {
        let folder = tree(&files);
        for one in nested {
            fs::create_dir_all(folder.path().join(one).join(".git")).unwrap();
        }
        let (_, stdout, _) = concise(folder.path(), &["."]);
        let places = stdout.lines().filter(|line| line.contains("[policy[own]]"));
        let places: Vec<_> = places.map(|line| &line[..1]).collect();
        assert_eq!(places, judged, "{nested:?}: {stdout}");
    }
}

#[test]
fn a_chart_that_does_not_render_says_so() {
    let broken = "{{ required \"a limit is needed\" .Values.limit }}\n";
    let policy = guard(&policy(OF_PARAMS, "Deny"));
    let folder = tree(&[
        ("job.yaml", JOB),
        ("guard/Chart.yaml", CHART),
        ("guard/templates/policy.yaml", &policy),
        ("guard/templates/other.yaml", broken),
    ]);
    for arguments in [&["."][..], &["job.yaml", "--policy", "guard"]] {
        let (code, stdout, stderr) = concise(folder.path(), arguments);
        assert_eq!((code, &*stdout), (0, ""));
        let note = "note: the policies of the chart guard are not evaluated: it does not render: ";
        assert!(stderr.contains(note) && stderr.contains("a limit is needed"), "{stderr}");
    }
}

/// `--policy` reads charts and parameters too.
#[test]
fn a_named_folder_has_charts_and_parameters() {
    let text = guard(&policy(OF_PARAMS, "Deny"));
    let plain = text
        .replace("{{ .Values.limit | quote }}", "\"3600\"")
        .replace("{{ .Values.limit }}", "3600");
    let files = [
        ("shop/job.yaml", JOB),
        ("charts/guard/Chart.yaml", CHART),
        ("charts/guard/values.yaml", "limit: 3600\n"),
        ("charts/guard/templates/policy.yaml", &text),
        ("plain/policy.yaml", &plain),
    ];
    let folder = repository("https://example.com/shop.git", &files);
    let refused = "job.yaml:9:28: error[policy[own]] the API server will refuse Job `migrate`: more than 3600\n";
    for named in ["charts", "charts/guard", "charts/guard/templates/policy.yaml", "plain"] {
        let (code, stdout, _) = concise(folder.path(), &["shop", "--policy", named]);
        assert_eq!((code, stdout), (1, format!("shop/{refused}")), "{named}");
    }
}

#[test]
fn upgrade_asks_about_an_update() {
    let expression =
        "oldObject == null || oldObject.metadata.labels.team == object.metadata.labels.team";
    let folder = tree(&[
        ("old/job.yaml", JOB),
        ("new/job.yaml", &JOB.replace("team: shop", "team: data")),
        ("own.yaml", &policy(expression, "Deny")),
    ]);
    let arguments =
        ["upgrade", "new", "--base", "./old", "--policy", "own.yaml", "--output", "concise"];
    let (_, stdout, _) = run(&mut joblint(folder.path(), &arguments));
    let expected = "new/job.yaml:7:18: error[policy[own]] the API server will refuse Job `migrate`: it is refused\n";
    assert!(stdout.ends_with(expected), "{stdout}");
    let arguments = ["new", "--policy", "own.yaml", "--quiet"];
    assert_eq!(run(&mut joblint(folder.path(), &arguments)).0, 0, "a creation is fine");
}

/// What overflows the stack of other evaluators, or never ends.
#[test]
fn hostile_policies_end_with_an_error() {
    let calls = format!("{}[]{}", "size(".repeat(10_000), ")".repeat(10_000));
    let sum = format!("1{} == 0", "+1".repeat(30_000));
    let brackets = format!("{}true{}", "(".repeat(5_000), ")".repeat(5_000));
    let long = format!("'{}' == ''", "a".repeat(70_000));
    for expression in [&*calls, &*sum, &*brackets, &*long, "'%.100000f'.format([1.0]) == ''"] {
        let policy = policy(&format!("\"{expression}\""), "Deny");
        let folder = tree(&[("job.yaml", JOB), ("own.yaml", &policy)]);
        let arguments = [".", "--output", "concise", "--quiet"];
        let (code, stdout, _) = run(&mut joblint(folder.path(), &arguments));
        assert_eq!(code, 2, "{}", &expression[..20]);
        assert!(
            stdout.contains("error[invalid-policy] policy `own` is not evaluated: "),
            "{stdout}"
        );
    }
}

#[test]
fn rules_are_tested_by_their_examples() {
    let rule = "apiVersion: joblint.dev/v1\nkind: Rule\nid: short\nexpression: size(job.name) < 5\nexamples:\n  - name: long\n    bad: |\n      \
                apiVersion: batch/v1\n      kind: Job\n      metadata:\n        name: migrate\n";
    let marked = format!("{rule}              # <- `name` does not meet the rule\n");
    let invalid = rule.replace("expression: size(job.name) < 5", "expression: job.nam == ''");
    for (text, code, out, err) in [
        (&*marked, 0, "short, long: holds\n1 example of 1 rule: all hold\n", ""),
        (
            rule,
            1,
            "short, long: does not hold\n    `bad` marks nothing\n    \
             not marked: manifest.yaml:4:9: `name` does not meet the rule\n1 example of 1 rule: 1 does not hold\n",
            "",
        ),
        (
            &*invalid,
            2,
            "0 examples of 0 rules: all hold\n",
            "error: rule.yaml:4:13: undefined field 'nam'\n",
        ),
    ] {
        let folder = tree(&[("rule.yaml", text)]);
        let found = run(&mut joblint(folder.path(), &["test"]));
        assert_eq!(found, (code, out.to_owned(), err.to_owned()));
    }
}

/// The settings may name a folder that is also below the checked paths.
#[test]
fn what_is_named_and_found_is_read_once() {
    let mutating = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: adds}\nspec: {}\n";
    let folder = tree(&[
        (".joblint.yaml", "policies: [own]\n"),
        ("job.yaml", JOB),
        ("own/adds.yaml", mutating),
        ("own/broken.yaml", &policy("nothing(object)", "Deny")),
    ]);
    let (code, stdout, stderr) = concise(folder.path(), &["."]);
    assert_eq!((code, stdout.matches("error[invalid-policy]").count()), (2, 1), "{stdout}");
    let note = "note: MutatingAdmissionPolicy `adds`: not evaluated\n";
    assert_eq!(stderr.matches(note).count(), 1, "{stderr}");
}

/// The API server takes an empty `messageExpression` for an absent one, and refuses one of blanks. What several policies say
/// in the same words is one finding.
#[test]
fn an_empty_message_expression_is_absent() {
    let policy = |name: &str, text: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: {name}}}
spec:
  matchConstraints:
    resourceRules: [{{apiGroups: [batch], apiVersions: [v1], operations: [CREATE], resources: [jobs]}}]
  validations:
    - expression: 'true'
      messageExpression: '{text}'
"
        )
    };
    let found = |text: &str| {
        let (a, b) = (policy("a", text), policy("b", text));
        findings(&[("a.yaml", &a), ("b.yaml", &b), ("job.yaml", JOB)], &[])
    };
    assert!(found("").is_empty());
    let blank = found("  ");
    let [one] = &blank[..] else { panic!("{blank:?}") };
    let said = "spec.validations[0].messageExpression: Invalid value: \"  \": must be non-empty if specified";
    assert!(one["message"].as_str().unwrap().contains(said), "{one}");
    assert!(one["message"].as_str().unwrap().ends_with("(and 1 more file)"), "{one}");
    assert_eq!(one["labels"][1]["path"], "b.yaml", "{one}");
}
