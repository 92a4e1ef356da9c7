//! Loads one of the two versions: a rendered chart or manifests, from a path or a Git revision.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use file_boundary::Boundary;
use helm_render::{self as helm, Chart, HelmVersion, values};
use job_lifecycle::{Deployer, Object};
use yaml_spans::Source;

use super::{ChartRequest, error::LoadError, git::Revision, kustomizations::Kustomizations};
use crate::{
    chart::{self, Loaders, Texts, ValueSet},
    discover::{overlay, shown, walk},
    load,
    redact::{SecretValues, Secrets},
    release_changes,
    settings::Settings,
    unit::{self, File, Loaded, Unit, UnitKind},
};

/// Where a version is read from.
#[derive(Clone, Debug)]
pub(crate) enum VersionSource {
    Path(PathBuf),
    Revision(Revision),
}

/// Which of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Old,
    New,
}

/// What a chart is rendered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The first deploy, and every one of a deployer without a release.
    Install,
    /// An upgrade of a release.
    Upgrade,
}

/// The objects that a version deploys.
#[derive(Debug)]
pub(crate) struct Version {
    pub kind: UnitKind,
    pub parts: Vec<VersionedObject>,
    pub loaded: Loaded,
}

/// An object of a version.
#[derive(Clone, Debug)]
pub(crate) struct VersionedObject {
    pub object: Object,
    /// The file, relative to the root of the version.
    pub file: String,
    /// The folder of the kustomization that it is built from.
    pub kustomization: Option<Arc<str>>,
    /// What deploys it, if that is not what deploys the whole version.
    pub deployers: Vec<Deployer>,
    /// The secrets of the whole file, shared by all its objects.
    secrets: Arc<OnceLock<Secrets>>,
}

impl VersionedObject {
    /// The secrets in the file of the object.
    pub(crate) fn secrets(&self) -> &Secrets {
        self.secrets.get_or_init(|| Secrets::find(&self.object.source.text))
    }
}

impl VersionSource {
    /// The name in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            VersionSource::Path(path) => shown(path),
            VersionSource::Revision(revision) => revision.name().to_owned(),
        }
    }

    /// Returns whether this is a chart: a folder with a `Chart.yaml`, or an archive.
    pub(crate) fn is_chart(&self) -> Result<bool, LoadError> {
        match self {
            VersionSource::Path(path) if path.is_dir() => Ok(path.join("Chart.yaml").is_file()),
            VersionSource::Path(path) => {
                Ok([".tgz", ".tar.gz"].iter().any(|end| path.to_string_lossy().ends_with(end)))
            }
            VersionSource::Revision(revision) => {
                Ok(!revision.files(&|path| path == "Chart.yaml")?.is_empty())
            }
        }
    }

    /// The subfolders that contain charts, without sub-charts.
    ///
    /// # Errors
    ///
    /// The folder cannot be listed.
    pub(crate) fn charts(&self) -> Result<BTreeSet<String>, LoadError> {
        match self {
            VersionSource::Path(path) if path.is_dir() => {
                let files = folder(path)?;
                Ok(chart_roots(files.iter().map(|(path, _)| path.as_str())))
            }
            VersionSource::Path(_) => Ok(BTreeSet::new()),
            VersionSource::Revision(revision) => {
                let files = revision.files(&|path| path.ends_with("Chart.yaml"))?;
                Ok(chart_roots(files.iter().map(|file| file.path.as_str())))
            }
        }
    }

    /// A subfolder.
    pub(crate) fn below(&self, folder: &str) -> Self {
        match self {
            VersionSource::Path(path) if path.as_os_str() == "." => {
                VersionSource::Path(folder.into())
            }
            VersionSource::Path(path) => VersionSource::Path(path.join(folder)),
            VersionSource::Revision(revision) => VersionSource::Revision(revision.below(folder)),
        }
    }

    /// Loads the version. Its secrets are added to `secrets` even if it does not render.
    ///
    /// # Errors
    ///
    /// Nothing is there, or the chart cannot be loaded or rendered.
    pub(crate) fn load(
        &self,
        when: (Side, Stage),
        request: &ChartRequest,
        settings: &Settings,
        secrets: &mut SecretValues,
    ) -> Result<Version, LoadError> {
        match self.is_chart()? {
            true => self.render(when, request, settings, secrets),
            false => self.read(),
        }
    }

    fn render(
        &self,
        (side, stage): (Side, Stage),
        request: &ChartRequest,
        settings: &Settings,
        secrets: &mut SecretValues,
    ) -> Result<Version, LoadError> {
        let version = HelmVersion::V4;
        let (chart, root, mut notes) = self.chart(settings)?;
        secrets.extend(&chart::secrets::of_values(&chart, &[], &settings.values));
        let texts = self.values(side, request, settings, &mut notes)?;
        texts.iter().for_each(|source| secrets.add_text(&source.text));
        let table = values::collect_texts(&texts, &settings.values.flags, version)
            .map_err(LoadError::Chart)?;
        let name = match settings.values.is_empty() {
            true => "values.yaml".to_owned(),
            false => settings.values.name(),
        };
        let set = ValueSet::new(name, table, true);
        let adjust = |options: &mut helm::RenderOptions| {
            let release = &mut options.release;
            release.namespace.clone_from(&request.namespace);
            release.is_upgrade = stage == Stage::Upgrade;
            release.revision = if side == Side::New && release.is_upgrade { 2 } else { 1 };
            if let Some(name) = &request.name {
                release.name.clone_from(name);
            }
            if side == Side::New {
                release_changes::render_later(options);
            }
        };
        let loaded = chart::load_release(&chart, &set, adjust, settings);
        let mut loaded = loaded.map_err(|error| match chart.missing_dependencies() {
            missing if missing.is_empty() => LoadError::Chart(error),
            missing => LoadError::MissingDependencies {
                error,
                missing: missing.into_iter().map(str::to_owned).collect(),
                chart: root.clone(),
            },
        })?;
        loaded.notes.extend(notes);
        Ok(Version::new(UnitKind::Chart, loaded, &root))
    }

    /// The chart with its path, and what was overlooked in it.
    fn chart(&self, settings: &Settings) -> Result<(Arc<Chart>, String, Vec<String>), LoadError> {
        let loaders = Loaders::stated_in(settings);
        let (loaded, root) = match self {
            VersionSource::Path(path) => {
                let (shown, boundary) = (shown(path), self.boundary());
                let printed = if shown.is_empty() { "." } else { &shown };
                let load = |texts: &Texts, version| {
                    Chart::load_within(path, printed, texts, version, &boundary)
                };
                let read = |name: &str| boundary.read(&path.join(name)).ok();
                (chart::load_by(&load, &read, &[], loaders), shown)
            }
            VersionSource::Revision(revision) => {
                let files = revision.files(&|_| true)?;
                let root = revision.shown("");
                let load = |texts: &Texts, version| {
                    let is_replaced = |path: &str| texts.iter().any(|(name, _)| name == path);
                    let own = files.iter().filter(|blob| !is_replaced(&blob.path));
                    let own = own.map(|blob| (blob.path.clone(), blob.data.clone()));
                    Chart::from_files(own.chain(texts.iter().cloned()), &root, version)
                };
                let read = |name: &str| {
                    files.iter().find(|blob| blob.path == name).map(|blob| blob.data.clone())
                };
                (chart::load_by(&load, &read, &[], loaders), root)
            }
        };
        let (chart, notes) = loaded.map_err(LoadError::Chart)?;
        Ok((chart, root, notes))
    }

    /// The values files of the settings; a version's own copy wins.
    fn values(
        &self,
        side: Side,
        request: &ChartRequest,
        settings: &Settings,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Arc<Source>>, LoadError> {
        let one = |path: &PathBuf| {
            let own = match side {
                Side::New => None,
                Side::Old => self.counterpart(path, request)?,
            };
            match own {
                Some(source) => {
                    notes.push(format!("values `{}`: each version uses its own copy", shown(path)));
                    Ok(source)
                }
                None => values::source(path).map_err(LoadError::ValuesFile),
            }
        };
        settings.values.files.iter().map(one).collect()
    }

    /// This version's copy of a values file; `None` if the file lies outside both versions.
    fn counterpart(
        &self,
        path: &Path,
        request: &ChartRequest,
    ) -> Result<Option<Arc<Source>>, LoadError> {
        match self {
            VersionSource::Revision(revision) => {
                let Some(file) = revision.at(path) else { return Ok(None) };
                let missing = |_| LoadError::ValuesNotInRevision {
                    path: path.to_owned(),
                    revision: revision.name().to_owned(),
                };
                let blob = file.files(&|_| true).map_err(missing)?.remove(0);
                let text = String::from_utf8_lossy(&blob.data).into_owned();
                Ok(Some(Arc::new(Source::read_only(file.shown(""), text))))
            }
            VersionSource::Path(_) => {
                let Some(base) = request.base.as_ref().filter(|base| base.is_dir()) else {
                    return Ok(None);
                };
                let absolute =
                    |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
                let (path, root) = (absolute(path), absolute(&request.path));
                let own = path.strip_prefix(root).map(|inside| base.join(inside));
                let Ok(own) = own else { return Ok(None) };
                let found = own.is_file().then(|| values::source(&own));
                found.transpose().map_err(LoadError::ValuesFile)
            }
        }
    }

    /// The files that this version may name.
    fn boundary(&self) -> Boundary {
        match self {
            VersionSource::Path(path) => Boundary::around([path.as_path()]),
            VersionSource::Revision(_) => Boundary::default(),
        }
    }

    fn read(&self) -> Result<Version, LoadError> {
        let files = match self {
            VersionSource::Path(path) if path.is_dir() => folder(path)?,
            VersionSource::Path(path) if path.is_file() => {
                vec![(String::new(), named(path.clone(), shown(path), None))]
            }
            VersionSource::Path(path) => return Err(LoadError::NotFound(path.clone())),
            VersionSource::Revision(revision) => {
                let blobs = revision
                    .files(&|path| path.is_empty() || walk::can_hold_manifests(Path::new(path)))?;
                let file = |blob: super::git::Blob| {
                    let shown = revision.shown(&blob.path);
                    (blob.path, named(PathBuf::from(&shown), shown, Some(blob.data)))
                };
                blobs.into_iter().map(file).collect()
            }
        };
        let root = match self {
            VersionSource::Path(path) => shown(path),
            VersionSource::Revision(revision) => revision.shown(""),
        };
        let mut files = files;
        let Kustomizations { built } = Kustomizations::take(self, &mut files)?;
        let mut version = Version::of_files(files, &root, self.boundary());
        for (folder, loaded) in built {
            version.add(&folder, loaded);
        }
        Ok(version)
    }
}

fn named(path: PathBuf, shown: String, text: Option<Vec<u8>>) -> File {
    File { path, shown, named: false, text }
}

/// The manifests of a folder by relative path.
fn folder(root: &Path) -> Result<Vec<(String, File)>, LoadError> {
    let mut files = Vec::new();
    for found in walk::files(root) {
        let path = found.map_err(LoadError::Walk)?;
        let below = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let shown = shown(&path);
        files.push((below, named(path, shown, None)));
    }
    match files.is_empty() {
        true => Err(LoadError::NoManifests(root.to_owned())),
        false => Ok(files),
    }
}

/// The outermost folders with a `Chart.yaml`.
fn chart_roots<'a>(files: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let root = |file: &'a str| {
        file.strip_suffix("Chart.yaml").filter(|root| root.is_empty() || root.ends_with('/'))
    };
    let mut all: Vec<_> = files.filter_map(root).map(|root| root.trim_end_matches('/')).collect();
    all.sort_unstable();
    let mut outermost: BTreeSet<String> = BTreeSet::new();
    for root in all {
        let inside = |outer: &String| walk::belongs_to_chart(Path::new(outer), Path::new(root));
        if !outermost.iter().any(inside) {
            outermost.insert(root.to_owned());
        }
    }
    outermost
}

fn is_overlay(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    overlay::FILE_NAMES.contains(&name)
}

impl Version {
    /// A version made of manifests, by relative path. Files that belong to charts are left out.
    pub(crate) fn of_files(mut files: Vec<(String, File)>, root: &str, boundary: Boundary) -> Self {
        files.sort_by(|(a, _), (b, _)| a.cmp(b));
        let charts = chart_roots(files.iter().map(|(path, _)| path.as_str()));
        let of_chart = |path: &str| {
            charts.iter().any(|chart| walk::belongs_to_chart(Path::new(chart), Path::new(path)))
        };
        files.retain(|(path, _)| !of_chart(path));
        files.retain(|(path, _)| !is_overlay(path));
        let files = files.into_iter().map(|(_, file)| file).collect();
        let loaded = load::load(&Unit::new(UnitKind::Plain, files, boundary));
        Self::new(UnitKind::Plain, loaded, root)
    }

    /// `root` is the common prefix of the file paths.
    fn new(kind: UnitKind, loaded: Loaded, root: &str) -> Self {
        let below =
            |path: &str| path.strip_prefix(root).unwrap_or(path).trim_start_matches('/').to_owned();
        let mut secrets: HashMap<*const Source, Arc<OnceLock<Secrets>>> = HashMap::new();
        let part = |object: &Object| VersionedObject {
            object: object.clone(),
            file: below(&object.source.path),
            kustomization: None,
            deployers: Vec::new(),
            secrets: secrets.entry(Arc::as_ptr(&object.source)).or_default().clone(),
        };
        Self { kind, parts: loaded.objects.iter().map(part).collect(), loaded }
    }

    /// Adds the objects of a kustomization in a folder.
    fn add(&mut self, folder: &str, loaded: Loaded) {
        let view = loaded.overlay.as_ref();
        let deployers = view.map(|view| unit::deployers(&view.deployments)).unwrap_or_default();
        let part = |object: &Object| VersionedObject {
            object: object.clone(),
            file: folder.to_owned(),
            kustomization: Some(folder.into()),
            deployers: deployers.clone(),
            secrets: Arc::default(),
        };
        self.parts.extend(loaded.objects.iter().map(part));
        self.loaded.add(loaded);
    }

    /// The chart's dependencies that are missing from `charts/`.
    pub(crate) fn missing(&self) -> Vec<String> {
        self.loaded
            .rendering
            .as_ref()
            .map(|rendering| rendering.rendered.missing.clone())
            .unwrap_or_default()
    }
}
