//! A version of the tree as Git keeps it, read through the git command line: no work tree, no index and no network is
//! touched.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A path of a repository at one commit.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The folder of the work tree.
    top: PathBuf,
    commit: String,
    /// As the user names it.
    name: String,
    /// Path within the repository, with `/`; empty for its root.
    path: String,
}

/// A file of a revision.
#[derive(Clone, Debug)]
pub struct Blob {
    /// Below the path of the revision; empty when that is the file itself.
    pub path: String,
    pub data: Vec<u8>,
}

/// Links that lead to links are followed this often.
const MAX_LINKS: usize = 8;

impl Revision {
    /// The revision that `base` names (`v1.2.0`, `origin/main`, `HEAD~1`, or `REV:PATH` for another path in it) for what
    /// stands at `path` in the work tree.
    ///
    /// # Errors
    ///
    /// There is no git, no repository around the path, no such revision, or nothing at the path in it.
    pub fn find(base: &str, path: &Path) -> Result<Self, String> {
        let folder = match path.is_dir() {
            true => path,
            false => path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty())
                .unwrap_or(Path::new(".")),
        };
        let missing = |_| {
            format!(
                "`--base {base}` is no path, and there is no Git repository around `{}`",
                path.display()
            )
        };
        let place =
            git(folder, &["rev-parse", "--show-toplevel", "--show-prefix"]).map_err(|error| {
                match error {
                    Failure::NoGit(text) => text,
                    Failure::Said(text) => missing(text),
                }
            })?;
        let place = String::from_utf8_lossy(&place).into_owned();
        let mut lines = place.lines();
        let top = PathBuf::from(lines.next().unwrap_or_default());
        let mut own = lines.next().unwrap_or_default().trim_end_matches('/').to_owned();
        if !path.is_dir()
            && let Some(file) = path.file_name()
        {
            own = join(&own, &file.to_string_lossy());
        }
        let (name, path) = match base.split_once(':') {
            Some((name, path)) => (name, normal(path)?),
            None => (base, own),
        };
        let commit = commit(&top, name)?;
        Ok(Self { top, commit, name: name.to_owned(), path })
    }

    /// As messages name it: `v1.2.0`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A file below the path, as Git writes it: `v1.2.0:charts/shop/Chart.yaml`.
    pub fn shown(&self, path: &str) -> String {
        format!("{}:{}", self.name, join(&self.path, path))
    }

    /// The same commit at a folder below.
    pub fn below(&self, folder: &str) -> Self {
        Self { path: join(&self.path, folder), ..self.clone() }
    }

    /// The same commit at another path of the repository, given by a path in the work tree; `None` outside of it.
    pub fn at(&self, path: &Path) -> Option<Self> {
        let absolute = std::fs::canonicalize(path).ok()?;
        let top = std::fs::canonicalize(&self.top).ok()?;
        let path = absolute.strip_prefix(top).ok()?.to_string_lossy().replace('\\', "/");
        Some(Self { path, ..self.clone() })
    }

    /// The files at the path for which `wanted` is true, in the order of their paths.
    ///
    /// # Errors
    ///
    /// Nothing is at the path, or git fails.
    pub fn files(&self, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Blob>, String> {
        let mut entries = Vec::new();
        self.list(&self.path, "", wanted, &mut entries, 0)?;
        if entries.is_empty() && self.entries(&self.path)?.is_empty() {
            return Err(format!(
                "`{}` is not in `{}`",
                if self.path.is_empty() { "." } else { &self.path },
                self.name
            ));
        }
        self.read(entries)
    }

    /// Collects what is at `path` under the name `shown`, links followed.
    fn list(
        &self,
        path: &str,
        shown: &str,
        wanted: &dyn Fn(&str) -> bool,
        found: &mut Vec<(String, String)>,
        depth: usize,
    ) -> Result<(), String> {
        for Entry { mode, id, path: own } in self.entries(path)? {
            let below = own.strip_prefix(path).unwrap_or(&own).trim_start_matches('/');
            let name = join(shown, below);
            match mode.as_str() {
                LINK if depth < MAX_LINKS => {
                    let target = self.read(vec![(name.clone(), id)])?.remove(0).data;
                    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
                    let target =
                        normal(&join(folder, &String::from_utf8_lossy(&target))).map_err(|_| {
                            format!("{}: a link out of the repository", self.shown(&name))
                        })?;
                    self.list(&target, &name, wanted, found, depth + 1)?;
                }
                // A submodule is another repository.
                LINK | SUBMODULE => {}
                _ if wanted(&name) => found.push((name, id)),
                _ => {}
            }
        }
        Ok(())
    }

    fn entries(&self, path: &str) -> Result<Vec<Entry>, String> {
        let mut arguments = vec!["ls-tree", "-r", "-z", "--full-tree", &self.commit];
        if !path.is_empty() {
            arguments.extend(["--", path]);
        }
        let listed = git(&self.top, &arguments).map_err(Failure::text)?;
        Ok(listed.split(|byte| *byte == 0).filter_map(Entry::read).collect())
    }

    /// The contents of objects.
    fn read(&self, entries: Vec<(String, String)>) -> Result<Vec<Blob>, String> {
        let ids: String = entries.iter().map(|(_, id)| format!("{id}\n")).collect();
        let out = feed(&self.top, &["cat-file", "--batch"], ids).map_err(Failure::text)?;
        let mut rest = out.as_slice();
        let mut blobs = Vec::with_capacity(entries.len());
        for (path, id) in entries {
            let cut = || format!("`git cat-file` did not give all of `{path}` ({id})");
            let end = memchr::memchr(b'\n', rest).ok_or_else(cut)?;
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            let size = head
                .rsplit(' ')
                .next()
                .and_then(|size| size.parse::<usize>().ok())
                .ok_or_else(cut)?;
            let data = rest.get(end + 1..end + 1 + size).ok_or_else(cut)?.to_vec();
            rest = rest.get(end + 2 + size..).unwrap_or_default();
            blobs.push(Blob { path, data });
        }
        Ok(blobs)
    }
}

const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

struct Entry {
    mode: String,
    id: String,
    path: String,
}

impl Entry {
    /// `<mode> <type> <object>\t<path>`.
    fn read(line: &[u8]) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        let (head, path) = line.split_once('\t')?;
        let mut head = head.split(' ');
        let (mode, _, id) = (head.next()?, head.next()?, head.next()?);
        Some(Self { mode: mode.to_owned(), id: id.to_owned(), path: path.to_owned() })
    }
}

/// The commit that a name stands for.
fn commit(top: &Path, name: &str) -> Result<String, String> {
    let wanted = format!("{name}^{{commit}}");
    match git(top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]) {
        Ok(found) => Ok(String::from_utf8_lossy(&found).trim().to_owned()),
        Err(Failure::NoGit(text)) => Err(text),
        Err(Failure::Said(_)) => {
            let shallow = git(top, &["rev-parse", "--is-shallow-repository"]);
            let shallow = shallow.is_ok_and(|text| text.starts_with(b"true"));
            let hint = if shallow {
                "; this clone is shallow, `git fetch --unshallow --tags` gets the rest"
            } else {
                ""
            };
            Err(format!(
                "`--base {name}` is neither a path nor a revision of this repository{hint}"
            ))
        }
    }
}

enum Failure {
    NoGit(String),
    Said(String),
}

impl Failure {
    fn text(self) -> String {
        match self {
            Failure::NoGit(text) | Failure::Said(text) => text,
        }
    }
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    feed(folder, arguments, String::new())
}

/// Runs git with a text on its standard input.
fn feed(folder: &Path, arguments: &[&str], input: String) -> Result<Vec<u8>, Failure> {
    let no_git = |error: std::io::Error| {
        Failure::NoGit(format!("a revision needs `git` to read it: {error}"))
    };
    let mut child = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        // Those of a hook that runs joblint speak of another place.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        // Objects that a partial clone lacks are not fetched.
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(no_git)?;
    let stdin = child.stdin.take();
    // Git answers while it reads: one thread asks, the other listens.
    let asking =
        std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().map_err(no_git)?;
    let _ = asking.join();
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(Failure::Said(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}

fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// A path in the repository without `.` and `..`.
fn normal(path: &str) -> Result<String, String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." if parts.pop().is_none() => {
                return Err(format!("`{path}` leads out of the repository"));
            }
            ".." => {}
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}
