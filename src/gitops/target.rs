//! Classifies a folder as a deployer would: a chart, a kustomization, or manifests.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::repository::Tree;
use crate::{
    discover::{self, OVERLAY_FILES, normal, read_overlay},
    unit::{Boundary, DeploymentSource},
};

/// How a deployer reads a folder that is neither a chart nor a kustomization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Argo CD without `directory.recurse`: the folder only.
    Folder,
    /// Argo CD with `directory.recurse`; the caller applies the file globs.
    Tree,
    /// Flux: recursive; a subfolder with a kustomization is applied as that.
    Kustomize,
    /// Fleet: recursive; a subfolder with a `fleet.yaml` is a separate bundle.
    Bundle,
}

/// The source in a folder; `None` if the folder does not exist.
pub(crate) fn of_folder(folder: &Path, depth: Depth, tree: &Tree) -> Option<DeploymentSource> {
    let boundary = &tree.boundary;
    if let Some(refusal) = tree.refusal(folder) {
        let shown = tree.shown(folder);
        return Some(DeploymentSource::Unresolved(format!("`{shown}` {refusal}")));
    }
    if !folder.is_dir() {
        return None;
    }
    let chart = boundary.has_file(&folder.join("Chart.yaml")) && depth != Depth::Kustomize;
    // Argo CD prefers the kustomization, Fleet the chart.
    Some(match (kustomization(folder, boundary), chart) {
        (Some(_), true) if depth == Depth::Bundle => DeploymentSource::Chart(folder.to_owned()),
        (Some(_), _) => of_overlay(folder, boundary),
        (None, true) => DeploymentSource::Chart(folder.to_owned()),
        // kustomize-controller generates a kustomization.
        (None, false) if depth == Depth::Kustomize => DeploymentSource::Overlay {
            folder: folder.to_owned(),
            files: manifests(folder, depth, boundary),
        },
        (None, false) => DeploymentSource::Manifests(manifests(folder, depth, boundary)),
    })
}

/// A kustomization with the plain manifests among its resources, recursively.
fn of_overlay(folder: &Path, boundary: &Boundary) -> DeploymentSource {
    let mut files = BTreeSet::new();
    collect(folder, boundary, &mut files, &mut BTreeSet::new());
    DeploymentSource::Overlay { folder: folder.to_owned(), files: files.into_iter().collect() }
}

fn kustomization(folder: &Path, boundary: &Boundary) -> Option<PathBuf> {
    OVERLAY_FILES.iter().map(|name| folder.join(name)).find(|path| boundary.has_file(path))
}

fn collect(
    folder: &Path,
    boundary: &Boundary,
    files: &mut BTreeSet<PathBuf>,
    seen: &mut BTreeSet<PathBuf>,
) {
    if !seen.insert(folder.to_owned()) {
        return;
    }
    let text = kustomization(folder, boundary).and_then(|path| boundary.read_to_string(&path).ok());
    let Some(overlay) = text.map(|text| read_overlay(&text)) else { return };
    for resource in overlay.resources {
        let path = normal(&folder.join(&resource));
        if boundary.has_folder(&path) {
            collect(&path, boundary, files, seen);
        } else if boundary.has_file(&path) {
            files.insert(path);
        }
    }
}

fn manifests(folder: &Path, depth: Depth, boundary: &Boundary) -> Vec<PathBuf> {
    let mut files: BTreeSet<PathBuf> = BTreeSet::new();
    for path in discover::files(folder).filter_map(Result::ok) {
        let inner = || path.ancestors().skip(1).take_while(|above| *above != folder);
        let takes = match depth {
            Depth::Folder => path.parent() == Some(folder),
            Depth::Tree => true,
            Depth::Kustomize => {
                if let Some(overlay) =
                    inner().filter(|above| kustomization(above, boundary).is_some()).last()
                {
                    collect(overlay, boundary, &mut files, &mut BTreeSet::new());
                    continue;
                }
                true
            }
            Depth::Bundle => !inner()
                .any(|above| super::scan::FLEET.iter().any(|name| above.join(name).is_file())),
        };
        let is_fleet = path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| depth == Depth::Bundle && super::scan::FLEET.contains(&name));
        if takes && !is_fleet {
            files.insert(path);
        }
    }
    files.into_iter().collect()
}
