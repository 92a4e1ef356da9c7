//! The contents of files that the GitOps scan has read. Files with the same content are parsed once.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    path::PathBuf,
    sync::{Arc, LazyLock, OnceLock},
};

use rayon::prelude::*;

use super::{
    documents::{Documents, SoundDocuments},
    may_hold_work,
    search::{holds_hook, kinds},
};
use crate::{
    redact::SecretValues,
    unit::{Counts, Loaded},
};

/// Files that the GitOps scan has already read.
#[derive(Debug, Default)]
pub(crate) struct FileCache {
    files: HashMap<PathBuf, CachedFile>,
    pub(super) sound: SoundDocuments,
}

/// The result of reading a file once.
#[derive(Debug)]
pub(crate) enum CachedFile {
    /// The file holds no Jobs, hooks or GitOps objects; only its counts and secrets are kept.
    Idle(Counts, SecretValues),
    /// The content of a file that may hold some.
    Work(Arc<Content>),
}

/// The content of one or more files.
#[derive(Debug)]
pub(crate) struct Content {
    pub(super) bytes: Box<[u8]>,
    /// The hash of the bytes, taken where the file was read: many files are read at once.
    hash: u64,
    documents: OnceLock<Documents>,
}

impl Content {
    /// The documents that matter to a check. `text` is the decoded content.
    pub(super) fn documents(&self, text: &str, sound: &SoundDocuments) -> Documents {
        self.documents.get().cloned().unwrap_or_else(|| self.read(text, sound))
    }

    fn read(&self, text: &str, sound: &SoundDocuments) -> Documents {
        Documents::of_work(text, holds_hook(&self.bytes), sound)
    }

    /// Keeps the documents for the files that share them.
    fn keep(&self, sound: &SoundDocuments) {
        if let Ok(text) = str::from_utf8(&self.bytes) {
            self.documents.get_or_init(|| self.read(text, sound));
        }
    }
}

/// Hashes contents, with keys that no repository knows.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl CachedFile {
    /// Keeps only what a check needs of a file's content.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        match may_hold_work(&bytes) {
            true => Self::Work(Arc::new(Content {
                hash: HASHER.hash_one(&bytes),
                bytes: bytes.into(),
                documents: OnceLock::default(),
            })),
            false => {
                let Loaded { counts, secrets, .. } = skimmed(&bytes);
                Self::Idle(counts, secrets)
            }
        }
    }
}

impl FileCache {
    pub(crate) fn new(files: impl Iterator<Item = (PathBuf, CachedFile)>) -> Self {
        let mut known: HashMap<u64, Vec<Arc<Content>>> = HashMap::new();
        let shared = files.map(|(path, file)| match file {
            CachedFile::Work(content) => {
                let alike = known.entry(content.hash).or_default();
                match alike.iter().find(|one| one.bytes == content.bytes) {
                    Some(same) => (path, CachedFile::Work(same.clone())),
                    None => {
                        alike.push(content.clone());
                        (path, CachedFile::Work(content))
                    }
                }
            }
            idle => (path, idle),
        });
        let all = Self { files: shared.collect(), sound: SoundDocuments::default() };
        // Before the units are checked: threads that come to the same content at once would wait for one another.
        let is_shared = |content: &&Arc<Content>| Arc::strong_count(content) > 2;
        let contents = known.par_iter().flat_map(|(_, alike)| alike);
        contents.filter(is_shared).for_each(|content| content.keep(&all.sound));
        all
    }

    pub(super) fn get(&self, path: &PathBuf) -> Option<&CachedFile> {
        self.files.get(path)
    }

    /// The secrets of files that are not loaded otherwise.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &SecretValues> {
        self.files.values().filter_map(|file| match file {
            CachedFile::Idle(_, secrets) => Some(secrets),
            CachedFile::Work(_) => None,
        })
    }
}

/// Counts the objects of a file without parsing it.
pub(super) fn skimmed(bytes: &[u8]) -> Loaded {
    let objects = kinds(bytes);
    let other_yaml = usize::from(objects == 0);
    let counts = Counts { files: 1, objects, other_yaml, ..Counts::default() };
    let secrets = SecretValues::of_manifest(bytes);
    Loaded { counts, secrets, ..Loaded::default() }
}
