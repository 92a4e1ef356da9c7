//! What a kustomization takes in that does not build itself: without it, nothing would be known of the Jobs there.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use kustomize_build::{Files, Unprinted};
use yaml_spans::{self as yaml, Node};

use super::{Graph, Repository, load_from, of_files, overlay};
use crate::{
    discover::{is_overlay_file, normal, relative, shown},
    unit::{KustomizeRoot, Loaded},
};

/// The fields of a kustomization, in small letters, with which it takes in others, adds to them or gives them names.
const ADDS: [&str; 15] = [
    "apiversion",
    "bases",
    "commonannotations",
    "commonlabels",
    "configmapgenerator",
    "generatoroptions",
    "images",
    "kind",
    "labels",
    "metadata",
    "nameprefix",
    "namespace",
    "namesuffix",
    "resources",
    "secretgenerator",
];

/// The fields with which it changes some of what it takes in.
const PATCHES: [&str; 3] = ["patches", "patchesjson6902", "patchesstrategicmerge"];

/// The views of the kustomizations that only ones take in which do not build, and do not change their Jobs, or that are overlays
/// themselves. `views` are those of the roots.
pub(super) fn of_broken(
    repository: &Repository,
    (roots, views): (&[KustomizeRoot], &[Loaded]),
    predicts: bool,
) -> Vec<Loaded> {
    let (broken, built): (Vec<_>, Vec<_>) =
        roots.iter().zip(views).partition(|(_, view)| is_broken(view));
    let mut read: BTreeSet<PathBuf> =
        built.iter().flat_map(|(root, _)| &root.files).cloned().collect();
    let mut waiting: Vec<_> = broken.into_iter().map(|(root, _)| root.clone()).collect();
    let (mut known, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(root) = waiting.pop() {
        let own = kustomizations(repository, &root);
        let of_patch = |path: &str| text(repository, &normal(&root.folder.join(path)));
        let leaves_jobs = own.iter().all(|own| leaves_jobs(own, of_patch));
        if leaves_jobs {
            found
                .extend(own.first().and_then(|own| own_files(repository, (&root, own), &mut read)));
        }
        let mut bases = taken_in(repository, &root);
        bases.retain(|base| {
            let is_read =
                base.files.iter().any(|file| is_overlay_file(file) && read.contains(file));
            // What is an overlay itself is deployed as it is.
            let is_whole = leaves_jobs || !taken_in(repository, base).is_empty();
            !is_read && is_whole && known.insert(base.folder.clone())
        });
        let views = load_from(repository, &bases, predicts);
        for (base, view) in bases.into_iter().zip(views) {
            match is_broken(&view) {
                true => waiting.push(base),
                false => found.push(view),
            }
        }
    }
    // The kustomization above would give generated objects, and those that name them, one namespace.
    found.iter_mut().for_each(|view| view.generated.clear());
    found
}

/// Whether a view is nothing but the error of a build.
fn is_broken(view: &Loaded) -> bool {
    let is_only = |source| view.problems.iter().all(|one| one.source.path == source);
    view.objects.is_empty()
        && !view.problems.is_empty()
        && matches!(&view.sources[..], [source] if is_only(source.path.clone()))
}

/// The texts of the kustomizations in the folder of a root; a tool takes no more than one.
fn kustomizations(repository: &Repository, root: &KustomizeRoot) -> Vec<String> {
    let own = root.files.iter().filter(|file| file.parent() == Some(&*root.folder));
    own.filter(|file| is_overlay_file(file)).filter_map(|file| text(repository, file)).collect()
}

fn text(repository: &Repository, path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&repository.read(path).ok()?).into_owned())
}

/// The manifests that a kustomization names and leaves as they are, but for names, labels and images that it gives them. Those
/// that are `read` already are left out, and the others added there.
fn own_files(
    repository: &Repository,
    (root, own): (&KustomizeRoot, &str),
    read: &mut BTreeSet<PathBuf>,
) -> Option<Loaded> {
    let document = yaml::parse(own).into_iter().next()?.ok()?;
    let resources = document.root.get("resources").map(Node::items).unwrap_or_default();
    let named = resources.iter().filter_map(Node::as_str);
    let mut files: Vec<_> = named.map(|path| normal(&root.folder.join(path))).collect();
    let is_own = |file: &PathBuf| file.starts_with(&root.folder) && root.files.contains(file);
    files.retain(|file| is_own(file) && read.insert(file.clone()));
    let mut view = of_files(repository, root, files.iter());
    view.overlay = Some(Arc::new(overlay(root, Vec::new(), Unprinted::default())));
    (!view.objects.is_empty()).then_some(view)
}

/// The kustomizations that one names.
fn taken_in(repository: &Repository, root: &KustomizeRoot) -> Vec<KustomizeRoot> {
    let read = |path: &Path| text(repository, path);
    let graph = Graph::of(root.files.iter().map(PathBuf::as_path), read);
    let named = graph.named(&root.folder);
    let bases = named.filter(|folder| graph.has(folder) && !graph.is_component(folder));
    let base = |folder: &Path| KustomizeRoot {
        folder: folder.to_owned(),
        shown: shown(&normal(&Path::new(&root.shown).join(relative(folder, &root.folder)))),
        deployments: root.deployments.clone(),
        generated: None,
        files: graph.closure(folder).files.into_iter().collect(),
    };
    bases.map(base).collect()
}

fn leaves_jobs(text: &str, read: impl Fn(&str) -> Option<String>) -> bool {
    let Some(Ok(document)) = yaml::parse(text).into_iter().next() else { return false };
    document.root.entries().iter().all(|entry| {
        let field = entry.key.to_lowercase();
        ADDS.contains(&&*field)
            || PATCHES.contains(&&*field)
                && entry.value.items().iter().all(|patch| spares_jobs(patch, &read))
    })
}

/// Whether a patch changes objects of other kinds only.
fn spares_jobs(patch: &Node, read: impl Fn(&str) -> Option<String>) -> bool {
    let is_other = |text: &str| text.contains("kind") && !text.contains("Job");
    if let Some(target) = patch.get("target") {
        let kind = target.get("kind").and_then(Node::as_str);
        return kind
            .is_some_and(|kind| !kind.contains("Job") && kind.chars().all(char::is_alphanumeric));
    }
    let inline = patch.get("patch").or(Some(patch)).and_then(Node::as_str);
    let path = patch.get("path").and_then(Node::as_str);
    match (path, inline) {
        (None, Some(text)) if text.contains('\n') => is_other(text),
        (Some(path), _) | (None, Some(path)) => read(path).is_some_and(|text| is_other(&text)),
        (None, None) => false,
    }
}
