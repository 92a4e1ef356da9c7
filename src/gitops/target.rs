//! From a folder to what a deployer makes of it: a chart, a kustomization, manifests.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use yaml_spans::regular_file as regular;

use crate::{
    discover::{self, OVERLAY_FILES, normal, read_overlay},
    unit::What,
};

/// How a deployer reads a folder of manifests that is neither chart nor kustomization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Argo CD without `directory.recurse`.
    Folder,
    /// Argo CD with it; the file globs are applied by the caller.
    Tree,
    /// Flux: a folder with its own kustomization counts as that.
    Kustomize,
    /// Fleet: a folder with its own `fleet.yaml` is another bundle.
    Bundle,
}

/// What a folder is; `None` when it is not there.
pub fn of_folder(folder: &Path, depth: Depth) -> Option<What> {
    if !folder.is_dir() {
        return None;
    }
    let chart = folder.join("Chart.yaml").is_file() && depth != Depth::Kustomize;
    // Argo CD prefers the kustomization, Fleet the chart.
    Some(match (kustomization(folder), chart) {
        (Some(_), true) if depth == Depth::Bundle => What::Chart(folder.to_owned()),
        (Some(_), _) => of_overlay(folder),
        (None, true) => What::Chart(folder.to_owned()),
        (None, false) => What::Manifests(manifests(folder, depth)),
    })
}

/// A kustomization read through its plain resources.
pub fn of_overlay(folder: &Path) -> What {
    let mut files = BTreeSet::new();
    collect(folder, &mut files, &mut BTreeSet::new());
    What::Overlay { folder: folder.to_owned(), files: files.into_iter().collect() }
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
