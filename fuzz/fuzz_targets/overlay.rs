//! Checks a fuzzed kustomization and its base: no panic, and an early end.

#![no_main]

#[path = "parts.rs"]
mod parts;
#[path = "repository.rs"]
mod repository;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let names = ["overlay/kustomization.yaml", "base/kustomization.yaml", "base/job.yaml"];
    let fixed = [("overlay/patch.yaml", "kind: Job\nmetadata:\n  name: one\n")];
    repository::check(&names, bytes, &fixed);
});
