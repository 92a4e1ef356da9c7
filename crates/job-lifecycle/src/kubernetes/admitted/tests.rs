use std::sync::Arc;

use yaml_spans::Source;

use super::*;

fn admitted_text(text: &str) -> Admitted {
    let source = Arc::new(Source::new("a.yaml", text));
    let document = yaml_spans::parse(text).remove(0).unwrap();
    admitted(&Object::new(&source, document.root, document.span).unwrap(), Some("shop"), false)
        .unwrap()
}

fn at<'a>(value: &'a Json, path: &str) -> &'a Json {
    value.pointer(path).unwrap_or(&Json::Null)
}

/// Observed on kube-apiserver 1.36.3 with policies that print what they see.
#[test]
fn a_job_has_defaults_and_loses_zero_values() {
    let text = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      \
                restartPolicy: Never\n      hostNetwork: false\n      serviceAccountName: bot\n      containers:\n      \
                - {name: c, image: busybox, args: [], env: [{name: E, value: ''}], resources: {limits: {cpu: 0.5, memory: 1024Mi}}}\n";
    let Admitted { object, .. } = admitted_text(text);
    let spec = &object["spec"];
    for (field, value) in [
        ("backoffLimit", json!(6)),
        ("completions", json!(1)),
        ("parallelism", json!(1)),
        ("completionMode", json!("NonIndexed")),
        ("suspend", json!(false)),
        ("podReplacementPolicy", json!("TerminatingOrFailed")),
        ("manualSelector", json!(false)),
    ] {
        assert_eq!(at(spec, &format!("/{field}")), &value, "{field}");
    }
    let pod = &spec["template"]["spec"];
    for (path, value) in [
        ("/dnsPolicy", json!("ClusterFirst")),
        ("/schedulerName", json!("default-scheduler")),
        ("/terminationGracePeriodSeconds", json!(30)),
        ("/securityContext", json!({})),
        ("/hostNetwork", Json::Null),
        ("/serviceAccount", json!("bot")),
        ("/enableServiceLinks", Json::Null),
        ("/containers/0/args", Json::Null),
        ("/containers/0/env/0", json!({ "name": "E" })),
        ("/containers/0/imagePullPolicy", json!("Always")),
        ("/containers/0/terminationMessagePolicy", json!("File")),
        ("/containers/0/resources", json!({ "limits": { "cpu": "500m", "memory": "1Gi" } })),
    ] {
        assert_eq!(at(pod, path), &value, "{path}");
    }
    assert_eq!(object["metadata"]["namespace"], "shop");
    assert_eq!(object["metadata"].get("labels"), None);
    assert_eq!(at(spec, "/template/metadata/labels/job-name"), "a");
}

#[test]
fn parallelism_alone_leaves_completions_unset() {
    let spec = |text: &str| {
        let text =
            format!("apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\nspec: {text}\n");
        admitted_text(&text).object["spec"].clone()
    };
    assert_eq!(spec("{parallelism: 2}").get("completions"), None);
    assert_eq!(spec("{backoffLimitPerIndex: 1}")["backoffLimit"], i32::MAX);
    assert_eq!(spec("{ttlSecondsAfterFinished: 0}")["ttlSecondsAfterFinished"], 0);
    assert_eq!(spec("{podFailurePolicy: {rules: []}}")["podReplacementPolicy"], "Failed");
}

#[test]
fn the_template_of_a_cron_job_has_no_defaults_of_jobs() {
    let text = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  schedule: '* * * * *'\n  \
                jobTemplate: {spec: {template: {spec: {containers: [{name: c, image: a:1}]}}}}\n";
    let spec = admitted_text(text).object["spec"].clone();
    assert_eq!(spec["concurrencyPolicy"], "Allow");
    assert_eq!(spec["successfulJobsHistoryLimit"], 3);
    let job = &spec["jobTemplate"]["spec"];
    assert_eq!(job.get("backoffLimit"), None);
    assert_eq!(job.get("completionMode"), None);
    assert_eq!(at(job, "/template/spec/restartPolicy"), "Always");
    assert_eq!(at(job, "/template/spec/containers/0/imagePullPolicy"), "IfNotPresent");
}

#[test]
fn a_job_without_labels_takes_those_of_its_template() {
    let text = "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-}\nspec: {template: {metadata: {labels: {app: a}}}}\n";
    let Admitted { object, unknown } = admitted_text(text);
    assert_eq!(at(&object, "/metadata/labels/app"), "a");
    assert_eq!(at(&object, "/metadata/name"), "a-xxxxx");
    let is_unknown = |path: &[&str]| unknown.iter().any(|own| own == path);
    assert!(is_unknown(&["metadata", "name"]));
    assert!(is_unknown(&["metadata", "labels", "job-name"]));
    assert!(is_unknown(&["spec", "template", "metadata", "labels", "controller-uid"]));
    assert!(!is_unknown(&["metadata", "namespace"]));
}
