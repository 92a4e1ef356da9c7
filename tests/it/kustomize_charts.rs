//! `joblint render --enable-helm` prints what `kustomize build --enable-helm` prints for the folders in
//! `testdata/kustomizations`. `testdata/kustomizations/regenerate` records what kustomize prints.

use std::{fs, path::Path};

use crate::support::{joblint, run, tree};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/kustomizations"))
}

#[test]
fn charts_are_inflated_as_kustomize_inflates_them() {
    let mut folders: Vec<_> =
        fs::read_dir(root()).unwrap().map(|one| one.unwrap().path()).collect();
    folders.retain(|folder| folder.join("kustomization.yaml").exists());
    assert!(folders.len() >= 8);
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let (code, stdout, stderr) = run(&mut joblint(root(), &["render", "--enable-helm", name]));
        match fs::read_to_string(folder.join("golden.yaml")) {
            Ok(expected) => assert_eq!((stdout, &*stderr, code), (expected, "", 0), "{name}"),
            Err(_) => {
                let expected = fs::read_to_string(folder.join("error.golden")).unwrap();
                // kustomize shows the whole configuration of the generator.
                let start = expected.split(" with config").next().unwrap().trim_end();
                assert!(stderr.starts_with(start), "{name}: {stderr}");
            }
        }
    }
}

#[test]
fn no_error_prints_a_secret_of_the_values() {
    let kustomization =
        "helmCharts: [{name: app, releaseName: web, valuesInline: {db: {password: CANARYa1}}}]\n";
    let template =
        "kind: Job\n{{ fail (printf \"%s and %s\" .Values.db.password .Values.apiToken) }}\n";
    let folder = tree(&[
        ("kustomization.yaml", kustomization),
        ("charts/app/Chart.yaml", "{apiVersion: v2, name: app, version: 1.0.0}\n"),
        ("charts/app/values.yaml", "apiToken: CANARYa2\n"),
        ("charts/app/templates/job.yaml", template),
    ]);
    for arguments in [&["render", "--enable-helm", "."][..], &["check", "--output", "json", "."]] {
        let (code, stdout, stderr) = run(&mut joblint(folder.path(), arguments));
        assert_eq!(code, 2);
        assert!(format!("{stdout}{stderr}").contains("*** and ***"), "{stdout}{stderr}");
        assert!(!format!("{stdout}{stderr}").contains("CANARY"), "{stdout}{stderr}");
    }
}

/// The words of kustomize without the flag, as `kustomize build` 5.8.1 prints them but for the configuration.
#[test]
fn charts_need_the_flag() {
    let (code, stdout, stderr) = run(&mut joblint(root(), &["render", "own"]));
    assert_eq!((code, &*stdout), (2, ""));
    assert!(stderr.contains("must specify --enable-helm"), "{stderr}");
}

/// The template, the inline value and the patch that make a value, by their lines.
#[test]
fn values_of_charts_know_their_texts() {
    let arguments = ["render", "--enable-helm", "--origin", "own"];
    let (_, stdout, _) = run(&mut joblint(root(), &arguments));
    let line = |text: &str| stdout.lines().find(|line| line.contains(text)).unwrap().to_owned();
    let image = line("image: shop/migrate:1.1");
    for place in [
        "own/charts/shop/templates/job.yaml:13",
        "own/charts/shop/values.yaml:2",
        "own/kustomization.yaml:9",
    ] {
        assert!(image.contains(place), "{place} is not in {image}");
    }
    assert!(line("suspend: true").contains("own/kustomization.yaml:15"));
}

/// kustomize 5.8.1: `security; file '…/shared.yaml' is not in or below '…/app'`, and what it prints with the flag.
#[test]
fn the_load_restrictor_is_that_of_kustomize() {
    let folder = tree(&[
        (".git/HEAD", ""),
        ("app/kustomization.yaml", "resources: [../shared.yaml]\n"),
        ("shared.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n"),
    ]);
    let (code, _, stderr) = run(&mut joblint(folder.path(), &["render", "app"]));
    assert!(code == 2 && stderr.contains("is not in or below"), "{stderr}");
    let arguments = ["render", "--load-restrictor", "LoadRestrictionsNone", "app"];
    let (_, stdout, _) = run(&mut joblint(folder.path(), &arguments));
    assert_eq!(stdout, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shared\n");
}

/// A folder that is both: Helm renders the chart, kustomize 5.8.1 builds the kustomization.
#[test]
fn a_kustomization_file_is_built_in_the_folder_of_a_chart() {
    let object =
        |name: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n");
    let folder = tree(&[
        (".git/HEAD", ""),
        ("app/Chart.yaml", "{apiVersion: v2, name: app, version: 1.0.0}\n"),
        ("app/templates/one.yaml", &object("of-chart")),
        ("app/kustomization.yaml", "resources: [two.yaml]\n"),
        ("app/two.yaml", &object("of-kustomization")),
    ]);
    let print = |path: &str| run(&mut joblint(folder.path(), &["render", path])).1;
    assert!(print("app").contains("of-chart"));
    assert_eq!(print("app/kustomization.yaml"), object("of-kustomization"));
}

/// kustomize calls whichever Helm is installed, and Helm 3 loads a chart of any `apiVersion`.
#[test]
fn a_chart_that_only_helm_4_refuses_is_inflated() {
    let folder = tree(&[
        ("kustomization.yaml", "helmCharts: [{name: app, releaseName: web}]\n"),
        ("charts/app/Chart.yaml", "{apiVersion: v4, name: app, version: 1.0.0}\n"),
        ("charts/app/values.yaml", ""),
        ("charts/app/templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"),
    ]);
    let (code, stdout, stderr) =
        run(&mut joblint(folder.path(), &["render", "--enable-helm", "."]));
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.contains("kind: ConfigMap"), "{stdout}");
}

/// `kustomize build --enable-helm` 5.8.1: "no repo specified for pull, no chart found at ''". Something else brings the chart
/// before the build, and the Jobs beside it are checked.
#[test]
fn a_chart_without_repo_that_is_not_here_hides_no_job() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: a, image: a:1}]}}}\n";
    let kustomization = "resources: [job.yaml]\nhelmCharts: [{name: step, releaseName: ca}]\n";
    let folder = tree(&[("app/kustomization.yaml", kustomization), ("app/job.yaml", job)]);
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &["check", "."]));
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stdout.contains("restart-policy-always") && !stdout.contains("unrenderable"),
        "{stdout}"
    );
    let (_, stdout, _) = run(&mut joblint(folder.path(), &["check", "--pedantic", "."]));
    assert!(stdout.contains("`app` is built without a remote resource"), "{stdout}");
}
