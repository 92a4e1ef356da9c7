//! `joblint render` prints what Helm 3 and Helm 4 print for the charts in `testdata/charts`.
//! `testdata/charts/regenerate` records what Helm prints.

use std::{fs, path::Path};

use super::support::{joblint, run};

/// The output of a run that succeeds, or the message of one that fails.
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
    let mut command = joblint(case, &["render", "chart", "--helm", version]);
    if !arguments.contains("--kube-version") {
        command.args(["--kube-version", "v1.34.0"]);
    }
    let (code, stdout, stderr) = run(command.args(arguments.lines()));
    if code == 0 {
        return Outcome::Printed(stdout);
    }
    let (_, message) = stderr.split_once("Error: ").unwrap_or(("", &stderr));
    let folder = format!("{}/", case.display());
    Outcome::Failed(message.replace(&folder, "").trim_end().to_owned())
}

#[test]
fn charts_render_as_helm_renders_them() {
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

/// `--debug` prints invalid YAML too, as `helm template --debug` of Helm 4.3.1 does for this chart.
#[test]
fn debug_prints_output_that_is_not_yaml() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/charts/yaml-error");
    let (_, stdout, stderr) = run(&mut joblint(&case, &["render", "chart", "--debug"]));
    let printed = "---\n# Source: app/templates/a.yaml\nkind: A\n  b: c\n";
    assert_eq!(stdout, printed);
    let Outcome::Failed(golden) = golden(&case, "4") else { panic!("Helm fails") };
    let (message, _) = golden.split_once("\n\nUse --debug").unwrap();
    assert_eq!(stderr, format!("Error: {message}\n"));
}

#[test]
fn origins_name_the_template_line_and_the_inputs() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/charts/minimal");
    let (_, stdout, _) = run(&mut joblint(&case, &["render", "chart", "--origin=json"]));
    let origins: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let origins = origins.as_array().unwrap();
    let value = origins.iter().find(|origin| origin["inputs"][0] == "Values.x").unwrap();
    assert_eq!(value["path"], "chart/templates/a.yaml");
    assert_eq!((&value["line"], &value["sourceLine"]), (&8.into(), &6.into()));
}
