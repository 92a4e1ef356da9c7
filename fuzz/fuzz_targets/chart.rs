//! Loads and renders a chart made of several files, or the same bytes as an archive: no panic, and an early end.

#![no_main]

#[path = "parts.rs"]
mod parts;

use helm_render::{Budget, Chart, HelmVersion, Limits, RenderOptions, render};

/// The files of the chart, in the order of the parts.
const NAMES: [&str; 6] = [
    "Chart.yaml",
    "values.yaml",
    "values.schema.json",
    "templates/_helpers.tpl",
    "templates/fuzzed.yaml",
    "charts/sub/Chart.yaml",
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for version in [HelmVersion::V3, HelmVersion::V4] {
        let files = NAMES.iter().zip(parts::of(bytes));
        let mut files: Vec<_> =
            files.map(|(name, part)| ((*name).to_owned(), part.to_vec())).collect();
        show(&files, version);
        files.truncate(2);
        files.push(("charts/sub.tgz".to_owned(), bytes.to_vec()));
        show(&files, version);
    }
});

fn show(files: &[(String, Vec<u8>)], version: HelmVersion) {
    let Ok(chart) = Chart::from_files(files.to_vec(), "fuzzed", version) else { return };
    let limits = Limits { steps: 100_000, bytes_at_once: 4 << 20, ..Limits::default() };
    let budget = Budget::new(limits);
    drop(render(&chart, &RenderOptions { version, budget, ..RenderOptions::default() }));
}
