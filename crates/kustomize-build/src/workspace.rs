//! The files of several builds, each read once, and what one build notes on its way.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use yaml_spans::{Document, ParseError, Source};

use crate::{
    error::{Error, Reason, Result},
    files::Files,
    idle_patch::IdlePatch,
    schema::SchemaFile,
};

/// The files of several builds. A text is read once, so that equal locations of different builds share their
/// [`Source`].
pub struct Workspace<'f> {
    pub(crate) files: &'f dyn Files,
    sources: Mutex<HashMap<PathBuf, Arc<Source>>>,
    parsed: Mutex<Parsed>,
    schema_files: Mutex<Vec<Arc<SchemaFile>>>,
}

/// The documents of a text.
pub(crate) type Documents = Arc<Vec<std::result::Result<Document, ParseError>>>;

/// The documents of some texts, by the address of the text.
#[derive(Clone, Default)]
struct Parsed {
    documents: HashMap<usize, Documents>,
    /// The length of the texts.
    text: usize,
}

/// The most text whose documents are kept for further builds, in bytes. They are some ten times as large.
const MOST_KEPT: usize = 16 << 20;

impl fmt::Debug for Workspace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").finish_non_exhaustive()
    }
}

impl<'f> Workspace<'f> {
    /// A workspace that has read nothing yet.
    pub fn new(files: &'f dyn Files) -> Self {
        let (sources, parsed) = (Mutex::default(), Mutex::default());
        Self { files, sources, parsed, schema_files: Mutex::default() }
    }

    /// A workspace with other contents of some files. It reads the others no second time.
    pub fn edited<'g>(
        &'g self,
        files: &'g dyn Files,
        is_edited: impl Fn(&Path) -> bool,
    ) -> Workspace<'g> {
        let sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let sources = sources.into_iter().filter(|(path, _)| !is_edited(path)).collect();
        let parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Workspace {
            files,
            sources: Mutex::new(sources),
            // By address, and this workspace keeps the texts.
            parsed: Mutex::new(parsed),
            schema_files: Mutex::default(),
        }
    }

    /// The documents of a text that [`Self::source`] returned. Most texts are parsed once for all builds.
    pub(crate) fn documents(&self, source: &Arc<Source>) -> Documents {
        let lock = || self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let address = Arc::as_ptr(source).addr();
        if let Some(known) = lock().documents.get(&address) {
            return known.clone();
        }
        let documents = Arc::new(yaml_spans::parse(&source.text));
        let mut parsed = lock();
        if parsed.text + source.text.len() <= MOST_KEPT {
            parsed.text += source.text.len();
            parsed.documents.insert(address, documents.clone());
        }
        documents
    }

    /// The schema in a file, parsed once.
    pub(crate) fn schema_file(&self, source: &Arc<Source>) -> Arc<SchemaFile> {
        let mut files = self.schema_files.lock().unwrap_or_else(PoisonError::into_inner);
        match files.iter().find(|file| file.is_of(source)) {
            Some(file) => file.clone(),
            None => {
                let file = Arc::new(SchemaFile::new(source.clone()));
                files.push(file.clone());
                file
            }
        }
    }

    /// The text of a file, from `read` the first time.
    pub(crate) fn source(
        &self,
        path: PathBuf,
        read: impl FnOnce() -> Result<Source>,
    ) -> Result<Arc<Source>> {
        let lock = || self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = lock().get(&path) {
            return Ok(source.clone());
        }
        let source = Arc::new(read()?);
        Ok(lock().entry(path).or_insert(source).clone())
    }
}

/// The most text that one build reads, in bytes; a file counts each time that a kustomization names it.
const MOST_TEXT: usize = 64 << 20;

/// The most kustomizations of one build; one counts each time that another names it.
const MOST_FOLDERS: usize = 10_000;

/// The longest chain of kustomizations that name each other.
const MOST_DEPTH: usize = 64;

/// What one build notes on its way.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The texts that were read.
    pub(crate) read: RefCell<Vec<Arc<Source>>>,
    /// What the output lacks.
    pub(crate) skipped: RefCell<Vec<Error>>,
    /// The patches whose target selects nothing.
    pub(crate) idle_patches: RefCell<Vec<IdlePatch>>,
    text: Cell<usize>,
    folders: Cell<usize>,
}

impl Progress {
    /// Notes that a text is used.
    pub(crate) fn add_source(&self, source: &Arc<Source>) -> Result<()> {
        let mut read = self.read.borrow_mut();
        if !read.iter().any(|own| Arc::ptr_eq(own, source)) {
            read.push(source.clone());
        }
        self.text.set(self.text.get() + source.text.len());
        match self.text.get() > MOST_TEXT {
            true => Err(too_large(format!("reads more than {} MiB", MOST_TEXT >> 20))),
            false => Ok(()),
        }
    }

    /// Notes that a kustomization is built, `depth` folders away from the first.
    pub(crate) fn add_folder(&self, depth: usize) -> Result<()> {
        if depth >= MOST_DEPTH {
            return Err(too_large(format!("nests more than {MOST_DEPTH} kustomizations")));
        }
        self.folders.set(self.folders.get() + 1);
        match self.folders.get() > MOST_FOLDERS {
            true => Err(too_large(format!("consists of more than {MOST_FOLDERS} kustomizations"))),
            false => Ok(()),
        }
    }
}

fn too_large(limit: String) -> Error {
    Error::new(Reason::Limit, format!("the build {limit}"))
}
