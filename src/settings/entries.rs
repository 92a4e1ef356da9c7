//! Entries of `values:` and `ignore:`, which apply to some files only.

use std::path::{Path, PathBuf};

use globset::GlobMatcher;
use job_lifecycle::ObjectName;
use yaml_spans::Location;

use super::{Problem, file::Loaded};
use crate::{discover::normal, exclude::Exclude, glob};

/// An entry of `values:`: a value set for charts.
#[derive(Clone, Debug)]
pub struct ChartValues {
    /// Matches chart folders relative to `folder`; `None` matches every chart.
    pub chart: Option<GlobMatcher>,
    /// The folder of the settings file.
    pub folder: PathBuf,
    /// Values files relative to `folder`; later ones override earlier ones.
    pub files: Vec<PathBuf>,
}

/// An entry of `ignore:`.
#[derive(Clone, Debug)]
pub struct Ignore {
    /// The id of the ignored rule.
    pub rule: String,
    /// Matches paths relative to `folder`; `None` matches every path.
    pub path: Option<GlobMatcher>,
    /// The folder of the settings file.
    pub folder: PathBuf,
    /// The kind of the object; any when absent.
    pub kind: Option<String>,
    /// Matches the name of the object; any when absent.
    pub name: Option<GlobMatcher>,
    /// Why the findings are acceptable.
    pub reason: Option<String>,
    /// The entry in the settings file.
    pub location: Location,
}

impl ChartValues {
    /// The entry of `values:` at an index.
    ///
    /// # Errors
    /// The glob is invalid, the list of files is empty, or a file cannot be read.
    pub(super) fn read(loaded: &Loaded, index: usize) -> Result<Self, Problem> {
        let entry = &loaded.file.values[index];
        let set = Self {
            chart: glob(loaded, ("values", index, "chart"), entry.chart.as_ref())?,
            folder: loaded.folder.clone(),
            files: entry.files.clone(),
        };
        let problem = |reason| loaded.problem(&["values"], Some((index, "files")), reason);
        if set.files.is_empty() {
            return Err(problem("a value set needs at least one file".to_owned()));
        }
        for (file, path) in set.files.iter().zip(set.paths()) {
            if let Err(error) = loaded.boundary.open(&path) {
                return Err(problem(format!("`{}` cannot be read: {error}", file.display())));
            }
        }
        Ok(set)
    }

    /// True when the value set applies to the chart in the folder `root`.
    pub(crate) fn covers(&self, root: &Path) -> bool {
        let here = || match inside(&self.folder, root)? {
            path if path.as_os_str().is_empty() => Some(PathBuf::from(".")),
            path => Some(path),
        };
        self.chart.as_ref().is_none_or(|glob| here().is_some_and(|path| glob.is_match(path)))
    }

    /// The files relative to the current folder.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| self.folder.join(file)).collect()
    }

    /// The files as a title for messages.
    pub(crate) fn name(&self) -> String {
        let names = self.files.iter().map(|file| file.to_string_lossy().into_owned());
        names.collect::<Vec<_>>().join(", ")
    }
}

impl Ignore {
    /// The entry of `ignore:` at an index.
    ///
    /// # Errors
    /// A glob is invalid.
    pub(super) fn read(loaded: &Loaded, index: usize) -> Result<Self, Problem> {
        let entry = &loaded.file.ignore[index];
        Ok(Self {
            rule: entry.rule.clone(),
            path: glob(loaded, ("ignore", index, "path"), entry.path.as_ref())?,
            folder: loaded.folder.clone(),
            kind: entry.kind.clone(),
            name: glob(loaded, ("ignore", index, "name"), entry.name.as_ref())?,
            reason: entry.reason.clone(),
            location: loaded.location(&["ignore"], Some(index)),
        })
    }

    /// True when the entry matches a finding of `rule` in the file `path` about the object `name`.
    pub(crate) fn covers(&self, rule: &str, path: &str, name: Option<&ObjectName>) -> bool {
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

/// A path relative to the folder that contains it; the absolute path when it is elsewhere.
fn inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let (path, folder) = (absolute(path)?, absolute(folder)?);
    Some(path.strip_prefix(folder).map(Path::to_owned).unwrap_or(path))
}

fn absolute(path: &Path) -> Option<PathBuf> {
    std::path::absolute(Path::new(".").join(path)).ok()
}

/// Characters of a bad glob to show.
const SHOWN: usize = 80;

/// The globs of `exclude:`.
///
/// # Errors
/// A glob is invalid.
pub(super) fn excludes(loaded: &Loaded) -> Result<Vec<Exclude>, Problem> {
    let folder = normal(&absolute(&loaded.folder).unwrap_or_default());
    let compile = |(index, text): (usize, &String)| {
        Exclude::new(text, &folder).map_err(|error| {
            let shown: String = text.chars().take(SHOWN).collect();
            loaded.problem(&["exclude"], Some((index, "")), format!("`{shown}` {error}"))
        })
    };
    loaded.file.exclude.iter().enumerate().map(compile).collect()
}

/// The path at an index of `policies:`, relative to the current folder.
///
/// # Errors
/// Nothing is there, or it lies outside of the repository.
pub(super) fn policy(loaded: &Loaded, index: usize) -> Result<PathBuf, Problem> {
    let written = &loaded.file.policies[index];
    let path = loaded.folder.join(written);
    let problem = |reason: String| {
        let reason = format!("`{}` {reason}", written.display());
        loaded.problem(&["policies"], Some((index, "")), reason)
    };
    loaded.boundary.check(&path).map_err(|refusal| problem(refusal.to_string()))?;
    match path.exists() {
        true => Ok(path),
        false => Err(problem("does not exist".to_owned())),
    }
}

/// Compiles the glob at a key of a list item.
fn glob(
    loaded: &Loaded,
    (list, index, key): (&str, usize, &str),
    text: Option<&String>,
) -> Result<Option<GlobMatcher>, Problem> {
    let compile = |text: &String| {
        glob::compile(text, false).map_err(|error| {
            let shown: String = text.chars().take(SHOWN).collect();
            let reason = format!("`{shown}` {error}");
            loaded.problem(&[list], Some((index, key)), reason)
        })
    };
    text.map(compile).transpose()
}
