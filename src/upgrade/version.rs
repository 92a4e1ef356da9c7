//! One of the two versions: a chart rendered, or manifests read, from a path or from a Git revision.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use helm_render::{self as helm, Chart, HelmVersion, values};
use job_lifecycle::Object;
use yaml_spans::Source;

use super::{ChartRequest, git::Revision};
use crate::{
    chart::{self, ValueSet},
    discover::{overlay, shown, walk},
    load,
    redact::Secrets,
    settings::Settings,
    unit::{File, Loaded, Unit, UnitKind},
};

/// Where a version is kept.
#[derive(Clone, Debug)]
pub enum Place {
    Path(PathBuf),
    Revision(Revision),
}

/// Which of the two it is, and how it was deployed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Old,
    New,
}

/// What a version deploys.
#[derive(Debug)]
pub struct Version {
    pub kind: UnitKind,
    pub parts: Vec<Part>,
    pub loaded: Loaded,
}

/// An object of a version.
#[derive(Clone, Debug)]
pub struct Part {
    pub object: Object,
    /// The file below the root of the version.
    pub file: String,
    /// Those of the whole text, shared by all objects in it.
    secrets: Arc<OnceLock<Secrets>>,
}

impl Part {
    /// The secrets in the text of the object.
    pub fn secrets(&self) -> &Secrets {
        self.secrets.get_or_init(|| Secrets::find(&self.object.source.text))
    }
}

impl Place {
    /// Where the base is: a path when there is one of that name, else a revision of the repository around the new version.
    ///
    /// # Errors
    ///
    /// It is neither.
    pub fn of_base(base: &str, path: &Path) -> Result<Self, String> {
        match Path::new(base).exists() {
            true => Ok(Place::Path(base.into())),
            false => Revision::find(base, path).map(Place::Revision),
        }
    }

    /// As messages name it.
    pub fn name(&self) -> String {
        match self {
            Place::Path(path) => shown(path),
            Place::Revision(revision) => revision.name().to_owned(),
        }
    }

    /// A chart: a folder with a `Chart.yaml`, or an archive.
    pub fn is_chart(&self) -> Result<bool, String> {
        match self {
            Place::Path(path) if path.is_dir() => Ok(path.join("Chart.yaml").is_file()),
            Place::Path(path) => {
                Ok([".tgz", ".tar.gz"].iter().any(|end| path.to_string_lossy().ends_with(end)))
            }
            Place::Revision(revision) => {
                Ok(!revision.files(&|path| path == "Chart.yaml")?.is_empty())
            }
        }
    }

    /// The folders below it that hold charts of their own, the sub-charts of others left out.
    ///
    /// # Errors
    ///
    /// It cannot be listed.
    pub fn charts(&self) -> Result<BTreeSet<String>, String> {
        match self {
            Place::Path(path) if path.is_dir() => {
                let files = folder(path)?;
                Ok(chart_roots(files.iter().map(|(path, _)| path.as_str())))
            }
            Place::Path(_) => Ok(BTreeSet::new()),
            Place::Revision(revision) => {
                let files = revision.files(&|path| path.ends_with("Chart.yaml"))?;
                Ok(chart_roots(files.iter().map(|file| file.path.as_str())))
            }
        }
    }

    /// A folder below it.
    pub fn below(&self, folder: &str) -> Self {
        match self {
            Place::Path(path) => Place::Path(path.join(folder)),
            Place::Revision(revision) => Place::Revision(revision.below(folder)),
        }
    }

    /// Reads the version.
    ///
    /// # Errors
    ///
    /// Nothing is there, or the chart cannot be loaded or rendered: in the words of whoever stopped.
    pub fn load(
        &self,
        side: Side,
        request: &ChartRequest,
        settings: &Settings,
    ) -> Result<Version, String> {
        match self.is_chart()? {
            true => self.render(side, request, settings),
            false => self.read(),
        }
    }

    fn render(
        &self,
        side: Side,
        request: &ChartRequest,
        settings: &Settings,
    ) -> Result<Version, String> {
        let fail = |error: helm::Error| {
            let at =
                error.at.as_ref().map(|at| format!("{}:{}: ", at.source.path, at.start().line));
            format!("{}{error}", at.unwrap_or_default())
        };
        let version = HelmVersion::V4;
        let (chart, root) = match self {
            Place::Path(path) => (Chart::load(path, version).map_err(fail)?, shown(path)),
            Place::Revision(revision) => {
                let files = revision.files(&|_| true)?;
                let files = files.into_iter().map(|blob| (blob.path, blob.data));
                let root = revision.shown("");
                (Chart::from_files(files, &root, version).map_err(fail)?, root)
            }
        };
        let mut notes = Vec::new();
        let texts = self.values(side, request, settings, &mut notes)?;
        let table = values::collect_texts(&texts, &settings.values.flags, version).map_err(fail)?;
        let name = match settings.values.is_empty() {
            true => "values.yaml".to_owned(),
            false => settings.values.name(),
        };
        let set = ValueSet::new(name, table, true);
        let release = |release: &mut helm::Release| {
            release.namespace.clone_from(&request.namespace);
            release.is_upgrade = request.upgrades;
            release.revision = if side == Side::New && request.upgrades { 2 } else { 1 };
            if let Some(name) = &request.name {
                release.name.clone_from(name);
            }
        };
        let missing = chart.missing_dependencies().join("`, `");
        let hint = |text: String| match missing.as_str() {
            "" => text,
            missing => {
                format!("{text}\n`{missing}` of {root} is not in `charts/`, which may be why")
            }
        };
        let loaded = chart::load_release(&chart, &set, release, settings);
        let mut loaded = loaded.map_err(|error| hint(fail(error)))?;
        loaded.notes.extend(notes);
        Ok(Version::new(UnitKind::Chart, loaded, &root))
    }

    /// The texts of the values files: each version's own where it has one.
    fn values(
        &self,
        side: Side,
        request: &ChartRequest,
        settings: &Settings,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Arc<Source>>, String> {
        let one = |path: &PathBuf| {
            let own = match side {
                Side::New => None,
                Side::Old => self.counterpart(path, request)?,
            };
            match own {
                Some(source) => {
                    notes.push(format!("values `{}`: each version's own", shown(path)));
                    Ok(source)
                }
                None => values::source(path).map_err(|error| error.message),
            }
        };
        settings.values.files.iter().map(one).collect()
    }

    /// The values file that stands in this version where `path` stands in the new one; `None` when it lies outside.
    fn counterpart(
        &self,
        path: &Path,
        request: &ChartRequest,
    ) -> Result<Option<Arc<Source>>, String> {
        match self {
            Place::Revision(revision) => {
                let Some(file) = revision.at(path) else { return Ok(None) };
                let missing = |_| {
                    let (path, name) = (shown(path), revision.name());
                    format!(
                        "values `{path}` are in the repository, but not in `{name}`; copy them out of it to use them for both versions"
                    )
                };
                let blob = file.files(&|_| true).map_err(missing)?.remove(0);
                let text = String::from_utf8_lossy(&blob.data).into_owned();
                Ok(Some(Arc::new(Source::read_only(file.shown(""), text))))
            }
            Place::Path(base) => {
                let inside = path.strip_prefix(&request.path).ok().filter(|_| base.is_dir());
                let Some(own) = inside.map(|inside| base.join(inside)) else { return Ok(None) };
                let found = own.is_file().then(|| values::source(&own));
                found.transpose().map_err(|error| error.message)
            }
        }
    }

    fn read(&self) -> Result<Version, String> {
        let files = match self {
            Place::Path(path) if path.is_dir() => folder(path)?,
            Place::Path(path) if path.is_file() => {
                vec![(String::new(), named(path.clone(), shown(path), None))]
            }
            Place::Path(path) => return Err(format!("{}: there is nothing", shown(path))),
            Place::Revision(revision) => {
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
            Place::Path(path) => shown(path),
            Place::Revision(revision) => revision.shown(""),
        };
        Ok(Version::of_files(files, &self.name(), &root))
    }
}

fn named(path: PathBuf, shown: String, text: Option<Vec<u8>>) -> File {
    File { path, shown, named: false, text }
}

/// The manifests of a folder, by their path below it; those of charts in it are none.
fn folder(root: &Path) -> Result<Vec<(String, File)>, String> {
    let mut files = Vec::new();
    for found in walk::files(root) {
        let path = found?;
        let below = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let shown = shown(&path);
        files.push((below, named(path, shown, None)));
    }
    match files.is_empty() {
        true => Err(format!("{}: holds no YAML or JSON file", shown(root))),
        false => Ok(files),
    }
}

/// The folders with a `Chart.yaml`, outermost ones only.
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
    /// Manifests, each under its path below the root; what belongs to charts among them is left out.
    pub fn of_files(mut files: Vec<(String, File)>, name: &str, root: &str) -> Self {
        files.sort_by(|(a, _), (b, _)| a.cmp(b));
        let charts = chart_roots(files.iter().map(|(path, _)| path.as_str()));
        let of_chart = |path: &str| {
            charts.iter().any(|chart| walk::belongs_to_chart(Path::new(chart), Path::new(path)))
        };
        files.retain(|(path, _)| !of_chart(path));
        let before = files.len();
        files.retain(|(path, _)| !is_overlay(path));
        let built = before - files.len();
        let files = files.into_iter().map(|(_, file)| file).collect();
        let unit = Unit {
            kind: UnitKind::Plain,
            root: PathBuf::new(),
            files,
            together: true,
            deployments: Vec::new(),
        };
        let mut loaded = load::load(&unit);
        if built > 0 {
            let text = "kustomizations are not built, their files are compared as they are";
            loaded.notes.push(format!("{name}: {text}"));
        }
        Self::new(UnitKind::Plain, loaded, root)
    }

    /// `root` is what stands before the paths of its files.
    fn new(kind: UnitKind, loaded: Loaded, root: &str) -> Self {
        let below =
            |path: &str| path.strip_prefix(root).unwrap_or(path).trim_start_matches('/').to_owned();
        let mut secrets: HashMap<*const Source, Arc<OnceLock<Secrets>>> = HashMap::new();
        let part = |object: &Object| Part {
            object: object.clone(),
            file: below(&object.source.path),
            secrets: secrets.entry(Arc::as_ptr(&object.source)).or_default().clone(),
        };
        Self { kind, parts: loaded.objects.iter().map(part).collect(), loaded }
    }

    /// Dependencies of the chart that are not there.
    pub fn missing(&self) -> Vec<String> {
        self.loaded
            .rendering
            .as_ref()
            .map(|rendering| rendering.rendered.missing.clone())
            .unwrap_or_default()
    }
}
