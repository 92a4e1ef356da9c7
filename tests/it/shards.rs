//! The results of all shards, merged, are the result of the whole run: in every format, with its exit code.

use std::{fs, path::Path};

use joblint::rules;
use serde_json::Value;
use tempfile::TempDir;

use super::{
    rules::cleaned,
    support::{copy, joblint, run, tree, write},
};

const FORMATS: [&str; 8] =
    ["full", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"];

/// Exit code, summary, and the output in every format.
type Printed = (i32, String, Vec<String>);

fn printed(folder: &Path, arguments: &[&str]) -> Printed {
    let outputs = FORMATS.map(|format| format!("--output={format}=out/{format}"));
    let mut command = joblint(folder, arguments);
    let (code, stdout, notes) = run(command.args(outputs));
    assert_eq!(stdout, "", "{arguments:?}");
    let summary = notes.lines().last().unwrap_or_default().to_owned();
    let read = |format| fs::read_to_string(folder.join("out").join(format)).expect(&notes);
    (code, summary, FORMATS.map(read).into())
}

/// The paths of the results of all shards, as written in a format.
fn shards(folder: &Path, of: usize, format: &str, arguments: &[&str]) -> Vec<String> {
    let one = |index: usize| {
        let path = format!("out/{index}-{of}.{format}");
        let shard = format!("--shard={index}/{of}");
        let output = format!("--output={format}={path}");
        let (code, _, notes) =
            run(joblint(folder, &["check", &shard, &output, "--exit-zero"]).args(arguments));
        assert!([0, 2].contains(&code), "shard {index} of {of}: {notes}");
        path
    };
    (1..=of).map(one).collect()
}

/// The merged results, whatever the order in which they are given.
fn merged(folder: &Path, paths: &[String]) -> Printed {
    let mut arguments = vec!["merge"];
    arguments.extend(paths.iter().rev().map(String::as_str));
    printed(folder, &arguments)
}

fn assert_same(name: &str, whole: &Printed, merged: &Printed) {
    for (format, (whole, merged)) in FORMATS.iter().zip(whole.2.iter().zip(&merged.2)) {
        let lines = whole.lines().zip(merged.lines());
        let differing = lines.enumerate().find(|(_, (whole, merged))| whole != merged);
        assert!(whole == merged, "{name}: {format} differs: {differing:#?}");
    }
    assert_eq!((whole.0, &whole.1), (merged.0, &merged.1), "{name}");
}

fn assert_shards(folder: &Path, of: &[usize], arguments: &[&str]) {
    let mut all = vec!["check"];
    all.extend(arguments);
    let whole = printed(folder, &all);
    assert!(whole.2[2].contains("\"fingerprint\""), "{}", whole.1);
    for of in of {
        let paths = shards(folder, *of, "json", arguments);
        assert_same(
            &format!("{of} shards of {}", folder.display()),
            &whole,
            &merged(folder, &paths),
        );
    }
}

/// A repository with one of everything: the project's own charts, kustomizations and manifests.
fn everything() -> TempDir {
    let repository = tree(&[(".git/config", ""), ("out/.gitignore", "*\n")]);
    for part in ["examples", "testdata/charts", "testdata/kustomizations"] {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(part), &repository.path().join(part));
    }
    for rule in rules::all() {
        for (number, example) in rule.examples().iter().enumerate() {
            let files =
                example.bad.as_ref().or(example.good.as_ref()).map(|files| cleaned(files).0);
            for (path, text) in files.unwrap_or_default() {
                let path = format!("rules/{}/{number}/{path}", rule.id);
                write(repository.path(), &[(&path, &text)]);
            }
        }
    }
    repository
}

#[test]
fn merged_shards_are_the_whole_run() {
    assert_shards(everything().path(), &[2, 5], &[]);
}

#[test]
fn merged_shards_are_the_whole_run_with_settings_and_a_baseline() {
    let repository = everything();
    let settings = "ignore:\n  - rule: missing-ttl\n    path: examples/**\n  - rule: missing-ttl\n    \
                    path: nowhere/**\n    reason: matches nothing\n  - rule: restart-policy-always\n    \
                    reason: matches nothing either\n    path: nowhere/**\n";
    write(repository.path(), &[(".joblint.yaml", settings)]);
    let (code, _, notes) = run(&mut joblint(repository.path(), &["baseline", "examples"]));
    assert_eq!(code, 0, "{notes}");
    assert_shards(repository.path(), &[3], &["--pedantic", "--fail-on=error"]);
}

#[test]
fn sarif_holds_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let repository = tree(&[("out/.gitignore", "*\n")]);
    copy(&folder, repository.path());
    let whole = printed(repository.path(), &["check"]);
    let mut paths = shards(repository.path(), 3, "sarif", &[]);
    paths[1] = shards(repository.path(), 3, "json", &[]).swap_remove(1);
    assert_same("SARIF", &whole, &merged(repository.path(), &paths));
}

/// Equal findings of different units are counted by the run, not by its shards.
#[test]
fn equal_findings_in_several_units_have_the_fingerprints_of_the_whole_run() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      \
               restartPolicy: Always\n      containers: [{name: a, image: a}]\n";
    let twice = format!("{job}---\n{job}");
    let repository =
        tree(&[("out/.gitignore", "*\n"), ("a/job.yaml", &twice), ("b/job.yaml", job)]);
    assert_shards(repository.path(), &[2], &[]);
}

#[test]
fn a_shard_reports_its_own_units() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let findings = |arguments: &[&str]| {
        let all = ["check", "examples", "--output=json"];
        let (_, text, _) = run(joblint(folder, &all).args(arguments));
        let value: Value = serde_json::from_str(&text).unwrap();
        let findings = value["findings"].as_array().unwrap().iter();
        let mut all: Vec<_> = findings.map(|one| one["fingerprint"].to_string()).collect();
        all.sort();
        all
    };
    let mut parts: Vec<_> = ["1/2", "2/2"].map(|shard| findings(&["--shard", shard])).concat();
    assert!(parts.len() > 3, "{parts:?}");
    parts.sort();
    assert_eq!(parts, findings(&[]));
}

/// What `merge` says about files that make no whole run.
#[test]
fn incomplete_runs_are_not_merged() {
    let repository =
        tree(&[("out/.gitignore", "*\n"), ("whole.json", "{}"), ("text.json", "text")]);
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), repository.path());
    let paths = shards(repository.path(), 2, "json", &[]);
    let text = fs::read_to_string(repository.path().join(&paths[0])).unwrap();
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    let mut value: Value = serde_json::from_str(&text).unwrap();
    value["shard"]["findings"][0]["at"][2] = 1_000_000.into();
    let (other, damaged) = (text.replace(&version, "\"9.9.9\""), value.to_string());
    write(repository.path(), &[("other.json", &other), ("damaged.json", &damaged)]);
    let error = |arguments: &[&str]| {
        let (code, out, notes) = run(joblint(repository.path(), &["merge"]).args(arguments));
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {notes}");
        notes.trim_end().to_owned()
    };
    let (first, second) = (paths[0].as_str(), paths[1].as_str());
    assert_eq!(error(&[first]), "error: out/1-2.json: shard 2/2 of the same run is missing");
    assert_eq!(
        error(&[first, second, first]),
        "error: out/1-2.json and out/1-2.json hold the same shard"
    );
    assert_eq!(
        error(&["whole.json"]),
        "error: whole.json: not the result of a shard: `joblint check --shard` writes it with `--output json` or `sarif`"
    );
    assert!(error(&["text.json"]).starts_with("error: text.json: expected"), "{text}");
    assert_eq!(
        error(&["other.json", second]),
        format!(
            "error: other.json: written by joblint 9.9.9, and this is joblint {}",
            env!("CARGO_PKG_VERSION")
        )
    );
    assert_eq!(
        error(&["damaged.json", second]),
        "error: damaged.json: damaged, or changed after joblint wrote it"
    );
}

#[test]
fn what_needs_all_units_refuses_a_shard() {
    let folder = tree(&[("a.yaml", "a: 1\n")]);
    let (code, _, notes) = run(&mut joblint(folder.path(), &["baseline", "--shard", "1/2"]));
    assert_eq!((code, notes.as_str()), (2, "error: a baseline holds the findings of all shards\n"));
    for flag in ["--fix", "--diff", "--list-files", "--add-ignore=why"] {
        let (code, _, notes) = run(&mut joblint(folder.path(), &["check", "--shard", "1/2", flag]));
        assert_eq!(code, 2, "{flag}");
        assert!(notes.contains("cannot be used with"), "{notes}");
    }
    let (code, _, notes) = run(&mut joblint(folder.path(), &["check", "--shard", "3/2"]));
    assert_eq!(code, 2);
    assert!(notes.contains("such as `2/5`"), "{notes}");
}
