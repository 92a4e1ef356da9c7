//! Small kustomizations that would cost a lot.

use std::{fmt::Write as _, path::Path};

use kustomize_build::{Built, Memory, Options, Reason};

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {a: 1}\n";

#[track_caller]
fn assert_limited(files: &[(&str, &str)], limit: &str) {
    let memory: Memory = files.iter().copied().collect();
    let error = Built::from_files(&memory, Path::new("."), &Options::default()).unwrap_err();
    assert_eq!(error.reason, Reason::Limit, "{error}");
    assert!(error.message.contains(limit), "{error}");
}

/// Each operation doubles the Job.
#[test]
fn copies_of_json_patches() {
    let mut kustomization =
        "resources: [job.yaml]\npatches:\n- target: {kind: Job}\n  patch: |-\n".to_owned();
    for number in 0..60 {
        writeln!(kustomization, "    - {{op: copy, from: /spec, path: /spec/x{number}}}").unwrap();
    }
    assert_limited(&[("kustomization.yaml", &kustomization), ("job.yaml", JOB)], "million steps");
}

#[test]
fn copies_of_replacements() {
    let mut kustomization = "resources: [job.yaml]\nreplacements:\n".to_owned();
    for number in 0..60 {
        writeln!(
            kustomization,
            "- source: {{kind: Job, fieldPath: spec}}\n  targets: [{{select: {{kind: Job}}, fieldPaths: [spec.x{number}], \
             options: {{create: true}}}}]"
        )
        .unwrap();
    }
    assert_limited(&[("kustomization.yaml", &kustomization), ("job.yaml", JOB)], "million steps");
}

/// Every patch looks at every Job.
#[test]
fn products_of_patches_and_resources() {
    let jobs: String = (0..3000)
        .map(|number| format!("---\n{}", JOB.replace("name: a", &format!("name: a{number}"))))
        .collect();
    let mut kustomization = "resources: [job.yaml]\npatches:\n".to_owned();
    for number in 0..3000 {
        writeln!(
            kustomization,
            "- target: {{kind: Job, name: '(a|b)*x{number}'}}\n  patch: '- {{op: remove, path: /spec}}'"
        )
        .unwrap();
    }
    let files = [("kustomization.yaml", &*kustomization), ("job.yaml", &*jobs)];
    assert_limited(&files, "million steps");
}

#[test]
fn files_that_many_generators_read() {
    let mut kustomization = "configMapGenerator:\n".to_owned();
    for number in 0..1000 {
        writeln!(kustomization, "- {{name: a{number}, files: [big]}}").unwrap();
    }
    let big = "x".repeat(900_000);
    let files = [("kustomization.yaml", &*kustomization), ("big", &*big)];
    assert_limited(&files, "million steps");
    let mut kustomization = "configMapGenerator:\n- name: a\n  files:\n".to_owned();
    for number in 0..1000 {
        writeln!(kustomization, "  - a{number}=big").unwrap();
    }
    let files = [("kustomization.yaml", &*kustomization), ("big", &*big)];
    assert_limited(&files, "the data is larger than 16 MiB");
}
