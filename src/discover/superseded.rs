//! Versions of a chart side by side: `shop/1.0.0/Chart.yaml`, `shop/1.1.0/Chart.yaml`.

use std::{fs, path::Path};

use helm_render::is_newer;
use yaml_spans::{self as yaml, Node};

use crate::unit::Boundary;

/// The most folders beside a chart to look into.
const MOST: usize = 200;

/// Whether the folder of a chart is called after a version, and one beside it has a newer version.
pub(super) fn is_superseded(root: &Path, boundary: &Boundary) -> bool {
    let name = root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(around) = root.parent().filter(|around| is_version(name) && boundary.spells(around))
    else {
        return false;
    };
    let chart = |folder: &Path| boundary.read_to_string(&folder.join("Chart.yaml")).ok();
    let Some(own) = chart(root) else { return false };
    let entries = fs::read_dir(around).into_iter().flatten().flatten().take(MOST);
    let mut folders = entries.map(|entry| entry.path()).filter(|folder| folder != root);
    folders.any(|folder| chart(&folder).is_some_and(|other| is_newer_version(&other, &own)))
}

/// Whether a folder is called after a version: `1.2.0`, `v1.2`.
fn is_version(name: &str) -> bool {
    let number = name.strip_prefix('v').unwrap_or(name);
    number.starts_with(|c: char| c.is_ascii_digit()) && number.contains('.')
}

/// Whether a `Chart.yaml` is of a newer version of the chart of another one.
fn is_newer_version(text: &str, other: &str) -> bool {
    let read = |text: &str| {
        let root = yaml::parse(text).into_iter().next()?.ok()?.root;
        let field = |key: &str| root.get(key).and_then(Node::as_str).map(str::to_owned);
        Some((field("name")?, field("version")?))
    };
    let both = read(text).zip(read(other));
    both.is_some_and(|((name, version), (own, old))| name == own && is_newer(&version, &old))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_version_has_the_same_name() {
        let is_newer = |text: &str| is_newer_version(text, "name: shop\nversion: 1.9.0\n");
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
