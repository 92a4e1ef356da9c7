//! The chart or kustomization above a file.

use std::path::{Path, PathBuf};

use super::{OVERLAY_FILES, Request, normal, overlay, relative, walk};

/// What to check for an open file; nothing if it cannot matter. Only a repository is searched for the kustomizations that
/// read a manifest; elsewhere the nearest one is taken too.
pub(crate) fn targets_of(path: &Path, text: &str, request: &Request) -> Vec<PathBuf> {
    let own = target_of(path, text, request);
    let is_alone = own.as_deref() == Some(path) && !is_in_repository(path, request);
    let above = is_alone.then(|| overlay_above(path, request)).flatten();
    own.into_iter().chain(above).collect()
}

fn is_in_repository(path: &Path, request: &Request) -> bool {
    let absolute = std::path::absolute(request.base.join(path)).unwrap_or_default();
    repository_of(&absolute).is_some()
}

/// The root of the Git repository that holds an absolute path.
pub(crate) fn repository_of(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| folder.join(".git").exists())
}

/// The chart that holds or mounts an open file, the file itself if it can hold objects, or the kustomization above that
/// may read it. `None` for a file that cannot matter.
fn target_of(path: &Path, text: &str, request: &Request) -> Option<PathBuf> {
    let mounting = || {
        let chart = chart_around(path, request)?;
        walk::reads_files(&request.base.join(&chart)).then_some(chart)
    };
    if let Some(chart) = chart_above(path, request).or_else(mounting) {
        let is_here = chart.as_os_str().is_empty();
        return Some(if is_here { PathBuf::from(".") } else { chart });
    }
    let matters = overlay::is_file(path) || overlay::may_hold_objects(text);
    if walk::can_hold_manifests(path) && matters {
        return Some(path.to_owned());
    }
    overlay_above(path, request)
}

/// The nearest kustomization in the folders above a file.
fn overlay_above(path: &Path, request: &Request) -> Option<PathBuf> {
    let absolute = std::path::absolute(request.base.join(path)).ok()?;
    for (depth, folder) in absolute.ancestors().enumerate().skip(1) {
        if let Some(name) = OVERLAY_FILES.iter().find(|name| folder.join(name).is_file()) {
            return Some(ancestor(path, &absolute, depth, request)?.join(name));
        }
        if folder.join(".git").exists() || depth > 32 {
            break;
        }
    }
    None
}

/// The outermost chart that a file belongs to.
pub(super) fn chart_above(path: &Path, request: &Request) -> Option<PathBuf> {
    let absolute = std::path::absolute(request.base.join(path)).ok()?;
    let mut outermost = None;
    for (depth, folder) in absolute.ancestors().enumerate().skip(1) {
        if folder.join("Chart.yaml").is_file() && walk::belongs_to_chart(folder, &absolute) {
            outermost = Some(depth);
        }
        if folder.join(".git").exists() || depth > 32 {
            break;
        }
    }
    ancestor(path, &absolute, outermost?, request)
}

/// The innermost chart whose folder contains a file, whatever Helm makes of the file.
pub(super) fn chart_around(path: &Path, request: &Request) -> Option<PathBuf> {
    let absolute = std::path::absolute(request.base.join(path)).ok()?;
    for (depth, folder) in absolute.ancestors().enumerate().skip(1) {
        if folder.join("Chart.yaml").is_file() {
            return ancestor(path, &absolute, depth, request);
        }
        if folder.join(".git").exists() || depth > 32 {
            break;
        }
    }
    None
}

/// The folder that lies `depth` names above a path, written as the path is.
fn ancestor(path: &Path, absolute: &Path, depth: usize, request: &Request) -> Option<PathBuf> {
    let given = normal(path);
    match given.ancestors().nth(depth) {
        Some(folder) => Some(folder.to_owned()),
        // The chart lies above the working directory.
        None => {
            let chart = absolute.ancestors().nth(depth)?;
            let base = std::path::absolute(Path::new(".").join(&request.base)).ok()?;
            Some(relative(chart, &normal(&base)))
        }
    }
}
