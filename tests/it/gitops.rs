//! GitOps objects in the tree: which deployer they state, with which options, and where findings then point.

mod findings;
mod forecasts;
mod generators;
mod undeployed;
mod unnamed;

use std::{path::Path, sync::Arc};

use helm_render::HelmVersion;
use job_lifecycle::Event;
use joblint::{
    check,
    diagnostic::Diagnostic,
    discover::Request,
    forecast,
    gitops::{self, Tree},
    report,
    results::Report,
    settings::Settings,
    unit::{Deployment, DeploymentSource},
};
use tempfile::TempDir;
use yaml_spans::Location;

use super::support::{self, inside};

/// A repository with these files, each after a line `=== path`.
fn repository(files: &str) -> TempDir {
    let files: Vec<_> =
        files.split("=== ").skip(1).map(|file| file.split_once('\n').unwrap()).collect();
    support::repository("git@example.org:acme/shop.git", &files)
}

fn request(folder: &Path) -> Request {
    Request { paths: vec![folder.to_owned()], ..Request::default() }
}

fn checked(files: &str) -> Report {
    check::check(&request(repository(files).path()), &Settings::default())
}

fn deployments(files: &str) -> Vec<Deployment> {
    let folder = repository(files);
    let request = request(folder.path());
    let tree = Tree::around(&request);
    let found = gitops::discover(&request, &tree);
    // Paths relative to the repository, so that cases can name them.
    let relative = |path: &mut std::path::PathBuf| {
        *path = path.strip_prefix(folder.path()).unwrap().to_owned();
    };
    found
        .iter()
        .map(|one| {
            let mut one = Deployment::clone(one);
            match &mut one.source {
                DeploymentSource::Manifests(files) => {
                    Arc::make_mut(files).iter_mut().for_each(relative)
                }
                DeploymentSource::Overlay { folder, files } => {
                    relative(folder);
                    Arc::make_mut(files).iter_mut().for_each(relative);
                }
                DeploymentSource::Chart(folder) => relative(folder),
                DeploymentSource::External(_) | DeploymentSource::Unresolved(_) => {}
            }
            one
        })
        .collect()
}

fn findings<'a>(report: &'a Report, rule: &str) -> Vec<&'a Diagnostic> {
    report.findings.iter().filter(|finding| finding.rule.id == rule).collect()
}

/// `path:line text under the label`.
fn written(at: &Location) -> String {
    let path = inside(&at.source.path);
    format!("{path}:{} {}", at.start().line, at.source.slice(at.span))
}

const JOB: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  ttlSecondsAfterFinished: 60
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: \"app:1.4.2\"}]
";

const APPLICATION: &str = "\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: argocd
spec:
  source:
    repoURL: https://example.org/acme/shop
    path: jobs
  destination:
    namespace: shop
  syncPolicy:
    automated:
      prune: true
      selfHeal: true
";

#[test]
fn an_application_states_deployer_and_options_of_a_folder() {
    let files = format!(
        "=== apps/shop.yaml\n{APPLICATION}=== jobs/migrate.yaml\n{JOB}=== other/migrate.yaml\n{JOB}"
    );
    let report = checked(&files);
    let loops = findings(&report, "ttl-reruns");
    assert_eq!(loops.len(), 1);
    assert_eq!(written(&loops[0].location), "jobs/migrate.yaml:6 ttlSecondsAfterFinished: 60");
    let (place, text) = &loops[0].secondary[0];
    assert_eq!(written(place), "apps/shop.yaml:15 selfHeal: true");
    assert_eq!(text, "`selfHeal: true` here puts the Job back");
    assert!(!loops[0].assumed);
    assert!(report.notes.is_empty(), "{:?}", report.notes);
}

#[test]
fn sources_outside_the_repository_and_missing_ones_get_notes() {
    let other = APPLICATION.replace("acme/shop", "acme/platform").replace("jobs", "platform");
    let nowhere = APPLICATION.replace("path: jobs", "path: gone");
    let chart = APPLICATION
        .replace("https://example.org/acme/shop", "https://charts.example.org")
        .replace("path: jobs", "chart: postgres");
    let found = deployments(&format!(
        "=== a.yaml\n{other}=== b.yaml\n{nowhere}=== c.yaml\n{chart}=== jobs/migrate.yaml\n{JOB}"
    ));
    let sources: Vec<_> = found.into_iter().map(|one| one.source).collect();
    assert_eq!(
        sources,
        [
            DeploymentSource::External("`platform` of example.org/acme/platform".into()),
            DeploymentSource::Unresolved("there is no folder `gone` here".into()),
            DeploymentSource::External("chart `postgres` of charts.example.org".into()),
        ]
    );
}

#[test]
fn a_source_in_a_fork_is_assumed_to_be_this_repository() {
    let fork = APPLICATION.replace("acme/shop", "somebody/shop");
    let found = deployments(&format!("=== a.yaml\n{fork}=== jobs/migrate.yaml\n{JOB}"));
    assert_eq!(found[0].source, DeploymentSource::Manifests(["jobs/migrate.yaml".into()].into()));
    assert!(found[0].deployer.assumed);
}

#[test]
fn objects_of_one_application_are_checked_together() {
    let files = format!("=== jobs/a.yaml\n{JOB}=== jobs/b.yaml\n{JOB}");
    assert!(findings(&checked(&files), "duplicate-job").is_empty());
    let report = checked(&format!("=== app.yaml\n{APPLICATION}{files}"));
    assert_eq!(findings(&report, "duplicate-job").len(), 1);
}

#[test]
fn folders_are_read_as_argocd_reads_them() {
    let recursive = APPLICATION.replace(
        "path: jobs",
        "path: jobs\n    directory: {recurse: true, exclude: '{b.yaml,c/*}'}",
    );
    let files = format!(
        "=== jobs/a.yaml\n{JOB}=== jobs/b.yaml\n{JOB}=== jobs/c/d.yaml\n{JOB}=== jobs/e/f.yaml\n{JOB}"
    );
    let of = |application: &str| {
        let found = deployments(&format!("=== app.yaml\n{application}{files}"));
        found[0].files().iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of(APPLICATION), ["jobs/a.yaml", "jobs/b.yaml"]);
    assert_eq!(of(&recursive), ["jobs/a.yaml", "jobs/e/f.yaml"]);
    let mirror = recursive.replace("acme/shop", "somebody/shop");
    assert_eq!(of(&mirror), ["jobs/a.yaml", "jobs/e/f.yaml"]);
}

#[test]
fn helm_values_of_an_application_have_the_precedence_of_argocd() {
    let application = APPLICATION.replace(
        "    path: jobs\n",
        "    path: chart
    helm:
      releaseName: web
      valueFiles: [low.yaml, /envs/high.yaml, missing.yaml]
      values: |
        b: inline
        c: inline
      parameters:
        - {name: c, value: \"7\"}
        - {name: d, value: \"7\", forceString: true}
",
    );
    let files = "=== chart/Chart.yaml\napiVersion: v2\nname: web\nversion: 1.0.0\n\
        === chart/low.yaml\na: low\nb: low\ne: low\n=== envs/high.yaml\na: high\n";
    let folder = repository(&format!("=== app.yaml\n{application}{files}"));
    let request = request(folder.path());
    let found = gitops::discover(&request, &Tree::around(&request));
    let helm = found[0].helm.as_ref().unwrap();
    assert_eq!((helm.release.as_deref(), helm.namespace.as_deref()), (Some("web"), Some("shop")));
    let table = joblint::chart::merged_values(helm, HelmVersion::V4).unwrap();
    let json: Vec<_> =
        table.iter().map(|(key, value)| format!("{key}={}", value.to_json())).collect();
    assert_eq!(json, ["a=\"high\"", "b=\"inline\"", "c=7", "d=\"7\"", "e=\"low\""]);
    // Values in a block of the Application point into the Application.
    assert_eq!(written(table["b"].at.as_ref().unwrap()), "app.yaml:14 inline");
    let [missing] = &found[0].not_evaluated[..] else { panic!("{:?}", found[0].not_evaluated) };
    assert!(missing.ends_with("/chart/missing.yaml` is not here"), "{missing}");
}

#[test]
fn a_source_can_use_value_files_of_another() {
    let application = APPLICATION.replace(
        "  source:
    repoURL: https://example.org/acme/shop
    path: jobs
",
        "  sources:
    - repoURL: https://example.org/acme/shop
      path: chart
      helm: {valueFiles: [$values/envs/prod.yaml, $gone/a.yaml]}
    - repoURL: https://example.org/acme/shop
      ref: values
    - repoURL: https://charts.example.org
      chart: redis
",
    );
    let files = "=== chart/Chart.yaml\napiVersion: v2\nname: web\nversion: 1.0.0\n\
        === envs/prod.yaml\na: prod\n";
    let found = deployments(&format!("=== app.yaml\n{application}{files}"));
    assert_eq!(found.len(), 2);
    let helm = found[0].helm.as_ref().unwrap();
    assert_eq!(helm.values.len(), 1);
    assert_eq!(found[0].not_evaluated, ["value file `$gone/a.yaml`: no source has this `ref`"]);
    assert_eq!(
        found[1].source,
        DeploymentSource::External("chart `redis` of charts.example.org".into())
    );
}

const KUSTOMIZATION: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: jobs
  namespace: flux-system
spec:
  interval: 10m
  path: ./jobs
  prune: true
  sourceRef:
    kind: GitRepository
    name: flux-system
";

#[test]
fn a_flux_kustomization_applies_a_folder_recursively() {
    let files = format!(
        "=== clusters/prod.yaml\n{KUSTOMIZATION}=== jobs/sub/migrate.yaml\n{JOB}\
         === jobs/overlay/kustomization.yaml\nresources: [listed.yaml]\n\
         === jobs/overlay/listed.yaml\n{JOB}=== jobs/overlay/unlisted.yaml\n{JOB}"
    );
    let found = deployments(&files);
    assert_eq!(
        found[0].source,
        DeploymentSource::Overlay {
            folder: "jobs".into(),
            files: ["jobs/overlay/listed.yaml".into(), "jobs/sub/migrate.yaml".into()].into()
        }
    );
    assert_eq!(found[0].deployer.to_string(), "flux:interval=10m,kind=Kustomization,prune=true");
    let report = checked(&files);
    let loops = findings(&report, "ttl-reruns");
    assert_eq!(written(&loops[0].secondary[0].0), "clusters/prod.yaml:7 interval: 10m");
    assert!(findings(&report, "duplicate-job").len() == 1, "both stand in one Kustomization");
}

/// A kustomization that lists one file of a folder below it applies no other file there, whatever an annotation says.
#[test]
fn a_file_below_a_kustomization_that_lists_others_is_not_applied() {
    let kustomization = KUSTOMIZATION.replace("./jobs", "./app");
    let manual = JOB.replace(
        "  name: migrate\n",
        "  name: manual\n  annotations: {kustomize.toolkit.fluxcd.io/force: enabled}\n",
    );
    let files = format!(
        "=== clusters/prod.yaml\n{kustomization}\
         === app/kustomization.yaml\nresources: [k8s/listed.yaml]\n\
         === app/k8s/listed.yaml\n{JOB}=== app/k8s/manual.yaml\n{manual}"
    );
    let report = checked(&files);
    let loops = findings(&report, "ttl-reruns");
    assert_eq!(loops.len(), 1, "{loops:?}");
    assert_eq!(inside(&loops[0].location.source.path), "app/k8s/listed.yaml");
    let note = "1 file below a kustomization that lists others of the folder: not checked";
    assert!(report.notes.iter().any(|one| one == note), "{:?}", report.notes);
    // A GitOps object that names the folder applies all of its files.
    let all =
        format!("{files}=== clusters/all.yaml\n{}", kustomization.replace("./app", "./app/k8s"));
    let report = checked(&all.replace("name: jobs", "name: all"));
    let loops = findings(&report, "ttl-reruns");
    let also: usize = loops.iter().map(|one| one.also.len()).sum();
    assert_eq!(loops.len() + also, 2, "{loops:?}");
}

/// One Kustomization, one TTL: one finding. What a second run breaks says more than that there is one.
#[test]
fn jobs_that_a_kustomization_puts_back_are_one_finding() {
    let other = JOB.replace("name: migrate\n", "name: seed\n");
    let files = format!(
        "=== clusters/prod.yaml\n{KUSTOMIZATION}=== jobs/migrate.yaml\n{JOB}=== jobs/seed.yaml\n{other}"
    );
    let report = checked(&files);
    let loops = findings(&report, "ttl-reruns");
    assert_eq!((loops.len(), loops[0].also.len()), (1, 1), "{loops:?}");
    let harmful =
        JOB.replace("image: \"app:1.4.2\"", "image: \"app:1.4.2\", command: [createdb, shop]");
    let report = checked(&format!(
        "=== clusters/prod.yaml\n{KUSTOMIZATION}=== jobs/migrate.yaml\n{harmful}"
    ));
    assert_eq!(findings(&report, "not-idempotent").len(), 1);
    assert!(findings(&report, "ttl-reruns").iter().all(|one| one.hidden));
}

#[test]
fn artifacts_of_a_generator_are_traced_to_folders() {
    let kustomization = KUSTOMIZATION.replace("./jobs", "./prod").replace(
        "kind: GitRepository\n    name: flux-system",
        "kind: ExternalArtifact\n    name: apps",
    );
    let generator = "\
apiVersion: source.extensions.fluxcd.io/v1beta1
kind: ArtifactGenerator
metadata: {name: flux-system, namespace: flux-system}
spec:
  artifacts:
    - name: apps
      copy:
        - {from: '@monorepo/apps/base/**', to: '@artifact/base/'}
        - {from: '@monorepo/apps/production/**', to: '@artifact/prod/'}
";
    let found = deployments(&format!(
        "=== c/apps.yaml\n{kustomization}=== c/artifacts.yaml\n{generator}\
         === apps/production/migrate.yaml\n{JOB}"
    ));
    assert_eq!(
        found[0].source,
        DeploymentSource::Overlay {
            folder: "apps/production".into(),
            files: ["apps/production/migrate.yaml".into()].into()
        }
    );
}

#[test]
fn a_helm_release_reads_its_values_from_the_tree() {
    let files = "=== release.yaml
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: shop, namespace: shop}
spec: {url: ssh://git@example.org/acme/shop}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  interval: 5m
  timeout: 2m
  targetNamespace: front
  driftDetection: {mode: enabled}
  install: {remediation: {retries: 3}, strategy: {name: RemediateOnFailure}}
  upgrade:
    force: true
    remediation: {retries: -1, strategy: uninstall, remediateLastFailure: true}
    strategy: {name: RetryOnFailure, retryInterval: 1m}
  chart:
    spec:
      chart: ./chart
      sourceRef: {kind: GitRepository, name: shop}
      valuesFiles: [chart/low.yaml]
  valuesFrom:
    - {kind: ConfigMap, name: more}
    - {kind: ConfigMap, name: more, valuesKey: tag, targetPath: image.tag}
    - {kind: Secret, name: elsewhere}
  values: {a: last}
=== more.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: more, namespace: shop}
data:
  values.yaml: |
    a: more
    b: more
  tag: \"1.2\"
=== chart/Chart.yaml
apiVersion: v2
name: web
version: 1.0.0
=== chart/low.yaml
a: low
b: low
c: low
";
    let folder = repository(files);
    let request = request(folder.path());
    let found = gitops::discover(&request, &Tree::around(&request));
    assert_eq!(found.len(), 1);
    let release = &found[0];
    assert_eq!(
        release.deployer.to_string(),
        "flux:driftDetection=enabled,force=true,installRetries=3,installStrategy=RemediateOnFailure,interval=5m,\
         kind=HelmRelease,remediateLastFailure=true,timeout=2m,upgradeRemediation=uninstall,upgradeRetries=-1,\
         upgradeStrategy=RetryOnFailure"
    );
    let helm = release.helm.as_ref().unwrap();
    assert_eq!(
        (helm.release.as_deref(), helm.namespace.as_deref()),
        (Some("front-web"), Some("front"))
    );
    let table = joblint::chart::merged_values(helm, HelmVersion::V4).unwrap();
    let json: Vec<_> =
        table.iter().map(|(key, value)| format!("{key}={}", value.to_json())).collect();
    assert_eq!(json, ["a=\"last\"", "b=\"more\"", "c=\"low\"", "image={\"tag\":\"1.2\"}"]);
    assert_eq!(written(table["b"].at.as_ref().unwrap()), "more.yaml:7 more");
    assert_eq!(release.not_evaluated, ["`valuesFrom` Secret `elsewhere`: is not here"]);
}

#[test]
fn a_fleet_bundle_has_variants() {
    let files = format!(
        "=== bundle/fleet.yaml
namespace: shop
correctDrift: {{enabled: true}}
targetCustomizations:
  - name: prod
    correctDrift: {{enabled: false}}
  - name: off
    doNotDeploy: true
=== bundle/migrate.yaml\n{JOB}=== bundle/inner/fleet.yaml\nnamespace: other\n=== bundle/inner/migrate.yaml\n{JOB}"
    );
    let found = deployments(&files);
    let bundles: Vec<_> = found
        .iter()
        .map(|one| {
            let (_, title) = one.title.split_once("bundle/").unwrap_or(("", "`bundle`"));
            format!("{title} {}", one.deployer)
        })
        .collect();
    assert_eq!(bundles.len(), 3, "{bundles:?}");
    let report = checked(&files);
    let loops = findings(&report, "ttl-reruns");
    assert_eq!(loops.len(), 1);
    assert_eq!(written(&loops[0].secondary[0].0), "bundle/fleet.yaml:2 enabled: true");
    assert_eq!(findings(&report, "ttl-out-of-sync").len(), 1, "the inner bundle corrects nothing");
}
