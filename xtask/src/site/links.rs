//! Checks the links of the finished site: pages, anchors, and the addresses that findings and forecasts print.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fs,
    path::{Component, Path, PathBuf},
};

use joblint::rules::SITE;
use regex::Regex;
use walkdir::WalkDir;

/// Pages by path, each with its anchors and links.
type Pages = BTreeMap<PathBuf, (BTreeSet<String>, Vec<String>)>;

/// Links that lead nowhere, each with its page.
pub fn broken(site: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let pages = pages(site)?;
    let mut broken = Vec::new();
    for (page, (_, links)) in &pages {
        let folder = page.parent().unwrap_or(Path::new(""));
        for link in links {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.clone() } else { normal(&folder.join(path)) };
            if !leads_somewhere(site, &pages, &target, anchor) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    for rule in joblint::rules::all() {
        let path = rule.url();
        let path = path.strip_prefix(SITE).and_then(|path| path.strip_prefix('/'));
        let page = path.map(|path| PathBuf::from(format!("{path}.html")));
        if !page.is_some_and(|page| pages.contains_key(&page)) {
            broken.push(format!("{}: no such page", rule.url()));
        }
    }
    Ok(broken)
}

fn leads_somewhere(site: &Path, pages: &Pages, target: &Path, anchor: &str) -> bool {
    match pages.get(target) {
        // The playground reads its fragment.
        Some(_) if anchor.is_empty() || anchor.starts_with("p=") => true,
        Some((anchors, _)) => anchors.contains(anchor),
        None => site.join(target).exists(),
    }
}

fn pages(site: &Path) -> Result<Pages, Box<dyn Error>> {
    let (id, link) = (Regex::new("id=\"([^\"]*)\"")?, Regex::new("(?:href|src)=\"([^\"]*)\"")?);
    let mut pages = Pages::new();
    for entry in WalkDir::new(site) {
        let path = entry?.into_path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_page = path.extension().is_some_and(|end| end == "html");
        // The pages that mdbook adds repeat the others, or stand in for a missing one.
        let is_extra = name.is_some_and(|name| ["print.html", "404.html"].contains(&&*name));
        if !is_page || is_extra {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let ids = id.captures_iter(&text).map(|found| found[1].to_owned()).collect();
        let links = link.captures_iter(&text).map(|found| found[1].replace("&amp;", "&"));
        let own = links.filter(|link| !link.contains(':')).collect();
        pages.insert(path.strip_prefix(site)?.to_owned(), (ids, own));
    }
    Ok(pages)
}

fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = out.pop(),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}
