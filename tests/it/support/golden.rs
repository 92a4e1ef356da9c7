//! Files that hold expected output.

use std::path::Path;

use snapbox::Data;

/// Compares a text with a file of this repository.
///
/// `SNAPSHOTS=overwrite cargo test` rewrites the files that differ; read the diff before you commit it. Output of real
/// tools (Helm, kubectl, API servers) is never compared here: only the script beside such a file rewrites it.
#[track_caller]
pub fn assert_golden(path: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    snapbox::assert_data_eq!(actual, Data::read_from(&path, None).raw());
}
