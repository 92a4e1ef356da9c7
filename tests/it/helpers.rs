//! Where a finding stands whose text a helper prints: at the call, if the helper is right for other objects.

use serde_json::Value;

use super::support::findings;

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\n";

/// The default findings of one rule about a chart with these templates.
pub(super) fn of(rule: &str, templates: &[(&str, &str)]) -> Vec<Value> {
    of_with(&[], rule, templates)
}

fn of_with(flags: &[&str], rule: &str, templates: &[(&str, &str)]) -> Vec<Value> {
    let files: Vec<_> =
        [("Chart.yaml", CHART)].into_iter().chain(templates.iter().copied()).collect();
    findings(&files, flags).into_iter().filter(|one| one["rule"] == rule).collect()
}

fn place(finding: &Value) -> String {
    format!("{}:{}", finding["path"].as_str().unwrap(), finding["line"])
}

/// The number of `nindent` is wrong, not the labels.
#[test]
fn keys_that_a_helper_prints_at_the_wrong_depth_are_marked_at_the_call() {
    let helper = "{{ define \"labels\" }}app: shop\ntier: web{{ end }}";
    let job = |depth: u8| {
        format!(
            "apiVersion: batch/v1
kind: Job
metadata:
  name: a
  labels:
    {{{{- include \"labels\" . | nindent {depth} }}}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: a, image: 'app:1.4.2'}}]
"
        )
    };
    let found = |depth| {
        of(
            "unknown-field",
            &[("templates/_helpers.tpl", helper), ("templates/job.yaml", &job(depth))],
        )
    };
    assert!(found(4).is_empty());
    let wrong = found(2);
    let [one] = &wrong[..] else { panic!("{wrong:?}") };
    assert_eq!(place(one), "templates/job.yaml:6");
    assert_eq!(one["help"], "Indent `app` and `tier` below `labels`, which is empty");
    assert_eq!(one["labels"][1]["text"], "written by this helper");
}

/// A key that the helper writes with the mapping around it is wrong in the helper.
#[test]
fn keys_that_a_helper_prints_with_their_mapping_are_marked_there() {
    let helper = "{{ define \"pod\" }}restartPolicy: Never\nsecurityContext:\n  runAsUsr: 5\ncontainers: [{name: a, image: 'app:1.4.2'}]{{ end }}";
    let job = "apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  template:
    spec:
      {{- include \"pod\" . | nindent 6 }}
";
    let found =
        of("unknown-field", &[("templates/_helpers.tpl", helper), ("templates/job.yaml", job)]);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!(place(one), "templates/_helpers.tpl:3");
}

/// The hooks of the chart share the annotations with an object that is none.
#[test]
fn annotations_of_hooks_on_an_object_that_is_none_are_marked_at_the_call() {
    let helper = "{{ define \"once\" }}helm.sh/hook-delete-policy: before-hook-creation{{ end }}";
    let object = |kind: &str, hook: &str| {
        format!(
            "apiVersion: v1
kind: {kind}
metadata:
  name: a
  annotations:
    {hook}
    {{{{- include \"once\" . | nindent 4 }}}}
"
        )
    };
    let (plain, hook) =
        (object("ConfigMap", "a: b"), object("Secret", "helm.sh/hook: pre-install"));
    let found = of(
        "hook-annotation-without-hook",
        &[
            ("templates/_helpers.tpl", helper),
            ("templates/plain.yaml", &plain),
            ("templates/hook.yaml", &hook),
        ],
    );
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!(place(one), "templates/plain.yaml:7");
}

/// With another value the Job is a hook, and the delete policy is for that.
#[test]
fn a_delete_policy_beside_a_conditional_hook_is_no_mistake() {
    let found = |hook: &str| {
        let job = format!(
            "apiVersion: batch/v1
kind: Job
metadata:
  name: a
  annotations:
    {hook}
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: a, image: 'app:1.4.2'}}]
"
        );
        of("hook-annotation-without-hook", &[("templates/job.yaml", &job)]).len()
    };
    assert_eq!(
        found("{{- if .Values.hook }}\n    \"helm.sh/hook\": post-install\n    {{- end }}"),
        0
    );
    assert_eq!(found("{{- if .Values.hook }}\n    \"shop/hook\": post-install\n    {{- end }}"), 1);
}

/// Who judges the installation by a test does not want it to be repeated.
#[test]
fn a_test_that_runs_after_the_install_as_well_may_be_a_pod() {
    let found = |events: &str| {
        let pod = format!(
            "apiVersion: v1
kind: Pod
metadata: {{name: a, annotations: {{helm.sh/hook: '{events}', helm.sh/hook-delete-policy: before-hook-creation}}}}
spec:
  restartPolicy: Never
  containers: [{{name: a, image: 'app:1.4.2', command: [app, check]}}]
"
        );
        of_with(&["--pedantic"], "pod-hook", &[("templates/pod.yaml", &pod)]).len()
    };
    assert_eq!(found("post-install"), 1);
    assert_eq!(found("post-install,test"), 0);
}
