//! Reads files of a Git revision through the `git` command, without touching the work tree, the index or the
//! network.

mod listing;

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, OnceLock},
};

use listing::{Entry, LINK, Listing, Tree};

/// A path in a repository at one commit.
#[derive(Clone, Debug)]
pub(crate) struct Revision {
    /// The root of the work tree.
    top: PathBuf,
    commit: String,
    /// The revision as the user wrote it.
    name: String,
    /// The path inside the repository, with `/`; empty for its root.
    path: String,
    /// What the commit holds, listed once for all its charts.
    tree: Arc<OnceLock<Tree>>,
}

/// A file of a revision.
#[derive(Clone, Debug)]
pub(crate) struct Blob {
    /// The path below that of the revision; empty if the revision's path is the file itself.
    pub path: String,
    pub data: Vec<u8>,
}

/// Why a revision or a file of it cannot be read.
#[derive(Debug)]
pub(crate) enum GitError {
    /// `git` cannot be run.
    NotRunnable(io::Error),
    /// `git` failed; its standard error.
    Failed(String),
    /// The base is not a path, and `path` is not in a Git repository.
    NoRepository { base: String, path: PathBuf },
    /// The base is neither a path nor a revision. Shallow clones lack most revisions.
    UnknownRevision { base: String, is_shallow: bool },
    /// The path does not exist in the revision.
    NotInRevision { path: String, revision: String },
    /// The path of `REV:PATH` leads out of the repository.
    PathOutside(String),
    /// A symbolic link leads out of the repository.
    LinkOutside(String),
    /// The files of the revision, with those that links multiply, are more than [`MAX_FILES`].
    TooManyFiles { revision: String },
    /// The files of the revision are larger than [`MAX_SIZE`] together.
    TooLarge { revision: String },
    /// The output of `git cat-file` ends before this object.
    Incomplete { path: String, id: String },
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRunnable(error) => write!(f, "a revision needs `git` to read it: {error}"),
            Self::Failed(text) => f.write_str(text),
            Self::NoRepository { base, path } => write!(
                f,
                "`--base {base}` is a revision, and `{}` is not in a Git repository",
                path.display()
            ),
            Self::UnknownRevision { base, is_shallow } => {
                let hint = match is_shallow {
                    true => "; this clone is shallow, `git fetch --unshallow --tags` gets the rest",
                    false => "",
                };
                write!(
                    f,
                    "`--base {base}` is neither a path nor a revision of this repository{hint}"
                )
            }
            Self::NotInRevision { path, revision } => write!(f, "`{path}` is not in `{revision}`"),
            Self::PathOutside(path) => write!(f, "`{path}` leads out of the repository"),
            Self::LinkOutside(file) => write!(f, "{file}: the link leads out of the repository"),
            Self::TooManyFiles { revision } => write!(
                f,
                "`{revision}` has more than {MAX_FILES} files, counting those behind links again"
            ),
            Self::TooLarge { revision } => {
                write!(f, "the files of `{revision}` are larger than {} MiB", MAX_SIZE >> 20)
            }
            Self::Incomplete { path, id } => {
                write!(f, "`git cat-file` did not return all of `{path}` ({id})")
            }
        }
    }
}

impl std::error::Error for GitError {}

/// The most files and links of a version. A few links to folders can multiply into very many paths.
const MAX_FILES: usize = 100_000;

/// The largest version, in bytes.
const MAX_SIZE: u64 = 512 << 20;

/// The longest target of a link, in bytes; no system follows a longer one.
const MAX_TARGET: u64 = 4096;

/// The path of an object, and its content unless it is missing here.
type Content = (String, Option<Vec<u8>>);

impl Revision {
    /// Resolves `base` (`v1.2.0`, `origin/main`, `HEAD~1`, or `REV:PATH` for another path) for the file or
    /// folder at `path` in the work tree.
    ///
    /// # Errors
    ///
    /// `git` is not installed, `path` is not in a repository, or the revision does not exist.
    pub(crate) fn find(base: &str, path: &Path) -> Result<Self, GitError> {
        let folder = match path.is_dir() {
            true => path,
            false => path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty())
                .unwrap_or(Path::new(".")),
        };
        let shown = git(folder, &["rev-parse", "--show-toplevel", "--show-prefix"]);
        let shown = shown.map_err(|error| match error {
            // Anything else, such as "dubious ownership", is Git's to say.
            GitError::Failed(text) if text.contains("not a git repository") => {
                GitError::NoRepository { base: base.to_owned(), path: path.to_owned() }
            }
            other => other,
        })?;
        let shown = String::from_utf8_lossy(&shown).into_owned();
        let mut lines = shown.lines();
        let top = PathBuf::from(lines.next().unwrap_or_default());
        let mut own = lines.next().unwrap_or_default().trim_end_matches('/').to_owned();
        if !path.is_dir()
            && let Some(file) = path.file_name()
        {
            own = join(&own, &file.to_string_lossy());
        }
        let (name, path) = match base.split_once(':') {
            Some((name, path)) => {
                let outside = || GitError::PathOutside(path.to_owned());
                (name, normal(path).ok_or_else(outside)?)
            }
            None => (base, own),
        };
        let commit = commit(&top, name)?;
        Ok(Self { top, commit, name: name.to_owned(), path, tree: Arc::default() })
    }

    /// The name in messages: `v1.2.0`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A file below the path in Git's notation: `v1.2.0:charts/shop/Chart.yaml`.
    pub(crate) fn shown(&self, path: &str) -> String {
        format!("{}:{}", self.name, join(&self.path, path))
    }

    /// The root of the work tree.
    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// The path inside the repository; empty for its root.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The same commit at the root of the repository.
    pub(crate) fn whole(&self) -> Self {
        Self { path: String::new(), ..self.clone() }
    }

    /// The same commit at a subfolder.
    pub(crate) fn below(&self, folder: &str) -> Self {
        Self { path: join(&self.path, folder), ..self.clone() }
    }

    /// The same commit at another path, given by its path in the work tree; `None` if that lies outside the
    /// repository.
    pub(crate) fn at(&self, path: &Path) -> Option<Self> {
        let absolute = std::fs::canonicalize(path).ok()?;
        let top = std::fs::canonicalize(&self.top).ok()?;
        let path = absolute.strip_prefix(top).ok()?.to_string_lossy().replace('\\', "/");
        Some(Self { path, ..self.clone() })
    }

    /// The files at the path that `wanted` accepts, ordered by path. Symbolic links are followed inside the commit.
    ///
    /// # Errors
    ///
    /// The path does not exist in the revision, links multiply into too many files, or `git` fails.
    pub(crate) fn files(&self, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Blob>, GitError> {
        let tree = self.tree()?;
        let mut listing = Listing::new(self, tree, wanted);
        if !listing.add(&self.path, "", 0)? {
            let path = if self.path.is_empty() { "." } else { &self.path };
            return Err(GitError::NotInRevision {
                path: path.to_owned(),
                revision: self.name.clone(),
            });
        }
        let files = listing.files;
        let size: u64 = files.iter().map(|(_, entry)| entry.size).sum();
        if size > MAX_SIZE {
            return Err(GitError::TooLarge { revision: self.name.clone() });
        }
        self.read(files.into_iter().map(|(name, entry)| (name, entry.id.clone())).collect())
    }

    /// All entries of the commit by path, and the targets of its links.
    fn tree(&self) -> Result<&Tree, GitError> {
        if let Some(tree) = self.tree.get() {
            return Ok(tree);
        }
        let listed = git(&self.top, &["ls-tree", "-r", "-z", "-l", "--full-tree", &self.commit])?;
        let entries = listed.split(|byte| *byte == 0).filter_map(Entry::read);
        let entries: BTreeMap<String, Entry> = entries.collect();
        let is_link = |entry: &Entry| entry.mode == LINK && entry.size <= MAX_TARGET;
        let links = entries.iter().filter(|(_, entry)| is_link(entry));
        let links =
            self.contents(links.map(|(path, own)| (path.clone(), own.id.clone())).collect())?;
        let target =
            |(path, data): Content| Some((path, String::from_utf8_lossy(&data?).into_owned()));
        let targets = links.into_iter().filter_map(target).collect();
        Ok(self.tree.get_or_init(|| Tree { entries, targets }))
    }

    /// Reads the contents of Git objects, which must all be here.
    fn read(&self, entries: Vec<(String, String)>) -> Result<Vec<Blob>, GitError> {
        let ids: Vec<_> = entries.iter().map(|(_, id)| id.clone()).collect();
        let read = self.contents(entries)?.into_iter().zip(ids);
        read.map(|((path, data), id)| match data {
            Some(data) => Ok(Blob { path, data }),
            None => Err(GitError::Incomplete { path, id }),
        })
        .collect()
    }

    /// Reads the contents of Git objects by path. A partial clone lacks some of them.
    fn contents(&self, entries: Vec<(String, String)>) -> Result<Vec<Content>, GitError> {
        let ids: String = entries.iter().map(|(_, id)| format!("{id}\n")).collect();
        let out = feed(&self.top, &["cat-file", "--batch"], ids)?;
        let mut rest = out.as_slice();
        let mut contents = Vec::with_capacity(entries.len());
        for (path, id) in entries {
            let cut = || GitError::Incomplete { path: path.clone(), id: id.clone() };
            let end = memchr::memchr(b'\n', rest).ok_or_else(cut)?;
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            if head.ends_with(" missing") {
                rest = &rest[end + 1..];
                contents.push((path, None));
                continue;
            }
            let size = head
                .rsplit(' ')
                .next()
                .and_then(|size| size.parse::<usize>().ok())
                .ok_or_else(cut)?;
            let data = rest.get(end + 1..end + 1 + size).ok_or_else(cut)?.to_vec();
            rest = rest.get(end + 2 + size..).unwrap_or_default();
            contents.push((path, Some(data)));
        }
        Ok(contents)
    }
}

/// Resolves a name to a commit.
fn commit(top: &Path, name: &str) -> Result<String, GitError> {
    let wanted = format!("{name}^{{commit}}");
    match git(top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]) {
        Ok(found) => Ok(String::from_utf8_lossy(&found).trim().to_owned()),
        Err(GitError::Failed(_)) => {
            let shallow = git(top, &["rev-parse", "--is-shallow-repository"]);
            let is_shallow = shallow.is_ok_and(|text| text.starts_with(b"true"));
            Err(GitError::UnknownRevision { base: name.to_owned(), is_shallow })
        }
        Err(error) => Err(error),
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
    feed(folder, arguments, String::new())
}

/// Runs `git` with a text on its standard input.
fn feed(folder: &Path, arguments: &[&str], input: String) -> Result<Vec<u8>, GitError> {
    let mut child = Command::new("git")
        // A repository inside the checked tree could bring a configuration of its own.
        .args(["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"])
        .arg("-C")
        .arg(folder)
        .args(arguments)
        // A Git hook that runs joblint sets these for its own repository.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        // Objects missing from a partial clone are not fetched.
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(GitError::NotRunnable)?;
    let stdin = child.stdin.take();
    // Git writes while it reads, so input is written on another thread.
    let asking =
        std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().map_err(GitError::NotRunnable)?;
    let _ = asking.join();
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(GitError::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// Resolves `.` and `..` in a path inside the repository; `None` if it leads out of it.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
