//! Values that each environment gives to a chart in a file of its own, in the folder of the chart or the one above:
//! `values-prod.yaml`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use yaml_spans::Node;

use crate::{chart::DEFAULTS, unit::Unit};

/// What the path of an input begins with that is a value of the chart.
const VALUES: &str = "Values.";

/// Whether there are such files, and each sets a value of the chart: nobody deploys the chart with its own.
pub(crate) fn all_set(unit: &Unit, input: &str) -> bool {
    let Some(path) = input.strip_prefix(VALUES) else { return false };
    // An entry of a list belongs to the whole list, which a file replaces.
    let path = path.split('[').next().unwrap_or_default();
    let keys: Vec<_> = path.split('.').collect();
    let root = Path::new(".").join(&unit.root);
    // Without values of its own, the chart is rendered with those of the environments.
    if !root.join(DEFAULTS).is_file() {
        return false;
    }
    let files: Vec<_> =
        [root.join(".."), root].iter().flat_map(|folder| in_folder(folder)).collect();
    !files.is_empty() && files.iter().all(|file| sets(file, &keys, unit))
}

/// The values of environments in a folder.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let is_own = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let rest = name.strip_prefix("values").filter(|_| name != DEFAULTS);
        let is_named = rest.is_some_and(|rest| rest.starts_with(['-', '.', '_']));
        is_named && (name.ends_with(".yaml") || name.ends_with(".yml"))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_own).collect()
}

fn sets(file: &Path, keys: &[&str], unit: &Unit) -> bool {
    let text = unit.boundary.read_to_string(file).unwrap_or_default();
    let mut documents = yaml_spans::parse(&text).into_iter().filter_map(Result::ok);
    documents.any(|document| document.root.at(keys).is_some_and(|node: &Node| !node.is_null()))
}
