//! The pages of the book: the documents that `docs/SUMMARY.md` lists, with links that lead to pages or to the
//! repository.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    path::{Component, Path, PathBuf},
    sync::LazyLock,
};

use regex::{Captures, Regex};

use super::{playground, put, rules, settings};
use crate::own;

/// Where files that are not pages are shown.
const REPOSITORY: &str = "https://github.com/joblint/joblint/blob/main";

/// A marker in a document, in place of which a generated part is written.
static MARKER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("<!-- site: ([a-z]+) -->").expect("a pattern"));

/// A link of Markdown: `](target)`, without its title.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\]\(([^)\s:#]+)(#[^)\s]*)?\)").expect("a pattern"));

/// An `img` or a `source` of HTML in a document.
static IMAGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(src|srcset)="([^":]+)""#).expect("a pattern"));

/// The documents of the repository that are pages, and where.
pub struct Book {
    summary: String,
    /// Paths of pages by path in the repository.
    pages: BTreeMap<PathBuf, PathBuf>,
}

impl Book {
    /// Reads `docs/SUMMARY.md`.
    pub fn read() -> Result<Self, Box<dyn Error>> {
        let summary = fs::read_to_string(own("docs/SUMMARY.md"))?;
        let linked = LINK.captures_iter(&summary).map(|found| inside("docs", &found[1]));
        let pages = linked.map(|path| (path.clone(), page(&path))).collect();
        Ok(Self { summary, pages })
    }

    /// The number of pages.
    pub fn len(&self) -> usize {
        self.pages.len() + joblint::rules::all().len()
    }

    /// Writes the source of the book.
    pub fn write(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        put(&folder.join("src/SUMMARY.md"), &self.summary())?;
        for (path, page) in &self.pages {
            let text = fs::read_to_string(own("").join(path))?;
            let text = self.linked(&text, path, page);
            put(&folder.join("src").join(page), &filled(&text)?)?;
        }
        for rule in joblint::rules::all() {
            let page = PathBuf::from(format!("rules/{}.md", rule.id));
            let text = self.linked(&rules::page(rule), &page, &page);
            put(&folder.join("src").join(page), &text)?;
        }
        super::copy(&own("docs/pictures"), &folder.join("src/pictures"))
    }

    /// The summary with the pages of the rules below their catalogue.
    fn summary(&self) -> String {
        let link =
            |found: &Captures<'_>| format!("]({})", page(&inside("docs", &found[1])).display());
        let mut out = String::new();
        for line in self.summary.lines() {
            out += &format!("{}\n", LINK.replace(line, link));
            if line.contains("(../rules/README.md)") {
                let rules = joblint::rules::all().iter();
                out.extend(rules.map(|rule| format!("  - [{0}](rules/{0}.md)\n", rule.id)));
            }
        }
        out
    }

    /// The text of a document with its links as they are on its page.
    fn linked(&self, text: &str, path: &Path, page: &Path) -> String {
        let folder = path.parent().unwrap_or(Path::new("")).to_string_lossy();
        let link = |found: &Captures<'_>| {
            let (target, anchor) =
                (inside(&folder, &found[1]), found.get(2).map_or("", |a| a.as_str()));
            format!("]({}{anchor})", self.target(&target, page))
        };
        let image = |found: &Captures<'_>| {
            format!("{}=\"{}\"", &found[1], self.target(&inside(&folder, &found[2]), page))
        };
        let mut is_code = false;
        let line = |line: &str| {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            match is_code || is_fence {
                true => format!("{line}\n"),
                false => format!("{}\n", IMAGE.replace_all(&LINK.replace_all(line, link), image)),
            }
        };
        text.lines().map(line).collect()
    }

    /// Where a link to a path of the repository leads from a page.
    fn target(&self, path: &Path, page: &Path) -> String {
        let name = path.to_string_lossy();
        let rule = path.strip_prefix("rules").ok().filter(|_| name.ends_with(".yaml"));
        let target = match (self.pages.get(path), rule, path.strip_prefix("docs/pictures")) {
            (Some(page), ..) => page.clone(),
            (_, Some(rule), _) => Path::new("rules").join(rule.with_extension("md")),
            (_, _, Ok(picture)) => Path::new("pictures").join(picture),
            _ => return format!("{REPOSITORY}/{name}"),
        };
        let up = "../".repeat(page.components().count() - 1);
        format!("{up}{}", target.display())
    }
}

/// The page of a document: documents in `docs` keep their path, the README is the first page.
fn page(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    match text.strip_prefix("docs/").unwrap_or(&text) {
        "README.md" => "index.md".into(),
        other => match other.strip_suffix("/README.md") {
            Some(folder) => format!("{folder}/index.md").into(),
            None => other.to_lowercase().into(),
        },
    }
}

/// A path of the repository from a folder of it, without `..`.
fn inside(folder: &str, path: &str) -> PathBuf {
    let mut out = PathBuf::new();
    for part in Path::new(folder).join(path).components() {
        match part {
            Component::ParentDir => _ = out.pop(),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// The text with generated parts for its markers.
fn filled(text: &str) -> Result<String, Box<dyn Error>> {
    let Some(found) = MARKER.captures(text) else { return Ok(text.to_owned()) };
    let part = match &found[1] {
        "rules" => rules::SEARCH.to_owned(),
        "settings" => settings::tables()?,
        "matrix" => fs::read_to_string(own("docs/site/matrix.html"))?,
        "playground" => playground::part()?,
        name => return Err(format!("no generated part is called `{name}`").into()),
    };
    Ok(text.replacen(&found[0], &part, 1))
}
