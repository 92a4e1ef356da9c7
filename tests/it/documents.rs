//! The Markdown documents of this repository: every link and every path that they mention exists.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use ignore::WalkBuilder;
use regex::Regex;

/// Folders whose documents are input or expected output of tests.
const EXAMPLES: [&str; 2] = ["./testdata/charts", "./testdata/report/expected"];

/// Every document that is written for readers.
fn documents() -> Vec<PathBuf> {
    let files =
        WalkBuilder::new(".").require_git(false).build().map(|entry| entry.unwrap().into_path());
    let mut documents: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .filter(|path| !EXAMPLES.iter().any(|folder| path.starts_with(folder)))
        .collect();
    documents.sort();
    documents
}

/// The text of a document outside its fenced code.
fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The anchors of a document: those that GitHub derives from headings, and those written as `<a id="…">`.
fn anchors(path: &Path) -> BTreeSet<String> {
    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let anchor = |heading: &str| -> String {
        heading.to_lowercase().chars().filter(is_kept).collect::<String>().replace(' ', "-")
    };
    let text = prose(path);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let written = Regex::new("<a id=\"([^\"]*)\">").unwrap();
    let written = written.captures_iter(&text).map(|found| found[1].to_owned());
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).chain(written).collect()
}

/// True when a link leads to a file or folder, and its anchor to a heading there.
fn leads_somewhere(document: &Path, link: &str) -> bool {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, a)| (path, Some(a)));
    let folder = document.parent().unwrap();
    let target = if path.is_empty() { document.to_owned() } else { folder.join(path) };
    target.exists() && anchor.is_none_or(|anchor| anchors(&target).contains(anchor))
}

/// The part of a path before its first placeholder: `*`, or a name in angle brackets.
fn before_placeholders(path: &str) -> PathBuf {
    path.split('/').take_while(|name| !name.contains(['*', '<', '…'])).collect()
}

#[test]
fn links_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut broken = Vec::new();
    for document in documents() {
        for found in link.captures_iter(&prose(&document)) {
            let is_external = found[1].contains("://");
            if !is_external && !leads_somewhere(&document, &found[1]) {
                broken.push(format!("{}: {}", document.display(), &found[1]));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn paths_of_this_repository_exist() {
    // What is built is there only after it was built: `target`, `dist`.
    let ignored = fs::read_to_string(".gitignore").unwrap();
    let is_built = |name: &str| ignored.lines().any(|line| line.trim_matches('/') == name);
    let entries = fs::read_dir(".").unwrap().map(|entry| entry.unwrap());
    let folders: BTreeSet<_> = entries
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| !is_built(name))
        .collect();
    let quoted = Regex::new(r"`([^`\s]+)`").unwrap();
    let (mut count, mut missing) = (0, Vec::new());
    for document in documents() {
        for found in quoted.captures_iter(&prose(&document)) {
            let Some((first, _)) = found[1].split_once('/') else { continue };
            if !folders.contains(first) {
                continue;
            }
            count += 1;
            let path = before_placeholders(&found[1]);
            if !path.exists() && !document.parent().unwrap().join(&path).exists() {
                missing.push(format!("{}: {}", document.display(), &found[1]));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(count > 50, "only {count} paths were found");
}
