//! Reading a chart's directory into a list of files. Helm `pkg/chart/v2/loader/directory.go`,
//! `internal/sympath`.

use std::{fs, io, path::Path, sync::Arc};

use file_boundary::{Boundary, Refusal, printed};
use yaml_spans::{Location, Source, Span};

use super::{File, ignore::Rules};
use crate::{
    Error, HelmVersion, Reason,
    file_access::{MAX_CHART, go_error, read_file_up_to, read_up_to},
};

/// Helm 3's limit for one file, in bytes.
pub(super) const MAX_FILE: u64 = 5 << 20;
/// Limit for nested directories. Links can form cycles, which Helm follows until the path is too
/// long.
const MAX_DEPTH: usize = 255;

/// Checks the `apiVersion` in `Chart.yaml`, as Helm 4 does before it loads anything else.
fn check_version(folder: &Path, shown: &str, boundary: &Boundary) -> Result<(), Error> {
    let path = folder.join("Chart.yaml");
    let file = boundary.open(&path).map_err(io::Error::from);
    let text = file.and_then(|file| read_up_to(file, MAX_CHART)).map_err(|error| {
        let shown = absolute(&path);
        let problem = go_error(&error);
        let message = format!("unable to detect chart at {shown}: open {shown}: {problem}");
        Error::new(Reason::Chart, message)
    })?;
    super::files::check_version(&format!("{}Chart.yaml", prefix(shown)), &text)
}

/// The files of the chart, in the order in which Helm reads them. A link in the place of one of the texts is not followed.
pub(super) fn read(
    folder: &Path,
    shown: &str,
    texts: &[(String, Vec<u8>)],
    version: HelmVersion,
    boundary: &Boundary,
) -> Result<Vec<File>, Error> {
    if version == HelmVersion::V4 {
        check_version(folder, shown, boundary)?;
    }
    let ignore = boundary.open(&folder.join(".helmignore")).map_err(io::Error::from);
    let ignore = ignore.and_then(|file| read_up_to(file, MAX_CHART)).ok();
    let rules = Rules::parse(ignore.as_deref().unwrap_or_default());
    let mut reader = DirectoryReader {
        rules: rules.map_err(|problem| Error::new(Reason::Chart, problem))?,
        shown: prefix(shown),
        texts,
        version,
        boundary,
        left: MAX_CHART,
        entries: MAX_ENTRIES,
        files: Vec::new(),
    };
    reader.folder(folder, "", 0)?;
    Ok(reader.files)
}

/// Limit for files and directories. A few links can multiply into very many paths.
const MAX_ENTRIES: usize = 100_000;
/// What a link counts for each directory on its path.
const LINK_ENTRIES: usize = 8;

/// The files that Helm would read from a directory with these files.
pub(super) fn select(
    mut files: Vec<(String, Vec<u8>)>,
    shown: &str,
    version: HelmVersion,
) -> Result<Vec<File>, Error> {
    let fail = |problem| Error::new(Reason::Chart, problem);
    let text = |name: &str| files.iter().find(|(own, _)| own == name).map(|(_, data)| &**data);
    if version == HelmVersion::V4 {
        let chart = text("Chart.yaml")
            .ok_or_else(|| fail(format!("unable to detect chart at {shown}: no Chart.yaml")))?;
        super::files::check_version(&format!("{}Chart.yaml", prefix(shown)), chart)?;
    }
    let rules = Rules::parse(text(".helmignore").unwrap_or_default()).map_err(fail)?;
    files.sort_by(|(a, _), (b, _)| a.split('/').cmp(b.split('/')));
    let prefix = prefix(shown);
    let mut left = MAX_CHART;
    let mut chosen = Vec::new();
    for (name, data) in files {
        let folders = name.match_indices('/').map(|(at, _)| &name[..at]);
        if folders.into_iter().any(|folder| rules.ignores(folder, true))
            || rules.ignores(&name, false)
        {
            continue;
        }
        let limit = if version == HelmVersion::V3 { MAX_FILE.min(left) } else { left };
        if data.len() as u64 > limit {
            return Err(fail(format!("{name} of {shown} is larger than Helm reads")));
        }
        left -= data.len() as u64;
        let path = format!("{prefix}{name}");
        chosen.push(File::new(name, data.into(), path, false));
    }
    Ok(chosen)
}

/// The prefix of the paths shown for files in the directory `shown`.
pub(super) fn prefix(shown: &str) -> String {
    match shown.trim_end_matches('/') {
        "." | "" => String::new(),
        shown => format!("{shown}/"),
    }
}

struct DirectoryReader<'a> {
    rules: Rules,
    shown: String,
    /// What stands in the place of files, by their names.
    texts: &'a [(String, Vec<u8>)],
    version: HelmVersion,
    /// Where links may lead.
    boundary: &'a Boundary,
    /// Bytes that may still be read.
    left: u64,
    /// Files and directories that may still be visited.
    entries: usize,
    files: Vec<File>,
}

impl DirectoryReader<'_> {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            let message = format!("{}: file name too long", folder.display());
            return Err(Error::new(Reason::Chart, message));
        }
        let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
        let mut entries =
            entries.collect::<io::Result<Vec<_>>>().map_err(|error| unreadable(folder, &error))?;
        self.visit(entries.len(), folder)?;
        entries.sort_by_cached_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = format!("{prefix}{}", printed(&entry.file_name()));
            let path = entry.path();
            let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
            self.entry(&path, &name, kind, depth)?;
        }
        Ok(())
    }

    /// Counts files and directories.
    fn visit(&mut self, count: usize, folder: &Path) -> Result<(), Error> {
        self.entries = self.entries.checked_sub(count).ok_or_else(|| {
            let shown = absolute(folder);
            let message =
                format!("{shown}: the chart has more than {MAX_ENTRIES} files and folders");
            Error::new(Reason::Chart, message)
        })?;
        Ok(())
    }

    fn entry(
        &mut self,
        path: &Path,
        name: &str,
        mut kind: fs::FileType,
        depth: usize,
    ) -> Result<(), Error> {
        if kind.is_symlink() {
            if self.texts.iter().any(|(own, _)| own == name) {
                return Ok(());
            }
            // Resolving a link follows all links on its path again.
            self.visit(LINK_ENTRIES * (depth + 1), path)?;
            self.boundary.check(path).map_err(|refusal| self.refused(name, &refusal))?;
            kind = resolve(path).map_err(|error| error.at(self.link(name)))?;
        }
        if self.rules.ignores(name, kind.is_dir()) {
            return Ok(());
        }
        if kind.is_dir() {
            return self.folder(path, &format!("{name}/"), depth + 1);
        }
        if !kind.is_file() {
            let shown = absolute(path);
            let problem = "as it has file mode type bits set";
            let message = format!("cannot load irregular file {shown} {problem}");
            return Err(Error::new(Reason::Chart, message));
        }
        let data = self.read_file(path, name)?;
        let shown = format!("{}{name}", self.shown);
        // A name that is not UTF-8 is shown as another, which must not be edited in its place.
        let is_read_only = path.to_str().is_none();
        self.files.push(File::new(name.into(), data, shown, is_read_only));
        Ok(())
    }

    /// The error for a link that is not followed, at the link.
    fn refused(&self, name: &str, refusal: &Refusal) -> Error {
        Error::new(Reason::Link, format!("{name}: the link {refusal}")).at(self.link(name))
    }

    /// The place of a link.
    fn link(&self, name: &str) -> Option<Location> {
        let source = Source::read_only(format!("{}{name}", self.shown), String::new());
        Some(Location { source: Arc::new(source), span: Span::default() })
    }

    fn read_file(&mut self, path: &Path, name: &str) -> Result<Arc<[u8]>, Error> {
        let limit =
            if self.version == HelmVersion::V3 { MAX_FILE.min(self.left) } else { self.left };
        let data =
            read_file_up_to(open(path, name)?, limit).map_err(|error| unreadable(path, &error))?;
        let len = data.len() as u64;
        if len > limit && self.version == HelmVersion::V3 {
            let base = name.rsplit('/').next().unwrap_or(name);
            let problem = "is larger than the maximum file size";
            let message = format!("chart file {base:?} {problem} {MAX_FILE}");
            return Err(Error::new(Reason::Chart, message));
        }
        if len > limit {
            let problem = "chart exceeds maximum decompressed size of";
            let message = format!("error reading {name}: {problem} {MAX_CHART} bytes");
            return Err(Error::new(Reason::Chart, message));
        }
        self.left -= len;
        Ok(data)
    }
}

fn open(path: &Path, name: &str) -> Result<fs::File, Error> {
    fs::File::open(path).map_err(|error| {
        let message = format!("open {}: {}", absolute(path), go_error(&error));
        Error::new(Reason::Chart, message).prefixed(format!("error reading {name}"))
    })
}

/// The type of the file that a link points to.
fn resolve(path: &Path) -> Result<fs::FileType, Error> {
    fs::metadata(path).map(|metadata| metadata.file_type()).map_err(|error| {
        let shown = absolute(path);
        let target = fs::read_link(path).unwrap_or_default();
        let target = path.parent().map_or(target.clone(), |folder| folder.join(&target));
        let problem = format!("lstat {}: {}", absolute(&target), go_error(&error));
        Error::new(Reason::Link, format!("error evaluating symlink {shown}: {problem}"))
    })
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    let message = format!("open {}: {}", absolute(path), go_error(error));
    Error::new(Reason::Chart, message)
}

/// The path as Helm prints it: absolute, without `.` and `..`.
fn absolute(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut clean = std::path::PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => _ = clean.pop(),
            part => clean.push(part),
        }
    }
    clean.display().to_string()
}
