//! The manifests of packages name one version and the same platforms.

use std::{collections::BTreeSet, fs};

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn every_manifest_has_the_version_of_the_crate() {
    let version = env!("CARGO_PKG_VERSION");
    let version_in = |path: &str, start: &str| {
        let text = read(path);
        let line = text.lines().map(str::trim).find(|line| line.starts_with(start)).expect(path);
        line[start.len()..].trim().trim_matches('"').to_owned()
    };
    for (path, start) in [
        ("packages/helm/helm3/plugin.yaml", "version:"),
        ("packages/helm/helm4/plugin.yaml", "version:"),
        ("templates/joblint.yml", "default: \"0."),
        ("packages/gates/flux-pull-request.yml", "- uses: joblint/joblint@v"),
        ("packages/pre-commit/README.md", "rev: v"),
    ] {
        let found = version_in(path, start);
        let found = if start.ends_with("0.") { format!("0.{found}") } else { found };
        assert_eq!(found, version, "{path}");
    }
}

/// The targets that a text names.
fn targets(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    let ends = ["-unknown-linux-musl", "-apple-darwin", "-pc-windows-msvc"];
    words
        .filter(|word| ends.iter().any(|end| word.ends_with(end) && word.len() > end.len()))
        .collect()
}

#[test]
fn every_package_has_the_platforms_of_the_release() {
    let binary = read("packages/binary");
    let release = read(".github/workflows/release.yml");
    let built: BTreeSet<_> = targets(&binary).union(&targets(&release)).copied().collect();
    assert_eq!(built.len(), 5, "{built:?}");
    for path in ["packages/npm/bin/platforms.mjs", "packages/manifests", "packages/action/install"]
    {
        assert_eq!(targets(&read(path)), built, "{path}");
    }
}

/// A name such as `v4` may move to other code; a commit does not.
#[test]
fn workflows_use_actions_by_commit() {
    for path in [
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
        "action.yml",
        "packages/mirror/follow.yml",
    ] {
        let text = read(path);
        let uses: Vec<_> = text.lines().filter_map(|line| line.split_once("uses: ")).collect();
        assert!(!uses.is_empty(), "{path}");
        for (_, action) in uses {
            let commit = action.split_once('@').and_then(|(_, rest)| rest.split(' ').next());
            let is_commit =
                |text: &str| text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(commit.is_some_and(is_commit), "{path}: {action}");
        }
    }
}
