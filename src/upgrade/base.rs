//! What `--base` names: a path or a Git revision.

use std::path::{Component, Path};

use super::{
    error::LoadError,
    git::{GitError, Revision},
    version::VersionSource,
};
use crate::discover::walk;

impl VersionSource {
    /// Resolves the base: what is spelled as a path, else a Git revision of the repository around the new version,
    /// else a file whose name ends like that of a manifest or an archive. A folder never stands for a revision of its
    /// name: whoever writes the new version may have added the folder.
    ///
    /// # Errors
    ///
    /// `base` is neither.
    pub(crate) fn of_base(
        base: &str,
        path: &Path,
        notes: &mut Vec<String>,
    ) -> Result<Self, LoadError> {
        if is_spelled_as_path(base) {
            return Ok(VersionSource::Path(base.into()));
        }
        let exists = Path::new(base).exists();
        match Revision::find(base, path) {
            Ok(revision) => {
                if exists {
                    let revision = format!("`--base {base}` is the revision");
                    notes.push(format!("{revision}; the path is `--base ./{base}`"));
                }
                Ok(VersionSource::Revision(revision))
            }
            Err(GitError::UnknownRevision { .. } | GitError::NoRepository { .. })
                if exists && is_file_of_version(base) =>
            {
                Ok(VersionSource::Path(base.into()))
            }
            Err(GitError::UnknownRevision { .. } | GitError::NoRepository { .. }) if exists => {
                Err(LoadError::PathLikeRevision(base.to_owned()))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether a base can only be a path: `./old`, `../old`, `/old`, `old/`. No revision is spelled like that.
fn is_spelled_as_path(base: &str) -> bool {
    let first = Path::new(base).components().next();
    let is_name = matches!(first, Some(Component::Normal(_)) | None);
    !is_name || base.ends_with(std::path::is_separator)
}

/// Whether a path is spelled like a file that holds a version.
fn is_file_of_version(base: &str) -> bool {
    let path = Path::new(base);
    path.is_file() && (base.ends_with(".tgz") || walk::can_hold_manifests(path))
}
