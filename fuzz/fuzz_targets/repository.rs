//! Writes the files of an input into an empty folder.

use std::{fs, path::PathBuf};

use joblint::{check::check_all, discover::Request, settings::Settings};

/// Checks a repository in which the parts of the input are these files, beside the fixed ones.
pub fn check(names: &[&str], bytes: &[u8], fixed: &[(&str, &str)]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let parts = super::parts::of(bytes);
    let fuzzed = names.iter().copied().zip(parts);
    for (name, text) in fixed.iter().map(|(name, text)| (*name, text.as_bytes())).chain(fuzzed) {
        let path = folder.path().join(name);
        let written = path.parent().map(fs::create_dir_all).transpose();
        if written.is_err() || fs::write(&path, text).is_err() {
            return;
        }
    }
    let paths = vec![PathBuf::from(".")];
    let request = Request { paths, base: folder.path().to_owned(), ..Request::default() };
    check_all(&request, &Settings { pedantic: true, ..Settings::default() });
}
