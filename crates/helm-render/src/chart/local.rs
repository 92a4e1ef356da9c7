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

/// What adds the dependencies in folders to a chart.
pub(super) struct Links<'a> {
    /// Texts that replace files, by their paths.
    texts: &'a [(PathBuf, &'a [u8])],
    version: HelmVersion,
    boundary: &'a Boundary,
    /// The folders of the chart and of those that refer to it.
    around: Vec<PathBuf>,
    /// How many folders may still be read.
    left: usize,
}

impl<'a> Links<'a> {
    pub(super) fn new(
        texts: &'a [(PathBuf, &'a [u8])],
        version: HelmVersion,
        boundary: &'a Boundary,
    ) -> Self {
        Self { texts, version, boundary, around: Vec::new(), left: MAX_FOLDERS }
    }

    /// Adds the dependencies that `charts/` lacks and that are folders of the tree. `at` is the folder of the chart, to
    /// read and to show.
    pub(super) fn add(&mut self, chart: &mut Chart, at: (&Path, &str)) {
        self.around.push(normal(at.0));
        let missing: Vec<_> = chart.missing_dependencies().into_iter().map(str::to_owned).collect();
        let declared = chart.metadata.dependencies.clone().unwrap_or_default();
        let is_missing = |one: &&Dependency| missing.iter().any(|name| *one.name == **name);
        for dependency in declared.iter().filter(is_missing) {
            let found = self.linked(dependency, chart, at);
            chart.dependencies.extend(found.map(Arc::new));
        }
        self.around.pop();
    }

    /// The chart in the folder of a dependency, with its own dependencies.
    fn linked(
        &mut self,
        dependency: &Dependency,
        chart: &Chart,
        at: (&Path, &str),
    ) -> Option<Chart> {
        let linked = dependency.repository.strip_prefix("file://").map(str::to_owned);
        let is_linked = linked.is_some();
        let folder = linked.or_else(|| library_beside(dependency, at.0, self.boundary))?;
        let below = format!("{}charts/{}", below(&chart.folder), dependency.name);
        let path = normal(&at.0.join(&folder));
        // Folders can form cycles.
        if below.matches("charts/").count() > MAX_DEPTH
            || self.left == 0
            || self.around.contains(&path)
        {
            return None;
        }
        self.left -= 1;
        let shown = normal(&Path::new(at.1).join(&folder)).display().to_string().replace('\\', "/");
        let mut files = read(&path, &shown, &[], self.version, self.boundary).ok()?;
        let own = self.texts.iter().filter_map(|(at, text)| {
            let inside = at.strip_prefix(&path).ok()?;
            Some((inside.to_str()?.replace('\\', "/"), *text))
        });
        let own: Vec<_> = own.collect();
        replace(&mut files, &shown, own.iter().map(|(name, text)| (&**name, *text)));
        let mut sub =
            files::assemble(files, &below, self.version, &mut Unpacked::default()).ok()?;
        let fits = sub.name() == &*dependency.name
            && match is_linked {
                true => is_compatible(&dependency.version, &sub.metadata.version),
                false => sub.is_library() && dependency.version == sub.metadata.version,
            };
        fits.then(|| {
            self.add(&mut sub, (&path, &shown));
            sub
        })
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
