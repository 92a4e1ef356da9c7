//! Reads which files a kustomization applies and which are its patches or configuration.

use yaml_spans::{self as yaml, Node};

/// The file names Kustomize looks for, in its order.
pub(crate) const FILE_NAMES: &[&str] =
    &["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Fields that list files which hold no objects of their own, with the key that names the file if the item is
/// a mapping.
const PARTS: &[(&str, Option<&str>)] = &[
    ("patches", Some("path")),
    ("patchesStrategicMerge", None),
    ("patchesJson6902", Some("path")),
    ("replacements", Some("path")),
    ("configurations", None),
    ("transformers", None),
    ("generators", None),
    ("validators", None),
    ("helmCharts", Some("valuesFile")),
];

/// The files that a kustomization names, relative to it.
#[derive(Default)]
pub(crate) struct Overlay {
    pub resources: Vec<String>,
    /// Patches and configuration files.
    pub parts: Vec<String>,
}

/// Reads a kustomization. Invalid YAML yields an empty overlay.
pub(crate) fn read(text: &str) -> Overlay {
    let Some(Ok(document)) = yaml::parse(text).into_iter().next() else {
        return Overlay::default();
    };
    let named = |(field, key): &(&str, Option<&str>)| -> Vec<String> {
        let items = document.root.get(field).map(Node::items).unwrap_or_default();
        let path = |item: &Node| match key {
            Some(key) => item.get(key)?.as_str().map(str::to_owned),
            None => item.as_str().map(str::to_owned),
        };
        items.iter().filter_map(path).filter(|path| !path.contains('\n')).collect()
    };
    Overlay {
        resources: named(&("resources", None)),
        parts: PARTS.iter().flat_map(named).collect(),
    }
}
