//! Applies the fixes of a fuzzed manifest, each alone: the text that was valid YAML stays valid YAML.

#![no_main]

use joblint::{
    check::check_unit,
    settings::Settings,
    unit::{Boundary, File, Unit, UnitKind},
};
use yaml_spans::{self as yaml, Edit};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let file = File {
        path: "fuzzed.yaml".into(),
        shown: "fuzzed.yaml".into(),
        named: true,
        text: Some(text.as_bytes().to_vec()),
    };
    let unit = Unit {
        kind: UnitKind::Plain,
        root: "".into(),
        files: vec![file],
        together: true,
        deployments: Vec::new(),
        roots: Vec::new(),
        boundary: Boundary::everywhere(),
    };
    let broken = |text: &str| yaml::parse(text).iter().filter(|document| document.is_err()).count();
    let report = check_unit(&unit, &Settings { pedantic: true, ..Settings::default() });
    for fix in report.findings.iter().flat_map(|finding| &finding.fixes) {
        let fixed = Edit::apply(&fix.source.text, &fix.edits).expect("a fix can be applied");
        assert!(broken(&fixed) <= broken(&fix.source.text), "{}", fix.title);
    }
});
