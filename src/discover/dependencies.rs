//! The files in which a chart lists its dependencies, and the folders that they name.

use std::path::{Path, PathBuf};

use super::normal;

/// The files that list the dependencies of a chart.
pub(crate) const LISTS: [&str; 2] = ["Chart.yaml", "requirements.yaml"];

/// Whether a file lists the dependencies of a chart.
pub(crate) fn is_list(path: &Path) -> bool {
    path.file_name().is_some_and(|name| LISTS.iter().any(|list| name == *list))
}

/// The folders that a list names: `repository: file://../common`, and those beside the chart that have the name of a dependency. It
/// is searched as text, so that one with a mistake names them too.
pub(crate) fn folders_in(list: &Path, text: &str) -> Vec<PathBuf> {
    let folder = list.parent().unwrap_or(Path::new(""));
    let urls = text.split("file://").skip(1).map(|rest| {
        let end = |own: char| own.is_whitespace() || matches!(own, '"' | '\'' | ',' | '}');
        rest.split(end).next().unwrap_or_default()
    });
    let listed = text.split_once("dependencies:").map_or("", |(_, rest)| rest);
    let names = listed.split("name:").skip(1).filter_map(|rest| {
        let end = |own: char| own.is_whitespace() || matches!(own, ',' | '}');
        let name = rest.trim_start().split(end).next()?.trim_matches(['"', '\'']);
        (!name.is_empty() && !name.contains(['/', '\\', '.'])).then_some(name)
    });
    let beside = names.map(|name| Path::new("..").join(name));
    let folders = urls.map(PathBuf::from).chain(beside);
    folders.map(|path| normal(&folder.join(path))).filter(|path| path != folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_beside_the_list() {
        let of = |url: &str| {
            let text = format!("dependencies: [{{name: one, repository: {url}}}]\n");
            folders_in(Path::new("charts/shop/Chart.yaml"), &text)
        };
        let beside = Path::new("charts/one");
        assert_eq!(of("'file://../other'"), [Path::new("charts/other"), beside]);
        assert_eq!(of("\"file://a/../../../one/\""), [Path::new("one"), beside]);
        assert_eq!(of("file:///srv/one"), [Path::new("/srv/one"), beside]);
        assert_eq!(of("file://./charts/one"), [Path::new("charts/shop/charts/one"), beside]);
        assert_eq!(of("https://example.com"), [beside]);
    }
}
