//! Nothing outside of the repository is read because a file in it says so.

use std::{fs, process::Command};

use super::{JOB, OUTSIDE, SECRET, World, joblint, run, write};

const CHART: &str = "apiVersion: v2\nname: one\nversion: 0.1.0\n";

/// A template that shows all values, in a Job whose name changes with them.
const TEMPLATE: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: one
  annotations: {values: {{ toJson .Values | quote }}}
spec:
  template:
    spec:
      restartPolicy: Always
      containers: [{name: a, image: 'a:{{ toJson .Values | sha256sum }}'}]
";

/// A chart with these files beside it.
fn chart(files: &[(&str, &str)]) -> World {
    let world = World::new(files);
    let own = [("chart/Chart.yaml", CHART), ("chart/templates/job.yaml", TEMPLATE)];
    write(&world.repo(), &own);
    world
}

/// An Application that deploys the chart with these lines below `helm:`.
fn application(helm: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: one}}
spec:
  source:
    repoURL: https://example.com/one
    path: chart
    helm:
{helm}"
    )
}

fn release(lines: &str) -> String {
    format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: one}}
spec:
  interval: 5m
  chart:
    spec:
      sourceRef: {{kind: GitRepository, name: flux-system}}
{lines}"
    )
}

const CHECK: [&str; 2] = ["--output", "concise"];

/// The exit code with the findings of [`TEMPLATE`] only.
const FOUND: i32 = 1;

#[test]
fn a_linked_manifest_is_not_read() {
    let world = World::new(&[("job.yaml", JOB)]);
    world.link("../outside/secret.yaml", "linked.yaml");
    let refused =
        "linked.yaml:1:1: error[unreadable] cannot read this file: leads out of the repository";
    world.says(&CHECK, 2, refused);
    world.says(&["--output", "concise", "linked.yaml"], 2, "linked.yaml: leads out of the repo");
    // The rest is checked.
    assert!(world.run(&CHECK).1.contains("job.yaml:8:22: error[restart-policy-always]"));
    let help = "help: Remove the link, or let it lead to a file of the repository";
    world.says(&["."], 2, help);
    // No deployer reads it.
    let world = World::new(&[("job.yaml", JOB)]);
    world.link("../outside/secret.yaml", ".linked.yaml");
    world.says(&CHECK, FOUND, "note: .linked.yaml: leads out of the repository");
}

#[test]
fn the_environment_is_not_read() {
    let world = World::new(&[]);
    for name in ["a.yaml", "b.yaml"] {
        world.link("/proc/self/environ", name);
    }
    let (code, stdout, _) = world.run(&CHECK);
    assert_eq!((code, stdout.matches(OUTSIDE).count()), (2, 2), "{stdout}");
}

#[test]
fn the_credentials_of_git_are_not_read() {
    let world = World::new(&[]);
    world.link(".git/config", "job.yaml");
    world.says(&CHECK, 2, "leads into the folder of Git");
}

#[test]
fn links_inside_the_repository_are_read() {
    let world = World::new(&[("real/job.txt", JOB)]);
    world.link("real/job.txt", "job.yaml");
    world.says(&CHECK, 1, "job.yaml:8:22: error[restart-policy-always]");
}

#[test]
fn a_chain_of_links_is_judged_by_its_end() {
    let world = World::new(&[]);
    world.link("two.yaml", "one.yaml");
    world.link("deep/three.yaml", "two.yaml");
    world.link("../../outside/secret.yaml", "deep/three.yaml");
    let (code, stdout, _) = world.run(&CHECK);
    assert_eq!((code, stdout.matches(OUTSIDE).count()), (2, 3), "{stdout}");
}

#[test]
fn pipes_and_devices_are_not_opened() {
    let world = World::new(&[]);
    world.pipe("pipe.yaml");
    world.says(
        &CHECK,
        2,
        "pipe.yaml:1:1: error[unreadable] cannot read this file: not a regular file",
    );
    world.says(&["--output", "concise", "pipe.yaml"], 2, "not a regular file");
    world.link("/dev/zero", "zero.yaml");
    world.says(&CHECK, 2, "zero.yaml:1:1: error[unreadable] cannot read this file: leads out");
}

#[test]
fn settings_extends_and_baseline_are_not_pipes() {
    let world = World::new(&[("job.yaml", JOB), (".joblint.yaml", "extends: pipe\n")]);
    world.pipe("pipe");
    world.says(&CHECK, 2, "not a regular file");
    fs::write(world.repo().join(".joblint.yaml"), "baseline: pipe\n").unwrap();
    world.says(&CHECK, 2, "not a regular file");
    fs::write(world.repo().join(".joblint.yaml"), "values: [{files: [pipe]}]\n").unwrap();
    world.says(&CHECK, 2, "not a regular file");
}

#[test]
fn a_file_of_a_terabyte_is_not_read() {
    let world = World::new(&[]);
    let file = fs::File::create(world.repo().join("job.yaml")).unwrap();
    file.set_len(1 << 40).unwrap();
    world.says(
        &CHECK,
        2,
        "job.yaml:1:1: error[unreadable] cannot read this file: larger than 256 MiB",
    );
}

#[test]
fn a_linked_gitignore_is_not_followed() {
    let world = World::new(&[("job.yaml", JOB), ("sub/other.yaml", JOB)]);
    fs::write(world.outside().join("ignores"), "*.yaml\n").unwrap();
    // Git does not follow it either: nothing is ignored.
    world.link("../outside/ignores", ".gitignore");
    assert_eq!(world.run(&CHECK).1.matches("restart-policy-always").count(), 2);
    assert_eq!(world.run(&["--output", "concise", "sub"]).1.matches("restart-policy").count(), 1);
    fs::remove_file(world.repo().join(".gitignore")).unwrap();
    for endless in ["/dev/zero", "/dev/stdin"] {
        world.link(endless, "sub/.gitignore");
        assert_eq!(world.run(&CHECK).1.matches("restart-policy-always").count(), 2);
        fs::remove_file(world.repo().join("sub/.gitignore")).unwrap();
    }
    world.pipe("sub/.gitignore");
    assert_eq!(world.run(&CHECK).1.matches("restart-policy-always").count(), 2);
}

#[test]
fn value_files_of_an_application_stay_inside() {
    for written in ["../../outside/secret.yaml", "../../../../../../../etc/passwd"] {
        let object = application(&format!("      valueFiles: [{written}]\n"));
        let world = chart(&[("app.yaml", &object)]);
        let refused = format!("note: app.yaml:9: `{written}` {OUTSIDE}: not read");
        world.says(&CHECK, FOUND, &refused);
        // Whoever checks the chart alone sees it too.
        world.says(&["--output", "concise", "chart"], FOUND, &refused);
    }
}

#[test]
fn value_files_elsewhere_in_the_repository_are_read() {
    let object = application("      valueFiles: [../envs/prod.yaml, /envs/all.yaml]\n");
    let files = [("app.yaml", &*object), ("envs/prod.yaml", "a: 1\n"), ("envs/all.yaml", "b: 1\n")];
    let (code, _, stderr) = chart(&files).run(&CHECK);
    assert_eq!(code, FOUND);
    assert!(!stderr.contains("not read") && !stderr.contains("not here"), "{stderr}");
}

#[test]
fn linked_value_files_of_an_application_stay_inside() {
    let object = application("      valueFiles: [prod.yaml]\n");
    let world = chart(&[("app.yaml", &object)]);
    world.link("../envs/prod.yaml", "chart/prod.yaml");
    world.link("../../outside/secret.yaml", "envs/prod.yaml");
    let (_, stdout, stderr) = world.run(&CHECK);
    assert!(
        stderr.contains(&format!("note: app.yaml:9: `prod.yaml` {OUTSIDE}: not read\n")),
        "{stderr}"
    );
    assert!(stdout.contains("chart/prod.yaml: the link leads out") || stdout.contains(OUTSIDE));
}

#[test]
fn referenced_value_files_stay_inside() {
    let object = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: one}
spec:
  sources:
    - {repoURL: https://example.com/one, ref: here}
    - repoURL: https://example.com/one
      path: chart
      helm: {valueFiles: [$here/../outside/secret.yaml]}
";
    let refused = format!("note: app.yaml:9: `$here/../outside/secret.yaml` {OUTSIDE}: not read");
    chart(&[("app.yaml", object)]).says(&CHECK, FOUND, &refused);
}

#[test]
fn file_parameters_stay_inside() {
    let object = application(
        "      fileParameters:
        - {name: secret, path: ../../outside/secret.yaml}
        - {name: token, path: ../.git/config}
",
    );
    let world = chart(&[("app.yaml", &object)]);
    world.says(&CHECK, FOUND, "note: app.yaml:10: `../../outside/secret.yaml` leads out of the");
    world.says(&CHECK, FOUND, "note: app.yaml:11: `../.git/config` leads into the folder of Git");
}

#[test]
fn file_parameters_do_not_smuggle_a_second_flag() {
    let world = chart(&[]);
    let secret = world.outside().join("secret.yaml");
    let secret = secret.display();
    // A comma starts another setting of `--set-file`.
    let object = application(&format!(
        "      fileParameters:
        - {{name: a, path: 'none,b={secret}'}}
        - {{name: 'c={secret},d', path: values.yaml}}
        - {{name: 'e\\', path: 'x={secret}'}}
"
    ));
    write(&world.repo(), &[("app.yaml", &object), ("chart/values.yaml", "f: 1\n")]);
    let (code, stdout, stderr) = world.run(&["--output", "json"]);
    assert_eq!(code, FOUND, "{stderr}");
    assert!(!stdout.contains(SECRET));
    assert!(stderr.contains("its name is not a path of keys"), "{stderr}");
}

#[test]
fn the_path_of_an_application_stays_inside() {
    let object = application("      valueFiles: []\n").replace("path: chart", "path: ../outside");
    let world = World::new(&[("app.yaml", &object)]);
    world.says(&CHECK, 0, "could not be resolved: `../outside` leads out of the repository");
}

#[test]
fn values_files_of_a_helm_release_stay_inside() {
    let object = release("      chart: ./chart\n      valuesFiles: [../outside/secret.yaml]\n");
    let refused = format!("note: release.yaml:10: `../outside/secret.yaml` {OUTSIDE}: not read");
    chart(&[("release.yaml", &object)]).says(&CHECK, FOUND, &refused);
}

#[test]
fn the_chart_of_a_helm_release_stays_inside() {
    let object = release("      chart: ../outside\n");
    let world = World::new(&[("release.yaml", &object)]);
    write(&world.outside(), &[("Chart.yaml", CHART), ("templates/job.yaml", TEMPLATE)]);
    world.says(&CHECK, 0, "could not be resolved: `../outside` leads out of the repository");
}

#[test]
fn the_path_of_a_flux_kustomization_stays_inside() {
    let object = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: one}
spec: {path: ../outside, sourceRef: {kind: GitRepository, name: flux-system}}
";
    let world = World::new(&[("sync.yaml", object)]);
    world.says(&CHECK, 0, "could not be resolved: `../outside` leads out of the repository");
}

#[test]
fn fleet_stays_inside() {
    let world = chart(&[]);
    let values = "helm: {valuesFiles: [../../outside/secret.yaml]}\n";
    write(&world.repo(), &[("chart/fleet.yaml", values)]);
    let refused =
        format!("note: chart/fleet.yaml:1: `../../outside/secret.yaml` {OUTSIDE}: not read");
    world.says(&CHECK, FOUND, &refused);
    let world = World::new(&[("fleet.yaml", "helm: {chart: ../outside}\n")]);
    world.says(&CHECK, 0, "could not be resolved: `../outside` leads out of the repository");
    let world = World::new(&[("fleet.yaml", "kustomize: {dir: ../outside}\n")]);
    world.says(&CHECK, 0, "could not be resolved: `../outside` leads out of the repository");
}

#[test]
fn resources_of_a_kustomization_stay_inside() {
    let text = "resources:\n  - job.yaml\n  - ../outside/secret.yaml\n";
    let world = World::new(&[("kustomization.yaml", text), ("job.yaml", JOB)]);
    let refused =
        format!("note: kustomization.yaml:3: `../outside/secret.yaml` {OUTSIDE}: not read");
    world.says(&CHECK, 2, &refused);
}

#[test]
fn a_linked_kustomization_is_not_read() {
    let world = World::new(&[("job.yaml", JOB)]);
    world.link("../outside/secret.yaml", "kustomization.yaml");
    world.says(&CHECK, 2, "error: kustomization.yaml: leads out of the repository");
}

#[test]
fn a_git_generator_reads_no_links() {
    let object = "apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  generators:
    - git: {repoURL: https://example.com/one, files: [{path: config/*.yaml}]}
  template:
    metadata: {name: '{{password}}'}
    spec:
      source: {repoURL: https://example.com/one, path: '{{password}}'}
";
    let world = World::new(&[("set.yaml", object)]);
    world.link("../../outside/secret.yaml", "config/one.yaml");
    world.says(
        &CHECK,
        2,
        "config/one.yaml:1:1: error[unreadable] cannot read this file: leads out",
    );
}

#[test]
fn files_of_a_chart_stay_inside() {
    let world = chart(&[]);
    let show =
        "kind: ConfigMap\napiVersion: v1\nmetadata: {name: {{ .Files.Get \"stolen\" | quote }}}\n";
    write(&world.repo(), &[("chart/templates/show.yaml", show)]);
    for target in ["../../outside/secret.yaml", "/proc/self/environ", "../.git/config", "/dev/zero"]
    {
        world.link(target, "chart/stolen");
        world.says(
            &CHECK,
            2,
            "chart/stolen:1:1: error[unreadable] cannot read this file: stolen: the link leads",
        );
        let (code, stdout, stderr) = world.run(&["render", "chart"]);
        assert_eq!((code, &*stdout), (2, ""), "{stderr}");
        assert!(stderr.contains("stolen: the link leads"), "{stderr}");
        fs::remove_file(world.repo().join("chart/stolen")).unwrap();
    }
}

#[test]
fn folders_of_a_chart_stay_inside() {
    let world = chart(&[("library/Chart.yaml", CHART)]);
    world.link("../../library", "chart/charts/library");
    assert_eq!(world.run(&["render", "chart"]).0, 0, "a link inside the repository is followed");
    world.link("../../../outside", "chart/charts/outside");
    world.says(&CHECK, 2, "charts/outside: the link leads out of the repository");
}

#[test]
fn every_file_of_a_chart_stays_inside() {
    let names =
        ["Chart.yaml", "values.yaml", "values.schema.json", ".helmignore", "templates/a.tpl"];
    for name in names {
        let world = chart(&[]);
        let _ = fs::remove_file(world.repo().join("chart").join(name));
        let depth = "../".repeat(name.matches('/').count() + 2);
        world.link(format!("{depth}outside/secret.yaml"), &format!("chart/{name}"));
        world.says(&CHECK, 2, OUTSIDE);
        let (code, stdout, _) = world.run(&["render", "chart"]);
        assert_eq!((code, &*stdout), (2, ""), "{name}");
    }
}

#[test]
fn test_values_of_a_chart_stay_inside() {
    let world = chart(&[("chart/.helmignore", "ci/\n")]);
    world.link("../../../outside/secret.yaml", "chart/ci/a-values.yaml");
    world.says(&CHECK, FOUND, "note: chart/ci/a-values.yaml: leads out of the repository");
}

#[test]
fn a_linked_chart_stays_inside() {
    let world = World::new(&[]);
    write(&world.outside(), &[("Chart.yaml", CHART), ("templates/job.yaml", TEMPLATE)]);
    world.link("../outside", "chart");
    world.says(&["--output", "concise", "chart"], 2, "error: chart: leads out of the repository");
    world.says(&["render", "chart"], 2, OUTSIDE);
}

#[test]
fn settings_extend_no_file_outside() {
    let world =
        World::new(&[("job.yaml", JOB), (".joblint.yaml", "extends: ../outside/secret.yaml\n")]);
    world.says(&CHECK, 2, "error: `../outside/secret.yaml` leads out of the repository");
    let (_, _, stderr) = world.run(&CHECK);
    assert!(stderr.contains("--> .joblint.yaml:1:10"), "{stderr}");
    fs::write(world.repo().join(".joblint.yaml"), "extends: base.yaml\n").unwrap();
    world.link("../outside/secret.yaml", "base.yaml");
    world.says(&CHECK, 2, "error: `base.yaml` leads out of the repository");
}

#[test]
fn settings_name_no_values_outside() {
    for written in ["../outside/secret.yaml", "/etc/passwd", ".git/config"] {
        let settings = format!("values: [{{files: [{written}]}}]\n");
        let world = chart(&[(".joblint.yaml", &settings)]);
        world.says(&CHECK, 2, &format!("error: `{written}` cannot be read: leads "));
    }
}

#[test]
fn linked_settings_are_not_read() {
    let world = World::new(&[("job.yaml", JOB)]);
    for target in ["../outside/secret.yaml", "/dev/zero", "../outside/missing"] {
        world.link(target, ".joblint.yaml");
        world.says(&CHECK, 2, "error: cannot be read: leads out of the repository");
        fs::remove_file(world.repo().join(".joblint.yaml")).unwrap();
    }
}

#[test]
fn a_linked_baseline_is_not_read() {
    let world = World::new(&[("job.yaml", JOB)]);
    world.link("/proc/self/environ", ".joblint-baseline.json");
    world.says(&CHECK, 2, "error: .joblint-baseline.json: leads out of the repository");
}

#[test]
fn values_of_the_command_line_are_no_links_of_the_repository() {
    let world = chart(&[("prod.yaml", "a: 1\n")]);
    world.link("../outside/secret.yaml", "values.yaml");
    for arguments in [["-f", "values.yaml"], ["--set-file", "a=values.yaml"]] {
        let (code, _, stderr) = world.run(&[&["render", "chart"], &arguments[..]].concat());
        assert!(code == 2 && stderr.contains(OUTSIDE), "{stderr}");
        let (code, stdout, _) = world.run(&[&CHECK[..], &["chart"], &arguments].concat());
        assert!(code == 2 && stdout.contains(OUTSIDE), "{stdout}");
    }
    assert_eq!(world.run(&["render", "chart", "-f", "prod.yaml"]).0, 0);
    // The place itself may be named: the user sees what it is.
    let place = world.outside().join("other.yaml");
    fs::write(&place, "a: 1\n").unwrap();
    assert_eq!(world.run(&["render", "chart", "-f", place.to_str().unwrap()]).0, 0);
}

/// Runs git without the configuration of the machine.
fn git(world: &World, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
    command.current_dir(world.repo()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    assert!(command.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap().status.success());
}

/// A repository with a history: these files and what `more` adds are tagged `v1`.
fn history(files: &[(&str, &str)], more: impl FnOnce(&World)) -> World {
    let world = World::new(files);
    fs::remove_dir_all(world.repo().join(".git")).unwrap();
    more(&world);
    git(&world, &["init", "-q"]);
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-q", "-m", "v1"]);
    git(&world, &["tag", "v1"]);
    world
}

fn upgrade(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
    // `git` is found through `PATH`.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = joblint(&world.repo(), &["upgrade"]);
    command.args(arguments).env("PATH", path).env("CANARY", SECRET);
    let seen = run(command.envs(variables.iter().copied()));
    assert!(!format!("{}{}", seen.1, seen.2).contains(SECRET), "{seen:?}");
    seen
}

#[test]
fn a_folder_does_not_stand_for_a_revision() {
    let world = history(&[("deploy/job.yaml", JOB)], |_| ());
    let other = JOB.replace("migrate", "forged");
    write(
        &world.repo(),
        &[("v1/job.yaml", &other), ("v2/job.yaml", &other), ("a/b/job.yaml", &other)],
    );
    let (code, stdout, stderr) = upgrade(&world, &["--base", "v1", "deploy"], &[]);
    assert_eq!(code, 0, "{stderr}");
    assert!(!stdout.contains("forged"), "{stdout}");
    let said = "note: `--base v1` is the revision; the path is `--base ./v1`\n";
    assert!(stderr.contains(said), "{stderr}");
    for missing in ["v2", "a/b"] {
        let (code, stdout, stderr) = upgrade(&world, &["--base", missing, "deploy"], &[]);
        assert_eq!((code, stdout.contains("forged")), (2, false));
        let said = format!(
            "error: `--base {missing}` is not a revision of this repository; to compare with the path, write `--base \
             ./{missing}`\n"
        );
        assert!(stderr.starts_with(&said), "{stderr}");
    }
    for path in ["./v1", "v1/", "./v2", "./a/b", "../repo/v1"] {
        let (_, stdout, stderr) = upgrade(&world, &["--base", path, "deploy"], &[]);
        assert!(stdout.contains("forged"), "{path}: {stdout}{stderr}");
    }
}

#[test]
fn the_ownership_of_a_repository_is_for_git_to_judge() {
    let world = history(&[("job.yaml", JOB)], |_| ());
    // Git's own tests use this variable.
    let variables = [("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")];
    let (code, _, stderr) = upgrade(&world, &["--base", "v1", "job.yaml"], &variables);
    assert_eq!(code, 2);
    assert!(stderr.contains("dubious ownership"), "{stderr}");
}

#[test]
fn links_of_a_base_do_not_multiply() {
    // Ten links in each of eight folders lead to the next folder: a hundred million paths.
    let world = history(&[("chart/Chart.yaml", CHART), ("chart/8/a.yaml", "a: 1\n")], |world| {
        for level in 0..8 {
            for link in 0..10 {
                world.link(format!("../{}", level + 1), &format!("chart/{level}/{link}"));
            }
        }
    });
    let (code, _, stderr) = upgrade(&world, &["--base", "v1", "chart"], &[]);
    assert_eq!(code, 2);
    let said = "error: `v1` has more than 100000 files, counting those behind links again\n";
    assert!(stderr.starts_with(said), "{stderr}");
}

#[test]
fn links_of_a_base_stay_inside() {
    for target in ["../outside/secret.yaml", "/etc/passwd"] {
        let world = history(&[("deploy/job.yaml", JOB)], |world| {
            world.link(target, "deploy/linked.yaml");
        });
        let (code, _, stderr) = upgrade(&world, &["--base", "v1", "deploy"], &[]);
        let said = "error: v1:deploy/linked.yaml: the link leads out of the repository\n";
        assert!(code == 2 && (target != "/etc/passwd" || stderr.starts_with(said)), "{stderr}");
    }
}

#[test]
fn both_versions_of_an_upgrade_stay_inside() {
    let world = history(&[("old/job.yaml", JOB), ("new/job.yaml", JOB)], |_| ());
    for side in ["old", "new"] {
        world.link("../../outside/secret.yaml", &format!("{side}/linked.yaml"));
        let (code, stdout, stderr) = upgrade(&world, &["--base", "./old", "new"], &[]);
        let refused = format!("{side}/linked.yaml");
        assert_eq!(code, 2, "{stderr}");
        assert!(stdout.contains(&refused) && stdout.contains(OUTSIDE), "{stdout}");
        fs::remove_file(world.repo().join(side).join("linked.yaml")).unwrap();
    }
}

#[test]
fn a_forecast_reads_nothing_outside() {
    let object = application("      valueFiles: [../../outside/secret.yaml]\n");
    let world = chart(&[("app.yaml", &object)]);
    world.link("../outside/secret.yaml", "linked.yaml");
    let (_, _, stderr) = world.run(&["forecast"]);
    assert!(stderr.contains("note: app.yaml:9: `../../outside/secret.yaml` leads out"), "{stderr}");
}
