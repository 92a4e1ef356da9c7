//! Completion of what deployers and joblint read.

use serde_json::Value;

use super::client::Client;
use crate::support::tree;

/// The words that fit at the `|` of a text.
fn words(client: &mut Client, path: &str, text: &str) -> Vec<String> {
    let at = text.find('|').unwrap();
    let line = text[..at].matches('\n').count() as u64;
    let column = at - text[..at].rfind('\n').map_or(0, |end| end + 1);
    client.open(path, &text.replacen('|', "", 1));
    let found = client.about("textDocument/completion", path, [line, column as u64]);
    let label = |item: &Value| item["label"].as_str().unwrap().to_owned();
    found.as_array().unwrap().iter().map(label).collect()
}

#[test]
fn annotations_and_their_values_are_completed() {
    let folder = tree(&[]);
    let client = &mut Client::in_folder(folder.path(), "utf-16");
    let head = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  annotations:\n    ";
    let mut at = |line: &str| words(client, "job.yaml", &format!("{head}{line}"));
    assert!(at("he|").contains(&"helm.sh/hook".to_owned()));
    let events = at("helm.sh/hook: pre-install,|");
    assert!(events.contains(&"post-upgrade".to_owned()), "{events:?}");
    assert!(at("\"helm.sh/hook-delete-policy\": |").contains(&"before-hook-creation".to_owned()));
    assert!(at("argocd.argoproj.io/hook: |").contains(&"PostSync".to_owned()));
    assert!(at("argocd.argoproj.io/sync-options: Repl|").contains(&"Replace=true".to_owned()));
    assert!(at("a: b\nspec:\n  |").is_empty());
    let options = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  syncPolicy:\n    syncOptions:\n      - Cr|";
    assert!(words(client, "app.yaml", options).contains(&"CreateNamespace=true".to_owned()));
}

#[test]
fn rules_are_completed_in_ignores() {
    let folder = tree(&[]);
    let client = &mut Client::in_folder(folder.path(), "utf-16");
    for text in ["# joblint: ignore[|", "{{- /* joblint: ignore[pod-hook, mis| */}}"] {
        assert!(words(client, "a.yaml", text).contains(&"missing-ttl".to_owned()), "{text}");
    }
    assert!(words(client, "a.yaml", "# joblint: |").is_empty());
}

#[test]
fn the_settings_file_is_completed() {
    let folder = tree(&[]);
    let client = &mut Client::in_folder(folder.path(), "utf-16");
    let mut has = |text: &str, word: &str| {
        let found = words(client, ".joblint.yaml", text);
        assert!(found.contains(&word.to_owned()), "{text}: {found:?}");
    };
    has("|", "deployer");
    has("fail-on: |", "warning");
    has("deployer:\n  - ar|", "argocd");
    has("deployer:\n  - argocd:\n      |", "selfHeal");
    has("select: [|", "missing-ttl");
    has("ignore:\n  - |", "reason");
    has("ignore:\n  - rule: |", "missing-ttl");
    has("rules:\n  missing-ttl:\n    |", "severity");
}

/// The edit replaces what is typed so far, also behind letters of several units.
#[test]
fn an_edit_replaces_the_word() {
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    let text = "metadata:\n  annotations:\n    helm.sh/hook: pre-install,post-up";
    client.open("a.yaml", text);
    let column = text.lines().last().unwrap().len() as u64;
    let found = client.about("textDocument/completion", "a.yaml", [2, column]);
    let items = found.as_array().unwrap();
    let item = items.iter().find(|item| item["label"] == "post-upgrade").unwrap();
    assert_eq!(item["textEdit"]["newText"], "post-upgrade");
    let start = &item["textEdit"]["range"]["start"];
    assert_eq!((&start["line"], &start["character"]), (&2.into(), &(column - 7).into()));
}

const RULES: &str = "apiVersion: joblint.dev/v1
kind: Rule
id: team
message: needs a team
expression: has(object.metadata.labels)
";

#[test]
fn rules_of_the_user_are_completed() {
    let folder = tree(&[(".git/HEAD", ""), ("rules/team.yaml", RULES), ("a.yaml", "")]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open("a.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n");
    client.about("textDocument/hover", "a.yaml", [0, 0]);
    let mut at = |path: &str, text: &str| words(&mut client, path, text);
    for text in [
        "# joblint: ignore[|",
        "# joblint: ignore[a, rule[te|",
        "a:\n  annotations:\n    joblint.dev/ignore: |",
    ] {
        assert_eq!(at("b.yaml", text)[0], "rule[team]", "{text}");
    }
    assert_eq!(at(".joblint.yaml", "select: [|")[0], "\"rule[team]\"");
    assert_eq!(at(".joblint.yaml", "select: [\"ru|\"]")[0], "rule[team]");
    assert_eq!(at(".joblint.yaml", "ignore:\n  - rule: |")[0], "\"rule[team]\"");
    assert_eq!(at(".joblint.yaml", "rules:\n  |")[0], "\"rule[team]\"");
}
