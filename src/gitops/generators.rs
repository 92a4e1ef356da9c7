//! The generators of an ApplicationSet that need nothing but the tree: list, git, and matrix and merge of those.

use std::{fs, path::Path};

use globset::GlobBuilder;
use serde_json::{Map, Value as Json, json};
use yaml_spans::{self as yaml, Node, regular_file as regular};

use super::{
    applicationset_template::Filling,
    argocd::host,
    options::{flag, text},
    repository::{Owner, Tree},
};
use crate::discover::{self, normal};

/// One set of parameters: nested, as Go templates see them.
pub type Parameters = Map<String, Json>;

/// Why a generator was not evaluated, as the end of a sentence.
pub type Reason = String;

/// What is needed to evaluate generators.
pub struct Generators<'a> {
    pub tree: &'a Tree,
    /// `goTemplate: true` names git parameters otherwise.
    pub go: bool,
}

impl Generators<'_> {
    /// The parameters that a generator makes.
    ///
    /// # Errors
    /// It needs what is not in the tree.
    pub fn evaluate(&self, generator: &Node) -> Result<Vec<Parameters>, Reason> {
        if generator.get("selector").is_some() {
            return Err("its generator has a `selector`".to_owned());
        }
        let Some(entry) = generator.entries().first() else {
            return Err("it has an empty generator".to_owned());
        };
        match &*entry.key {
            "list" => Ok(self.list(&entry.value)),
            "git" => self.git(&entry.value),
            "matrix" => self.matrix(&entry.value),
            "merge" => self.merge(&entry.value),
            kind => Err(format!("its `{kind}` generator asks what is not in the tree")),
        }
    }

    fn list(&self, node: &Node) -> Vec<Parameters> {
        let items = node.get("elements").map(Node::items).unwrap_or_default();
        items.iter().filter_map(|item| item.to_json().as_object().cloned()).collect()
    }

    fn git(&self, node: &Node) -> Result<Vec<Parameters>, Reason> {
        let url = text(node, &["repoURL"]).unwrap_or_default();
        if self.tree.owner(url) == Owner::Other {
            return Err(format!("its `git` generator reads {}", host(url)));
        }
        let prefix = text(node, &["pathParamPrefix"]);
        let mut found = match (node.get("directories"), node.get("files")) {
            (Some(directories), _) => self.directories(directories),
            (None, Some(files)) => self.files(files),
            (None, None) => Vec::new(),
        };
        let values = node.get("values").map(|node| node.to_json());
        for parameters in &mut found {
            if let Some(prefix) = prefix {
                let path = parameters.remove("path");
                parameters.insert(prefix.to_owned(), json!({ "path": path }));
            }
            if let Some(values) = &values {
                parameters.insert("values".to_owned(), values.clone());
            }
        }
        Ok(found)
    }

    /// The folders that the patterns name; `exclude` wins, hidden ones never count.
    fn directories(&self, patterns: &Node) -> Vec<Parameters> {
        let matches = |folder: &str, excludes: bool| {
            patterns.items().iter().any(|pattern| {
                flag(pattern, &["exclude"]) == excludes
                    && text(pattern, &["path"]).is_some_and(|glob| fits(glob, folder))
            })
        };
        let mut folders = Vec::new();
        collect_folders(&self.tree.root, "", &mut folders);
        folders.retain(|folder| matches(folder, false) && !matches(folder, true));
        folders.iter().map(|folder| self.path(folder, None)).collect()
    }

    /// What the files hold that the patterns name, one set for a mapping, several for a list.
    fn files(&self, patterns: &Node) -> Vec<Parameters> {
        let mut found = Vec::new();
        let mut paths: Vec<_> = discover::files(&self.tree.root).filter_map(Result::ok).collect();
        paths.sort();
        for path in paths {
            let Ok(inside) = path.strip_prefix(&self.tree.root) else { continue };
            let inside = discover::shown(inside);
            let matches = |excludes: bool| {
                patterns.items().iter().any(|pattern| {
                    flag(pattern, &["exclude"]) == excludes
                        && text(pattern, &["path"]).is_some_and(|glob| fits(glob, &inside))
                })
            };
            if !matches(false) || matches(true) {
                continue;
            }
            let Some(content) = read(&path) else { continue };
            let (folder, name) = inside.rsplit_once('/').unwrap_or(("", &inside));
            let sets = match content {
                Json::Array(items) => items,
                one => vec![one],
            };
            for set in sets {
                let mut parameters = set.as_object().cloned().unwrap_or_default();
                parameters.extend(self.path(folder, Some(name)));
                found.push(parameters);
            }
        }
        found
    }

    /// `path` and its parts.
    fn path(&self, folder: &str, file: Option<&str>) -> Parameters {
        let segments: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        let base = segments.last().copied().unwrap_or_default();
        let mut path = json!({
            "path": folder, "basename": base, "basenameNormalized": normalized(base), "segments": segments,
        });
        if let Some(name) = file {
            path["filename"] = json!(name);
            path["filenameNormalized"] = json!(normalized(name));
        }
        let mut parameters = Parameters::new();
        parameters.insert("path".to_owned(), path);
        parameters
    }

    /// Every set of the first with every set of the second, which may use the first.
    fn matrix(&self, node: &Node) -> Result<Vec<Parameters>, Reason> {
        let [first, second] = node.get("generators").map(Node::items).unwrap_or_default() else {
            return Err("its `matrix` generator has not two generators".to_owned());
        };
        let mut found = Vec::new();
        for outer in self.evaluate(first)? {
            let filled = Filling::new(&outer, self.go).fill(second)?;
            for inner in self.evaluate(&filled)? {
                let mut both = outer.clone();
                both.extend(inner);
                found.push(both);
            }
        }
        Ok(found)
    }

    /// The sets of the first, overridden by those of the others that agree in the keys.
    fn merge(&self, node: &Node) -> Result<Vec<Parameters>, Reason> {
        let [first, others @ ..] = node.get("generators").map(Node::items).unwrap_or_default()
        else {
            return Err("its `merge` generator has no generators".to_owned());
        };
        let keys: Vec<&str> = node
            .get("mergeKeys")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::as_str)
            .collect();
        let mut found = self.evaluate(first)?;
        for other in others {
            let sets = self.evaluate(other)?;
            for base in &mut found {
                let agrees =
                    |set: &&Parameters| keys.iter().all(|key| at(set, key) == at(base, key));
                if let Some(set) = sets.iter().find(agrees) {
                    base.extend(set.clone());
                }
            }
        }
        Ok(found)
    }
}

/// The parameter under a dotted key.
fn at<'a>(parameters: &'a Parameters, key: &str) -> Option<&'a Json> {
    let mut parts = key.split('.');
    let first = parameters.get(parts.next()?)?;
    parts.try_fold(first, |node, part| node.get(part))
}

/// Argo CD matches paths as a shell does: `*` does not cross `/`, `**` does.
fn fits(glob: &str, path: &str) -> bool {
    let glob = GlobBuilder::new(glob.trim_start_matches("./")).literal_separator(true).build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// Folders below, as paths from the root, in order.
fn collect_folders(folder: &Path, shown: &str, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut names: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && name != "node_modules")
        .collect();
    names.sort();
    for name in names {
        let path = if shown.is_empty() { name.clone() } else { format!("{shown}/{name}") };
        found.push(path.clone());
        collect_folders(&normal(&folder.join(&name)), &path, found);
    }
}

fn read(path: &Path) -> Option<Json> {
    let text = regular::read_to_string(path).ok()?;
    let document = yaml::parse(&text).into_iter().next()?.ok()?;
    Some(document.root.to_json())
}

/// A name that is a DNS label.
fn normalized(name: &str) -> String {
    let plain = |c: char| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '-' | '.') => c,
        _ => '-',
    };
    name.chars().map(plain).collect::<String>().trim_matches(['-', '.']).to_owned()
}
