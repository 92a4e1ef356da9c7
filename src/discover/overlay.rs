//! Reads which files a kustomization applies and which are its patches or configuration.

use std::path::Path;

use file_boundary::Boundary;
use yaml_spans::{self as yaml, Node};

use super::shown;
use crate::words::count;

/// The file names Kustomize looks for, in its order.
pub(crate) const FILE_NAMES: &[&str] =
    &["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Whether a path is that of a kustomization file.
pub(crate) fn is_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| FILE_NAMES.iter().any(|own| name == *own))
}

/// Whether a text may hold an object.
pub(crate) fn may_hold_objects(text: &str) -> bool {
    ["apiVersion", "kind"].iter().all(|key| text.contains(key))
}

/// The kustomization file that kustomize-controller generates for a folder without one, with files and folders below it
/// as resources.
pub(crate) fn generated<'p>(folder: &Path, resources: impl Iterator<Item = &'p Path>) -> String {
    let mut text = String::from("resources:\n");
    for path in resources {
        let below = path.strip_prefix(folder).unwrap_or(path);
        text.push_str(&format!("- {:?}\n", shown(below)));
    }
    text
}

/// Fields that list manifests and other kustomizations.
const RESOURCES: [&str; 3] = ["resources", "bases", "components"];

/// Fields that list generators.
const GENERATORS: [&str; 2] = ["configMapGenerator", "secretGenerator"];

/// Fields that list files which hold no objects of their own, with the key that names the file if the item is
/// a mapping.
const PARTS: &[(&str, Option<&str>)] = &[
    ("patches", Some("path")),
    ("patchesStrategicMerge", None),
    ("patchesJson6902", Some("path")),
    ("replacements", Some("path")),
    ("configurations", None),
    ("crds", None),
    ("transformers", None),
    ("generators", None),
    ("validators", None),
    ("helmCharts", Some("valuesFile")),
];

/// The files that a kustomization names, relative to it.
#[derive(Default)]
pub(crate) struct Overlay {
    /// Manifests and folders of kustomizations.
    pub resources: Vec<String>,
    /// Patches and configuration files.
    pub parts: Vec<String>,
    /// The files of generators.
    pub inputs: Vec<String>,
    /// Whether it is a component, which builds only as part of another kustomization.
    pub is_component: bool,
}

impl Overlay {
    /// What to say about the first file outside of the boundary, from the line on, and how many there are. Nothing
    /// opens them.
    pub(crate) fn refused(
        &self,
        text: &str,
        folder: Option<&Path>,
        boundary: &Boundary,
    ) -> Option<String> {
        let folder = folder.unwrap_or(Path::new(""));
        let local = self.parts.iter().chain(&self.resources).filter(|named| !named.contains("://"));
        let refusal =
            |named: &String| Some((named.clone(), boundary.check(&folder.join(named)).err()?));
        let mut refused = local.filter_map(refusal);
        let (named, refusal) = refused.next()?;
        let line = text.lines().position(|line| line.contains(&named)).unwrap_or_default() + 1;
        let others = match refused.count() {
            0 => String::new(),
            others => format!("; {} outside", count(others, "other file")),
        };
        Some(format!("{line}: `{named}` {refusal}: not read{others}"))
    }
}

/// Reads a kustomization. Invalid YAML yields an empty overlay.
pub(crate) fn read(text: &str) -> Overlay {
    let Some(Ok(document)) = yaml::parse(text).into_iter().next() else {
        return Overlay::default();
    };
    let named = |(field, key): &(&str, Option<&str>)| -> Vec<String> {
        let items = member(&document.root, field).map(Node::items).unwrap_or_default();
        let path = |item: &Node| match key {
            Some(key) => member(item, key)?.as_str().map(str::to_owned),
            None => item.as_str().map(str::to_owned),
        };
        items.iter().filter_map(path).filter(|path| !path.contains('\n')).collect()
    };
    let parts =
        PARTS.iter().flat_map(named).chain(schema(&document.root)).chain(values(&document.root));
    Overlay {
        resources: RESOURCES.iter().flat_map(|field| named(&(field, None))).collect(),
        parts: parts.collect(),
        inputs: GENERATORS.iter().flat_map(|field| generated_from(&document.root, field)).collect(),
        is_component: member(&document.root, "kind").and_then(Node::as_str) == Some("Component"),
    }
}

/// A field of a kustomization; kustomize reads its name in any case.
fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let mut entries = node.entries().iter().rev();
    entries.find(|entry| entry.key.eq_ignore_ascii_case(name)).map(|entry| &entry.value)
}

/// The schema that strategic merges use.
fn schema(root: &Node) -> Option<String> {
    Some(member(member(root, "openapi")?, "path")?.as_str()?.to_owned())
}

/// The further values files of charts.
fn values(root: &Node) -> Vec<String> {
    let charts = member(root, "helmCharts").map(Node::items).unwrap_or_default();
    let files = charts.iter().filter_map(|chart| member(chart, "additionalValuesFiles"));
    files.flat_map(Node::items).filter_map(|file| file.as_str().map(str::to_owned)).collect()
}

/// The files that generators read; an entry of `files` may be `key=path`.
fn generated_from(root: &Node, field: &str) -> Vec<String> {
    let generators = member(root, field).map(Node::items).unwrap_or_default();
    let lists = |generator: &Node| -> Vec<String> {
        let fields = ["files", "envs"].iter().filter_map(|field| member(generator, field));
        let entries = fields.flat_map(Node::items).chain(member(generator, "env"));
        let path = |entry: &Node| {
            let text = entry.as_str()?;
            Some(text.split_once('=').map_or(text, |(_, path)| path).to_owned())
        };
        entries.filter_map(path).collect()
    };
    generators.iter().flat_map(lists).collect()
}
