//! The contents of files that the GitOps scan has read. Files with the same content are parsed once.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use super::{
    documents::Documents,
    may_hold_work,
    search::{holds_hook, kinds},
};
use crate::{
    redact::SecretValues,
    unit::{Counts, Loaded},
};

/// Files that the GitOps scan has already read, by path.
#[derive(Debug, Default)]
pub(crate) struct FileCache(HashMap<PathBuf, CachedFile>);

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
    pub(super) bytes: Arc<[u8]>,
    documents: OnceLock<Documents>,
}

impl Content {
    /// The documents that matter to a check. `text` is the decoded content. They are kept if other files share them.
    pub(super) fn documents(self: &Arc<Self>, text: &str) -> Documents {
        let read = || Documents::of_work(text, holds_hook(&self.bytes));
        match Arc::strong_count(self) {
            1 => read(),
            _ => self.documents.get_or_init(read).clone(),
        }
    }
}

impl CachedFile {
    /// Keeps only what a check needs of a file's content.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        match may_hold_work(&bytes) {
            true => Self::Work(Arc::new(Content {
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
        let mut known: HashMap<Arc<[u8]>, Arc<Content>> = HashMap::new();
        let shared = files.map(|(path, file)| match file {
            CachedFile::Work(content) => {
                let same = known.entry(content.bytes.clone()).or_insert(content);
                (path, CachedFile::Work(same.clone()))
            }
            idle => (path, idle),
        });
        Self(shared.collect())
    }

    pub(super) fn get(&self, path: &PathBuf) -> Option<&CachedFile> {
        self.0.get(path)
    }

    /// The secrets of files that are not loaded otherwise.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &SecretValues> {
        self.0.values().filter_map(|file| match file {
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
