//! Finding the GitOps objects: every file is searched at memory speed, few are parsed.

use std::{fs, path::Path, path::PathBuf, sync::Arc};

use memchr::memmem;
use rayon::prelude::*;

use super::tree::Tree;
use crate::{
    discover::{self, Request},
    object::Object,
    source::Source,
    yaml,
};

/// What the tree holds.
#[derive(Debug, Default)]
pub struct Found {
    /// Applications, HelmReleases, Kustomizations, and what they refer to: sources, ConfigMaps, Secrets.
    pub objects: Vec<Object>,
    pub fleet: Vec<PathBuf>,
}

/// The API groups of the objects that matter, with the `v` of a version.
const GROUPS: &[&[u8]] =
    &[b"argoproj.io/v", b"toolkit.fluxcd.io/v", b"source.extensions.fluxcd.io/v"];

/// The names of Fleet's files.
pub const FLEET: &[&str] = &["fleet.yaml", "fleet.yml"];

/// Searches the tree. Templates of charts are no objects.
pub fn scan(tree: &Tree, request: &Request) -> Found {
    let mut paths: Vec<PathBuf> = Vec::new();
    for searched in &tree.searched {
        match searched.is_dir() {
            true => paths.extend(discover::files(searched).filter_map(Result::ok)),
            false => paths.push(searched.clone()),
        }
    }
    paths.extend(request.texts.keys().map(|path| tree.absolute(path)));
    paths.sort_unstable();
    paths.dedup();
    let search = |wanted, keep| search(&paths, tree, request, wanted, keep);
    let mut objects = search(is_gitops, matters);
    // Only then does it pay to look for the values.
    if objects.iter().any(|object| object.root.at(&["spec", "valuesFrom"]).is_some()) {
        objects.extend(search(holds_values, is_values));
    }
    let named = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| FLEET.contains(&name))
    };
    Found { objects, fleet: paths.into_iter().filter(named).collect() }
}

type Wanted = fn(&[u8]) -> bool;

/// The objects to keep of the documents that may hold one.
fn search(
    paths: &[PathBuf],
    tree: &Tree,
    request: &Request,
    wanted: Wanted,
    keep: fn(&Object) -> bool,
) -> Vec<Object> {
    let of = |path: &PathBuf| objects(path, tree, request, wanted).unwrap_or_default();
    let parts: Vec<Vec<Object>> = paths.par_iter().map(of).collect();
    parts.into_iter().flatten().filter(keep).collect()
}

fn objects(path: &Path, tree: &Tree, request: &Request, wanted: Wanted) -> Option<Vec<Object>> {
    let given = request.texts.iter().find(|(given, _)| tree.absolute(given) == path);
    let bytes = match given {
        Some((_, bytes)) => bytes.clone(),
        None => fs::read(path).ok()?,
    };
    if !wanted(&bytes) || is_template(path) {
        return None;
    }
    let text = String::from_utf8(bytes).ok()?;
    let documents = yaml::parse_some(&text, &mut |document| wanted(document.as_bytes()));
    let source = Arc::new(Source::new(tree.shown(path), text));
    let objects = documents.into_iter().filter_map(Result::ok).filter_map(|document| {
        let span = document.span;
        Object::new(&source, document.root, span)
    });
    Some(objects.flat_map(Object::expand).collect())
}

/// True for a text with an object of Argo CD or Flux. CRDs name the groups too, and are large.
pub fn is_gitops(bytes: &[u8]) -> bool {
    GROUPS.iter().any(|group| memmem::find(bytes, group).is_some())
        && memmem::find(bytes, b"kind: CustomResourceDefinition").is_none()
}

fn holds_values(bytes: &[u8]) -> bool {
    [&b"ConfigMap"[..], b"Secret"].iter().any(|kind| memmem::find(bytes, kind).is_some())
}

fn matters(object: &Object) -> bool {
    match object.group() {
        "argoproj.io" => matches!(object.kind(), "Application" | "ApplicationSet"),
        group => group.ends_with("toolkit.fluxcd.io") || group == "source.extensions.fluxcd.io",
    }
}

fn is_values(object: &Object) -> bool {
    object.group().is_empty() && matches!(object.kind(), "ConfigMap" | "Secret")
}

/// A file that Helm renders.
fn is_template(path: &Path) -> bool {
    path.ancestors().skip(1).any(|folder| {
        folder.join("Chart.yaml").is_file() && discover::belongs_to_chart(folder, path)
    })
}
