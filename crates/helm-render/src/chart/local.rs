//! Dependencies in folders of the same tree: `repository: file://../common`, and library charts of the very version in the folder
//! beside the chart, from where they are published.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use file_boundary::{Boundary, normal};

use super::{Chart, Dependency, archive::Unpacked, files, read, replace};
use crate::{HelmVersion, semver::is_compatible};

/// How deep folders may refer to each other.
const MAX_DEPTH: usize = 8;

/// How many folders are read for a chart: each may refer to all others.
const MAX_FOLDERS: usize = 100;

/// The folders that refer to a chart, and what may still be read.
pub(super) struct Links {
    around: Vec<PathBuf>,
    left: usize,
}

impl Default for Links {
    fn default() -> Self {
        Self { around: Vec::new(), left: MAX_FOLDERS }
    }
}

/// Adds the dependencies that `charts/` lacks and that are folders of the tree. `at` is the folder of the chart, to
/// read and to show; `texts` replace files by their paths.
pub(super) fn link(
    chart: &mut Chart,
    at: (&Path, &str),
    texts: &[(PathBuf, &[u8])],
    version: HelmVersion,
    boundary: &Boundary,
    links: &mut Links,
) {
    let missing: Vec<_> = chart.missing_dependencies().into_iter().map(str::to_owned).collect();
    let declared = chart.metadata.dependencies.clone().unwrap_or_default();
    for dependency in declared.iter().filter(|one| missing.iter().any(|name| *one.name == **name)) {
        let linked = dependency.repository.strip_prefix("file://").map(str::to_owned);
        let is_linked = linked.is_some();
        let Some(folder) = linked.or_else(|| library_beside(dependency, at.0, boundary)) else {
            continue;
        };
        let below = format!("{}charts/{}", below(&chart.folder), dependency.name);
        if below.matches("charts/").count() > MAX_DEPTH {
            continue;
        }
        let path = normal(&at.0.join(&folder));
        // Folders can form cycles.
        if links.left == 0 || path == normal(at.0) || links.around.contains(&path) {
            continue;
        }
        links.left -= 1;
        let shown = normal(&Path::new(at.1).join(&folder)).display().to_string().replace('\\', "/");
        let loaded = read(&path, &shown, version, boundary).and_then(|mut files| {
            let own = texts.iter().filter_map(|(at, text)| {
                let inside = at.strip_prefix(&path).ok()?;
                Some((inside.to_str()?.replace('\\', "/"), *text))
            });
            let own: Vec<_> = own.collect();
            replace(&mut files, &shown, own.iter().map(|(name, text)| (&**name, *text)));
            files::assemble(files, &below, version, &mut Unpacked::default())
        });
        let Ok(mut sub) = loaded else { continue };
        let fits = sub.name() == &*dependency.name
            && match is_linked {
                true => is_compatible(&dependency.version, &sub.metadata.version),
                false => sub.is_library() && dependency.version == sub.metadata.version,
            };
        if fits {
            links.around.push(normal(at.0));
            link(&mut sub, (&path, &shown), texts, version, boundary, links);
            links.around.pop();
            chart.dependencies.push(Arc::new(sub));
        }
    }
}

/// The folder beside a chart with the name of a dependency, if its `Chart.yaml` speaks of a library.
fn library_beside(dependency: &Dependency, chart: &Path, boundary: &Boundary) -> Option<String> {
    let is_published = dependency.repository.contains("://");
    let folder = format!("../{}", dependency.name);
    let is_name = !dependency.name.contains(['/', '\\']);
    let list = normal(&chart.join(&folder).join("Chart.yaml"));
    let text = (is_published && is_name).then(|| boundary.read_to_string(&list).ok())??;
    text.contains("library").then_some(folder)
}

fn below(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}
