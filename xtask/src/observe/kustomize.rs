//! Kustomizations as kustomize builds them, which must be what joblint builds.

use std::{path::Path, process::Command};

use kustomize_build::{Built, Options};

use super::{cases::is_of, tools::Tools};

/// Builds a folder with kustomize.
///
/// # Panics
/// joblint builds something else.
pub fn build(tools: &Tools, folder: &Path) -> String {
    let output = Command::new(tools.folder.join("kustomize")).arg("build").arg(folder).output();
    let output = output.expect("kustomize");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let text = String::from_utf8(output.stdout).expect("text");
    let built = Built::from_folder(folder, &Options::default()).expect("a kustomization");
    assert_eq!(built.print(), text, "{}", folder.display());
    text
}

/// The document of a workload.
pub fn workload<'t>(built: &'t str, work: &str) -> Option<&'t str> {
    let is_own = |document: &&str| {
        let object: serde_json::Value = serde_yaml::from_str(document).expect("an object");
        let is_work = matches!(object["kind"].as_str(), Some("Job" | "CronJob"));
        is_work && object["metadata"]["name"].as_str().is_some_and(|name| is_of(name, work))
    };
    built.split("\n---\n").find(is_own)
}
