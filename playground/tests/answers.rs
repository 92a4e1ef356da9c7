//! What the playground answers, asked natively.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

fn ask(folder: &Path, input: &str) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_joblint-playground"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn examples(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

#[test]
fn findings_and_forecasts_of_a_chart() {
    let answer = ask(&examples("charts"), r#"{"deployers": ["helm4", "argocd:selfHeal=true"]}"#);
    let findings = answer["check"]["findings"].as_array().expect("findings");
    let rules: Vec<_> = findings.iter().filter_map(|finding| finding["rule"].as_str()).collect();
    assert!(rules.contains(&"template-changes-under-fixed-name"), "{rules:?}");
    let workloads = answer["forecast"]["workloads"].as_array().expect("workloads");
    let migrate = workloads.iter().find(|one| one["name"] == "shop-migrate").expect("the Job");
    let columns = migrate["forecast"].as_array().expect("columns");
    assert_eq!(columns[0]["events"]["upgrade"]["outcome"], "rejected");
    assert_eq!(columns[1]["options"]["selfHeal"], true);
}

#[test]
fn fixes_come_as_edits_of_the_files() {
    let answer = ask(&examples("manifests"), r#"{"deployers": []}"#);
    let findings = answer["check"]["findings"].as_array().expect("findings");
    let quote = findings.iter().find(|one| one["rule"] == "annotation-not-string").expect("it");
    let fix = &quote["fixes"][0];
    assert_eq!(
        (&fix["applicability"], &fix["edits"][0]["path"]),
        (&"safe".into(), &"hook.yaml".into())
    );
}

#[test]
fn every_word_of_a_table_has_a_meaning() {
    let answer = ask(&examples("charts"), r#"{"deployers": ["helm3"]}"#);
    let legend = &answer["legend"];
    let names = |list: &str| -> Vec<String> {
        let all = legend[list].as_array().expect("a list").iter();
        all.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    let (events, outcomes) = (names("events"), names("outcomes"));
    for workload in answer["forecast"]["workloads"].as_array().expect("workloads") {
        for (event, cell) in workload["forecast"][0]["events"].as_object().expect("events") {
            assert!(events.contains(event), "{event}");
            assert!(outcomes.iter().any(|name| cell["outcome"] == **name), "{cell}");
        }
    }
}

#[test]
fn a_wrong_deployer_is_an_error_in_words() {
    let answer = ask(&examples("manifests"), r#"{"deployers": ["helm9"]}"#);
    assert!(answer["error"].as_str().expect("an error").contains("helm9"), "{answer}");
}
