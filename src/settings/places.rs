//! Entries of the settings file that hold for some places only.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobMatcher};
use job_lifecycle::ObjectName;
use yaml_spans::Location;

use super::{Problem, file::Loaded};

/// An entry of `values:`.
#[derive(Clone, Debug)]
pub struct ChartValues {
    /// Over the folders of charts relative to `folder`; `None`: every chart.
    pub chart: Option<GlobMatcher>,
    /// The folder of the settings file.
    pub folder: PathBuf,
    /// As the settings file gives them.
    pub files: Vec<PathBuf>,
}

/// An entry of `ignore:`.
#[derive(Clone, Debug)]
pub struct Ignore {
    pub rule: String,
    /// Over paths relative to `folder`.
    pub path: Option<GlobMatcher>,
    /// The folder of the settings file.
    pub folder: PathBuf,
    pub kind: Option<String>,
    pub name: Option<GlobMatcher>,
    pub reason: Option<String>,
    pub place: Location,
}

impl ChartValues {
    /// An entry of the file.
    ///
    /// # Errors
    /// A glob that is none, or a file that cannot be read, at its place.
    pub(super) fn read(loaded: &Loaded, index: usize) -> Result<Self, Vec<Problem>> {
        let entry = &loaded.file.values[index];
        let set = Self {
            chart: glob(loaded, ("values", index, "chart"), entry.chart.as_ref())?,
            folder: loaded.folder.clone(),
            files: entry.files.clone(),
        };
        let misfit = |reason| vec![loaded.problem(&["values"], Some((index, "files")), reason)];
        if set.files.is_empty() {
            return Err(misfit("a set of values without a file".to_owned()));
        }
        for (file, path) in set.files.iter().zip(set.paths()) {
            if let Err(error) = std::fs::File::open(path) {
                return Err(misfit(format!("`{}` cannot be read: {error}", file.display())));
            }
        }
        Ok(set)
    }

    /// True when the chart at `root` has this value set too.
    pub fn covers(&self, root: &Path) -> bool {
        let here = || match inside(&self.folder, root)? {
            path if path.as_os_str().is_empty() => Some(PathBuf::from(".")),
            path => Some(path),
        };
        self.chart.as_ref().is_none_or(|glob| here().is_some_and(|path| glob.is_match(path)))
    }

    /// The files from where joblint runs.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| self.folder.join(file)).collect()
    }

    /// What a user would call it.
    pub fn name(&self) -> String {
        let names = self.files.iter().map(|file| file.to_string_lossy().into_owned());
        names.collect::<Vec<_>>().join(", ")
    }
}

impl Ignore {
    /// An entry of the file.
    ///
    /// # Errors
    /// A glob that is none, at its place.
    pub(super) fn read(loaded: &Loaded, index: usize) -> Result<Self, Vec<Problem>> {
        let entry = &loaded.file.ignore[index];
        Ok(Self {
            rule: entry.rule.clone(),
            path: glob(loaded, ("ignore", index, "path"), entry.path.as_ref())?,
            folder: loaded.folder.clone(),
            kind: entry.kind.clone(),
            name: glob(loaded, ("ignore", index, "name"), entry.name.as_ref())?,
            reason: entry.reason.clone(),
            place: loaded.place(&["ignore"], Some(index)),
        })
    }

    /// True when the entry covers a finding of `rule` in the file `path` about the object `name`.
    pub fn covers(&self, rule: &str, path: &str, name: Option<&ObjectName>) -> bool {
        let inside = || inside(&self.folder, Path::new(path));
        let object = |name: &ObjectName| name.name.clone().or_else(|| name.generate_name.clone());
        self.rule == rule
            && self
                .path
                .as_ref()
                .is_none_or(|glob| inside().is_some_and(|path| glob.is_match(path)))
            && self.kind.as_ref().is_none_or(|kind| name.is_some_and(|name| name.kind == *kind))
            && self
                .name
                .as_ref()
                .is_none_or(|glob| name.and_then(object).is_some_and(|name| glob.is_match(name)))
    }
}

/// A path relative to a folder, when it lies there; else the whole path.
fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let absolute = |path: &Path| std::path::absolute(Path::new(".").join(path)).ok();
    let (path, folder) = (absolute(path)?, absolute(folder)?);
    Some(path.strip_prefix(folder).map(Path::to_owned).unwrap_or(path))
}

/// The glob at a key of a list's item.
fn glob(
    loaded: &Loaded,
    (list, index, key): (&str, usize, &str),
    text: Option<&String>,
) -> Result<Option<GlobMatcher>, Vec<Problem>> {
    let compile = |text: &String| {
        Glob::new(text).map(|glob| glob.compile_matcher()).map_err(|error| {
            let reason = format!("`{text}` is no glob: {}", error.kind());
            vec![loaded.problem(&[list], Some((index, key)), reason)]
        })
    };
    text.map(compile).transpose()
}
