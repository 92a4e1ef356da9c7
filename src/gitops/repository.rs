//! The repository around a run: its root, its remotes, and how its files are printed.

use std::path::{Path, PathBuf};

use file_boundary::{Refusal, regular_file as regular};

use super::{Reach, known::Known};
use crate::{
    discover::{Request, STDIN, normal, repository_of},
    unit::Boundary,
};

/// A Git repository, or the folders of the request if there is none.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The absolute folder that paths in GitOps objects are relative to.
    pub(crate) root: PathBuf,
    /// The working directory, absolute.
    base: PathBuf,
    /// Whether the user named absolute paths.
    shows_absolute: bool,
    /// The folders and files to search for GitOps objects.
    pub(crate) searched: Vec<PathBuf>,
    /// The normalised addresses of its remotes.
    remotes: Vec<String>,
    /// The files that its objects may name.
    pub(crate) boundary: Boundary,
    /// What was looked up already.
    pub(super) known: Known,
    /// Whether a bot raises the versions of images.
    pub(super) bumps: bool,
}

/// Whether an address refers to this repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The address is a remote of this repository.
    Own,
    /// There is no remote to compare with: what exists here is taken as meant.
    Unknown,
    /// Another address. If the path exists here, it is probably a fork or a mirror.
    Other,
}

impl Tree {
    /// Finds the repository: the nearest folder with `.git` at or above the first path, else the common
    /// ancestor of all paths.
    pub fn around(request: &Request) -> Self {
        let base = std::path::absolute(Path::new(".").join(&request.base)).unwrap_or_default();
        let base = normal(&base);
        let named: Vec<_> = request.paths.iter().map(|path| normal(&base.join(path))).collect();
        let boundary = request.boundary();
        let Some(first) = named.first() else { return Self { base, ..Self::default() } };
        let shows_absolute = request.paths[0].is_absolute();
        if let Some(root) = repository_of(first) {
            let remotes = remotes(root);
            let root = root.to_owned();
            // Unnamed standard input belongs to no repository, so no GitOps object can refer to it.
            let is_nameless = request.paths.iter().all(|path| path.as_os_str() == STDIN);
            let searched = if is_nameless { named } else { vec![root.clone()] };
            let known = Known::default();
            let bumps = has_bot(&root);
            return Self { searched, root, base, shows_absolute, remotes, boundary, known, bumps };
        }
        let folder = |path: &PathBuf| match path.is_dir() {
            true => path.clone(),
            false => path.parent().unwrap_or(path).to_owned(),
        };
        let mut root = folder(first);
        for path in &named {
            while !folder(path).starts_with(&root) && root.pop() {}
        }
        let (remotes, known) = (Vec::new(), Known::default());
        let bumps = has_bot(&root);
        Self { root, base, shows_absolute, searched: named, remotes, boundary, known, bumps }
    }

    /// The absolute form of a path relative to the working directory.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        normal(&self.base.join(path))
    }

    /// A path as joblint prints it: relative to the working directory unless the user named absolute paths,
    /// with `/`.
    pub(crate) fn shown(&self, path: &Path) -> String {
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

    /// What the policies of a file judge: its Git repository, if that is one of several below the root: a submodule, or one
    /// in a folder of repositories.
    pub(super) fn nested(&self, path: &Path) -> Reach {
        let path = self.absolute(path);
        let below = path.ancestors().skip(1).take_while(|folder| **folder != self.root);
        let mut repositories = below.filter(|folder| folder.join(".git").exists());
        repositories.next().map_or(Reach::All, |folder| Reach::Repository(self.shown(folder)))
    }

    /// Resolves a path as GitOps objects write it: `.`, `./a`, `/a` and `a`.
    pub(crate) fn path(&self, written: &str) -> PathBuf {
        normal(&self.root.join(written.trim_start_matches('/')))
    }

    /// Why a path that an object names is not opened.
    pub(crate) fn refusal(&self, path: &Path) -> Option<Refusal> {
        self.boundary.check(path).err()
    }

    /// The normalised addresses of its remotes.
    pub(super) fn remotes(&self) -> &[String] {
        &self.remotes
    }

    /// Whether an address may be that of this repository: of a remote, of a fork or mirror under another owner, or of any
    /// repository if there is no remote to compare with.
    pub(super) fn may_be_own(&self, url: &str) -> bool {
        let address = address(url);
        let name = |address: &str| address.rsplit('/').next().map(str::to_lowercase);
        let is_like = |remote: &String| name(remote) == name(&address);
        self.remotes.is_empty() || self.remotes.iter().any(is_like)
    }

    /// Whether an address refers to this repository.
    pub(crate) fn owner(&self, url: &str) -> Owner {
        let url = address(url);
        match self.remotes.contains(&url) {
            true => Owner::Own,
            false if self.remotes.is_empty() => Owner::Unknown,
            false => Owner::Other,
        }
    }
}

/// The settings of Renovate, below the root of a repository (<https://docs.renovatebot.com/configuration-options/>).
const SETTINGS: [&str; 9] = [
    "renovate.json",
    "renovate.json5",
    ".renovaterc",
    ".renovaterc.json",
    ".renovaterc.json5",
    ".github/renovate.json",
    ".github/renovate.json5",
    ".gitlab/renovate.json",
    ".gitlab/renovate.json5",
];

/// Pipelines that run Renovate, which may have settings of their own.
const PIPELINES: [&str; 2] = [".github/workflows/renovate.yaml", ".github/workflows/renovate.yml"];

const DEPENDABOT: &str = ".github/dependabot.yml";

/// What the settings of Renovate hold that let it look into manifests: patterns for its manager `kubernetes`, which has none by
/// itself (<https://docs.renovatebot.com/modules/manager/kubernetes/>), or the settings of another repository.
const LOOKS_INTO_MANIFESTS: [&str; 5] = ["kubernetes", "gitea>", "github>", "gitlab>", "local>"];

/// Whether a bot raises the versions of images in the manifests of a repository. Dependabot does so where `docker` is on its
/// list.
fn has_bot(root: &Path) -> bool {
    let read = |name: &str| regular::read_to_string(&root.join(name)).ok();
    let mut settings = SETTINGS.iter().filter_map(|name| read(name)).peekable();
    let looks = |text: String| LOOKS_INTO_MANIFESTS.iter().any(|words| text.contains(words));
    let is_renovated = match settings.peek() {
        Some(_) => settings.any(looks),
        None => PIPELINES.iter().any(|name| root.join(name).is_file()),
    };
    is_renovated || read(DEPENDABOT).is_some_and(|text| text.contains("docker"))
}

/// Reads the remotes of a repository from its Git configuration.
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

/// The Git folder: `.git` itself, or the folder that a `.git` file of a linked worktree or submodule names.
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

/// Normalises an address: without scheme, user, SSH port and `.git`, in lower case, of which the servers of Git take no notice.
pub(super) fn address(url: &str) -> String {
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
    format!("{host}/{path}").to_lowercase()
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
            "https://github.com/Acme/Shop",
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
