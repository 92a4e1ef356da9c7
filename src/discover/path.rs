//! Paths as text: printed, relative, absolute and without `.` and `..`. Nothing here reads the file system.

use std::path::{Path, PathBuf};

use file_boundary::printed;

/// A path as joblint prints it: with `/` and without a leading `./`.
pub(crate) fn shown(path: &Path) -> String {
    let text = printed(path.as_os_str());
    let text = if cfg!(windows) { text.replace('\\', "/").into() } else { text };
    match text.strip_prefix("./") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => text.into_owned(),
    }
}

/// A path relative to `base`, with `..` if it lies above.
pub(crate) fn relative(path: &Path, base: &Path) -> PathBuf {
    let mut up = PathBuf::new();
    for folder in base.ancestors() {
        if let Ok(rest) = path.strip_prefix(folder) {
            return up.join(rest);
        }
        up.push("..");
    }
    path.to_owned()
}

/// Removes `.` and resolves `..` where a folder precedes it.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut names =
        path.as_os_str().as_encoded_bytes().split(|byte| std::path::is_separator(*byte as char));
    match names.any(|name| name == b"." || name == b"..") {
        true => file_boundary::normal(path),
        false => path.to_owned(),
    }
}

/// The same from the root of the file system.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    // The working directory itself may be an empty path.
    let path = Path::new(".").join(path);
    normal(&std::path::absolute(&path).unwrap_or(path))
}

/// Whether a path is a folder or below it, both without `.`: `../a` is not below the working directory.
pub(crate) fn is_below(path: &Path, folder: &Path) -> bool {
    path.strip_prefix(folder).is_ok_and(|rest| !rest.starts_with(".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_directory_may_be_an_empty_path() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute(Path::new("")), here);
        assert_eq!(absolute(Path::new("shop/../a")), here.join("a"));
        assert_eq!(absolute(&here), here);
    }
}
