//! Reads fuzzed settings: no panic.

#![no_main]

use std::fs;

use joblint::settings::Settings;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join(".joblint.yaml");
    if fs::write(&path, bytes).is_ok() {
        drop(Settings::read(&path));
    }
});
