//! Findings in charts and manifests that GitOps objects deploy.

use super::*;

const CHART: &str = "=== chart/Chart.yaml\napiVersion: v2\nname: web\nversion: 1.0.0\n\
    === chart/values.yaml\nttl: null\njob: false\n=== chart/templates/job.yaml
{{- if .Values.job }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-{{ .Release.Namespace }}
spec:
  ttlSecondsAfterFinished: {{ .Values.ttl }}
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: \"app:1.4.2\"}]
{{- end }}
";

#[test]
fn a_chart_is_rendered_with_the_options_of_its_application() {
    let application = APPLICATION.replace(
        "    path: jobs\n",
        "    path: chart\n    helm:\n      valuesObject:\n        job: true\n        ttl: 60\n",
    );
    let files = format!("=== app.yaml\n{application}{CHART}");
    let report = checked(&files);
    let loops = findings(&report, "ttl-reruns");
    assert_eq!(loops.len(), 1);
    assert_eq!(inside(&loops[0].location.source.path), "chart/templates/job.yaml");
    assert_eq!(loops[0].value_sets, ["Application `shop`".into()]);
    assert_eq!(loops[0].workload.as_ref().unwrap().name.as_deref(), Some("shop-shop"));
    let places: Vec<_> = loops[0].secondary.iter().map(|(at, _)| written(at)).collect();
    assert!(places.contains(&"app.yaml:19 selfHeal: true".to_owned()), "{places:?}");
    assert!(places.contains(&"app.yaml:13 60".to_owned()), "the value's own line: {places:?}");
}

#[test]
fn a_chart_of_applications_deploys_what_it_renders() {
    let root = "=== root/Chart.yaml\napiVersion: v2\nname: root\nversion: 1.0.0\n\
        === root/values.yaml\nheals: false\n=== root/templates/apps.yaml
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: inner
spec:
  source:
    repoURL: https://example.org/acme/shop
    path: jobs
  syncPolicy:
    automated:
      selfHeal: {{ .Values.heals }}
";
    let files = format!("{root}=== jobs/migrate.yaml\n{JOB}");
    assert!(findings(&checked(&files), "ttl-reruns").is_empty(), "its defaults do not heal");
    let outer = APPLICATION.replace(
        "path: jobs\n",
        "path: root\n    helm: {parameters: [{name: heals, value: 'true'}]}\n",
    );
    let report = checked(&format!("=== app.yaml\n{outer}{files}"));
    let loops = findings(&report, "ttl-reruns");
    assert_eq!(inside(&loops[0].location.source.path), "jobs/migrate.yaml");
    let place = inside(&loops[0].secondary[0].0.source.path);
    assert_eq!(place, "root/templates/apps.yaml");
}

#[test]
fn comments_in_a_gitops_object_ignore_its_findings() {
    let bundle =
        "namespace: shop\n# joblint: ignore[force-has-no-effect] we know\nhelm: {force: true}\n";
    let report = checked(&format!("=== b/fleet.yaml\n{bundle}=== b/migrate.yaml\n{JOB}"));
    assert!(findings(&report, "force-has-no-effect").is_empty());
    assert!(findings(&report, "unused-ignore").is_empty());
    let plain = bundle.replace("# joblint: ignore[force-has-no-effect] we know\n", "");
    let report = checked(&format!("=== b/fleet.yaml\n{plain}=== b/migrate.yaml\n{JOB}"));
    assert_eq!(findings(&report, "force-has-no-effect").len(), 1);
}

#[test]
fn a_job_that_fleet_ignores_is_not_drift() {
    let patch = "namespace: shop
diff:
  comparePatches:
    - {apiVersion: batch/v1, kind: Job, namespace: shop, name: mig, operations: [{op: ignore}]}
";
    let report = checked(&format!("=== b/fleet.yaml\n{patch}=== b/migrate.yaml\n{JOB}"));
    assert!(findings(&report, "ttl-out-of-sync").is_empty(), "the name is a pattern");
    let wrong = patch.replace("namespace: shop, ", "");
    let report = checked(&format!("=== b/fleet.yaml\n{wrong}=== b/migrate.yaml\n{JOB}"));
    assert!(findings(&report, "ttl-out-of-sync").is_empty(), "one cause, one finding");
    assert_eq!(findings(&report, "fleet-compare-patch").len(), 1);
    let report = checked(&format!("=== b/fleet.yaml\nnamespace: shop\n=== b/migrate.yaml\n{JOB}"));
    let [missing] = &findings(&report, "ttl-out-of-sync")[..] else { panic!() };
    assert!(missing.help.contains("kind: Job, namespace: shop, name: migrate"), "{}", missing.help);
    assert!(findings(&report, "fleet-compare-patch").is_empty(), "one cause, one finding");
}

#[test]
fn variables_that_flux_substitutes_are_reported_in_scripts() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: backup\nspec:\n  template:\n    spec:\n      \
               restartPolicy: Never\n      containers:\n        - name: backup\n          image: app:1.4.2\n          \
               command: [sh, -ec, 'file=/tmp/x; pg_dump > \"${file}\"']\n";
    let flux = |post_build: &str| {
        format!(
            "=== apps/job.yaml\n{job}=== clusters/apps.yaml\n\
             apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: apps\n  \
             namespace: flux-system\nspec:\n  interval: 10m\n  prune: true\n  path: ./apps\n  sourceRef:\n    \
             kind: GitRepository\n    name: flux-system\n{post_build}"
        )
    };
    let found = |post_build: &str| {
        let report = checked(&flux(post_build));
        let found = findings(&report, "substituted-by-flux");
        found.iter().map(|finding| written(&finding.location)).collect::<Vec<_>>()
    };
    let with = "  postBuild:\n    substitute:\n      cluster: one\n";
    assert_eq!(found(with), ["apps/job.yaml:12 ${file}"]);
    let from = "  postBuild:\n    substituteFrom:\n      - {kind: ConfigMap, name: settings}\n";
    assert_eq!(found(from).len(), 1);
    assert!(found("").is_empty());
    assert!(found("  postBuild: {substitute: {}}\n").is_empty());
}

/// What a generator without access to a cluster cannot know stays unknown, in `values` and `valuesObject`.
#[test]
fn parameters_of_an_unknown_generator_are_no_values() {
    const CHART: &str = "=== chart/Chart.yaml\napiVersion: v2\nname: report\nversion: 1.0.0\n=== \
        chart/values.yaml\nschedule: ''\nlimit: 0\n=== chart/templates/report.yaml
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: {{ .Values.schedule }}
  successfulJobsHistoryLimit: {{ .Values.limit }}
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Always
          containers: [{name: report, image: \"app:1.4.2\"}]
";
    for values in [
        "valuesObject:\n            schedule: '{{ .schedule }}'\n            limit: -1\n",
        "values: |\n            schedule: {{ .schedule }}\n            limit: -1\n",
    ] {
        let set = format!(
            "=== set.yaml\napiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all}}\nspec:\n  \
             goTemplate: true\n  generators: [{{plugin: {{configMapRef: {{name: vars}}}}}}]\n  template:\n    \
             metadata: {{name: report}}\n    spec:\n      source:\n        repoURL: \
             https://example.org/acme/shop\n        path: chart\n        helm:\n          {values}{CHART}"
        );
        let report = checked(&set);
        let invalid = findings(&report, "invalid-cronjob");
        let labels: Vec<_> = invalid.iter().map(|one| &*one.label).collect();
        assert_eq!(labels.len(), 1, "{labels:?}");
        assert!(labels[0].starts_with("spec.successfulJobsHistoryLimit"), "{labels:?}");
        let always = findings(&report, "restart-policy-always");
        assert_eq!(always[0].value_sets, ["ApplicationSet `all`".into()]);
        assert!(!report.notes.iter().any(|note| note.contains("does not render")));
    }
}

/// A name shows `…` for what a generator fills in, also where a chart keeps only the start of it.
#[test]
fn parameters_of_an_unknown_generator_are_no_part_of_a_name() {
    let report = checked(
        "=== set.yaml
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  generators: [{pullRequest: {github: {owner: acme, repo: shop}}}]
  template:
    metadata: {name: 'import-{{number}}'}
    spec:
      source:
        repoURL: https://example.org/acme/shop
        path: chart
        helm: {parameters: [{name: number, value: '{{number}}'}, {name: commit, value: '{{head_sha}}'}]}
=== chart/Chart.yaml
apiVersion: v2
name: import
version: 1.0.0
=== chart/templates/job.yaml
apiVersion: batch/v1
kind: Job
metadata:
  name: import-{{ .Values.commit | trunc 7 }}-{{ .Values.number }}-all
spec:
  template:
    spec:
      restartPolicy: Always
      containers: [{name: import, image: 'app:1.4.2'}]
",
    );
    let always = findings(&report, "restart-policy-always");
    assert_eq!(always.len(), 1);
    assert!(always[0].message.contains("Job `import-…-…-all`"), "{}", always[0].message);
}

/// Agones calls an object `Fleet`, and its authors the file so.
#[test]
fn an_object_in_a_file_called_fleet_makes_no_bundle() {
    let object = "apiVersion: agones.dev/v1\nkind: Fleet\nmetadata: {name: shop}\n";
    let options = "namespace: shop\n";
    let of = |fleet: &str| {
        deployments(&format!("=== b/fleet.yaml\n{fleet}=== b/migrate.yaml\n{JOB}")).len()
    };
    assert_eq!([of(object), of(options)], [0, 1]);
}

const APPS: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 1h
  prune: true
  path: ./apps
  sourceRef: {kind: GitRepository, name: flux-system}
";

/// A parent sets the interval of its children: that line puts the Job back, wherever it is in the patch.
#[test]
fn a_patch_of_a_parent_is_cited_by_its_line() {
    let patch = "  patches:
    - patch: |-
        apiVersion: kustomize.toolkit.fluxcd.io/v1
        kind: Kustomization
        metadata: {name: _}
        spec:
          prune: true
          interval: 1h
      target: {kind: Kustomization}
";
    let operation = "  patches:
    - patch: |-
        - {op: add, path: /spec/interval, value: 1h}
      target: {kind: Kustomization}
";
    let child = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shop, namespace: flux-system}
spec: {path: ./jobs, sourceRef: {kind: GitRepository, name: flux-system}}
";
    for (patch, line) in
        [(patch, "flux/apps.yaml:16 interval: 1h"), (operation, "flux/apps.yaml:11 value: 1h")]
    {
        let report = checked(&format!(
            "=== flux/apps.yaml\n{APPS}{patch}=== apps/kustomization.yaml\nresources: [shop.yaml]\n\
             === apps/shop.yaml\n{child}=== jobs/kustomization.yaml\nresources: [migrate.yaml]\n\
             === jobs/migrate.yaml\n{JOB}"
        ));
        let loops = findings(&report, "ttl-reruns");
        assert_eq!(loops.len(), 1, "{:?}", report.findings);
        assert_eq!(written(&loops[0].secondary[0].0), line);
    }
}

/// What lacks the required fields too changes others, and deploys nothing from the root of the repository.
#[test]
fn a_patch_of_kustomizations_has_no_path() {
    let found = |spec: &str| {
        let patch = format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n\
             metadata: {{name: all, namespace: flux-system}}\n\
             spec: {{{spec}sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
        );
        let report = checked(&format!("=== flux/patch.yaml\n{patch}=== jobs/migrate.yaml\n{JOB}"));
        findings(&report, "ttl-reruns").len()
    };
    assert_eq!(found(""), 0);
    assert_eq!(found("interval: 1h, prune: true, "), 1);
}

/// Whoever takes a file out of a kustomization switches it off.
#[test]
fn a_file_that_the_deployed_kustomization_does_not_list_is_off() {
    let child = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: games
  labels: {substitution.flux/enabled: true}
spec: {interval: 5m, path: ./games}
";
    let count = |lists: &str, folder: &str| {
        let report = checked(&format!(
            "=== flux/apps.yaml\n{APPS}=== {lists}/kustomization.yaml\nresources: [migrate.yaml]\n\
             === {lists}/migrate.yaml\n{JOB}=== {folder}/ks.yaml\n{child}"
        ));
        findings(&report, "annotation-not-string").len()
    };
    assert_eq!(count("apps", "apps/games"), 0, "nothing deploys it");
    assert_eq!(count("apps/games", "apps/games/off"), 0, "Flux takes the inner kustomization");
    assert_eq!(count("apps", "other"), 1, "somebody may apply it");
}

/// Helm never sees what `kubectl` applies: its annotations mean nothing there.
#[test]
fn a_folder_that_a_script_applies_has_no_hooks() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations: {helm.sh/hook: pre-install, \
               helm.sh/hook-delete-policy: before-hook-creation}\nspec: {template: {spec: {restartPolicy: Never, \
               containers: [{name: a, image: a, envFrom: [{configMapRef: {name: settings}}]}]}}}\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n";
    let of = |script: &str| {
        let report =
            checked(&format!("=== k8s/job.yaml\n{job}=== k8s/map.yaml\n{map}=== {script}\n"));
        report.findings.iter().filter(|one| one.rule.id == "hook-needs-later-object").count()
    };
    for script in [
        "Makefile\ndeploy:\n\t@kubectl apply -f k8s/ -n shop",
        "README.md\n```sh\nkubectl apply -f ./k8s/job.yaml\n```",
        ".github/workflows/ci.yaml\n      - run: kubectl -n $NS apply -f \"k8s/*.yaml\"",
        "scripts/run.sh\nkubectl apply -Rf ../k8s",
    ] {
        assert_eq!(of(script), 0, "{script}");
    }
    for script in [
        "Makefile\ndeploy:\n\t# kubectl apply -f k8s/",
        "Makefile\ndeploy:\n\tkubectl apply -f other/",
        "Makefile\nshow:\n\tkubectl get -f k8s/",
        "Makefile\ndeploy:\n\thelm template k8s/",
    ] {
        assert_eq!(of(script), 1, "{script}");
    }
}

/// What the one deployment of a chart leaves out runs nowhere: whoever enables it meets what is wrong with the object itself.
#[test]
fn what_is_off_where_the_chart_is_deployed_needs_pedantic() {
    let job = "{{- if .Values.migrate.enabled }}\napiVersion: batch/v1\nkind: Job\nmetadata: {name: \"migrate-{{ .Release.Revision }}\"}\nspec: \
               {backoffLimit: -1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: \"a:{{ .Values.tag }}\", \
               command: [sh, -c, 'until kubectl get csr a -o yaml | grep -q Approved; do sleep 5; done; ./migrate']}]}}}\n{{- end }}\n";
    let of = |enabled: bool| {
        let values = format!("tag: 1.2.3\nmigrate: {{enabled: {enabled}}}\n");
        let application = APPLICATION.replace("path: jobs", "path: chart");
        let report = checked(&format!(
            "=== chart/Chart.yaml\napiVersion: v2\nname: shop\nversion: 1.0.0\n=== chart/values.yaml\n{values}=== \
             chart/templates/job.yaml\n{job}=== argocd/app.yaml\n{application}"
        ));
        let rules = ["constant-under-argocd", "unbounded-wait", "invalid-job"];
        rules.map(|rule| findings(&report, rule).len())
    };
    assert_eq!(of(true), [1, 1, 1]);
    // Whoever turns it on meets what the API server refuses.
    assert_eq!(of(false), [0, 0, 1]);
}
