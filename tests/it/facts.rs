//! `docs/facts` and those who cite it: every citation resolves, every fact is cited.

use std::{collections::BTreeSet, fs, sync::LazyLock};

use regex::Regex;
use walkdir::WalkDir;

/// Where citations stand.
const CITING: [&str; 8] =
    ["crates", "docs", "rules", "src", "testdata", "tests", "xtask/src", "README.md"];

/// `helm A.11`, `kubernetes-jobs 1.4`, `observed k01`. Versions of kubectl are written like sections.
static CITATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(helm|argocd|flux|fleet|kubectl|kubernetes-jobs) ([A-F](?:\.\d+)?|\d+(?:\.\d+)?)\b|",
        r"\b(observed) ([a-z0-9]*[0-9-][a-z0-9-]*)\b",
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

/// The anchors of all pages: page and anchor.
fn anchors() -> BTreeSet<(String, String)> {
    let anchor = Regex::new("<a id=\"([^\"]*)\">").unwrap();
    let pages = fs::read_dir("docs/facts").unwrap().map(|entry| entry.unwrap().path());
    let of_page = |page: std::path::PathBuf| {
        let stem = page.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&page).unwrap();
        let ids = anchor.captures_iter(&text).map(|found| found[1].to_owned());
        ids.map(|id| (stem.clone(), id)).collect::<Vec<_>>()
    };
    pages.flat_map(of_page).collect()
}

#[test]
fn every_citation_is_a_fact_and_every_fact_is_cited() {
    let anchors = anchors();
    let (mut cited, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    let files = CITING.into_iter().flat_map(WalkDir::new).map(Result::unwrap);
    for file in files.filter(|file| !file.path().starts_with("docs/facts")) {
        let Ok(text) = fs::read_to_string(file.path()) else { continue };
        for (index, line) in text.lines().enumerate() {
            for (page, id) in citations(line) {
                if page == "kubectl" && id.starts_with("1.") {
                    continue;
                }
                if !anchors.contains(&(page.clone(), id.clone())) {
                    unknown.insert(format!("{}:{}: {page} {id}", file.path().display(), index + 1));
                }
                cited.insert((page, id));
            }
        }
    }
    assert!(unknown.is_empty(), "no such fact:\n{}", Vec::from_iter(unknown).join("\n"));
    let links = Regex::new(r"\((?:([\w-]+)\.md)?#([^)]*)\)").unwrap();
    for page in fs::read_dir("docs/facts").unwrap().map(|entry| entry.unwrap().path()) {
        let stem = page.file_stem().unwrap().to_str().unwrap();
        for link in links.captures_iter(&fs::read_to_string(&page).unwrap()) {
            let target = link.get(1).map_or(stem, |page| page.as_str()).to_owned();
            let target = (target, link[2].to_owned());
            assert!(anchors.contains(&target), "{}: {target:?}", page.display());
            cited.insert(target);
        }
    }
    let unused: Vec<_> = anchors.difference(&cited).collect();
    assert!(unused.is_empty(), "nothing cites {unused:?}");
}
