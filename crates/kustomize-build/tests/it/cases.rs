//! The cases of `testdata/cases`, which `testdata/regenerate` recorded with kustomize.

use std::{fs, path::Path};

use kustomize_build::{Built, Memory, Options};

/// Cases that fail as in kustomize, but in other words: those of its YAML and JSON libraries, and Go structs in full.
const OTHER_WORDS: &[&str] = &[
    "bad-resource",
    "bad-yaml",
    "duplicate-key",
    "generator-number-as-key",
    "helm-without-flag",
    "label-key-of-another-type",
    "merge-list-of-scalars",
    "merge-wrong-kind",
    "namespace-conflict",
    "number-as-key",
];

pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) files: Vec<(String, String)>,
}

impl Case {
    pub(crate) fn build(&self) -> Result<Built, kustomize_build::Error> {
        let files: Memory = self.files.iter().map(|(path, text)| (path, text.as_str())).collect();
        Built::from_files(&files, self.folder.as_ref(), &Options::default())
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cases");
    let mut cases: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .map(|path| parse(&path))
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn parse(path: &Path) -> Case {
    let mut folder = String::from("/");
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fs::read_to_string(path).unwrap().split_inclusive('\n') {
        let header = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --\n"));
        match (header, files.last_mut()) {
            (Some(path), _) => files.push((path.to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {
                folder = line.strip_prefix("# build ").unwrap().trim_end().to_owned();
            }
        }
    }
    Case { name: path.file_stem().unwrap().to_str().unwrap().to_owned(), folder, files }
}

#[test]
fn builds_are_those_of_kustomize() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cases");
    let read =
        |name: &str, end: &str| fs::read_to_string(folder.join(format!("{name}.{end}"))).ok();
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 60);
    for case in &cases {
        let name = case.name.as_str();
        match (case.build(), read(name, "yaml"), read(name, "error")) {
            (Ok(built), Some(expected), None) if built.print() == expected => {}
            (Ok(built), Some(expected), None) => {
                let pairs = expected.lines().zip(built.print().lines());
                let first = pairs.enumerate().find(|(_, (a, b))| a != b);
                wrong.push(format!("{name}: differs at {first:?}"));
            }
            (Ok(_), None, Some(error)) => wrong.push(format!("{name}: should fail: {error}")),
            (Err(error), Some(_), None) => wrong.push(format!("{name}: fails: {error}")),
            (Err(error), None, Some(expected)) => {
                let is_same = error.message.trim_end() == expected.trim_end();
                if is_same == OTHER_WORDS.contains(&name) {
                    wrong.push(format!("{name}:\n  {error}\n  {}", expected.trim_end()));
                }
                let needs_place = !matches!(name, "no-file");
                if needs_place && error.at.is_none() {
                    wrong.push(format!("{name}: no location"));
                }
            }
            _ => wrong.push(format!("{name}: not recorded")),
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
