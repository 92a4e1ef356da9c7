//! Values that each environment gives to a chart in a file of its own, in the folder of the chart or the one above:
//! `values-prod.yaml`.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use yaml_spans::Node;

use super::{Mentions, Names};
use crate::{discover::absolute, unit::Unit};

/// The values of the chart itself.
const DEFAULTS: &str = "values.yaml";

/// What the path of an input begins with that is a value of the chart.
const VALUES: &str = "Values.";

/// The most files that are read, and the largest.
const MOST: usize = 50;
const LARGEST: u64 = 1 << 20;

impl Names<'_> {
    /// Whether there are such files, and each sets a value of the chart: nobody deploys the chart with its own.
    pub(crate) fn each_environment_sets(self, input: &str) -> bool {
        let Some(path) = input.strip_prefix(VALUES) else { return false };
        // An entry of a list belongs to the whole list, which a file replaces.
        let path = path.split('[').next().unwrap_or_default();
        let keys: Vec<_> = path.split('.').collect();
        let sets = |values: &Node| values.at(&keys).is_some_and(|node| !node.is_null());
        let all = self.mentions.environments(self.unit);
        !all.is_empty() && all.iter().all(sets)
    }
}

impl Mentions {
    /// The values of the environments of a chart.
    fn environments(&self, unit: &Unit) -> Arc<[Node]> {
        let mut known = self.environments.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(unit.root.clone()).or_insert_with(|| read(unit).into()).clone()
    }
}

fn read(unit: &Unit) -> Vec<Node> {
    let root = absolute(&unit.root);
    // Without values of its own, the chart is rendered with those of the environments.
    if !root.join(DEFAULTS).is_file() {
        return Vec::new();
    }
    let folders = root.ancestors().take(2).filter(|folder| unit.boundary.spells(folder));
    let files = folders.flat_map(in_folder);
    let values = |file: PathBuf| {
        let text = unit.boundary.read_to_string(&file).unwrap_or_default();
        yaml_spans::parse(&text).into_iter().next()?.ok().map(|document| document.root)
    };
    files.take(MOST).filter_map(values).collect()
}

/// The values of environments in a folder.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let is_own = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let rest = name.strip_prefix("values").filter(|_| name != DEFAULTS);
        let is_named = rest.is_some_and(|rest| rest.starts_with(['-', '.', '_']));
        let is_small = || fs::metadata(path).is_ok_and(|found| found.len() <= LARGEST);
        is_named && (name.ends_with(".yaml") || name.ends_with(".yml")) && is_small()
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(is_own).collect();
    files.sort();
    files
}
