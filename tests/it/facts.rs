//! `docs/facts` and the citations of its sections: every citation resolves, every fact is cited.

use std::{collections::BTreeSet, fs, path::PathBuf, sync::LazyLock};

use regex::Regex;
use walkdir::{DirEntry, WalkDir};

/// Files and folders that cite facts.
const CITING: [&str; 8] =
    ["crates", "docs", "rules", "src", "testdata", "tests", "xtask/src", "README.md"];

/// Files that show citations only as examples of the form.
const EXAMPLES: [&str; 2] = ["src/facts.rs", "tests/it/facts.rs"];

/// `helm A.11`, `kubernetes-jobs 1.4`, `observed k01`; not the flag `--helm 3`. Versions of kubectl look
/// like sections.
static CITATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|[^\w-])(?:",
        r"(helm|argocd|flux|fleet|kubectl|kubernetes-jobs) ([A-F](?:\.\d+)?|\d+(?:\.\d+)?)\b|",
        r"(observed) ([a-z0-9]*[0-9-][a-z0-9-]*)\b)",
    ))
    .unwrap()
});

/// Citations that [`CITATION`] misses, in whole or in part: `helm A.5, A.6`, `helm A.2 (4)`, `helm.md 3`, `§2.3`.
static MALFORMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:helm|argocd|flux|fleet|kubectl|kubernetes-jobs) [A-F\d][.\d]*",
        r"(?:(?:,|;| and| to) [A-F\d]\.?\d*\b| \([\d.]+\))|",
        r"\b(?:helm|argocd|flux|fleet|kubectl|kubernetes-jobs)\.md [A-F\d]|",
        r"\bobserved [a-z0-9]*[0-9-][a-z0-9-]*(?:,|;| and| to) ",
        r"(?:[a-z]{1,2}-[a-z]+|[a-z]{0,2}\d)[\w-]*(?:[,;.)]|$)|OBSERVED|§",
    ))
    .unwrap()
});

/// The citations of a text: page and anchor.
fn citations(text: &str) -> impl Iterator<Item = (String, String)> {
    CITATION.captures_iter(text).map(|found| {
        let part = |index: usize| found.get(index).or(found.get(index + 2)).unwrap().as_str();
        (part(1).to_owned(), part(2).to_lowercase())
    })
}

/// The lines of all citing files, each with its place.
fn citing_lines() -> Vec<(String, String)> {
    let is_own = |entry: &DirEntry| entry.file_name() != "node_modules";
    let files =
        CITING.into_iter().flat_map(|path| WalkDir::new(path).into_iter().filter_entry(is_own));
    let files = files.map(Result::unwrap);
    let cites = |path: &PathBuf| {
        !path.starts_with("docs/facts") && !EXAMPLES.iter().any(|example| path.ends_with(example))
    };
    let mut lines = Vec::new();
    for path in files.map(|file| file.into_path()).filter(cites) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (index, line) in text.lines().enumerate() {
            lines.push((format!("{}:{}", path.display(), index + 1), line.to_owned()));
        }
    }
    lines
}

/// The anchors of all pages: page and anchor.
fn anchors() -> BTreeSet<(String, String)> {
    let anchor = Regex::new("<a id=\"([^\"]*)\">").unwrap();
    let of_page = |page: PathBuf| {
        let stem = page.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&page).unwrap();
        let ids = anchor.captures_iter(&text).map(|found| found[1].to_owned());
        ids.map(|id| (stem.clone(), id)).collect::<Vec<_>>()
    };
    pages().flat_map(of_page).collect()
}

fn pages() -> impl Iterator<Item = PathBuf> {
    fs::read_dir("docs/facts").unwrap().map(|entry| entry.unwrap().path())
}

#[test]
fn every_citation_is_a_fact_and_every_fact_is_cited() {
    let anchors = anchors();
    let (mut cited, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for (place, line) in citing_lines() {
        for (page, id) in citations(&line) {
            if page == "kubectl" && id.starts_with("1.") {
                continue;
            }
            if !anchors.contains(&(page.clone(), id.clone())) {
                unknown.insert(format!("{place}: {page} {id}"));
            }
            cited.insert((page, id));
        }
    }
    assert!(unknown.is_empty(), "no such fact:\n{}", Vec::from_iter(unknown).join("\n"));
    let links = Regex::new(r"\((?:([\w-]+)\.md)?#([^)]*)\)").unwrap();
    for page in pages() {
        let stem = page.file_stem().unwrap().to_str().unwrap();
        for link in links.captures_iter(&fs::read_to_string(&page).unwrap()) {
            let target = link.get(1).map_or(stem, |page| page.as_str());
            let is_other_page = target != stem;
            let target = (target.to_owned(), link[2].to_owned());
            assert!(anchors.contains(&target), "{}: {target:?}", page.display());
            if is_other_page {
                cited.insert(target);
            }
        }
    }
    let unused: Vec<_> = anchors.difference(&cited).collect();
    assert!(unused.is_empty(), "nothing cites {unused:?}");
}

#[test]
fn citations_are_page_and_section() {
    let malformed = |(place, line): (String, String)| {
        MALFORMED.find(&line).map(|found| format!("{place}: {}", found.as_str()))
    };
    let found: Vec<_> = citing_lines().into_iter().filter_map(malformed).collect();
    assert!(found.is_empty(), "not `<page> <section>`:\n{}", found.join("\n"));
}

#[test]
fn malformed_citations_are_recognised() {
    for text in [
        "helm A.5, A.6",
        "flux 1.4 and 1.8",
        "helm A.2 (4)",
        "helm.md 3",
        "observed k01, k02",
        "§2.3",
    ] {
        assert!(MALFORMED.is_match(text), "{text}");
    }
    for text in [
        "helm A.5; helm A.6",
        "helm A.3; observed 2",
        "observed k01; observed k02",
        "flux 0.1, Job",
    ] {
        assert!(!MALFORMED.is_match(text), "{text}");
    }
}
