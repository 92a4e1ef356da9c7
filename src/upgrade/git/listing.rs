//! The files of a commit, with its symbolic links followed inside it.

use std::collections::{BTreeMap, HashMap};

use super::{GitError, MAX_FILES, Revision, join, normal};

/// The most symbolic links to follow in a row.
const MAX_LINKS: usize = 8;

/// A commit: its files and links.
#[derive(Debug)]
pub(super) struct Tree {
    /// By path, in the order of paths.
    pub(super) entries: BTreeMap<String, Entry>,
    /// Where each link leads, relative to its folder.
    pub(super) targets: HashMap<String, String>,
}

/// The files found so far.
pub(super) struct Listing<'a> {
    revision: &'a Revision,
    tree: &'a Tree,
    wanted: &'a dyn Fn(&str) -> bool,
    pub(super) files: Vec<(String, &'a Entry)>,
    /// How many entries may still be visited.
    left: usize,
}

impl<'a> Listing<'a> {
    pub(super) fn new(
        revision: &'a Revision,
        tree: &'a Tree,
        wanted: &'a dyn Fn(&str) -> bool,
    ) -> Self {
        Self { revision, tree, wanted, files: Vec::new(), left: MAX_FILES }
    }

    /// Adds the file or folder at `path` under the name `shown`; `false` if nothing is there.
    pub(super) fn add(&mut self, path: &str, shown: &str, depth: usize) -> Result<bool, GitError> {
        let tree: &'a Tree = self.tree;
        if let Some(entry) = tree.entries.get(path) {
            self.entry(path, entry, shown, depth)?;
            return Ok(true);
        }
        let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
        let below = tree.entries.range(folder.clone()..);
        let mut is_there = false;
        for (own, entry) in below.take_while(|(own, _)| own.starts_with(&folder)) {
            is_there = true;
            self.entry(own, entry, &join(shown, &own[folder.len()..]), depth)?;
        }
        Ok(is_there)
    }

    fn entry(
        &mut self,
        path: &str,
        entry: &'a Entry,
        name: &str,
        depth: usize,
    ) -> Result<(), GitError> {
        let too_many = || GitError::TooManyFiles { revision: self.revision.name.clone() };
        self.left = self.left.checked_sub(1).ok_or_else(too_many)?;
        match entry.mode.as_str() {
            LINK if depth < MAX_LINKS => self.link(path, name, depth),
            // A submodule is another repository.
            LINK | SUBMODULE => Ok(()),
            _ => {
                if (self.wanted)(name) {
                    self.files.push((name.to_owned(), entry));
                }
                Ok(())
            }
        }
    }

    /// Follows a link inside the commit. One that leads out matters only if its name is wanted.
    fn link(&mut self, path: &str, name: &str, depth: usize) -> Result<(), GitError> {
        let Some(target) = self.tree.targets.get(path) else {
            return self.unread(path, name);
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let inside = match target.starts_with('/') {
            true => None,
            false => normal(&join(folder, target)),
        };
        match inside {
            Some(target) => self.add(&target, name, depth + 1).map(|_| ()),
            None if (self.wanted)(name) => Err(GitError::LinkOutside(self.revision.shown(name))),
            None => Ok(()),
        }
    }

    /// A link whose target is not in a partial clone, or is too long.
    fn unread(&self, path: &str, name: &str) -> Result<(), GitError> {
        match self.tree.entries.get(path).filter(|_| (self.wanted)(name)) {
            Some(entry) => {
                Err(GitError::Incomplete { path: name.to_owned(), id: entry.id.clone() })
            }
            None => Ok(()),
        }
    }
}

pub(super) const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) mode: String,
    pub(super) id: String,
    /// In bytes.
    pub(super) size: u64,
}

impl Entry {
    /// `<mode> <type> <object> <size>\t<path>`, with the path. A submodule has no size.
    pub(super) fn read(line: &[u8]) -> Option<(String, Self)> {
        let line = String::from_utf8_lossy(line);
        let (head, path) = line.split_once('\t')?;
        let mut head = head.split_ascii_whitespace();
        let (mode, _, id, size) = (head.next()?, head.next()?, head.next()?, head.next()?);
        let size = size.parse().unwrap_or_default();
        Some((path.to_owned(), Self { mode: mode.to_owned(), id: id.to_owned(), size }))
    }
}
