//! Classifies a folder as a deployer would: a chart, a kustomization, or manifests.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::repository::Tree;
use crate::{
    discover::{self, OVERLAY_FILES, normal, read_overlay},
    unit::DeploymentSource,
};

/// How a deployer reads a folder that is neither a chart nor a kustomization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// The source in a folder; `None` if the folder does not exist. Several objects may name the same folder.
pub(crate) fn of_folder(folder: &Path, depth: Depth, tree: &Tree) -> Option<DeploymentSource> {
    tree.known.source(folder, depth, || look_up(folder, depth, tree))
}

fn look_up(folder: &Path, depth: Depth, tree: &Tree) -> Option<DeploymentSource> {
    if let Some(refusal) = tree.refusal(folder) {
        let shown = tree.shown(folder);
        return Some(DeploymentSource::Unresolved(format!("`{shown}` {refusal}")));
    }
    if !folder.is_dir() {
        return None;
    }
    let chart = tree.boundary.has_file(&folder.join("Chart.yaml")) && depth != Depth::Kustomize;
    // Argo CD prefers the kustomization, Fleet the chart.
    Some(match (kustomization(folder, tree), chart) {
        (Some(_), true) if depth == Depth::Bundle => DeploymentSource::Chart(folder.to_owned()),
        (Some(_), _) => of_overlay(folder, tree),
        (None, true) => DeploymentSource::Chart(folder.to_owned()),
        // kustomize-controller generates a kustomization.
        (None, false) if depth == Depth::Kustomize => DeploymentSource::Overlay {
            folder: folder.to_owned(),
            files: manifests(folder, depth, tree),
        },
        (None, false) => DeploymentSource::Manifests(manifests(folder, depth, tree)),
    })
}

/// A kustomization with the plain manifests among its resources, recursively.
fn of_overlay(folder: &Path, tree: &Tree) -> DeploymentSource {
    let mut files = BTreeSet::new();
    collect(folder, tree, &mut files, &mut BTreeSet::new());
    DeploymentSource::Overlay { folder: folder.to_owned(), files: files.into_iter().collect() }
}

/// A resource of a kustomization that is in the repository.
#[derive(Clone, Debug)]
pub(super) enum Resource {
    Folder(PathBuf),
    File(PathBuf),
}

/// The resources of the kustomization in a folder; `None` if there is none.
fn kustomization(folder: &Path, tree: &Tree) -> Option<Arc<[Resource]>> {
    tree.known.kustomization(folder, || {
        let boundary = &tree.boundary;
        let mut names = OVERLAY_FILES.iter().map(|name| folder.join(name));
        let file = names.find(|path| boundary.has_file(path))?;
        let text = boundary.read_to_string(&file).ok();
        let listed = text.map(|text| read_overlay(&text).resources).unwrap_or_default();
        let resource = |listed: String| {
            let path = normal(&folder.join(listed));
            match boundary.has_folder(&path) {
                true => Some(Resource::Folder(path)),
                false => boundary.has_file(&path).then_some(Resource::File(path)),
            }
        };
        Some(listed.into_iter().filter_map(resource).collect())
    })
}

fn collect(
    folder: &Path,
    tree: &Tree,
    files: &mut BTreeSet<PathBuf>,
    seen: &mut BTreeSet<PathBuf>,
) {
    if !seen.insert(folder.to_owned()) {
        return;
    }
    for resource in kustomization(folder, tree).iter().flat_map(|resources| resources.iter()) {
        match resource {
            Resource::Folder(folder) => collect(folder, tree, files, seen),
            Resource::File(file) => _ = files.insert(file.clone()),
        }
    }
}

fn manifests(folder: &Path, depth: Depth, tree: &Tree) -> Arc<[PathBuf]> {
    let (mut files, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for path in discover::files(folder).filter_map(Result::ok) {
        let inner = || path.ancestors().skip(1).take_while(|above| *above != folder);
        let takes = match depth {
            Depth::Folder => path.parent() == Some(folder),
            Depth::Tree => true,
            Depth::Kustomize => {
                let overlay = inner().filter(|above| kustomization(above, tree).is_some()).last();
                overlay.iter().for_each(|folder| collect(folder, tree, &mut files, &mut seen));
                overlay.is_none()
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
