//! What the values of a chart decide: its users set them.

use super::{helpers::of, support::findings};

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

/// A Job with these lines in front of its containers.
fn job(metadata: &str, containers: &str) -> String {
    format!(
        "apiVersion: batch/v1
kind: Job
metadata: {metadata}
spec:
  template:
    spec:
      restartPolicy: Never
{containers}"
    )
}

const CONTAINERS: &str = "      containers: [{name: a, image: 'app:1.4.2'}]\n";

/// With no value for them the chart sets no events.
#[test]
fn the_events_of_a_hook_may_be_left_to_users() {
    let found = |events: &str| {
        let job = job(&format!("{{name: a, annotations: {{helm.sh/hook: {events}}}}}"), CONTAINERS);
        of("unknown-hook-event", &[("templates/job.yaml", &job)]).len()
    };
    assert_eq!(found("{{ .Values.events }}"), 0);
    assert_eq!(found("''"), 1);
}

/// A patch has what it changes.
#[test]
fn a_patch_need_not_be_whole() {
    let found = |path: &str| {
        let job = job("{name: a, annotations: {argocd.argoproj.io/hook: Skip}}", "");
        let all = findings(&[(path, &job)], &[]);
        all.iter().filter(|one| one["rule"] == "invalid-job").count()
    };
    assert_eq!(found("k8s/patches/job.yaml"), 0);
    assert_eq!(found("k8s/jobs/job.yaml"), 1);
}

/// `helm create --starter` replaces the mark.
#[test]
fn a_starter_is_not_deployed() {
    let found = |name: &str| {
        let job = job(
            &format!("{{name: \"{name}\"}}"),
            "      containers: [{name: a, image: 'app:{{ .Chart.Version }}'}]\n",
        );
        of("template-changes-under-fixed-name", &[("templates/job.yaml", &job)]).len()
    };
    assert_eq!(found("<CHARTNAME>-migrate"), 0);
    assert_eq!(found("shop-migrate"), 1);
}
