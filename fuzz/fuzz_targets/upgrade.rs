//! Compares two fuzzed versions of a manifest: no panic.

#![no_main]

#[path = "parts.rs"]
mod parts;

use joblint::{settings::Settings, unit::File, upgrade::compare_files};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut parts = parts::of(bytes);
    let mut file = || File {
        path: "fuzzed.yaml".into(),
        shown: "fuzzed.yaml".into(),
        named: true,
        text: Some(parts.next().unwrap_or_default().to_vec()),
    };
    let (old, new) = (file(), file());
    compare_files(vec![old], vec![new], &Settings { pedantic: true, ..Settings::default() });
});
