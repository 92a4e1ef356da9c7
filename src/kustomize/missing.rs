//! Files that a kustomization names and the repository lacks because they are made or kept elsewhere.

use std::{fs, path::Path};

use kustomize_build::Error;

use super::{Repository, not_built};
use crate::{
    discover::is_left_out,
    scripts,
    unit::{Failure, KustomizeRoot, Problem},
};

/// The path of a file that is missing because it is made or kept elsewhere, and how that shows.
pub(super) fn left_out(
    error: &Error,
    repository: &Repository,
    root: &KustomizeRoot,
) -> Option<(String, String)> {
    let file = error.missing.as_deref()?;
    let boundary = repository.boundary()?;
    let why = if is_left_out(file, &root.folder) {
        "`.gitignore` leaves it out".to_owned()
    } else if let Some(template) = template(file) {
        template
    } else if is_of_operator_sdk(file) {
        "`operator-sdk generate kustomize` makes it".to_owned()
    } else {
        let script = scripts::writer(file, boundary)?;
        format!("`{}` writes it", repository.without_root(&script.display().to_string(), root))
    };
    Some((repository.without_root(&file.display().to_string(), root), why))
}

/// The folders from which a file is made: its own, and those for templates.
const FOLDERS: [(&str, &str); 3] = [
    ("", "it is made from a file beside it"),
    ("templates", "it is made from a file in `templates`"),
    ("../templates", "it is made from a file in `../templates`"),
];

/// What says that a missing file is made from another one: the name of that goes on where the missing one ends
/// (`job.yaml.template`), or has a mark before its ending (`job.tpl.yaml`). A folder `base-old` beside a missing `base` is
/// none.
fn template(missing: &Path) -> Option<String> {
    let file = missing.extension().and(missing.file_name())?.to_str()?;
    let folder = missing.parent()?;
    let is_source = |other: &fs::DirEntry| {
        let name = other.file_name();
        let is_of_file = name.to_str().is_some_and(|name| is_template(name, file));
        is_of_file && other.file_type().is_ok_and(|kind| kind.is_file())
    };
    let holds = |below: &str| {
        let mut files = fs::read_dir(folder.join(below)).into_iter().flatten().flatten();
        files.any(|other| is_source(&other))
    };
    let found = FOLDERS.iter().find(|(below, _)| holds(below));
    found.map(|(_, why)| (*why).to_owned())
}

/// What marks a template of a file before its ending.
const MARKS: [&str; 7] = ["dist", "example", "in", "sample", "template", "tmpl", "tpl"];

fn is_template(name: &str, file: &str) -> bool {
    let marked = || {
        let (stem, ending) = file.rsplit_once('.')?;
        name.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(ending)?.strip_suffix('.')
    };
    name.len() > file.len() && name.starts_with(file)
        || marked().is_some_and(|mark| MARKS.contains(&mark))
}

/// Whether a missing file is the base of what Operator SDK bundles. The kustomization that it scaffolds names
/// `bases/NAME.clusterserviceversion.yaml`, which `operator-sdk generate kustomize manifests` writes before each build.
fn is_of_operator_sdk(missing: &Path) -> bool {
    let name = missing.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.ends_with(".clusterserviceversion.yaml"))
}

/// The problem of a kustomization whose missing file is made or kept elsewhere.
pub(super) fn without(path: &str, why: &str, problem: Problem) -> Problem {
    let reason = format!("`{path}` is not in the repository: {why}");
    Problem {
        failure: Failure::NotRendered,
        headline: Some(not_built(&reason)),
        help: Some("Check the kustomization where that file exists".to_owned()),
        reason,
        ..problem
    }
}
