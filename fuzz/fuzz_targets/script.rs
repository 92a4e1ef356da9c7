//! Analyses a shell script: no panic, and every location is in the script.

#![no_main]

use shell_effects::{Catalogue, Container, analyse_script};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let analysis = analyse_script(Catalogue::built_in(), text, &Container::default());
    for invocation in &analysis.invocations {
        let location = invocation.location;
        assert!(location.element != 2 || text.get(location.span.range()).is_some());
    }
});
