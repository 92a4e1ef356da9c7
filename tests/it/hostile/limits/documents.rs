//! Manifests and values files.

use std::fmt::Write as _;

use super::{CHART, HEALTHY_FINDING, Run, assert_limited, beside_healthy, run};

/// Every level contains the one below ten times.
fn aliases() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let below = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(text, "a{level}: &a{level} [{below}]").unwrap();
    }
    text
}

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n";

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn aliases_in_a_manifest() {
    let folder = beside_healthy(&[("plain/job.yaml", &format!("{JOB}{}", aliases()))]);
    assert_limited(folder.path(), "excessive aliasing");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn aliases_in_values() {
    let folder = beside_healthy(&[
        ("hostile/Chart.yaml", CHART),
        ("hostile/values.yaml", &aliases()),
        ("hostile/templates/a.yaml", "kind: Job"),
    ]);
    assert_limited(folder.path(), "excessive aliasing");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn nesting_in_a_manifest() {
    let text = format!("{JOB}spec: {}", "[".repeat(500_000));
    let folder = beside_healthy(&[("plain/job.yaml", &text)]);
    assert_limited(folder.path(), "nested more than 255 levels deep");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn nesting_in_a_json_manifest() {
    let text = format!(
        "{{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"spec\": {}1{}}}",
        "{\"a\":".repeat(100_000),
        "}".repeat(100_000)
    );
    let folder = beside_healthy(&[("plain/job.json", &text)]);
    assert_limited(folder.path(), "nested more than 1000 levels deep");
}

/// An expression that costs a million and is true.
fn costly() -> String {
    let digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    (0..9).fold("true".to_owned(), |inner, at| format!("{digits}.all(x{at}, {inner})"))
}

/// Two thousand Jobs.
fn jobs() -> String {
    let named = |number: u32| JOB.replace("name: a", &format!("name: a{number}")) + "---\n";
    (0..2_000).map(named).collect()
}

const COSTS: &str = "200 million of the API server's units";

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn policies_that_cost_much() {
    let policy = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: costs}}\n\
         spec:\n  matchConstraints:\n    resourceRules:\n      - {{apiGroups: [batch], apiVersions: [v1], \
         operations: [CREATE], resources: [jobs]}}\n  validations: [{{expression: \"{}\"}}]\n---\n\
         apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\n\
         metadata: {{name: costs}}\nspec: {{policyName: costs, validationActions: [Deny]}}\n",
        costly()
    );
    let folder = beside_healthy(&[("policies/costs.yaml", &policy), ("plain/jobs.yaml", &jobs())]);
    assert_limited(folder.path(), COSTS);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn messages_of_rules_that_cost_much() {
    let rule = format!(
        "apiVersion: joblint.dev/v1\nkind: Rule\nid: costs\nmessage: costs\nexpression: 'false'\n\
         messageExpression: \"string({})\"\n",
        costly()
    );
    let folder = beside_healthy(&[("rules/costs.yaml", &rule), ("plain/jobs.yaml", &jobs())]);
    assert_limited(folder.path(), COSTS);
}

/// What has no limit of its own takes a time in proportion to its length.
#[track_caller]
fn assert_checked(files: &[(&str, &str)]) {
    let folder = beside_healthy(files);
    let Run { code, stdout, stderr } = run(folder.path(), &["check", "--output", "concise", "."]);
    let context = format!("code {code}\n{:.3000}\n{:.3000}", stdout, stderr);
    assert!(code == 1 || code == 2, "{context}");
    assert!(stdout.contains(HEALTHY_FINDING) && !stderr.contains("panicked"), "{context}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn escaped_dollar_signs() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      \
               restartPolicy: Never\n      containers:\n        - name: a\n          image: a:1\n          \
               command: [sh, -c, 'echo ";
    assert_checked(&[("plain/job.yaml", &format!("{job}{}']\n", "$".repeat(1_000_000)))]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn many_commands() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      \
               restartPolicy: Never\n      containers:\n        - name: a\n          image: a:1\n          \
               command: [sh, -c]\n          args:\n            - |\n              ";
    let command = |number: usize| format!("psql -c 'insert into t values ({number})'");
    let commands: Vec<_> = (0..20_000).map(command).collect();
    for between in ["; ", "\n              ", " | "] {
        assert_checked(&[("plain/job.yaml", &format!("{job}{}\n", commands.join(between)))]);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn unreadable_files() {
    let files: Vec<_> = (0..20_000).map(|number| format!("plain/{number}.yaml")).collect();
    let files: Vec<_> = files.iter().map(|path| (path.as_str(), "kind: Job\na: [\n")).collect();
    assert_checked(&files);
}
