//! Finds and reads the files of one kustomization, within kustomize's load restrictions.

use std::{
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use yaml_spans::{Location, Source};

use crate::{
    charts::Charts,
    error::{Error, Reason, Result},
    files::{Files, clean, go_error},
    options::{LoadRestrictor, Options},
    remote,
    schema::{SchemaFile, Schemas},
    workspace::{Documents, Progress, Workspace},
};

/// Reads files for the kustomization in one folder.
#[derive(Clone)]
pub(crate) struct Loader<'f> {
    workspace: &'f Workspace<'f>,
    progress: Rc<Progress>,
    schemas: Rc<Schemas>,
    restrictor: LoadRestrictor,
    is_partial: bool,
    charts: Option<Arc<dyn Charts>>,
    root: PathBuf,
    /// The folder as it is shown: as given, and relative to it.
    shown: PathBuf,
    /// The folders that led here.
    visited: Vec<PathBuf>,
}

impl<'f> Loader<'f> {
    /// A loader for the folder to build.
    pub(crate) fn new(
        workspace: &'f Workspace<'f>,
        folder: &Path,
        shown: &Path,
        options: &Options,
    ) -> Result<Self> {
        let root = confirm(workspace.files, folder, shown)?;
        Ok(Self {
            workspace,
            progress: Rc::default(),
            schemas: Rc::default(),
            restrictor: options.load_restrictor,
            is_partial: options.is_partial,
            charts: options.charts.clone(),
            root,
            shown: clean(shown),
            visited: Vec::new(),
        })
    }

    /// What the build noted so far.
    pub(crate) fn progress(&self) -> &Rc<Progress> {
        &self.progress
    }

    /// The same, if the build may leave something out.
    pub(crate) fn partial(&self) -> Option<&Rc<Progress>> {
        Some(&self.progress).filter(|_| self.is_partial)
    }

    /// The schemas that the build uses.
    pub(crate) fn schemas(&self) -> &Rc<Schemas> {
        &self.schemas
    }

    /// The schema in a file.
    pub(crate) fn schema_file(&self, path: &str) -> Result<Arc<SchemaFile>> {
        Ok(self.workspace.schema_file(&self.source(path)?))
    }

    /// Leaves out what cannot be built, if the build may be partial.
    pub(crate) fn skip(&self, error: Error) -> Result<()> {
        if !self.is_partial {
            return Err(error);
        }
        self.progress.skipped.borrow_mut().push(error);
        Ok(())
    }

    /// Leaves out what fails, if something else that it may depend on is left out already.
    pub(crate) fn skip_dependent(&self, error: Error) -> Result<()> {
        let is_limit = error.reason == Reason::Limit;
        if is_limit || self.is_complete() { Err(error) } else { self.skip(error) }
    }

    /// Whether nothing is left out so far.
    pub(crate) fn is_complete(&self) -> bool {
        self.progress.skipped.borrow().is_empty()
    }

    /// What renders charts, if anything may.
    pub(crate) fn charts(&self) -> Option<Arc<dyn Charts>> {
        self.charts.clone()
    }

    /// Whether a path of this kustomization leads to something.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.workspace.files.resolve(&self.root.join(path)).is_ok()
    }

    /// Whether a path of this kustomization is a folder.
    pub(crate) fn is_folder(&self, path: &str) -> bool {
        let target = clean(&self.root.join(path));
        resolve(self.workspace.files, &target).is_ok_and(|(_, is_folder)| is_folder)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A loader for another folder that this kustomization names.
    pub(crate) fn folder(&self, path: &str, at: &Location) -> Result<Self> {
        let fail = |message: String| Error::new(Reason::File, message).at(Some(at.clone()));
        if path.is_empty() {
            return Err(fail("new root cannot be empty".into()));
        }
        if remote::is_repository(path) {
            let message = format!("remote resource {path:?} is not fetched");
            return Err(Error::new(Reason::Remote, message).at(Some(at.clone())));
        }
        if Path::new(path).is_absolute() {
            return Err(fail(format!("new root '{path}' cannot be absolute")));
        }
        let target = clean(&self.root.join(path));
        self.progress.add_folder(self.visited.len()).map_err(|error| error.at(Some(at.clone())))?;
        let root = confirm(self.workspace.files, &target, &target)
            .map_err(|error| error.at(Some(at.clone())))?;
        for visited in self.visited.iter().rev().chain([&self.root]).rev() {
            if visited.starts_with(&root) {
                return Err(fail(format!(
                    "cycle detected: candidate root '{}' contains visited root '{}'",
                    root.display(),
                    visited.display()
                )));
            }
        }
        let mut visited = self.visited.clone();
        visited.insert(0, self.root.clone());
        Ok(Self { root, shown: clean(&self.shown.join(path)), visited, ..self.clone() })
    }

    /// The bytes of a file.
    pub(crate) fn bytes(&self, path: &str) -> Result<Vec<u8>> {
        let target = self.locate(path)?;
        self.read(&target)
    }

    /// The text of a file, with its place.
    pub(crate) fn source(&self, path: &str) -> Result<Arc<Source>> {
        let target = self.locate(path)?;
        let source = self.workspace.source(target.clone(), || {
            let bytes = self.read(&target)?;
            let shown = self.workspace.files.shown(&target);
            let shown = shown.unwrap_or_else(|| self.shown(path));
            Ok(match String::from_utf8(bytes) {
                Ok(text) => Source::new(shown, text),
                Err(error) => Source::read_only(shown, String::from_utf8_lossy(error.as_bytes())),
            })
        })?;
        self.progress.add_source(&source)?;
        Ok(source)
    }

    /// The documents of a text of a file.
    pub(crate) fn documents(&self, source: &Arc<Source>) -> Documents {
        self.workspace.documents(source)
    }

    /// The path of a file as shown to the user.
    pub(crate) fn shown(&self, path: &str) -> String {
        clean(&self.shown.join(path)).to_string_lossy().into_owned()
    }

    /// The file that a path of this kustomization names, if it may be read.
    fn locate(&self, path: &str) -> Result<PathBuf> {
        if remote::is_http(path) {
            let message = format!("remote file {path:?} is not fetched");
            return Err(Error::new(Reason::Remote, message));
        }
        let target = clean(&self.root.join(path));
        if self.restrictor == LoadRestrictor::None {
            return Ok(target);
        }
        let (resolved, is_folder) = resolve(self.workspace.files, &target)?;
        if is_folder {
            let message = format!("'{}' must resolve to a file", target.display());
            return Err(Error::new(Reason::File, message));
        }
        if resolved.parent().is_none_or(|folder| !folder.starts_with(&self.root)) {
            let (target, root) = (target.display(), self.root.display());
            let message = format!("security; file '{target}' is not in or below '{root}'");
            return Err(Error::new(Reason::File, message));
        }
        Ok(resolved)
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>> {
        self.workspace.files.read(path).map_err(|error| {
            let message = format!("open {}: {}", path.display(), go_error(&error));
            Error::file(path, message, &error)
        })
    }
}

fn resolve(files: &dyn Files, path: &Path) -> Result<(PathBuf, bool)> {
    files.resolve(path).map_err(|error| {
        let there = |path: &&Path| files.resolve(path).is_ok();
        let missing = path.ancestors().take_while(|path| !there(path)).last().unwrap_or(path);
        let message = format!(
            "evalsymlink failure on '{}' : lstat {}: {}",
            path.display(),
            missing.display(),
            go_error(&error)
        );
        Error::file(path, message, &error)
    })
}

/// The folder without links.
fn confirm(files: &dyn Files, path: &Path, shown: &Path) -> Result<PathBuf> {
    let (root, is_folder) = resolve(files, path)
        .map_err(|error| error.prefixed("must build at directory: not a valid directory"))?;
    if !is_folder {
        let message =
            format!("must build at directory: '{}': file is not directory", shown.display());
        return Err(Error::new(Reason::File, message));
    }
    Ok(root)
}
