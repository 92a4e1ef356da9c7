//! Where a finding stands whose text a helper prints: at the call, if the helper is right for other objects.

use serde_json::Value;

use super::support::findings;

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\n";

/// The default findings of one rule about a chart with these templates.
fn of(rule: &str, templates: &[(&str, &str)]) -> Vec<Value> {
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

/// The loop of a CronJob goes on, unless a value says that one turn is enough.
#[test]
fn a_loop_that_a_value_ends_is_left() {
    let found = |inside: &str| {
        let job = format!(
            "apiVersion: batch/v1
kind: CronJob
metadata: {{name: restart}}
spec:
  schedule: '0 5 * * *'
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: restart
              image: app:1.4.2
              command: [sh, -c]
              args:
                - |
                  while true; do
                  if [ `date +%H` = 07 ]; then kubectl rollout restart deploy app; fi
                  {inside}
                  sleep 3600
                  done
"
        );
        of("unbounded-wait", &[("templates/job.yaml", &job)]).len()
    };
    assert_eq!(found("echo done"), 1);
    assert_eq!(found("{{ if .Values.once }}exit 0{{ end }}"), 0);
    assert_eq!(found("{{ if .Values.once }}echo once{{ end }}"), 1);
}

/// Whoever takes a chart in sets what is global.
#[test]
fn a_name_that_a_value_leaves_empty_is_for_its_users_to_set() {
    let found = |name: &str| {
        let job = format!(
            "apiVersion: batch/v1
kind: Job
metadata:
  {name}
  labels: {{app: shop}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: a, image: 'app:{{{{ .Chart.Version }}}}'}}]
"
        );
        let templates = [("templates/job.yaml", &*job)];
        ["invalid-name", "template-changes-under-fixed-name"].map(|rule| of(rule, &templates).len())
    };
    assert_eq!(found("name: {{ .Values.global.image }}"), [0, 0]);
    assert_eq!(found("annotations: {a: b}"), [1, 0]);
}

/// A value that hides a failure is set by whoever does not want to know.
#[test]
fn a_failure_that_a_value_hides_is_meant() {
    let found = |behind: &str| {
        let job = format!(
            "apiVersion: batch/v1
kind: Job
metadata: {{name: apply}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: apply
          image: app:1.4.2
          command: [sh, -ec]
          args:
            - |
              kubectl apply -f /config {behind}
"
        );
        of("failure-hidden", &[("templates/job.yaml", &job), ("values.yaml", "optional: true\n")])
            .len()
    };
    assert_eq!(found("|| echo failed"), 1);
    assert_eq!(found("{{ if .Values.optional }}|| echo failed{{ end }}"), 0);
    assert_eq!(found("{{ if .Values.optional }}--wait{{ end }} || echo failed"), 1);
}
