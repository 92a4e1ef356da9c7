//! Units that exist in memory only.

use joblint::unit::{Boundary, File, Unit, UnitKind};

/// A file named on the command line.
pub fn file(path: &str, text: impl Into<Vec<u8>>) -> File {
    File { path: path.into(), shown: path.to_owned(), named: true, text: Some(text.into()) }
}

/// Plain manifests that nothing says are deployed together.
pub fn plain(files: Vec<File>) -> Unit {
    Unit { together: false, ..Unit::new(UnitKind::Plain, files, Boundary::everywhere()) }
}
