//! Walks the folder that an editor works in once, when many of its folders are asked for.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{Request, normal, walk};

/// For fewer folders each is walked by itself.
const MANY: usize = 16;

/// The files of the folder around the request that can hold manifests, if the request names many folders in it. None of them
/// if it cannot be walked: then each folder says why.
pub(super) fn walked(request: &Request) -> BTreeSet<PathBuf> {
    let Some(around) = &request.around else { return BTreeSet::new() };
    let is_folder = |path: &&PathBuf| path.is_relative() && request.base.join(path).is_dir();
    if request.paths.iter().filter(is_folder).count() < MANY {
        return BTreeSet::new();
    }
    let (files, _) = walk::files_except(&request.base.join(around), request.excludes.clone());
    let inside = |path: PathBuf| normal(path.strip_prefix(&request.base).unwrap_or(&path));
    files.map(|path| path.map(inside)).collect::<Result<_, _>>().unwrap_or_default()
}

/// The files below a folder.
pub(super) fn below(all: &BTreeSet<PathBuf>, folder: &Path) -> Vec<PathBuf> {
    let folder = normal(folder);
    let from = all.range(folder.clone()..);
    from.take_while(|path| path.starts_with(&folder)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{
        super::{Discovered, discover},
        *,
    };

    /// The files that a request for these folders walks, in order.
    fn found(base: &Path, paths: &[PathBuf]) -> Vec<PathBuf> {
        let around = Some(PathBuf::from("."));
        let (base, paths) = (base.to_owned(), paths.to_vec());
        let Discovered { mut walked, errors, .. } =
            discover(&Request { base, paths, around, ..Request::default() });
        assert!(errors.is_empty(), "{errors:?}");
        walked.sort();
        walked
    }

    #[test]
    fn one_walk_finds_what_a_walk_of_each_folder_finds() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..MANY).map(|number| PathBuf::from(format!("c{number}"))).collect();
        for path in &paths {
            fs::create_dir_all(folder.path().join(path).join("templates")).unwrap();
            for name in ["Chart.yaml", "templates/job.yaml", "out.yaml", "notes.txt"] {
                fs::write(folder.path().join(path).join(name), "a: 1\n").unwrap();
            }
        }
        // An ignored folder that is named is read, as Git adds it by force.
        fs::write(folder.path().join(".gitignore"), "out.yaml\nc3/\n").unwrap();
        let apart = paths.iter().flat_map(|path| found(folder.path(), std::slice::from_ref(path)));
        let mut apart: Vec<_> = apart.collect();
        apart.sort();
        assert_eq!(apart.len(), 2 * MANY);
        assert_eq!(found(folder.path(), &paths), apart);
    }
}
