//! What counts only where others install a chart, or something tests it in a cluster.

use std::fs;

use super::support::{findings, joblint, run, tree};

const RULE: &str = "service-not-found";
const CHART: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\n";
const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: '{{ .Release.Name }}-web'}\nspec: {ports: [{port: 80}]}\n";
const TEST: &str = "apiVersion: v1
kind: Pod
metadata: {name: '{{ .Release.Name }}-test', annotations: {helm.sh/hook: test}}
spec:
  restartPolicy: Never
  containers: [{name: wget, image: 'busybox:1.37', command: [wget], args: ['{{ .Release.Name }}:80']}]
";
const CRON: &str = "apiVersion: batch/v1
kind: CronJob
metadata: {name: a}
spec:
  schedule: {{ .Values.schedule }}
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: a, image: 'app:1.4.2'}]
";

/// The rules of the default findings about a chart in a repository with a pipeline.
fn rules(pipeline: &str) -> Vec<String> {
    let folder = tree(&[
        ("chart/Chart.yaml", CHART),
        ("chart/values.yaml", "schedule: 0 3 * * *\n"),
        ("chart/templates/service.yaml", SERVICE),
        ("chart/templates/test.yaml", TEST),
        ("chart/templates/cron.yaml", CRON),
        (".github/workflows/ci.yaml", pipeline),
    ]);
    fs::create_dir(folder.path().join(".git")).unwrap();
    let (_, stdout, stderr) = run(&mut joblint(folder.path(), &["check", ".", "--output", "json"]));
    let report: serde_json::Value = serde_json::from_str(&stdout).expect(&stderr);
    let found = report["findings"].as_array().unwrap();
    found.iter().map(|one| one["rule"].as_str().unwrap().to_owned()).collect()
}

/// `helm create` leaves a test in each chart; the schedule of a chart is in the hands of those who set its values.
#[test]
fn a_chart_that_nobody_tests_or_publishes_is_that_of_its_authors() {
    assert!(
        rules("jobs: {deploy: {name: product install, steps: [{run: helm upgrade --install shop chart}]}}\n").is_empty()
    );
    for pipeline in [
        "helm test shop",
        "helm push shop-0.1.0.tgz oci://example.com/charts",
        "helm3 package chart",
        "helm repo index docs",
        "ct install --all",
    ] {
        let text = format!("jobs: {{a: {{steps: [{{run: '{pipeline}'}}]}}}}\n");
        assert_eq!(rules(&text), ["unquoted-schedule", "service-not-found"], "{pipeline}");
    }
}

#[test]
fn a_chart_in_the_index_of_a_repository_of_charts_is_published() {
    let found = |index: &str| {
        let folder = tree(&[
            ("chart/Chart.yaml", CHART),
            ("chart/values.yaml", "schedule: 0 3 * * *\n"),
            ("chart/templates/cron.yaml", CRON),
            ("docs/index.yaml", index),
        ]);
        fs::create_dir(folder.path().join(".git")).unwrap();
        let (_, text, _) = run(&mut joblint(folder.path(), &[".", "--output", "concise"]));
        text.matches("unquoted-schedule").count()
    };
    assert_eq!(found("apiVersion: v1\nentries:\n  shop: [{name: shop, version: 0.1.0}]\n"), 1);
    assert_eq!(found("pages: [home, shop]\n"), 0);
}

/// Nobody edits a packed dependency.
#[test]
fn the_test_of_a_packed_dependency_is_that_of_its_authors() {
    let folder = tree(&[
        (
            "shop/Chart.yaml",
            "apiVersion: v2\nname: all\nversion: 0.1.0\ndependencies: [{name: shop, version: 0.1.0}]\n",
        ),
        ("source/shop/Chart.yaml", CHART),
        ("source/shop/templates/service.yaml", SERVICE),
        ("source/shop/templates/test.yaml", TEST),
    ]);
    let found = || {
        let (_, stdout, _) =
            run(&mut joblint(folder.path(), &["check", "shop", "--output", "json"]));
        let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        report["findings"].as_array().unwrap().iter().filter(|one| one["rule"] == RULE).count()
    };
    let charts = folder.path().join("shop/charts");
    fs::create_dir(&charts).unwrap();
    let file = fs::File::create(charts.join("shop-0.1.0.tgz")).unwrap();
    let encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let mut archive = tar::Builder::new(encoder);
    archive.append_dir_all("shop", folder.path().join("source/shop")).unwrap();
    archive.into_inner().unwrap().finish().unwrap();
    assert_eq!(found(), 0);
    fs::remove_dir_all(&charts).unwrap();
    fs::create_dir(&charts).unwrap();
    fs::rename(folder.path().join("source/shop"), charts.join("shop")).unwrap();
    assert_eq!(found(), 1);
}

/// A claim that only hooks use, here one in a manifest that a hook applies, is scratch.
#[test]
fn a_claim_that_a_manifest_in_the_config_map_of_a_hook_mounts_is_scratch() {
    let hook = "annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: 'before-hook-creation,hook-succeeded'}";
    let claim = format!(
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: scratch, {hook}}}\nspec: {{resources: {{requests: {{storage: 1Gi}}}}}}\n"
    );
    let pod = "    apiVersion: v1\n    kind: Pod\n    spec:\n      volumes:\n        - persistentVolumeClaim:\n            claimName: scratch\n";
    let config = |hook: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: pods, {hook}}}\ndata:\n  pod.yaml: |\n{pod}"
        )
    };
    let job = format!(
        "apiVersion: batch/v1
kind: Job
metadata: {{name: a, {hook}}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: a, image: 'app:1.4.2', volumeMounts: [{{name: c, mountPath: /c}}]}}]
      volumes: [{{name: c, persistentVolumeClaim: {{claimName: scratch}}}}]
"
    );
    let found = |config: &str| {
        let files = [
            ("Chart.yaml", CHART),
            ("templates/claim.yaml", &*claim),
            ("templates/config.yaml", config),
            ("templates/job.yaml", &*job),
        ];
        findings(&files, &[]).iter().filter(|one| one["rule"] == "hook-deletes-data").count()
    };
    assert_eq!(found(&config(hook)), 0);
    assert_eq!(found(&config("labels: {a: b}")), 1, "an ordinary object names it as well");
}

/// What the values of the chart itself make wrong reaches no cluster if each environment sets another value.
#[test]
fn a_value_that_each_environment_sets_is_judged_as_nobody_has_it() {
    let cron = CRON.replace(
        "image: 'app:1.4.2'",
        "image: 'app:1.4.2', env: [{name: A, value: {{ index .Values.shop.ports 0 }}}]",
    );
    let found = |environments: &[(&str, &str)]| {
        let files = [
            ("deploy/chart/Chart.yaml", CHART),
            ("deploy/chart/values.yaml", "schedule: 0 3 * * *\nshop: {ports: [97]}\n"),
            ("deploy/chart/templates/cron.yaml", &*cron),
        ];
        let found = findings(&[&files, environments].concat(), &[]);
        found.iter().filter(|one| one["rule"] == "wrong-type").count()
    };
    let own = "shop: {ports: [http]}\n";
    assert_eq!(found(&[]), 1);
    assert_eq!(found(&[("deploy/values-dev.yaml", own), ("deploy/values-prod.yaml", own)]), 0);
    assert_eq!(found(&[("deploy/values-dev.yaml", own), ("deploy/values-prod.yaml", "a: b\n")]), 1);
}

/// What a dependency of a dependency makes is as unknown as what one of the chart makes.
#[test]
fn a_service_may_be_that_of_a_dependency_of_a_dependency() {
    let found = |dependency: &str| {
        let parent = format!(
            "{CHART}dependencies: [{{name: part, version: 0.1.0, repository: 'file://../part'}}]\n"
        );
        let part = format!("apiVersion: v2\nname: part\nversion: 0.1.0\n{dependency}");
        let job = TEST.replace(
            "helm.sh/hook: test",
            "helm.sh/hook: post-install, helm.sh/hook-delete-policy: before-hook-creation",
        );
        let files = [
            ("shop/Chart.yaml", &*parent),
            ("shop/templates/service.yaml", SERVICE),
            ("shop/templates/job.yaml", &*job),
            ("part/Chart.yaml", &*part),
            ("part/templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ];
        let found = findings(&files, &[]);
        found.iter().filter(|one| one["rule"] == "service-not-found").count()
    };
    assert_eq!(found(""), 1);
    assert_eq!(
        found(
            "dependencies: [{name: vault, version: 0.27.0, repository: 'https://example.com'}]\n"
        ),
        0
    );
}

/// The charts of an umbrella that is kept elsewhere share its release.
#[test]
fn a_service_may_be_that_of_another_chart_of_the_same_release() {
    let found = |name: &str| {
        let job = TEST
            .replace(
                "helm.sh/hook: test",
                "helm.sh/hook: post-install, helm.sh/hook-delete-policy: before-hook-creation",
            )
            .replace("{{ .Release.Name }}:80", "{{ .Release.Name }}-ingress-frontend:80");
        let folder = tree(&[
            ("shop/Chart.yaml", CHART),
            ("shop/templates/service.yaml", SERVICE),
            ("shop/templates/job.yaml", &job),
            ("ingress/Chart.yaml", "apiVersion: v2\nname: ingress\nversion: 0.1.0\n"),
            ("ingress/templates/service.yaml", &SERVICE.replace("-web", name)),
        ]);
        fs::create_dir(folder.path().join(".git")).unwrap();
        let (_, text, _) = run(&mut joblint(folder.path(), &[".", "--output", "concise"]));
        text.matches("service-not-found").count()
    };
    assert_eq!(found("-ingress-frontend"), 0);
    assert_eq!(found("-ingress"), 1);
}
