//! Code actions do what they say: each is applied, and the result is checked again. Hover shows the rule's page.

use serde_json::Value;

use super::{
    client::{Client, rules},
    diagnostics::ALWAYS,
};
use crate::support::tree;

fn titled<'a>(actions: &'a [Value], part: &str) -> &'a Value {
    let mut found = actions.iter().filter(|one| one["title"].as_str().unwrap().contains(part));
    found.next().unwrap_or_else(|| panic!("no `{part}` in {actions:?}"))
}

#[test]
fn a_fix_removes_its_finding() {
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open("job.yaml", ALWAYS);
    assert!(client.actions("job.yaml", 0, 0, &[]).is_empty(), "no finding here");
    let actions = client.actions("job.yaml", 8, 27, &[]);
    // The rule's page calls the fix unsafe.
    let fix = titled(&actions, "(review it)");
    assert_eq!((&fix["kind"], &fix["isPreferred"]), (&"quickfix".into(), &false.into()));
    assert_eq!(fix["diagnostics"][0]["code"], "restart-policy-always");
    client.apply("job.yaml", fix);
    assert_eq!(rules(&client.diagnostics("job.yaml")), [""; 0]);
}

#[test]
fn an_ignore_hides_its_finding() {
    let template = ALWAYS.replace("name: warm", "name: {{ .Release.Name }}");
    let folder = tree(&[
        ("chart/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
        ("chart/templates/job.yaml", &template),
    ]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    for (path, text) in [("job.yaml", ALWAYS), ("chart/templates/job.yaml", &template)] {
        client.open(path, text);
        assert_eq!(rules(&client.diagnostics(path)), ["restart-policy-always"]);
        let actions = client.actions(path, 8, 27, &["quickfix"]);
        client.apply(path, titled(&actions, "ignore it with a reason"));
        assert_eq!(rules(&client.diagnostics(path)), [""; 0], "{path}");
    }
}

#[test]
fn all_safe_fixes_are_one_action() {
    let weights = "  annotations:\n    helm.sh/hook: pre-upgrade\n    helm.sh/hook-weight: 5\n    a/b: true\n";
    let text = ALWAYS
        .replace("Always", "Never")
        .replace("spec:\n  ttl", &format!("{weights}spec:\n  ttl"));
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open("job.yaml", &text);
    let is_fixable = |found: &[Value]| rules(found).contains(&"annotation-not-string");
    assert!(is_fixable(&client.diagnostics("job.yaml")));
    let actions = client.actions("job.yaml", 0, 0, &["source.fixAll"]);
    assert_eq!(actions.len(), 1, "{actions:?}");
    assert_eq!(actions[0]["kind"], "source.fixAll.joblint");
    client.apply("job.yaml", &actions[0]);
    assert!(!is_fixable(&client.diagnostics("job.yaml")));
    assert!(client.actions("job.yaml", 0, 0, &["source.fixAll"]).is_empty());
    assert!(client.actions("job.yaml", 0, 0, &["refactor"]).is_empty());
}

#[test]
fn hover_shows_the_page_of_the_rule() {
    let folder = tree(&[]);
    let mut client = Client::in_folder(folder.path(), "utf-16");
    client.open("job.yaml", ALWAYS);
    assert!(client.hover("job.yaml", 0, 0)["result"].is_null());
    let answer = client.hover("job.yaml", 8, 27);
    let contents = &answer["result"]["contents"];
    assert_eq!(contents["kind"], "markdown");
    let page = contents["value"].as_str().unwrap();
    assert!(page.starts_with("### restart-policy-always\n"), "{page}");
    assert!(page.contains("**What to do**") && page.contains("```yaml\n"), "{page}");
}
