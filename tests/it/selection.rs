//! Which files a run reads, and what it says about them.

use std::{fs, path::Path};

use regex::Regex;

use super::support::{joblint, run, tree};

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  ttlSecondsAfterFinished: 600
  template:
    spec:
      restartPolicy: Always
      containers: [{name: migrate, image: 'app:1.4.2'}]
";
const CHART: &str = "apiVersion: v2\nname: shop\nversion: 0.1.0\n";
const SCRIPTED: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: {{ .Files.Get \
                        \"files/migrate.sh\" | quote }}\n";

/// The paths with findings, in order.
fn found(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let flags = ["-q", "--output", "concise", "--select", "restart-policy-always,unreadable"];
    let (_, stdout, _) = run(&mut joblint(folder, &[&flags, arguments].concat()));
    stdout.lines().map(|line| line.split(':').next().unwrap().to_owned()).collect()
}

#[test]
fn excluded_files_and_folders_are_not_checked() {
    let folder = tree(&[
        ("a.yaml", JOB),
        ("b.gen.yaml", JOB),
        ("deploy/vendor/c.yaml", JOB),
        ("vendor/Chart.yaml", CHART),
        ("vendor/templates/d.yaml", JOB),
    ]);
    let root = folder.path();
    assert_eq!(found(root, &[]).len(), 4);
    assert_eq!(found(root, &["--exclude", "vendor"]), ["a.yaml", "b.gen.yaml"]);
    assert_eq!(found(root, &["--exclude", "vendor/", "--exclude", "*.gen.yaml"]), ["a.yaml"]);
    let anchored = found(root, &["--exclude", "deploy/*"]);
    assert_eq!(anchored, ["a.yaml", "b.gen.yaml", "vendor/templates/d.yaml"]);
    // A settings file counts from its own folder, and holds for named files too: pre-commit names them.
    fs::write(root.join(".joblint.yaml"), "exclude: [deploy/vendor]\n").unwrap();
    let left = ["a.yaml", "b.gen.yaml", "vendor/templates/d.yaml"];
    assert_eq!(found(root, &[]), left);
    assert_eq!(found(&root.join("deploy"), &["vendor/c.yaml"]), [""; 0]);
    assert_eq!(found(root, &["--exclude", "vendor"]), ["a.yaml", "b.gen.yaml"]);
    let (code, _, stderr) = run(&mut joblint(root, &["deploy"]));
    assert_eq!(code, 0, "{stderr}");
    let (_, shown, _) = run(&mut joblint(root, &["config", "show"]));
    assert!(shown.contains("exclude:\n- deploy/vendor\n"), "{shown}");
    let (code, _, stderr) = run(&mut joblint(root, &["--exclude", "{a"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("invalid value '{a' for '--exclude <GLOB>': is not a valid glob"));
    fs::write(root.join(".joblint.yaml"), "exclude: ['[']\n").unwrap();
    let (code, _, stderr) = run(&mut joblint(root, &[]));
    assert_eq!(code, 2);
    assert!(stderr.starts_with("error: `[` is not a valid glob: "), "{stderr}");
}

#[test]
fn what_ignore_files_name_is_not_checked() {
    let folder = tree(&[
        (".gitignore", "/out/\n"),
        (".ignore", "/fixtures/\n!/out/\n"),
        ("fixtures/a.yaml", JOB),
        ("jobs/.ignore", "b.yaml\n"),
        ("jobs/b.yaml", JOB),
        ("jobs/c.yaml", JOB),
        ("out/d.yaml", JOB),
    ]);
    assert_eq!(found(folder.path(), &[]), ["jobs/c.yaml", "out/d.yaml"]);
    assert_eq!(found(&folder.path().join("jobs"), &[]), ["c.yaml"]);
    assert_eq!(found(folder.path(), &["fixtures/a.yaml"]), ["fixtures/a.yaml"], "a name wins");
}

#[test]
fn the_files_to_check_are_listed() {
    let folder = tree(&[
        ("README.md", "# x\n"),
        ("job.yaml", JOB),
        ("overlay/kustomization.yaml", "resources: [cron.yaml]\n"),
        ("overlay/cron.yaml", JOB),
        ("overlay/unlisted.yaml", JOB),
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "a: 1\n"),
        ("shop/files/migrate.sh", "true\n"),
        ("shop/templates/_helpers.tpl", ""),
        ("shop/templates/config.yaml", SCRIPTED),
        ("skipped/job.yaml", JOB),
    ]);
    let arguments = ["--list-files", "--exclude", "skipped"];
    let (code, stdout, stderr) = run(&mut joblint(folder.path(), &arguments));
    assert_eq!((code, &*stderr), (0, ""));
    let expected = [
        "job.yaml",
        "overlay/cron.yaml",
        "overlay/kustomization.yaml",
        "shop/Chart.yaml",
        "shop/files/migrate.sh",
        "shop/templates/_helpers.tpl",
        "shop/templates/config.yaml",
        "shop/values.yaml",
    ];
    assert_eq!(stdout.lines().collect::<Vec<_>>(), expected);
    assert_eq!(run(&mut joblint(folder.path(), &["--list-files", "nowhere"])).0, 2);
}

#[test]
fn a_verbose_run_says_what_it_read_and_why() {
    let guarded = format!("{{{{ if .Values.on }}}}\n{JOB}{{{{ end }}}}\n");
    let folder = tree(&[
        (".joblint.yaml", "exclude: [skipped]\n"),
        ("jobs/job.yaml", JOB),
        ("jobs/other.yaml", JOB),
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "on: false\n"),
        ("shop/templates/job.yaml", &guarded),
        ("skipped/job.yaml", JOB),
    ]);
    let (_, _, stderr) = run(&mut joblint(folder.path(), &["-v", "--output", "concise"]));
    let lines: Vec<_> = stderr.lines().collect();
    let expected = [
        "settings: .joblint.yaml",
        "skipped: excluded",
        "chart shop: 3 files, 1 object, 1 workload; values: values.yaml, on=true (to enable Jobs); deployer: helm3, helm4 \
         (assumed)",
        "manifests in .: 1 file, 0 objects, 0 workloads",
        "manifests in jobs: 2 files, 2 objects, 2 workloads; deployer: kubectl (assumed)",
    ];
    assert_eq!(lines[..5], expected, "{stderr}");
    let (_, _, stderr) = run(&mut joblint(folder.path(), &["-v", "jobs/job.yaml"]));
    assert!(stderr.contains("\njobs/job.yaml (named): 1 file, "), "{stderr}");
    assert_eq!(run(&mut joblint(folder.path(), &["-v", "-q"])).0, 2);
}

#[test]
fn the_hooks_match_what_charts_mount() {
    let paths = [".pre-commit-hooks.yaml", "packages/pre-commit/.pre-commit-hooks.yaml"];
    let hooks = paths.map(|path| {
        let text = fs::read_to_string(path).unwrap();
        serde_yaml::from_str::<Vec<serde_json::Value>>(&text).unwrap()
    });
    for hook in hooks.concat() {
        let files = Regex::new(hook["files"].as_str().unwrap()).unwrap();
        let matched = [
            "shop/templates/job.yaml",
            "shop/templates/_helpers.tpl",
            "shop/values.yml",
            "shop/Chart.lock",
            "shop/.helmignore",
            "shop/files/migrate.sh",
            "shop/files/schema.sql",
            "shop/scripts/backup.py",
            "shop/config/app.properties",
        ];
        for path in matched {
            assert!(files.is_match(path), "{path}");
        }
        for path in ["README.md", "src/main.rs", "Cargo.lock", "x.yaml.bak", "logo.png"] {
            assert!(!files.is_match(path), "{path}");
        }
    }
}

#[test]
fn a_mounted_file_selects_its_chart_and_other_scripts_are_left_alone() {
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/templates/config.yaml", SCRIPTED),
        ("shop/templates/job.yaml", JOB),
        ("shop/files/migrate.sh", "set -e\necho: [\n"),
        ("shop/files/data.json", "{}"),
        ("plain/Chart.yaml", CHART),
        ("plain/templates/job.yaml", JOB),
        ("plain/examples/job.yaml", JOB),
        ("tools/build.sh", "set -e\necho: [\n"),
    ]);
    let root = folder.path();
    assert_eq!(found(root, &["shop/files/migrate.sh"]), ["shop/templates/job.yaml"]);
    assert_eq!(found(root, &["shop/files/data.json"]), ["shop/templates/job.yaml"]);
    assert_eq!(found(&root.join("shop/files"), &["migrate.sh"]), ["../templates/job.yaml"]);
    // Nothing in this chart reads other files, so its examples stand alone.
    assert_eq!(found(root, &["plain/examples/job.yaml"]), ["plain/examples/job.yaml"]);
    let (code, stdout, stderr) = run(&mut joblint(root, &["tools/build.sh"]));
    assert_eq!((code, &*stdout), (0, ""), "{stderr}");
    assert!(stderr.starts_with("note: 1 file without manifests, in no chart: not checked\n"));
}

/// The folder is read document by document, and the script is in another document than the Job.
#[test]
fn a_script_in_a_config_map_of_the_same_file_is_followed_in_a_folder_too() {
    let script = "until curl -s http://kibana:5601; do sleep 1; done";
    let map = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: scripts}}\ndata:\n  wait.sh: |\n    {script}\n"
    );
    let job = JOB.replace(
        "containers: [{name: migrate, image: 'app:1.4.2'}]",
        "containers:
        - name: wait
          image: 'curl:8.9.1'
          command: [/bin/sh, /scripts/wait.sh]
          volumeMounts: [{name: scripts, mountPath: /scripts}]
      volumes: [{name: scripts, configMap: {name: scripts}}]",
    );
    let folder = tree(&[("all.yaml", &format!("{map}---\n{job}"))]);
    for path in [".", "all.yaml"] {
        let arguments = ["-q", "--output", "concise", "--select", "unbounded-wait", path];
        let (_, stdout, _) = run(&mut joblint(folder.path(), &arguments));
        assert!(
            stdout.contains("[unbounded-wait] Job `migrate` may wait forever"),
            "{path}: {stdout}"
        );
    }
}
