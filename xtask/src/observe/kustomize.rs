//! Kustomizations as kustomize builds them, which must be what joblint builds.

use std::{path::Path, process::Command};

use kustomize_build::{Built, Options};
use serde_json::Value;

use super::{
    cases::{Case, Version, id, is_of},
    tools::Tools,
};

/// The workloads of a case as they are first deployed, each with its [`id`]. What a kustomization adds is in them.
pub fn deployed(case: &Case) -> Vec<(String, Value)> {
    let objects = case.objects();
    let Some(kustomization) = &case.kustomization else {
        return objects.into_iter().map(|object| (id(&object), object)).collect();
    };
    let folder = tempfile::tempdir().expect("a folder");
    kustomization.write(folder.path(), (&objects, &case.beside), Version::First, true);
    let built = Built::from_folder(folder.path(), &Options::default()).expect("a kustomization");
    let of = |work: String| {
        let document = workload(built.print(), &work).expect("the workload");
        (work, parse(document))
    };
    objects.iter().map(id).map(of).collect()
}

fn parse(document: &str) -> Value {
    serde_yaml::from_str(document).expect("an object")
}

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
        let object = parse(document);
        let is_work = matches!(object["kind"].as_str(), Some("Job" | "CronJob"));
        is_work && object["metadata"]["name"].as_str().is_some_and(|name| is_of(name, work))
    };
    built.split("\n---\n").find(is_own)
}
