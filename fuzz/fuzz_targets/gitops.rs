//! Checks a repository with fuzzed GitOps objects: no panic, and an early end.

#![no_main]

#[path = "parts.rs"]
mod parts;
#[path = "repository.rs"]
mod repository;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let names = ["argocd/fuzzed.yaml", "apps/one/fleet.yaml", "apps/two/values.yaml"];
    let fixed = [
        (".git/config", "[remote \"origin\"]\n\turl = https://example.com/shop.git\n"),
        ("apps/one/job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: one\n"),
        ("apps/two/Chart.yaml", "apiVersion: v2\nname: two\nversion: 0.1.0\n"),
        ("apps/two/templates/a.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: two}\n"),
    ];
    repository::check(&names, bytes, &fixed);
});
