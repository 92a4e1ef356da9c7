//! The repository around a run: its root, whose it is, and how its files are called.

use std::path::{Path, PathBuf};

use yaml_spans::regular_file as regular;

use crate::discover::{Request, STDIN, normal};

/// A repository, or the folders that stand for one.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The absolute folder that GitOps objects name paths from.
    pub root: PathBuf,
    /// The working directory, absolute.
    base: PathBuf,
    /// The user named absolute paths.
    shows_absolute: bool,
    /// The folders and files to search for GitOps objects.
    pub searched: Vec<PathBuf>,
    /// The addresses of its remotes, normalised.
    remotes: Vec<String>,
}

/// Whose a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// This repository's, or there is no remote to compare with.
    Own,
    /// Another address: a fork or a mirror, when its paths are here.
    Other,
}

impl Tree {
    /// The nearest folder with `.git` at or above the first path, else what the paths have in common.
    pub fn around(request: &Request) -> Self {
        let base = std::path::absolute(Path::new(".").join(&request.base)).unwrap_or_default();
        let base = normal(&base);
        let named: Vec<_> = request.paths.iter().map(|path| normal(&base.join(path))).collect();
        let Some(first) = named.first() else { return Self { base, ..Self::default() } };
        let shows_absolute = request.paths[0].is_absolute();
        if let Some(root) = first.ancestors().find(|folder| folder.join(".git").exists()) {
            let remotes = remotes(root);
            let root = root.to_owned();
            // What has no name lies in no repository: nothing there speaks of it.
            let is_nameless = request.paths.iter().all(|path| path.as_os_str() == STDIN);
            let searched = if is_nameless { named } else { vec![root.clone()] };
            return Self { searched, root, base, shows_absolute, remotes };
        }
        let folder = |path: &PathBuf| match path.is_dir() {
            true => path.clone(),
            false => path.parent().unwrap_or(path).to_owned(),
        };
        let mut root = folder(first);
        for path in &named {
            while !folder(path).starts_with(&root) && root.pop() {}
        }
        Self { root, base, shows_absolute, searched: named, remotes: Vec::new() }
    }

    /// The absolute path of a file that is named from the working directory.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        normal(&self.base.join(path))
    }

    /// A path as joblint prints it: from the working directory unless absolute paths were named, with `/`.
    pub fn shown(&self, path: &Path) -> String {
        if self.shows_absolute {
            return crate::discover::shown(path);
        }
        let mut up = PathBuf::new();
        for folder in self.base.ancestors().take(8) {
            if let Ok(rest) = path.strip_prefix(folder) {
                return crate::discover::shown(&up.join(rest));
            }
            up.push("..");
        }
        crate::discover::shown(path)
    }

    /// A path in the repository, as GitOps objects write it: `.`, `./a`, `/a` and `a`.
    pub fn path(&self, written: &str) -> PathBuf {
        normal(&self.root.join(written.trim_start_matches('/')))
    }

    pub fn owner(&self, url: &str) -> Owner {
        let url = address(url);
        match self.remotes.is_empty() || self.remotes.contains(&url) {
            true => Owner::Own,
            false => Owner::Other,
        }
    }
}

/// The remotes of a repository, read from its configuration.
fn remotes(root: &Path) -> Vec<String> {
    let Some(text) =
        git_folder(root).and_then(|git| regular::read_to_string(&git.join("config")).ok())
    else {
        return Vec::new();
    };
    let mut remotes = Vec::new();
    let mut in_remote = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            in_remote = line.starts_with("[remote ");
        } else if let Some((key, value)) = line.split_once('=')
            && in_remote
            && key.trim() == "url"
        {
            remotes.push(address(value.trim().trim_matches('"')));
        }
    }
    remotes
}

/// `.git` itself, or for a linked worktree or a submodule the folder that its file names.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = regular::read_to_string(&git).ok()?;
    let folder = normal(&root.join(text.strip_prefix("gitdir:")?.trim()));
    match regular::read_to_string(&folder.join("commondir")) {
        Ok(common) => Some(normal(&folder.join(common.trim()))),
        Err(_) => Some(folder),
    }
}

/// An address without what does not matter: scheme, user, port of ssh, `.git`; the host in lower case.
fn address(url: &str) -> String {
    let url = url.trim();
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = match rest.split_once('@') {
        Some((user, rest)) if !user.contains('/') => rest,
        _ => rest,
    };
    let rest = rest.trim_end_matches('/');
    let rest = rest.strip_suffix(".git").unwrap_or(rest);
    let cut = rest.find([':', '/']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(cut);
    let path = path.trim_start_matches([':', '/']);
    let path = match path.split_once('/') {
        Some((port, path)) if port.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => path,
    };
    format!("{}/{path}", host.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_repository_are_equal() {
        for url in [
            "https://github.com/acme/shop.git",
            "https://github.com/acme/shop/",
            "https://user@GitHub.com/acme/shop",
            "git@github.com:acme/shop.git",
            "ssh://git@github.com/acme/shop",
            "ssh://git@github.com:22/acme/shop.git",
            "git@github.com/acme/shop",
        ] {
            assert_eq!(address(url), "github.com/acme/shop", "{url}");
        }
        assert_ne!(address("https://github.com/acme/shops"), "github.com/acme/shop");
    }

    #[test]
    fn a_repository_knows_its_remotes() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        std::fs::create_dir(&git).unwrap();
        let text = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.org:a/b.git\n";
        std::fs::write(git.join("config"), text).unwrap();
        let request = Request { paths: vec![folder.path().join("deploy")], ..Request::default() };
        let tree = Tree::around(&request);
        assert_eq!(tree.root, folder.path());
        assert_eq!(tree.owner("https://example.org/a/b"), Owner::Own);
        assert_eq!(tree.owner("https://example.org/a/c"), Owner::Other);
    }
}
