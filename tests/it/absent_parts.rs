//! Objects of which a library chart that is not in the repository prints a part.

use super::support::findings;

const CHART: &str = "apiVersion: v2
name: shop
version: 0.1.0
dependencies:
  - {name: common, version: 1.0.0, repository: https://charts.example.com}
";

/// The default findings about a CronJob with its own keys behind what the library prints.
fn rules(labels: &str, annotations: &str, rest: &str) -> Vec<String> {
    let cronjob = format!(
        "apiVersion: batch/v1beta1
kind: CronJob
metadata:
  name: restart
  labels:
{labels}
    app: shop
  annotations:
{annotations}
spec:
  schedule: '0 5 * * *'
  jobTemplate:
    spec:
      template:
        spec:
{rest}
          containers: [{{name: a, image: 'app:1.4.2', command: [restart]}}]
"
    );
    let found = findings(&[("Chart.yaml", CHART), ("templates/cronjob.yaml", &cronjob)], &[]);
    found.iter().map(|one| one["rule"].as_str().unwrap().to_owned()).collect()
}

const ABSENT: &str = "{{ include \"common.part\" . | indent 4 }}";

#[test]
fn labels_of_the_library_in_front_of_own_ones_do_not_hide_the_object() {
    let policy = "          restartPolicy: Never";
    let own = "    tier: web";
    for (labels, annotations) in [(own, own), (ABSENT, own), (own, ABSENT), (ABSENT, ABSENT)] {
        assert_eq!(rules(labels, annotations, policy), ["removed-api-version"], "{labels}");
    }
}

/// Without `restartPolicy` a Pod has `Always`, which the API server refuses in a CronJob; here the library may set it.
#[test]
fn what_the_library_may_print_is_not_missing() {
    let own = "    tier: web";
    let comment = "          # without a policy";
    let absent = "          {{- include \"common.pod\" . | nindent 10 }}";
    let of = |rest| rules(own, own, rest).contains(&"restart-policy-always".to_owned());
    assert!(of(comment));
    assert!(!of(absent));
}

/// Nobody gives an object the name that stands for one.
#[test]
fn a_name_that_the_library_prints_is_not_shown() {
    let job = "apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include \"common.name\" . }}
  annotations: {helm.sh/hook-delete-policy: hook-succeeded}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: 'app:1.4.2'}]
";
    let found = findings(&[("Chart.yaml", CHART), ("templates/job.yaml", job)], &[]);
    let [finding] = &found[..] else { panic!("{found:?}") };
    let message = finding["message"].as_str().unwrap();
    assert!(message.starts_with("Job `…` is not a hook"), "{message}");
}
