//! Files and folders to leave out of a run: `--exclude`, and `exclude:` in the settings.

use std::path::{Path, PathBuf};

use globset::GlobMatcher;

use crate::glob::{self, GlobError};

/// A glob for files and folders to leave out. A glob without `/` matches names at any depth; every other one matches
/// paths below its folder. What is below an excluded folder is excluded too.
#[derive(Clone, Debug)]
pub struct Exclude {
    /// The glob as it was written.
    text: String,
    glob: GlobMatcher,
    /// Whether it matches names instead of paths.
    is_name: bool,
    /// The absolute folder that paths are relative to.
    folder: PathBuf,
}

impl Exclude {
    /// Compiles a glob for the paths below an absolute folder.
    ///
    /// # Errors
    /// The glob is not valid or exceeds a limit.
    pub(crate) fn new(text: &str, folder: &Path) -> Result<Self, GlobError> {
        let path = text.strip_prefix("./").unwrap_or(text).trim_end_matches('/');
        let anchored = path.strip_prefix('/').unwrap_or(path);
        Ok(Self {
            text: text.to_owned(),
            glob: glob::compile(anchored, true)?,
            is_name: !path.contains('/'),
            folder: folder.to_owned(),
        })
    }

    /// The glob as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether an absolute path without `..`, or a folder above it, is left out.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        let Ok(inside) = path.strip_prefix(&self.folder) else { return false };
        let mut parts = inside.ancestors().take_while(|part| !part.as_os_str().is_empty());
        parts.any(|part| match self.is_name {
            true => part.file_name().is_some_and(|name| self.glob.is_match(name)),
            false => self.glob.is_match(part),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_names_or_paths_and_all_that_is_below() {
        let covers = |glob: &str, path: &str| {
            Exclude::new(glob, Path::new("/repo")).unwrap().covers(&Path::new("/repo").join(path))
        };
        assert!(covers("vendor", "a/vendor/x.yaml"));
        assert!(covers("vendor/", "vendor"));
        assert!(covers("*.gen.yaml", "a/b/job.gen.yaml"));
        assert!(!covers("vendor", "a/vendors/x.yaml"));
        assert!(covers("a/vendor", "a/vendor/x.yaml"));
        assert!(covers("./a/vendor/", "a/vendor/x.yaml"));
        assert!(!covers("a/vendor", "b/a/vendor/x.yaml"));
        assert!(covers("**/vendor/*.yaml", "b/a/vendor/x.yaml"));
        assert!(covers("/vendor", "vendor/x.yaml"));
        assert!(!covers("/vendor", "a/vendor/x.yaml"));
        assert!(!covers("a/*.yaml", "a/b/x.yaml"), "`*` does not match `/`");
        let exclude = Exclude::new("*", Path::new("/repo")).unwrap();
        assert!(!exclude.covers(Path::new("/elsewhere/x.yaml")));
        assert!(!exclude.covers(Path::new("/repo")));
    }
}
