//! Questions that people ask about Jobs and hooks, from end to end: the whole answer of `joblint forecast` and
//! `joblint check` for the trees in `testdata/seeds`. The `expected.yaml` in each folder cites the source of every answer.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use super::support::{self, copy, joblint};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    case: String,
    /// Folders whose files are merged; later ones win.
    trees: Vec<String>,
    /// Arguments for both commands.
    #[serde(default)]
    arguments: Vec<String>,
    /// Workload → event → outcome and side effects.
    forecast: BTreeMap<String, BTreeMap<String, Answer>>,
    /// `path:line:column: severity[rule] message (with value sets) (deployers)`.
    findings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Everywhere(String),
    Each(BTreeMap<String, String>),
}

/// Workload → event → deployer → outcome.
type Outcomes = BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>;

#[test]
fn cloudzero() {
    holds("cloudzero");
}

#[test]
fn argocd() {
    holds("argocd");
}

#[test]
fn helm_hooks() {
    holds("helm-hooks");
}

#[test]
fn fleet() {
    holds("fleet");
}

fn holds(seed: &str) {
    let folder = Path::new("testdata/seeds").join(seed);
    let text = fs::read_to_string(folder.join("expected.yaml")).unwrap();
    let mut cases: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    cases.apply_merge().unwrap();
    let cases: Vec<Case> = serde_yaml::from_value(cases).unwrap();
    let wrong: Vec<_> = cases.iter().filter_map(|case| differs(&folder, case)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Describes how the answers differ from the case.
fn differs(folder: &Path, case: &Case) -> Option<String> {
    let repository = repository(folder, &case.trees);
    let (found, findings) = (forecast(&repository, case), findings(&repository, case));
    let expected = expected(case, &found);
    let mut wrong = Vec::new();
    for workload in expected.keys().chain(found.keys().filter(|key| !expected.contains_key(*key))) {
        let (own, seen) = (expected.get(workload), found.get(workload));
        if own != seen {
            wrong.push(format!("  {workload}\n    expected {own:?}\n    found    {seen:?}"));
        }
    }
    if findings != case.findings {
        wrong.push(format!("  expected {:#?}\n  found {findings:#?}", case.findings));
    }
    (!wrong.is_empty()).then(|| format!("{}\n{}", case.case, wrong.join("\n")))
}

/// The trees as a repository that GitOps objects can name.
fn repository(folder: &Path, trees: &[String]) -> TempDir {
    let repository = support::repository("https://example.org/acme/jobs", &[]);
    trees.iter().for_each(|tree| copy(&folder.join(tree), repository.path()));
    repository
}

/// Exit code and standard output.
fn run(repository: &TempDir, verb: &str, case: &Case, format: &str) -> (i32, String) {
    let mut command = joblint(repository.path(), &[verb, "-q", "--output", format]);
    let (code, stdout, stderr) = support::run(command.args(&case.arguments).env("LC_ALL", "C"));
    assert_eq!(stderr, "", "{}: {verb}", case.case);
    (code, stdout)
}

fn forecast(repository: &TempDir, case: &Case) -> Outcomes {
    let (code, text) = run(repository, "forecast", case, "json");
    assert_eq!(code, 0, "{}", case.case);
    let json: Value = serde_json::from_str(&text).unwrap();
    let mut found = Outcomes::new();
    for workload in list(&json["workloads"]) {
        let (kind, name) = (word(&workload["kind"]), &workload["name"]);
        let name = name.as_str().unwrap_or_else(|| word(&workload["generateName"]));
        let events = found.entry(format!("{kind} {name}")).or_default();
        for column in list(&workload["forecast"]) {
            for (event, cell) in column["events"].as_object().unwrap() {
                let also = cell["also"].as_array().into_iter().flatten();
                let words: Vec<_> =
                    std::iter::once(&cell["outcome"]).chain(also).map(word).collect();
                let row = events.entry(event.clone()).or_default();
                row.insert(word(&column["deployer"]).to_owned(), words.join(" "));
            }
        }
    }
    found
}

/// The expected outcomes, spelled out for every deployer of the run.
fn expected(case: &Case, found: &Outcomes) -> Outcomes {
    let rows = found.values().flat_map(BTreeMap::values);
    let mut deployers: Vec<&String> = rows.flat_map(BTreeMap::keys).collect();
    deployers.sort();
    deployers.dedup();
    let row = |answer: &Answer| match answer {
        Answer::Each(outcomes) => outcomes.clone(),
        Answer::Everywhere(outcome) => {
            deployers.iter().map(|of| (String::clone(of), outcome.clone())).collect()
        }
    };
    let events = |events: &BTreeMap<String, Answer>| {
        events.iter().map(|(event, answer)| (event.clone(), row(answer))).collect()
    };
    case.forecast.iter().map(|(workload, own)| (workload.clone(), events(own))).collect()
}

/// The findings as `concise` prints them, without labels, each with its deployers from the JSON.
fn findings(repository: &TempDir, case: &Case) -> Vec<String> {
    let (code, concise) = run(repository, "check", case, "concise");
    let (same, json) = run(repository, "check", case, "json");
    let bad = [" error[", " warning["].iter().any(|word| concise.contains(word));
    assert_eq!((code, same), (i32::from(bad), code), "{}: {concise}", case.case);
    let json: Value = serde_json::from_str(&json).unwrap();
    let found = list(&json["findings"]);
    assert_eq!(concise.lines().count(), found.len(), "{concise}");
    let row = |(concise, finding): (&str, &Value)| {
        let part = |key: &str| word(&finding[key]);
        let place = format!("{}:{}:{}", part("path"), finding["line"], finding["column"]);
        let (severity, rule, message) = (part("severity"), part("rule"), part("message"));
        let line = format!("{place}: {severity}[{rule}] {message}");
        assert!(concise.starts_with(&line), "{concise} is not {line}");
        let with = concise[line.len()..].split(": ").next().unwrap();
        let of = finding["deployers"].as_array().into_iter().flatten();
        let of: Vec<_> = of.map(word).collect();
        let line = format!("{line}{with}");
        if of.is_empty() { line } else { format!("{line} ({})", of.join(", ")) }
    };
    concise.lines().zip(found).map(row).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap()
}
