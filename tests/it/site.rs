//! The sources of the site. `cargo xtask site` checks the links of the built one, `docs/tests` opens it in a browser.

use std::fs;

use joblint::rules::{self, SITE};
use regex::Regex;

#[test]
fn the_host_of_the_site_is_the_one_that_findings_link_to() {
    let book = fs::read_to_string("docs/book.toml").unwrap();
    let host = SITE.strip_prefix("https://").unwrap();
    assert!(book.contains(&format!("\ncname = \"{host}\"\n")), "{SITE}\n{book}");
    for rule in rules::all() {
        assert_eq!(rule.url(), format!("{SITE}/rules/{}", rule.id));
    }
}

/// A document that the summary does not list is on no page.
#[test]
fn every_document_is_a_page() {
    let summary = fs::read_to_string("docs/SUMMARY.md").unwrap();
    let link = Regex::new(r"\]\(([^)]+)\)").unwrap();
    let listed: Vec<_> = link.captures_iter(&summary).map(|found| found[1].to_owned()).collect();
    let in_folder = |folder: &str, prefix: &str| {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let names = files.map(|name| format!("{prefix}{}", name.into_string().unwrap()));
        names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md").collect::<Vec<_>>()
    };
    let all = [in_folder("docs", ""), in_folder("docs/facts", "facts/"), in_folder(".", "../")];
    let missing: Vec<_> = all.concat().into_iter().filter(|name| !listed.contains(name)).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
    let twice: Vec<_> = listed.iter().filter(|name| count(&listed, name) > 1).collect();
    assert!(twice.is_empty(), "docs/SUMMARY.md lists {twice:?} more than once");
}

fn count(all: &[String], name: &str) -> usize {
    all.iter().filter(|other| *other == name).count()
}

/// The generated parts that a document asks for, each where the generator puts it.
#[test]
fn the_markers_of_generated_parts_are_there() {
    for (path, part) in [
        ("rules/README.md", "rules"),
        ("docs/settings.md", "settings"),
        ("docs/matrix.md", "matrix"),
        ("docs/playground.md", "playground"),
    ] {
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text.matches(&format!("<!-- site: {part} -->")).count(), 1, "{path}");
    }
}
