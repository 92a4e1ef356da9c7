//! Runs all rules on one file: no panic.

#![no_main]

use joblint::{
    check::check_unit,
    settings::Settings,
    unit::{Boundary, File, Unit, UnitKind},
};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let file = File {
        path: "fuzzed.yaml".into(),
        shown: "fuzzed.yaml".into(),
        named: true,
        text: Some(bytes.to_vec()),
    };
    let unit = Unit::new(UnitKind::Plain, vec![file], Boundary::default());
    check_unit(&unit, &Settings { pedantic: true, ..Settings::default() });
});
