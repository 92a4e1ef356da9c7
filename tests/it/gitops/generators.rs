//! Generators of ApplicationSets.

use super::*;

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
    let summary = |one: Deployment| {
        let source = match one.source {
            DeploymentSource::Manifests(files) => format!("{} files", files.len()),
            DeploymentSource::Chart(folder) => format!("chart {}", folder.display()),
            DeploymentSource::Overlay { folder, .. } => format!("overlay {}", folder.display()),
            DeploymentSource::External(reason) | DeploymentSource::Unresolved(reason) => reason,
        };
        format!("{}: {source}", one.title)
    };
    deployments(&files).into_iter().map(summary).collect()
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
        [
            "ApplicationSet `all`: its `clusters` generator needs values that are not in this repository"
        ]
    );
}

#[test]
fn only_the_parameters_of_an_unknown_generator_are_unknown() {
    let matrix = "  generators:
    - matrix:
        generators:
          - clusters: {}
          - git: {repoURL: 'https://example.org/acme/shop', directories: [{path: apps/*}]}
";
    for (go, name) in [("", "{{name}}-{{path.basename}}"), ("  goTemplate: true\n", "{{.name}}")] {
        assert_eq!(
            set(&format!("{go}{matrix}"), name, FOLDERS),
            [
                "ApplicationSet `all`: 1 files",
                "ApplicationSet `all`: 2 files",
                "ApplicationSet `all`: 1 files"
            ]
        );
    }
}

#[test]
fn a_selector_of_labels_selects_sets() {
    let list = "  generators:
    - list: {elements: [{env: dev, path: apps/a}, {env: prod, path: apps/b_b}]}
      selector: {matchLabels: {env: prod}}
";
    assert_eq!(set(list, "{{env}}", FOLDERS), ["Application `prod`: 2 files"]);
}
