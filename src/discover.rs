//! Turns paths into units: finds the files below them and groups those that are applied together.

mod above;
mod around;
mod charts;
pub(crate) mod dependencies;
mod generated;
pub(crate) mod overlay;
mod path;
pub(crate) mod root;
mod superseded;
pub(crate) mod walk;

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    exclude::Exclude,
    progress::Progress,
    redact::SecretValues,
    shard::Shard,
    unit::{Boundary, File, Unit, UnitKind},
    words::count,
};

use above::{chart_above, chart_around};

pub(crate) use above::{repository_of, targets_of};
pub(crate) use overlay::{
    FILE_NAMES as OVERLAY_FILES, is_file as is_overlay_file, read as read_overlay,
};
use path::is_below;
pub(crate) use path::{absolute, normal, relative, shown};
pub use root::Root;
pub(crate) use walk::{
    all_files, can_hold_manifests, files, files_except, files_named, is_left_out, is_script,
    outermost_chart,
};

/// The name of standard input when the user gives none.
pub(crate) const STDIN: &str = "<stdin>";

/// The paths that the user asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Files and folders, relative to `base` or absolute.
    pub paths: Vec<PathBuf>,
    /// Contents that replace files on disk, by path: standard input, fixes not yet written. The files need
    /// not exist.
    pub texts: BTreeMap<PathBuf, Vec<u8>>,
    /// The folder that printed paths are relative to: the working directory.
    pub base: PathBuf,
    /// A folder whose files may be read too, although `paths` does not name it: the one that an editor works in.
    pub around: Option<PathBuf>,
    /// Values that no output may contain, such as those of the environment.
    pub secrets: SecretValues,
    /// Files and folders to leave out, even if `paths` names them.
    pub excludes: Vec<Exclude>,
    /// Whether the report says of each unit what was read and why.
    pub keeps_trail: bool,
    /// The part of the units to check; all of them when absent.
    pub shard: Option<Shard>,
    /// How far the run is.
    pub progress: Arc<Progress>,
}

/// The units behind a request.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Charts, then folders of manifests, each ordered by path.
    pub units: Vec<Unit>,
    /// Manifests beside a kustomization that does not list them, by folder.
    pub beside: Vec<Unit>,
    /// Every file that can hold manifests, in any unit.
    pub walked: Vec<PathBuf>,
    /// The files and folders that were left out, as printed.
    pub excluded: Vec<String>,
    /// Notes for standard error.
    pub notes: Vec<String>,
    /// Paths that do not exist, cannot be walked, or contain no manifests.
    pub errors: Vec<String>,
}

impl Request {
    /// The files that may be read because another file names them.
    pub(crate) fn boundary(&self) -> Boundary {
        let paths = self.paths.iter().chain(&self.around);
        let paths: Vec<_> = paths.map(|path| self.base.join(path)).collect();
        Boundary::around(paths.iter().map(PathBuf::as_path))
    }

    /// Whether the user asked for a file: only such files are fixed.
    pub(crate) fn asks_for(&self, path: &str) -> bool {
        let path = normal(Path::new(path));
        self.paths.iter().any(|asked| is_below(&path, &normal(asked)))
    }

    /// The folders that the user named, as the start of printed paths.
    pub(crate) fn named_folders(&self) -> Vec<String> {
        let folders = self.paths.iter().filter(|path| self.base.join(path).is_dir());
        folders.map(|path| shown(path).trim_end_matches('/').to_owned() + "/").collect()
    }

    /// Whether a policy in this file counts.
    pub(crate) fn obeys(&self, path: &str) -> bool {
        let inside = |folder: &PathBuf| is_below(&normal(Path::new(path)), &normal(folder));
        self.asks_for(path) || self.around.as_ref().is_some_and(inside)
    }

    /// Whether a path of the request is excluded.
    fn is_excluded(&self, path: &Path) -> bool {
        let absolute = std::path::absolute(Path::new(".").join(&self.base).join(path));
        let absolute = normal(&absolute.unwrap_or_default());
        self.excludes.iter().any(|exclude| exclude.covers(&absolute))
    }
}

/// Finds the units behind the paths of a request.
pub fn discover(request: &Request) -> Discovered {
    let texts = request.texts.iter().map(|(path, text)| (normal(path), text.clone())).collect();
    let around = around::walked(request);
    let mut tree = Tree { boundary: request.boundary(), texts, around, ..Tree::default() };
    for path in &request.paths {
        let here = request.base.join(path);
        if request.is_excluded(path) {
            tree.excluded.push(shown(path));
            continue;
        }
        if let Err(refusal) = tree.boundary.check(&here) {
            tree.errors.push(format!("{}: {refusal}", shown(path)));
            continue;
        }
        match std::fs::metadata(here) {
            _ if request.texts.contains_key(path) => tree.add_file(path, request),
            Ok(found) if found.is_dir() => tree.add_folder(path, request),
            Ok(_) => tree.add_file(path, request),
            Err(error) => tree.errors.push(format!("{}: {error}", shown(path))),
        }
    }
    tree.into_units()
}

/// The files found so far.
#[derive(Default)]
struct Tree {
    /// Files by printed folder and printed path: strings compare faster than paths.
    folders: BTreeMap<String, BTreeMap<String, File>>,
    /// Folders with a `Chart.yaml`, and packed charts.
    charts: BTreeSet<PathBuf>,
    overlays: BTreeSet<PathBuf>,
    /// Patches and configuration files of overlays; they hold no objects of their own.
    parts: HashSet<PathBuf>,
    /// Files that overlays list as resources.
    resources: HashSet<PathBuf>,
    /// Folders below an overlay of which it lists files.
    listed_in: HashSet<PathBuf>,
    /// Contents that replace files.
    texts: BTreeMap<PathBuf, Vec<u8>>,
    errors: Vec<String>,
    notes: Vec<String>,
    excluded: Vec<String>,
    /// The number of named scripts that no chart mounts.
    scripts: usize,
    walked: Vec<PathBuf>,
    /// The files of the folder around many folders of the request.
    around: BTreeSet<PathBuf>,
    boundary: Boundary,
}

impl Tree {
    fn add_folder(&mut self, folder: &Path, request: &Request) {
        let known = around::below(&self.around, folder);
        if !known.is_empty() {
            known.into_iter().for_each(|path| self.add(path, false, request));
            return;
        }
        let (files, excluded) =
            walk::files_except(&request.base.join(folder), request.excludes.clone());
        let mut empty = excluded.is_empty();
        let inside = |path: &PathBuf| shown(path.strip_prefix(&request.base).unwrap_or(path));
        self.excluded.extend(excluded.iter().map(inside));
        for found in files {
            match found {
                Ok(path) => {
                    let path = path.strip_prefix(&request.base).map(Path::to_owned).unwrap_or(path);
                    empty = false;
                    self.add(path, false, request);
                }
                Err(error) => self.errors.push(error.to_string()),
            }
        }
        if empty {
            self.errors.push(format!("{}: contains no YAML or JSON files", shown(folder)));
        }
    }

    fn add_file(&mut self, path: &Path, request: &Request) {
        if is_packed_chart(path) {
            self.charts.insert(normal(path));
            return;
        }
        self.find_overlays_above(path, request);
        match chart_above(path, request) {
            // Any file of a chart selects the whole chart.
            Some(chart) => {
                self.charts.insert(chart);
                if request.texts.contains_key(path) {
                    self.add(path.to_owned(), true, request);
                }
            }
            None => self.add_other_file(path, request),
        }
    }

    /// Adds a named file that is no template and no values file. It may hold manifests, or be mounted by a chart
    /// (`.Files`).
    fn add_other_file(&mut self, path: &Path, request: &Request) {
        let (is_manifest, is_script) = (walk::can_hold_manifests(path), walk::is_script(path));
        let chart = chart_around(path, request);
        let mounts = |chart: &PathBuf| !is_manifest || walk::reads_files(&request.base.join(chart));
        let mounting = chart.filter(mounts);
        if !is_manifest && mounting.is_none() && is_script {
            self.scripts += 1;
        } else if is_manifest || mounting.is_none() {
            self.add(path.to_owned(), true, request);
        }
        self.charts.extend(mounting);
    }

    fn add(&mut self, path: PathBuf, named: bool, request: &Request) {
        let path = normal(&path);
        self.walked.push(path.clone());
        let folder = path.parent().unwrap_or(Path::new(""));
        match path.file_name().and_then(|name| name.to_str()) {
            Some("Chart.yaml") => _ = self.charts.insert(folder.to_owned()),
            Some(name) if overlay::FILE_NAMES.contains(&name) => self.add_overlay(&path, request),
            _ => {
                let text = request.texts.get(&path).cloned();
                let (folder, shown) = (shown(folder), shown(&path));
                let files = self.folders.entry(folder).or_default();
                let new = File { path: path.clone(), shown: shown.clone(), named, text };
                let file = files.entry(shown.clone()).or_insert(new);
                file.named |= named;
                if file.path != path {
                    self.errors.push(format!("{shown}: two files are shown under this name"));
                }
            }
        }
    }

    fn add_overlay(&mut self, path: &Path, request: &Request) {
        let folder = path.parent().unwrap_or(Path::new(""));
        self.overlays.insert(folder.to_owned());
        let here = request.base.join(path);
        // The folders above a named file are searched even where no repository encloses them.
        let boundary = self.boundary.with(here.parent().unwrap_or(Path::new("")));
        let text = match self.texts.get(path) {
            Some(text) => Ok(String::from_utf8_lossy(text).into_owned()),
            None => boundary.read_to_string(&here),
        };
        match text {
            Ok(text) => {
                let overlay = overlay::read(&text);
                let refused = overlay.refused(&text, here.parent(), &boundary);
                self.notes.extend(refused.map(|refused| format!("{}:{refused}", shown(path))));
                let inside = |path: String| normal(&folder.join(path));
                self.parts.extend(overlay.parts.into_iter().map(inside));
                let resources: Vec<_> = overlay.resources.into_iter().map(inside).collect();
                let files = resources.iter().filter(|path| walk::can_hold_manifests(path));
                let folders = files.filter_map(|path| path.parent());
                let below = folders.filter(|inner| *inner != folder && inner.starts_with(folder));
                self.listed_in.extend(below.map(Path::to_owned));
                self.resources.extend(resources);
            }
            Err(refusal) if refusal.is_deliberate() => {
                self.errors.push(format!("{}: {refusal}", shown(path)));
            }
            Err(_) => {}
        }
    }

    /// Reads the kustomizations above a named file: it may be one of their patches.
    fn find_overlays_above(&mut self, path: &Path, request: &Request) {
        let absolute = request.base.join(path);
        for (depth, folder) in absolute.ancestors().skip(1).enumerate() {
            for name in overlay::FILE_NAMES {
                if folder.join(name).is_file() {
                    let path = folder.join(name);
                    let path = path.strip_prefix(&request.base).map(Path::to_owned).unwrap_or(path);
                    self.add_overlay(&path, request);
                }
            }
            if folder.join(".git").exists() || depth > 32 {
                break;
            }
        }
    }

    fn into_units(mut self) -> Discovered {
        let mut errors = std::mem::take(&mut self.errors);
        errors.sort();
        let walked = std::mem::take(&mut self.walked);
        let notes = std::mem::take(&mut self.notes);
        let excluded = std::mem::take(&mut self.excluded);
        let units = self.charts();
        let mut generated: BTreeSet<String> = units.iter().filter_map(generated::chart).collect();
        let beside = Vec::new();
        let mut found = Discovered { units, beside, walked, excluded, notes, errors };
        let mut tested = 0;
        for (folder, files) in std::mem::take(&mut self.folders) {
            let above =
                files.values().next().map(|file| self.charts_above(&file.path)).unwrap_or_default();
            let keep = |file: &File| {
                let part = self.parts.contains(&file.path) && file.text.is_none();
                !part && !above.iter().any(|chart| walk::belongs_to_chart(chart, &file.path))
            };
            let files = files.into_values().filter(keep);
            let (listed, mut loose): (Vec<_>, Vec<_>) =
                files.partition(|file| self.resources.contains(&file.path));
            if self.overlays.contains(Path::new(&folder)) {
                let (named, others) = loose.into_iter().partition(|file| file.named);
                loose = named;
                if !others.is_empty() {
                    let root = PathBuf::from(&folder);
                    let unit = Unit::new(UnitKind::Plain, others, self.boundary.clone());
                    found.beside.push(Unit { root, ..unit });
                }
            }
            if loose.iter().any(|file| is_test(&file.path)) {
                let before = loose.len();
                loose.retain(|file| file.named);
                tested += before - loose.len();
            }
            generated.extend(generated::around(Path::new(&folder), &loose, &self.boundary));
            let (asked, unlisted) = match self.listed_in.contains(Path::new(&folder)) {
                true => loose.into_iter().partition(|file| file.named),
                false => (loose, Vec::new()),
            };
            let parts = [(listed, true, false), (asked, false, false), (unlisted, false, true)];
            for (files, together, unlisted) in parts {
                if !files.is_empty() {
                    let root = PathBuf::from(&folder);
                    let unit = Unit::new(UnitKind::Plain, files, self.boundary.clone());
                    found.units.push(Unit { root, together, unlisted, ..unit });
                }
            }
        }
        if self.scripts > 0 {
            let files = count(self.scripts, "file");
            found.notes.push(format!("{files} without manifests, in no chart: not checked"));
        }
        found.notes.extend(generated::note(&generated));
        if tested > 0 {
            let files = count(tested, "file");
            found.notes.push(format!("{files} of Chainsaw's and Kyverno's tests: not checked"));
        }
        found
    }
}

/// The files that the test tools of Kyverno look for: `chainsaw test` and `kyverno test`. What is beside them is what
/// they apply, often on purpose wrong, and what they expect.
///
/// Sources: <https://kyverno.github.io/chainsaw/latest/reference/commands/chainsaw_test/> (`--test-file`),
/// <https://kyverno.io/docs/kyverno-cli/reference/kyverno_test/> (`--file-name`)
const TESTS: [&str; 4] =
    ["chainsaw-test.yaml", "chainsaw-test.yml", "kyverno-test.yaml", "kyverno-test.yml"];

/// Whether a file is one of [`TESTS`].
fn is_test(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| TESTS.contains(&name))
}

/// Whether a file is beside one of [`TESTS`].
pub(crate) fn is_of_a_test(path: &Path) -> bool {
    path.parent().is_some_and(|folder| TESTS.iter().any(|name| folder.join(name).is_file()))
}

/// Returns whether a path is the output of `helm package`.
fn is_packed_chart(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "tgz")
}
