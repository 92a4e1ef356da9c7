//! Versions of a chart side by side: `shop/1.0.0/Chart.yaml`, `shop/1.1.0/Chart.yaml`.

use std::{fs, path::Path};

use helm_render::{Metadata, is_newer};
use yaml_spans::{self as yaml, Node};

use crate::unit::Boundary;

/// The most folders beside a chart to look into.
const MOST: usize = 200;

/// Whether the folder of a chart is called after a version, and one beside it has a newer version.
pub(crate) fn is_superseded(root: &Path, chart: &Metadata, boundary: &Boundary) -> bool {
    let name = root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(around) = root.parent().filter(|around| is_version(name) && boundary.spells(around))
    else {
        return false;
    };
    let entries = fs::read_dir(around).into_iter().flatten().flatten().take(MOST);
    let mut folders = entries.map(|entry| entry.path()).filter(|folder| folder != root);
    folders.any(|folder| {
        let text = boundary.read_to_string(&folder.join("Chart.yaml"));
        text.is_ok_and(|text| is_newer_version(&text, chart))
    })
}

/// Whether a folder is called after a version: `1.2.0`, `v1.2`.
fn is_version(name: &str) -> bool {
    let number = name.strip_prefix('v').unwrap_or(name);
    number.starts_with(|c: char| c.is_ascii_digit()) && number.contains('.')
}

/// Whether a `Chart.yaml` is of a newer version of a chart.
fn is_newer_version(text: &str, chart: &Metadata) -> bool {
    let Some(Ok(other)) = yaml::parse(text).into_iter().next() else { return false };
    let field = |key: &str| other.root.get(key).and_then(Node::as_str);
    field("name") == Some(&*chart.name)
        && field("version").is_some_and(|version| is_newer(version, &chart.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_version_has_the_same_name() {
        let mut chart = Metadata::default();
        (chart.name, chart.version) = ("shop".into(), "1.9.0".into());
        let is_newer = |text: &str| is_newer_version(text, &chart);
        assert!(is_newer("name: shop\nversion: 1.10.0\n"));
        for text in [
            "name: shop\nversion: 1.9.0\n",
            "name: shop\nversion: 1.9.0-rc.1\n",
            "name: stall\nversion: 2.0.0\n",
            "name: shop\n",
            "name: shop\nversion: latest\n",
            "{",
        ] {
            assert!(!is_newer(text), "{text}");
        }
    }
}
