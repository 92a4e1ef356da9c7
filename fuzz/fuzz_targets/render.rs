//! Renders a template with values, separated by a NUL byte: no panic, and an early end.

#![no_main]

use helm_render::{Budget, Chart, HelmVersion, Limits, RenderOptions, render};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let at = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (template, values) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    let files = [
        ("Chart.yaml", b"apiVersion: v2\nname: fuzzed\nversion: 0.1.0\n".as_slice()),
        ("templates/fuzzed.yaml", template),
        ("values.yaml", values),
    ];
    for version in [HelmVersion::V3, HelmVersion::V4] {
        let files = files.map(|(name, text)| (name.to_owned(), text.to_vec()));
        let Ok(chart) = Chart::from_files(files, "fuzzed", version) else { continue };
        let options = RenderOptions {
            version,
            budget: Budget::new(Limits {
                steps: 100_000,
                bytes_at_once: 4 << 20,
                ..Limits::default()
            }),
            ..RenderOptions::default()
        };
        drop(render(&chart, &options));
    }
});
