//! Renders the charts of `testdata/charts` as Helm 3 and as Helm 4 and compares with what real Helm
//! printed (`testdata/charts/regenerate`).

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::Command;

/// What a case must give: exit status 0 and this output, or a failure with this message.
#[derive(Debug, PartialEq)]
enum Outcome {
    Printed(String),
    Failed(String),
}

fn golden(case: &Path, version: &str) -> Outcome {
    let text = fs::read_to_string(case.join(format!("helm{version}.golden"))).unwrap();
    let (status, text) = text.split_once('\n').unwrap();
    match status {
        "exit 0" => Outcome::Printed(text.to_owned()),
        _ => Outcome::Failed(text.trim_end().to_owned()),
    }
}

fn rendered(case: &Path, version: &str) -> Outcome {
    let arguments = fs::read_to_string(case.join("args")).unwrap_or_default();
    let mut command = Command::new(env!("CARGO_BIN_EXE_joblint"));
    command.current_dir(case).args(["render", "chart", "--helm", version]);
    if !arguments.contains("--kube-version") {
        command.args(["--kube-version", "v1.34.0"]);
    }
    let output = command.args(arguments.lines()).output().unwrap();
    if output.status.success() {
        return Outcome::Printed(String::from_utf8(output.stdout).unwrap());
    }
    let text = String::from_utf8(output.stderr).unwrap();
    let (_, message) = text.split_once("Error: ").unwrap_or(("", &text));
    let folder = format!("{}/", case.display());
    Outcome::Failed(message.replace(&folder, "").trim_end().to_owned())
}

#[test]
fn charts_render_as_with_helm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/charts");
    let mut cases: Vec<_> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    assert!(cases.len() >= 60);
    let mut problems = Vec::new();
    for case in &cases {
        for version in ["3", "4"] {
            let (expected, found) = (golden(case, version), rendered(case, version));
            if expected != found {
                let name = case.file_name().unwrap().display().to_string();
                problems.push(format!("{name}, Helm {version}\n{expected:#?}\n{found:#?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// `--debug` prints what is no valid YAML, as `helm template --debug` of Helm 4.3.1 does for this chart.
#[test]
fn what_does_not_parse_can_be_printed() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/charts/yaml-error");
    let mut command = Command::new(env!("CARGO_BIN_EXE_joblint"));
    let output = command.current_dir(&case).args(["render", "chart", "--debug"]).output().unwrap();
    let printed = "---\n# Source: app/templates/a.yaml\nkind: A\n  b: c\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), printed);
    let Outcome::Failed(golden) = golden(&case, "4") else { panic!("Helm fails") };
    let (message, _) = golden.split_once("\n\nUse --debug").unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("Error: {message}\n"));
}

/// The lines of a render lead back to template and values.
#[test]
fn origins_name_places_and_inputs() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/charts/minimal");
    let output = Command::new(env!("CARGO_BIN_EXE_joblint"))
        .current_dir(case)
        .args(["render", "chart", "--origin=json"])
        .output()
        .unwrap();
    let origins: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let origins = origins.as_array().unwrap();
    let value = origins.iter().find(|origin| origin["inputs"][0] == "Values.x").unwrap();
    assert_eq!(value["path"], "chart/templates/a.yaml");
    assert_eq!((&value["line"], &value["sourceLine"]), (&8.into(), &6.into()));
}
