//! Compares the reader with `kubectl` and `saphyr`, and checks its spans, its errors and hostile input.

#![allow(clippy::unwrap_used)]

mod errors;
mod fields;
mod hostile;
mod kubectl;
mod saphyr;
mod spans;

use std::{collections::BTreeMap, fs, path::Path};

/// The text of each file in `testdata/manifests`, by file name without `.yaml`.
fn manifests() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/manifests");
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).expect("UTF-8"))
    };
    fs::read_dir(folder).expect("the folder").map(read).collect()
}
