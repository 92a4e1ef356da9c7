//! Which waits are worth an interruption.

use serde_json::Value;

use super::support::{joblint, run, tree};

/// A hook of Argo CD that waits for `store` in a wave.
fn hook(event: &str, wave: &str) -> String {
    format!(
        "apiVersion: batch/v1
kind: Job
metadata:
  name: buckets
  annotations:
    argocd.argoproj.io/hook: {event}
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
    argocd.argoproj.io/sync-wave: '{wave}'
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: minio/mc:RELEASE.2025-04-16T18-13-26Z
          command: [sh, -c, 'until mc alias set s http://store:9000 >/dev/null 2>&1; do sleep 2; done']
"
    )
}

/// A Service, and the controller of the pods behind it, in a wave.
fn store(wave: &str) -> String {
    let metadata =
        format!("{{name: store, annotations: {{argocd.argoproj.io/sync-wave: '{wave}'}}}}");
    format!(
        "apiVersion: v1
kind: Service
metadata: {{name: store}}
spec: {{selector: {{app: store}}, ports: [{{port: 9000}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {metadata}
spec:
  selector: {{matchLabels: {{app: store}}}}
  template:
    metadata: {{labels: {{app: store}}}}
    spec: {{containers: [{{name: store, image: 'minio/minio:RELEASE.2025-04-22T22-12-26Z'}}]}}
"
    )
}

fn is_reported(job: &str, store: &str) -> bool {
    is_reported_by("unbounded-wait", job, store)
}

fn is_reported_by(rule: &str, job: &str, store: &str) -> bool {
    let chart = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
    let files =
        [("Chart.yaml", chart), ("templates/job.yaml", job), ("templates/store.yaml", store)];
    let flags = ["-q", "--output", "json", "--deployer", "argocd", "."];
    let (_, stdout, _) = run(&mut joblint(tree(&files).path(), &flags));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    report["findings"].as_array().unwrap().iter().any(|one| one["rule"] == rule)
}

/// Argo CD waits until each wave and phase is healthy before it begins the next one (argocd 0.2).
#[test]
fn a_hook_behind_what_it_waits_for_does_not_wait() {
    for (event, own, other) in [("PostSync", "0", "0"), ("PostSync", "0", "5"), ("Sync", "3", "1")]
    {
        assert!(!is_reported(&hook(event, own), &store(other)), "{event} {own} {other}");
    }
    for (event, own, other) in [("Sync", "1", "1"), ("Sync", "1", "2")] {
        assert!(is_reported(&hook(event, own), &store(other)), "{event} {own} {other}");
    }
    let (before, all) = (hook("PreSync", "9"), store("0"));
    assert!(is_reported_by("hook-needs-later-object", &before, &all), "it waits in vain");
    assert!(!is_reported(&before, &all), "once is enough");
    let elsewhere = store("0").replace("{name: store", "{name: other");
    assert!(is_reported(&hook("PostSync", "0"), &elsewhere));
    let without_pods = store("0").replace("kind: Deployment", "kind: Rollout");
    assert!(is_reported(&hook("PostSync", "0"), &without_pods));
}
