//! Loading a chart from a directory, an archive or memory.

mod archive;
mod directory;

mod files;
mod ignore;
mod local;
mod metadata;
pub(crate) mod pattern;

use std::{
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use self::archive::Unpacked;
use file_boundary::{Boundary, normal};
pub use metadata::{Dependency, ImportValues, Maintainer, Metadata};
use yaml_spans::{Location, Node, Source};

use crate::{
    Error, HelmVersion, KubeVersion, Reason,
    manifest_cache::ManifestCache,
    semver::is_compatible,
    template_cache::{ParsedFiles, TemplateCache},
    values::Table,
};

/// A loaded chart with its dependencies. It is immutable: each render works on a view of it.
#[derive(Debug)]
pub struct Chart {
    /// The fields of `Chart.yaml`.
    pub metadata: Metadata,
    /// `Chart.yaml`, or `requirements.yaml` where there is none: the text that metadata locations
    /// point into.
    pub chart_yaml: Arc<Source>,
    /// The defaults in `values.yaml`.
    pub values: Table,
    values_documents: Mutex<Option<ParsedValues>>,
    /// `values.schema.json`.
    pub schema: Option<File>,
    /// The files in `templates/`, including partials and `NOTES.txt`.
    pub templates: Vec<File>,
    /// The files in `.Files`, including CRDs.
    pub files: Vec<File>,
    /// The charts in `charts/`, sorted by file or directory name.
    pub dependencies: Vec<Arc<Chart>>,
    /// The path below the root chart, such as `charts/sub`; empty for the root chart.
    pub folder: String,
    /// The warnings that Helm logs while it loads the chart.
    pub warnings: Vec<String>,
    /// The archives in `charts/` that Git LFS has not fetched, as shown to users. Only [`Chart::load_linked`] leaves them out;
    /// to Helm they are broken.
    pub lfs_pointers: Vec<String>,
    cache: OnceLock<ChartCache>,
    pub(crate) last_templates: TemplateCache,
}

/// A values file and its documents.
pub type ParsedValues = (Arc<Source>, Vec<Node>);

/// What renders of a chart parse: the template files, the manifests that they print, the YAML that they read. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ChartCache {
    pub(crate) templates: ParsedFiles,
    pub(crate) manifests: ManifestCache,
}

/// A file of a chart.
#[derive(Debug)]
pub struct File {
    /// The path within its chart, separated by `/`.
    pub name: Arc<str>,
    /// The content, without a byte order mark.
    pub data: Arc<[u8]>,
    /// The path to show to users.
    pub path: String,
    /// No file of this name holds the content.
    is_read_only: bool,
    source: OnceLock<Arc<Source>>,
    json: OnceLock<Result<serde_json::Value, String>>,
}

impl Chart {
    /// Loads a chart from a directory or an archive.
    ///
    /// # Errors
    ///
    /// [`Reason::Chart`] or [`Reason::Values`] with Helm's message: the chart does not exist,
    /// cannot be read, is invalid, or is too large.
    pub fn load(path: &Path, version: HelmVersion) -> Result<Arc<Self>, Error> {
        let shown = path.display().to_string().replace('\\', "/");
        let files = read(path, &shown, &[], version, &Boundary::everywhere())?;
        files::assemble(files, "", version, &mut Unpacked::default()).map(Arc::new)
    }

    /// Loads a chart, with `texts` in place of files on disk, and shows its files below the path
    /// `shown`.
    ///
    /// Each of `texts` is a path within the chart and a content; it replaces the file of that name
    /// or adds one. If `path` holds no `Chart.yaml`, the texts are the whole chart.
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
        Self::load_within(path, shown, texts, version, &Boundary::everywhere())
    }

    /// The same for a chart whose author is not trusted: links that lead out of a boundary are not followed.
    ///
    /// # Errors
    ///
    /// As [`Chart::load`]; a link that leads out of the boundary is an error at the link.
    pub fn load_within(
        path: &Path,
        shown: &str,
        texts: &[(String, Vec<u8>)],
        version: HelmVersion,
        boundary: &Boundary,
    ) -> Result<Arc<Self>, Error> {
        let files = files_within(path, shown, texts, version, boundary)?;
        files::assemble(files, "", version, &mut Unpacked::default()).map(Arc::new)
    }

    /// The same with the dependencies that `charts/` lacks and whose repository is a folder of the tree
    /// (`file://../common`), as `helm dependency build` would vendor them. Those that cannot be loaded stay missing, as do
    /// archives in `charts/` that Git LFS has not fetched.
    /// A text whose name leads out of the chart (`../common/values.yaml`) replaces a file of such a dependency.
    ///
    /// # Errors
    ///
    /// As [`Chart::load_within`].
    pub fn load_linked(
        path: &Path,
        shown: &str,
        texts: &[(String, Vec<u8>)],
        version: HelmVersion,
        boundary: &Boundary,
    ) -> Result<Arc<Self>, Error> {
        let mut files = files_within(path, shown, texts, version, boundary)?;
        let pointers = files.extract_if(.., |file| is_lfs_pointer(file)).map(|file| file.path);
        let pointers = pointers.collect();
        let mut chart = files::assemble(files, "", version, &mut Unpacked::default())?;
        chart.lfs_pointers = pointers;
        let outside = texts.iter().filter(|(name, _)| is_outside(name));
        let outside: Vec<_> =
            outside.map(|(name, text)| (normal(&path.join(name)), &**text)).collect();
        local::Links::new(&outside, version, boundary).add(&mut chart, (path, shown));
        Ok(Arc::new(chart))
    }

    /// Whether the chart, or one of its dependencies, lacks a dependency.
    pub fn lacks_dependencies(&self) -> bool {
        !self.missing_dependencies().is_empty()
            || self.dependencies.iter().any(|one| one.lacks_dependencies())
    }

    /// Whether another version of the chart differs at most in templates, values and the schema of these. A chart of Helm 2
    /// may have dependencies that `Chart.yaml` does not name.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&File, &File)| a.name == b.name && a.data == b.data;
        self.metadata.api_version != "v1"
            && self.chart_yaml.text == other.chart_yaml.text
            && self.folder == other.folder
            && self.files.len() == other.files.len()
            && self.files.iter().zip(&other.files).all(is_same)
    }

    /// Reuses what renders of another version of the chart have parsed. Does nothing once this one has been rendered.
    pub fn reuse(&self, cache: &ChartCache) {
        let _ = self.cache.set(cache.clone());
    }

    /// What renders of this chart have parsed.
    pub fn cache(&self) -> &ChartCache {
        self.cache.get_or_init(ChartCache::default)
    }

    /// Loads a chart from files in memory, for example those of another revision.
    ///
    /// Each file is a path within the chart, separated by `/`, and a content. A `.helmignore` among
    /// them applies. Locations show the files below the path `shown`.
    ///
    /// # Errors
    ///
    /// As [`Chart::load`].
    pub fn from_files(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        shown: &str,
        version: HelmVersion,
    ) -> Result<Arc<Self>, Error> {
        let files = directory::select(files.into_iter().collect(), shown, version)?;
        files::assemble(files, "", version, &mut Unpacked::default()).map(Arc::new)
    }

    /// The name in `Chart.yaml`.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Whether the chart's type is `library`.
    pub fn is_library(&self) -> bool {
        self.metadata.kind.eq_ignore_ascii_case("library")
    }

    /// Whether the chart's `kubeVersion` constraint allows this version; true without a constraint.
    pub fn accepts(&self, version: &KubeVersion) -> bool {
        let constraint = &self.metadata.kube_version;
        constraint.is_empty() || is_compatible(constraint, &version.normalized)
    }

    /// The documents of `values.yaml`, so that nobody need parse them again; `None` if there are none or Helm parses only the
    /// first of them, and for all but the first who asks: they do not stay in memory.
    pub fn take_values_documents(&self) -> Option<ParsedValues> {
        self.values_documents.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The names of declared dependencies that `charts/` does not contain.
    pub fn missing_dependencies(&self) -> Vec<&str> {
        let is_missing = |name: &&str| !self.dependencies.iter().any(|sub| sub.name() == *name);
        let names = self.metadata.dependencies.iter().flatten().map(|dependency| &*dependency.name);
        names.filter(is_missing).collect()
    }

    /// Where `Chart.yaml` or `requirements.yaml` declares the dependency `name`.
    pub fn declares(&self, name: &str) -> Option<Location> {
        let mut declared = self.metadata.dependencies.iter().flatten();
        let (source, span) = declared.find(|one| *one.name == *name)?.at.clone()?;
        Some(Location { source, span })
    }
}

/// The files of a chart, with texts in place of some of them.
fn files_within(
    path: &Path,
    shown: &str,
    texts: &[(String, Vec<u8>)],
    version: HelmVersion,
    boundary: &Boundary,
) -> Result<Vec<File>, Error> {
    let is_there = texts.is_empty() || path.join("Chart.yaml").exists();
    let mut files = match is_there {
        true => read(path, shown, texts, version, boundary)?,
        false => Vec::new(),
    };
    let own = texts.iter().filter(|(name, _)| !is_outside(name));
    replace(&mut files, shown, own.map(|(name, text)| (&**name, &**text)));
    Ok(files)
}

/// Whether a file stands for a packed dependency that Git LFS has not fetched. Source: <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>
fn is_lfs_pointer(file: &File) -> bool {
    file.name.starts_with("charts/")
        && file.name.ends_with(".tgz")
        && file.data.starts_with(b"version https://git-lfs.github.com/spec/v1\n")
}

/// The files of a chart's directory or archive. A link in the place of one of the texts is not followed.
fn read(
    path: &Path,
    shown: &str,
    texts: &[(String, Vec<u8>)],
    version: HelmVersion,
    boundary: &Boundary,
) -> Result<Vec<File>, Error> {
    let refused = |refusal| Error::new(Reason::Chart, format!("{shown}: {refusal}"));
    boundary.check(path).map_err(refused)?;
    let metadata = std::fs::metadata(path)
        .map_err(|_| Error::new(Reason::Chart, format!("path \"{shown}\" not found")))?;
    if !metadata.is_dir() {
        return archive::read_file(path, shown, version, boundary);
    }
    directory::read(path, shown, texts, version, boundary)
}

/// True for a path from the folder of a chart that leads out of it.
fn is_outside(name: &str) -> bool {
    name.starts_with("../")
}

/// Replaces files by other texts, or adds them.
fn replace<'a>(
    files: &mut Vec<File>,
    shown: &str,
    texts: impl Iterator<Item = (&'a str, &'a [u8])>,
) {
    let folder = directory::prefix(shown);
    let mut is_sorted = true;
    for (name, text) in texts {
        files.retain(|file| *file.name != *name);
        files.push(File::new(name.to_owned(), text.into(), format!("{folder}{name}"), false));
        is_sorted = false;
    }
    if !is_sorted {
        files.sort_by(|a, b| a.name.cmp(&b.name));
    }
}

impl File {
    fn new(name: String, data: Arc<[u8]>, path: String, is_read_only: bool) -> Self {
        let data = data.strip_prefix(b"\xEF\xBB\xBF").map(Arc::from).unwrap_or(data);
        let (source, json) = Default::default();
        Self { name: name.into(), data, path, is_read_only, source, json }
    }

    /// The content as JSON, which every render reads of a schema; or the error of the parser.
    pub(crate) fn json(&self) -> &Result<serde_json::Value, String> {
        let parse = || serde_json::from_slice(&self.data).map_err(|error| error.to_string());
        self.json.get_or_init(parse)
    }

    /// The content as text that locations point into. It is read-only if the chart is an archive or
    /// if the content or the name is not UTF-8.
    pub fn source(&self) -> Arc<Source> {
        let source = || {
            let exact = std::str::from_utf8(&self.data).map(str::to_owned);
            let make = match exact.is_ok() && !self.is_read_only {
                true => Source::new,
                false => Source::read_only,
            };
            let text = exact.unwrap_or_else(|_| String::from_utf8_lossy(&self.data).into_owned());
            Arc::new(make(self.path.clone(), text))
        };
        self.source.get_or_init(source).clone()
    }

    /// The same file with another name.
    fn renamed(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }
}
