use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` by their names alone, without reading the file system. A `..` that no folder precedes stays.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => _ = out.pop(),
            part => out.push(part),
        }
    }
    out
}
