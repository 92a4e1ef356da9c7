//! A chart as it is on disk or in an archive.

mod archive;
mod directory;

mod files;
mod ignore;
mod metadata;
pub(super) mod pattern;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use super::values::Table;
use super::{
    Error, HelmVersion, KubeVersion, Reason, dependencies::is_compatible, renderer::Remembered,
};
use yaml_spans::{Location, Source};

pub(super) use directory::{MAX_CHART, go_error};
pub use metadata::{Dependency, ImportValues, Maintainer, Metadata};

/// A loaded chart with its dependencies. Immutable: rendering works on a view of it.
#[derive(Debug)]
pub struct Chart {
    pub metadata: Metadata,
    /// The place of the parts of `Chart.yaml`.
    pub chart_yaml: Arc<Source>,
    /// The defaults in `values.yaml`.
    pub values: Table,
    pub schema: Option<File>,
    pub templates: Vec<File>,
    /// What templates see as `.Files`, CRDs included.
    pub files: Vec<File>,
    /// The charts in `charts/`, by name.
    pub dependencies: Vec<Arc<Chart>>,
    /// The folder below the root chart, as in `charts/sub`; empty for the root chart.
    pub folder: String,
    /// What Helm logs while it loads the chart.
    pub warnings: Vec<String>,
    /// The templates of the last render, parsed.
    pub(super) parsed: Mutex<Option<Remembered>>,
}

/// A file of a chart.
#[derive(Debug)]
pub struct File {
    /// Path within its chart, with `/`.
    pub name: Arc<str>,
    pub data: Arc<[u8]>,
    /// Path as shown to the user.
    pub path: String,
    is_archived: bool,
    source: OnceLock<Arc<Source>>,
}

impl Chart {
    /// Loads a chart from a folder or an archive.
    ///
    /// # Errors
    ///
    /// The chart is not there, not readable, not valid or too large.
    pub fn load(path: &Path, version: HelmVersion) -> Result<Arc<Self>, Error> {
        let shown = path.display().to_string().replace('\\', "/");
        let files = read(path, &shown, version)?;
        files::assemble(files, "", version).map(Arc::new)
    }

    /// Loads a chart whose files are shown below `shown`. Each of `texts`, by its path in the chart,
    /// stands for a file of that name; a folder that is not there has no others.
    ///
    /// # Errors
    ///
    /// As [`Chart::load`].
    pub fn load_with(
        path: &Path,
        shown: &str,
        texts: &[(String, Vec<u8>)],
        version: HelmVersion,
    ) -> Result<Arc<Self>, Error> {
        let is_there = texts.is_empty() || path.join("Chart.yaml").exists();
        let mut files = if is_there { read(path, shown, version)? } else { Vec::new() };
        let folder = directory::prefix(shown);
        for (name, text) in texts {
            files.retain(|file| *file.name != **name);
            files.push(File::new(name.clone(), (&**text).into(), format!("{folder}{name}"), false));
        }
        if !texts.is_empty() {
            files.sort_by(|a, b| a.name.cmp(&b.name));
        }
        files::assemble(files, "", version).map(Arc::new)
    }

    /// Makes a chart of files at hand: those of another revision, or one that is being edited. Each has
    /// its path inside the chart, with `/`, and its content; `shown` is the folder that places name. A
    /// `.helmignore` among them counts.
    ///
    /// # Errors
    ///
    /// The files make no valid chart.
    pub fn from_files(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        shown: &str,
        version: HelmVersion,
    ) -> Result<Arc<Self>, Error> {
        let files = directory::select(files.into_iter().collect(), shown, version)?;
        files::assemble(files, "", version).map(Arc::new)
    }

    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    pub fn is_library(&self) -> bool {
        self.metadata.kind.eq_ignore_ascii_case("library")
    }

    /// Whether the chart is for this version of Kubernetes.
    pub fn accepts(&self, version: &KubeVersion) -> bool {
        let constraint = &self.metadata.kube_version;
        constraint.is_empty() || is_compatible(constraint, &version.normalized)
    }

    /// The names of declared dependencies that are not in `charts/`.
    pub fn missing_dependencies(&self) -> Vec<&str> {
        let is_missing = |name: &&str| !self.dependencies.iter().any(|sub| sub.name() == *name);
        let names = self.metadata.dependencies.iter().flatten().map(|dependency| &*dependency.name);
        names.filter(is_missing).collect()
    }

    /// Where a dependency of this name is declared.
    pub fn declares(&self, name: &str) -> Option<Location> {
        let mut declared = self.metadata.dependencies.iter().flatten();
        let (source, span) = declared.find(|one| *one.name == *name)?.at.clone()?;
        Some(Location { source, span })
    }
}

/// The files of a chart's folder or archive.
fn read(path: &Path, shown: &str, version: HelmVersion) -> Result<Vec<File>, Error> {
    let metadata = std::fs::metadata(path)
        .map_err(|_| Error::new(Reason::Chart, format!("path \"{shown}\" not found")))?;
    if !metadata.is_dir() {
        return archive::read_file(path, shown, version);
    }
    directory::read(path, shown, version)
}

impl File {
    fn new(name: String, data: Arc<[u8]>, path: String, is_archived: bool) -> Self {
        let data = data.strip_prefix(b"\xEF\xBB\xBF").map(Arc::from).unwrap_or(data);
        Self { name: name.into(), data, path, is_archived, source: OnceLock::new() }
    }

    /// The text for findings to point into.
    pub fn source(&self) -> Arc<Source> {
        let source = || {
            let text = String::from_utf8_lossy(&self.data).into_owned();
            let is_exact = text.len() == self.data.len() && !self.is_archived;
            let make = if is_exact { Source::new } else { Source::read_only };
            Arc::new(make(self.path.clone(), text))
        };
        self.source.get_or_init(source).clone()
    }

    /// The same file under another name.
    fn renamed(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }
}
