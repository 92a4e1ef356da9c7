//! GitOps objects in the tree: which deployer they state, with which options, and where findings then point.

use std::path::Path;

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
    unit::{Deployment, What},
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
            match &mut one.what {
                What::Manifests(files) => files.iter_mut().for_each(relative),
                What::Overlay { folder, files } => {
                    relative(folder);
                    files.iter_mut().for_each(relative);
                }
                What::Chart(folder) => relative(folder),
                What::External(_) | What::Unresolved(_) => {}
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
    let what: Vec<_> = found.into_iter().map(|one| one.what).collect();
    assert_eq!(
        what,
        [
            What::External("`platform` of example.org/acme/platform".into()),
            What::Unresolved("there is no folder `gone` here".into()),
            What::External("chart `postgres` of charts.example.org".into()),
        ]
    );
}

#[test]
fn a_source_in_a_fork_is_assumed_to_be_this_repository() {
    let fork = APPLICATION.replace("acme/shop", "somebody/shop");
    let found = deployments(&format!("=== a.yaml\n{fork}=== jobs/migrate.yaml\n{JOB}"));
    assert_eq!(found[0].what, What::Manifests(vec!["jobs/migrate.yaml".into()]));
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
    // What stands in a block of the Application points into the Application.
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
    assert_eq!(found[1].what, What::External("chart `redis` of charts.example.org".into()));
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
        found[0].what,
        What::Manifests(vec!["jobs/overlay/listed.yaml".into(), "jobs/sub/migrate.yaml".into()])
    );
    assert_eq!(found[0].deployer.to_string(), "flux:interval=10m,kind=Kustomization,prune=true");
    let report = checked(&files);
    let loops = findings(&report, "ttl-reruns");
    assert_eq!(written(&loops[0].secondary[0].0), "clusters/prod.yaml:7 interval: 10m");
    assert!(findings(&report, "duplicate-job").len() == 1, "both stand in one Kustomization");
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
    assert_eq!(found[0].what, What::Manifests(vec!["apps/production/migrate.yaml".into()]));
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
  upgrade: {force: true}
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
        "flux:driftDetection=enabled,force=true,interval=5m,kind=HelmRelease,timeout=2m"
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
    let told: Vec<_> = found
        .iter()
        .map(|one| {
            let (_, title) = one.title.split_once("bundle/").unwrap_or(("", "`bundle`"));
            format!("{title} {}", one.deployer)
        })
        .collect();
    assert_eq!(told.len(), 3, "{told:?}");
    let report = checked(&files);
    let loops = findings(&report, "ttl-reruns");
    assert_eq!(loops.len(), 1);
    assert_eq!(written(&loops[0].secondary[0].0), "bundle/fleet.yaml:2 enabled: true");
    assert_eq!(findings(&report, "ttl-out-of-sync").len(), 1, "the inner bundle corrects nothing");
}

#[test]
fn forecasts_point_at_the_deciding_option() {
    let folder = repository(&format!("=== app.yaml\n{APPLICATION}=== jobs/migrate.yaml\n{JOB}"));
    let outlook = forecast::forecast(&request(folder.path()), &Settings::default(), &Event::ALL);
    let [column] = &outlook.blocks[0].columns[..] else { panic!("Argo CD alone") };
    let cell = column.at(Event::AfterTtl).unwrap();
    let places: Vec<_> = cell.labels.iter().map(|(at, _)| written(at)).collect();
    assert_eq!(
        places,
        [
            "jobs/migrate.yaml:6 ttlSecondsAfterFinished: 60",
            "app.yaml:15 selfHeal: true",
            "app.yaml:13 automated",
        ]
    );
}

/// A GitOps object over `jobs/migrate.yaml` or the chart `jobs`, an event, and the place that decides it.
#[test]
fn every_option_that_decides_is_labelled() {
    let app = |policy: &str| {
        let (head, _) = APPLICATION.split_once("    automated:").unwrap();
        format!("=== app.yaml\n{head}{policy}=== jobs/migrate.yaml\n{JOB}")
    };
    let with = |files: String, option: &str| {
        let line = format!(
            "  name: migrate\n  annotations: {{argocd.argoproj.io/sync-options: \"{option}\"}}\n"
        );
        files.replace("  name: migrate\n", &line)
    };
    let flux = |more: &str, prune: bool| {
        let spec = KUSTOMIZATION.replace("prune: true", &format!("prune: {prune}{more}"));
        format!("=== flux.yaml\n{spec}=== jobs/migrate.yaml\n{JOB}")
    };
    let release = |more: &str| {
        let source =
            "chart: {spec: {chart: ./jobs, sourceRef: {kind: GitRepository, name: flux-system}}}";
        format!(
            "=== release.yaml\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: shop}}\n\
             spec:\n  interval: 5m\n  {source}\n{more}=== jobs/Chart.yaml\napiVersion: v2\nname: shop\n\
             version: 1.0.0\n=== jobs/templates/migrate.yaml\n{JOB}"
        )
    };
    let bundle = |more: &str| format!("=== jobs/fleet.yaml\n{more}=== jobs/migrate.yaml\n{JOB}");
    let heals = "    automated:\n      selfHeal: true\n";
    let drift = "  driftDetection:\n    mode: enabled\n";
    let forced = "correctDrift:\n  enabled: true\n  force: true\n";
    let options = |option: &str| app(&format!("    syncOptions: [\"{option}=true\"]\n"));
    let client = "  upgrade:\n    force: true\n    serverSideApply: disabled\n";
    let cases = [
        (app(heals), Event::AfterTtl, "selfHeal: true"),
        (app(heals), Event::SelfHeal, "selfHeal: true"),
        (app("    automated: {}\n"), Event::AfterTtl, "automated"),
        (app("    automated: {prune: true}\n"), Event::Removed, "prune: true"),
        (app("    automated: {prune: false}\n"), Event::Removed, "prune: false"),
        (options("Replace"), Event::Redeploy, "Replace=true"),
        (with(options("ServerSideApply"), "Force=true"), Event::Upgrade, "ServerSideApply=true"),
        (
            with(options("ApplyOutOfSyncOnly"), "Force=true,Replace=true"),
            Event::Redeploy,
            "ApplyOutOfSyncOnly=true",
        ),
        (flux("\n  force: true", true), Event::Upgrade, "force: true"),
        (flux("", true), Event::AfterTtl, "interval: 10m"),
        (flux("", true), Event::Removed, "prune: true"),
        (flux("", false), Event::Uninstall, "prune: false"),
        (release(drift), Event::AfterTtl, "mode: enabled"),
        (release(drift), Event::AfterTtl, "interval: 5m"),
        (release(drift), Event::SelfHeal, "mode: enabled"),
        (release(client), Event::Upgrade, "force: true"),
        (release(client), Event::Upgrade, "serverSideApply: disabled"),
        (bundle("correctDrift: {enabled: true}\n"), Event::AfterTtl, "enabled: true"),
        (bundle("correctDrift: {enabled: true}\n"), Event::SelfHeal, "enabled: true"),
        (bundle(forced), Event::SelfHeal, "force: true"),
        (bundle("helm: {force: true}\n"), Event::Upgrade, "force: true"),
    ];
    for (files, event, place) in cases {
        let folder = repository(&files);
        let outlook = forecast::forecast(&request(folder.path()), &Settings::default(), &[event]);
        let [column] = &outlook.blocks[0].columns[..] else { panic!("one deployer: {files}") };
        let cell = column.at(event).unwrap_or_else(|| panic!("{event:?}: {files}"));
        let text = |at: &Location| at.source.slice(at.span).trim_matches('"').to_owned();
        let places: Vec<_> = cell.labels.iter().map(|(at, _)| text(at)).collect();
        assert!(
            places.contains(&place.to_owned()),
            "{event:?}: {places:?} without {place}\n{files}"
        );
    }
}

#[test]
fn flags_win_over_gitops_objects() {
    let folder = repository(&format!("=== app.yaml\n{APPLICATION}=== jobs/migrate.yaml\n{JOB}"));
    let settings = Settings { deployers: vec!["helm3".parse().unwrap()], ..Settings::default() };
    let report = check::check(&request(folder.path()), &settings);
    assert!(findings(&report, "ttl-reruns").is_empty());
}

/// The names of the Applications of a set, with what they apply.
fn set(generators: &str, template: &str, files: &str) -> Vec<String> {
    let object = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {{name: all}}\nspec:\n{generators}\
         \x20 template:\n    metadata: {{name: '{template}'}}\n    spec:\n      source:\n        \
         repoURL: https://example.org/acme/shop\n        path: '{{{{PATH}}}}'\n"
    );
    let path = match generators.contains("goTemplate: true") {
        true => "{{.path.path}}",
        false => "{{path}}",
    };
    let files = format!("=== set.yaml\n{}{files}", object.replace("{{PATH}}", path));
    let told = |one: Deployment| {
        let what = match one.what {
            What::Manifests(files) => format!("{} files", files.len()),
            What::Chart(folder) => format!("chart {}", folder.display()),
            What::Overlay { folder, .. } => format!("overlay {}", folder.display()),
            What::External(reason) | What::Unresolved(reason) => reason,
        };
        format!("{}: {what}", one.title)
    };
    deployments(&files).into_iter().map(told).collect()
}

const FOLDERS: &str = "=== apps/a/job.yaml\na: 1\n=== apps/b_b/job.yaml\na: 1\n=== apps/b_b/two.yaml\na: 1\n\
                       === apps/c/job.yaml\na: 1\n";

/// Generators as documented in Argo CD's operator-manual/applicationset.
#[test]
fn generators_that_need_only_the_tree_are_evaluated() {
    let directories = "  generators:\n    - git:\n        repoURL: https://example.org/acme/shop\n        \
                       directories: [{path: 'apps/*'}, {path: apps/c, exclude: true}]\n";
    assert_eq!(
        set(directories, "x-{{path.basename}}", FOLDERS),
        ["Application `x-a`: 1 files", "Application `x-b_b`: 2 files"]
    );
    let go = format!("  goTemplate: true\n{directories}");
    assert_eq!(
        set(&go, "{{ .path.basenameNormalized }}-{{ index .path.segments 0 | upper }}", FOLDERS),
        ["Application `a-APPS`: 1 files", "Application `b-b-APPS`: 2 files"]
    );
    let list = "  generators:\n    - list:\n        elements: [{path: apps/a, env: dev}, {path: gone, env: prod}]\n";
    assert_eq!(
        set(list, "{{env}}", FOLDERS),
        ["Application `dev`: 1 files", "Application `prod`: there is no folder `gone` here"]
    );
}

#[test]
fn matrix_and_merge_combine_generators() {
    let matrix = "  generators:
    - matrix:
        generators:
          - git:
              repoURL: https://example.org/acme/shop
              files: [{path: 'envs/*.json'}]
          - list:
              elements: [{app: 'a', dir: '{{env}}'}, {app: 'b', dir: '{{env}}'}]
";
    let files = format!(
        "=== envs/dev.json\n{{\"env\": \"dev\"}}\n=== envs/prod.json\n{{\"env\": \"prod\"}}\n{FOLDERS}"
    );
    let names: Vec<_> = set(matrix, "{{app}}-{{env}}-{{dir}}", &files);
    assert_eq!(
        names.iter().map(|name| name.split(':').next().unwrap()).collect::<Vec<_>>(),
        [
            "Application `a-dev-dev`",
            "Application `b-dev-dev`",
            "Application `a-prod-prod`",
            "Application `b-prod-prod`"
        ]
    );
    let merge = "  generators:
    - merge:
        mergeKeys: [env]
        generators:
          - list: {elements: [{env: dev, path: apps/a, size: s}, {env: prod, path: apps/b_b, size: s}]}
          - list: {elements: [{env: prod, size: l}]}
";
    assert_eq!(
        set(merge, "{{env}}-{{size}}", FOLDERS),
        ["Application `dev-s`: 1 files", "Application `prod-l`: 2 files"]
    );
}

#[test]
fn generators_that_need_a_cluster_get_a_note() {
    let clusters = "  generators:\n    - clusters: {}\n";
    assert_eq!(
        set(clusters, "{{name}}", FOLDERS),
        ["ApplicationSet `all`: its `clusters` generator asks what is not in the tree"]
    );
}

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
    assert_eq!(findings(&report, "ttl-out-of-sync").len(), 1);
    assert_eq!(findings(&report, "fleet-compare-patch").len(), 1);
}

#[test]
fn the_json_forecast_names_the_gitops_object() {
    let gone = APPLICATION.replace("name: shop", "name: lost").replace("path: jobs", "path: gone");
    let folder = repository(&format!(
        "=== app.yaml\n{APPLICATION}=== lost.yaml\n{gone}=== jobs/migrate.yaml\n{JOB}"
    ));
    let outlook = forecast::forecast(&request(folder.path()), &Settings::default(), &[]);
    let text = report::print_forecast(&outlook, report::ForecastFormat::Json, &Default::default());
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let told = |index: usize| {
        let mut one = json["gitops"][index].clone();
        one["path"] = inside(one["path"].as_str().unwrap()).into();
        one
    };
    let options = serde_json::json!({"automated": true, "prune": true, "selfHeal": true});
    assert_eq!(
        told(0),
        serde_json::json!({
            "title": "Application shop", "path": "app.yaml", "line": 2, "deployer": "argocd",
            "options": options, "files": 1,
        })
    );
    assert_eq!(told(1)["unresolved"], "there is no folder `gone` here");
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
