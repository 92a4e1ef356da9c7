//! Analyses a shell script: no panic, and every span lies within the script.

#![no_main]

use shell_effects::{Catalogue, Setting, analyse_script};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let analysis = analyse_script(Catalogue::built_in(), text, &Setting::default());
    for invocation in &analysis.invocations {
        let place = invocation.place;
        assert!(place.element != 2 || text.get(place.span.range()).is_some());
    }
});
