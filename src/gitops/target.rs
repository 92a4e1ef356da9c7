//! Classifies a folder as a deployer would: a chart, a kustomization, or manifests.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use yaml_spans::regular_file as regular;

use crate::{
    discover::{self, OVERLAY_FILES, normal, read_overlay},
    unit::DeploymentSource,
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
pub(crate) fn of_folder(folder: &Path, depth: Depth) -> Option<DeploymentSource> {
    if !folder.is_dir() {
        return None;
    }
    let chart = folder.join("Chart.yaml").is_file() && depth != Depth::Kustomize;
    // Argo CD prefers the kustomization, Fleet the chart.
    Some(match (kustomization(folder), chart) {
        (Some(_), true) if depth == Depth::Bundle => DeploymentSource::Chart(folder.to_owned()),
        (Some(_), _) => of_overlay(folder),
        (None, true) => DeploymentSource::Chart(folder.to_owned()),
        (None, false) => DeploymentSource::Manifests(manifests(folder, depth)),
    })
}

/// A kustomization with the plain manifests among its resources, recursively.
pub(crate) fn of_overlay(folder: &Path) -> DeploymentSource {
    let mut files = BTreeSet::new();
    collect(folder, &mut files, &mut BTreeSet::new());
    DeploymentSource::Overlay { folder: folder.to_owned(), files: files.into_iter().collect() }
}

fn kustomization(folder: &Path) -> Option<PathBuf> {
    OVERLAY_FILES.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>, seen: &mut BTreeSet<PathBuf>) {
    if !seen.insert(folder.to_owned()) {
        return;
    }
    let text = kustomization(folder).and_then(|path| regular::read_to_string(&path).ok());
    let Some(overlay) = text.map(|text| read_overlay(&text)) else { return };
    for resource in overlay.resources {
        let path = normal(&folder.join(&resource));
        match path.is_dir() {
            true => collect(&path, files, seen),
            false if path.is_file() => _ = files.insert(path),
            false => {}
        }
    }
}

fn manifests(folder: &Path, depth: Depth) -> Vec<PathBuf> {
    let mut files: BTreeSet<PathBuf> = BTreeSet::new();
    for path in discover::files(folder).filter_map(Result::ok) {
        let inner = || path.ancestors().skip(1).take_while(|above| *above != folder);
        let takes = match depth {
            Depth::Folder => path.parent() == Some(folder),
            Depth::Tree => true,
            Depth::Kustomize => {
                if let Some(overlay) = inner().filter(|above| kustomization(above).is_some()).last()
                {
                    collect(overlay, &mut files, &mut BTreeSet::new());
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
