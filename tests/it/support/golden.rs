//! Files that hold expected output.

use std::path::Path;

use snapbox::Data;

/// Compares with a file of this repository.
///
/// `SNAPSHOTS=overwrite cargo test` writes the files that differ; read the diff before you commit it. What real
/// tools printed (Helm, kubectl, API servers) is never compared here: only the script beside such a file writes it.
#[track_caller]
pub fn assert_golden(path: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    snapbox::assert_data_eq!(actual, Data::read_from(&path, None).raw());
}
