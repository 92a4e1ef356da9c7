//! Maps printed paths to paths and URIs relative to the repository root.

use std::path::{Path, PathBuf};

use super::normal;

/// The repository around a run. SARIF, GitHub, GitLab and fingerprints use paths relative to its root,
/// wherever joblint was started.
#[derive(Clone, Debug, Default)]
pub struct Root {
    /// The working directory and the root as absolute paths; `None` leaves printed paths unchanged.
    places: Option<(PathBuf, PathBuf)>,
}

impl Root {
    /// Finds the nearest folder with `.git` at or above a named path. Without one, printed paths stay
    /// relative to the working directory.
    pub fn find(base: &Path, named: Option<&Path>) -> Self {
        let Ok(base) =
            std::path::absolute(if base.as_os_str().is_empty() { Path::new(".") } else { base })
        else {
            return Self::default();
        };
        let base = normal(&base);
        let named = normal(&base.join(named.unwrap_or(Path::new(""))));
        let root = named.ancestors().find(|folder| folder.join(".git").exists());
        Self { places: root.map(|root| (base, root.to_owned())) }
    }

    /// The working directory and the root, to write them down.
    pub(crate) fn places(&self) -> Option<(String, String)> {
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        self.places.as_ref().map(|(base, root)| (text(base), text(root)))
    }

    /// The repository around a run that wrote these places down.
    pub(crate) fn of_places(places: Option<(String, String)>) -> Self {
        Self { places: places.map(|(base, root)| (base.into(), root.into())) }
    }

    /// A printed path relative to the repository root, with `/`; unchanged if it lies outside.
    pub(crate) fn relative(&self, shown: &str) -> String {
        let Some((base, root)) = &self.places else { return shown.to_owned() };
        let path = normal(&base.join(shown));
        match path.strip_prefix(root) {
            Ok(path) => path.to_string_lossy().replace('\\', "/"),
            Err(_) => shown.to_owned(),
        }
    }
}

/// A printed path as a URI: relative to the root, or `file:` for absolute paths outside it.
pub(crate) struct Uri {
    pub(crate) text: String,
    /// Whether the URI is relative to the repository root.
    pub(crate) relative: bool,
}

impl Root {
    pub(crate) fn uri(&self, shown: &str) -> Uri {
        let path = self.relative(shown);
        let bytes = path.as_bytes();
        let drive = bytes.get(1) == Some(&b':') && bytes.get(2) == Some(&b'/');
        match path.starts_with('/') || drive {
            true => {
                let slash = if drive { "/" } else { "" };
                Uri { text: format!("file://{slash}{}", encoded(&path)), relative: false }
            }
            false => Uri { relative: !path.starts_with("../"), text: encoded(&path) },
        }
    }
}

/// Percent-encodes everything except unreserved characters, `/` and the `!` of archive members.
pub(crate) fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'!' => {
                out.push(byte as char);
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_the_root_of_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("repository");
        std::fs::create_dir_all(repository.join(".git")).unwrap();
        std::fs::create_dir_all(repository.join("deploy")).unwrap();
        let root = Root::find(&repository.join("deploy"), Some(Path::new("a.yaml")));
        assert_eq!(root.relative("jobs/a.yaml"), "deploy/jobs/a.yaml");
        assert_eq!(root.relative("../b.yaml"), "b.yaml");
        assert_eq!(root.relative("../../c.yaml"), "../../c.yaml");
        let above = Root::find(folder.path(), Some(Path::new("repository/deploy")));
        assert_eq!(above.relative("repository/deploy/a.yaml"), "deploy/a.yaml");
        assert_eq!(Root::default().relative("jobs/a.yaml"), "jobs/a.yaml");
    }

    #[test]
    fn uris() {
        let uri = |shown: &str| {
            let uri = Root::default().uri(shown);
            (uri.text, uri.relative)
        };
        assert_eq!(uri("a b/ä#1.yaml"), ("a%20b/%C3%A4%231.yaml".into(), true));
        assert_eq!(uri("x.tgz!/templates/a.yaml"), ("x.tgz!/templates/a.yaml".into(), true));
        assert_eq!(uri("a:b.yaml"), ("a%3Ab.yaml".into(), true));
        assert_eq!(uri("/tmp/a.yaml"), ("file:///tmp/a.yaml".into(), false));
        assert_eq!(uri("C:/a.yaml"), ("file:///C%3A/a.yaml".into(), false));
        assert_eq!(uri("../a.yaml"), ("../a.yaml".into(), false));
    }
}
