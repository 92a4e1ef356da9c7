//! Loads kustomizations as units: builds each one natively and traces every object back to the base, patch, generator
//! or transformer that a person wrote.

mod bases;
mod charts;
mod completed;
mod failed;
mod files;
mod graph;
mod missing;
mod objects;
mod origin;
mod predict;
mod restricted;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::Tool;
use kustomize_build::{Error, Files, LoadRestrictor, Options, Order, Unprinted, Workspace};
use rayon::prelude::*;
use yaml_spans::{Location, Source, Span};

use crate::{
    discover::{is_overlay_file, shown},
    load,
    redact::SecretValues,
    unit::{Boundary, File, Generated, KustomizeRoot, Loaded, OverlayView, Unit, UnitKind},
};

pub(crate) use charts::HelmCharts;
use failed::failed;
pub(crate) use files::{Repository, generated};
pub(crate) use graph::{Closure, Graph};

/// Builds the kustomizations of a unit, each as one view. A kustomization that does not build is a view with a
/// problem, and what it takes in is a view of its own.
pub(crate) fn load(unit: &Unit) -> Vec<Loaded> {
    load_views(unit, BTreeMap::new(), true)
}

/// The same with other texts of some files, by absolute path.
pub(crate) fn load_edited(unit: &Unit, edited: BTreeMap<PathBuf, Vec<u8>>) -> Vec<Loaded> {
    load_views(unit, edited, true)
}

/// The same without predictions: what an editor shows before [`load`] is done.
pub(crate) fn load_draft(unit: &Unit) -> Vec<Loaded> {
    load_views(unit, BTreeMap::new(), false)
}

fn load_views(unit: &Unit, edited: BTreeMap<PathBuf, Vec<u8>>, predicts: bool) -> Vec<Loaded> {
    let repository = Repository::of_unit(unit).with(edited);
    let mut views = load_from(&repository, &unit.roots, predicts);
    views.extend(bases::of_broken(&repository, (&unit.roots, &views), predicts));
    forget_used_patches(&mut views);
    share_generated(&mut views);
    count_files_once(&mut views);
    views
}

/// Builds kustomizations from the files of a repository, and predicts their next releases if asked to.
pub(crate) fn load_from(
    repository: &Repository,
    roots: &[KustomizeRoot],
    predicts: bool,
) -> Vec<Loaded> {
    let workspace = Workspace::new(repository);
    let load = |root| load_root(repository, &workspace, root, predicts);
    let mut views: Vec<_> = roots.par_iter().map(load).collect();
    add_secrets(&mut views);
    views
}

/// Adds the secrets of the texts that were read. A text that several kustomizations read is searched once.
fn add_secrets(views: &mut [Loaded]) {
    let all = views.iter().flat_map(|view| &view.sources);
    let texts: HashMap<_, _> = all.map(|source| (Arc::as_ptr(source).addr(), source)).collect();
    let search = |(address, source): (usize, &Arc<Source>)| {
        (address, SecretValues::of_manifest(source.text.as_bytes()))
    };
    let found: HashMap<_, _> = texts.into_par_iter().map(search).collect();
    for view in views {
        for source in &view.sources {
            view.secrets.extend(&found[&Arc::as_ptr(source).addr()]);
        }
    }
}

fn load_root(
    repository: &Repository,
    workspace: &Workspace<'_>,
    root: &KustomizeRoot,
    predicts: bool,
) -> Loaded {
    let options = options(repository, root);
    let own = build(repository, workspace, (root, &options), predicts);
    let (mut loaded, documents, unprinted) = own.unwrap_or_else(|error| {
        let completed = || completed::build_without(&error, repository, (root, &options), predicts);
        match root.generated.is_some() {
            true => alone(as_files(repository, root)),
            false => completed().unwrap_or_else(|| alone(failed(&error, repository, root))),
        }
    });
    loaded.overlay = Some(Arc::new(overlay(root, documents, unprinted)));
    loaded
}

/// What a build gives: the objects, their documents, and what is not printed.
type Built = (Loaded, Vec<Arc<Source>>, Unprinted);

/// What there is without a build.
fn alone(loaded: Loaded) -> Built {
    (loaded, Vec::new(), Unprinted::default())
}

fn build(
    repository: &Repository,
    workspace: &Workspace<'_>,
    (root, options): (&KustomizeRoot, &Options),
    predicts: bool,
) -> Result<Built, Error> {
    let built = Arc::new(workspace.build(&root.folder, Path::new(&root.shown), options)?);
    let (mut loaded, owners, documents) = objects::loaded(&built, root);
    if predicts {
        predict::predict(&mut loaded, &owners, (repository, workspace, root, options));
        let refused = restricted::refused(&loaded, (repository, workspace), root, options);
        loaded.problems.extend(refused);
    }
    Ok((loaded, documents, built.unprinted()))
}

fn overlay(root: &KustomizeRoot, documents: Vec<Arc<Source>>, unprinted: Unprinted) -> OverlayView {
    let (folder, deployments) = (root.shown.clone(), root.deployments.clone());
    OverlayView { name: root.name(), folder, deployments, documents, unprinted }
}

fn options(repository: &Repository, root: &KustomizeRoot) -> Options {
    let is_by = |tool: Tool| root.deployments.iter().any(|one| one.deployer.tool == tool);
    let (overrides, variables) = (root.overrides().cloned(), root.variables().cloned());
    // Flux and Fleet never render charts; Argo CD and continuous integration are told to.
    let refuses = root.deployments.iter().any(|one| one.build.refuses_charts);
    let renders = !is_by(Tool::Flux) && !is_by(Tool::Fleet) && !refuses;
    // Argo CD renders no charts without options: where none are stated, what lifts the restriction may be among them.
    let is_told = || renders_charts(repository, root);
    let mut builds = root.deployments.iter().map(|one| &one.build);
    let loads_anywhere = builds.any(|own| own.loads_anywhere || own.is_unstated && is_told());
    Options {
        // kustomize-controller restricts no paths. What builds an unclaimed kustomization may be told not to.
        load_restrictor: match root.deployments.is_empty() || is_by(Tool::Flux) || loads_anywhere {
            true => LoadRestrictor::None,
            false => LoadRestrictor::RootOnly,
        },
        // kustomize-controller keeps the order of the resources.
        order: if is_by(Tool::Flux) { Order::Fifo } else { Order::Legacy },
        is_partial: true,
        charts: renders.then(|| repository.charts()),
        overrides,
        variables,
        needs: Some(objects::need),
    }
}

/// Whether a kustomization takes in a chart.
fn renders_charts(repository: &Repository, root: &KustomizeRoot) -> bool {
    let mut files = root.files.iter().filter(|path| is_overlay_file(path));
    files.any(|path| {
        let text = repository.read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        ["helmCharts:", "helmChartInflationGenerator:"].iter().any(|key| text.contains(key))
    })
}

/// The manifests of a folder without a kustomization whose generated one does not build, as they are.
fn as_files(repository: &Repository, root: &KustomizeRoot) -> Loaded {
    let manifests = root.files.iter().filter(|path| !is_overlay_file(path));
    of_files(repository, root, manifests)
}

/// Manifests below a kustomization that it does not build, as they are.
fn of_files<'p>(
    repository: &Repository,
    root: &KustomizeRoot,
    manifests: impl Iterator<Item = &'p PathBuf>,
) -> Loaded {
    let file = |path: &PathBuf| {
        let below = path.strip_prefix(&root.folder).unwrap_or(path);
        let shown = shown(&Path::new(&root.shown).join(below));
        let text = repository.read(path).ok()?;
        Some(File { path: path.clone(), shown, named: false, text: Some(text) })
    };
    let files = manifests.filter_map(file).collect();
    load::load(&Unit::new(UnitKind::Plain, files, Boundary::default()))
}

fn first_line(source: &Source, span: Span) -> Span {
    let line = source.line_span(source.line_of(span.start));
    Span { start: span.start, end: span.end.min(line.end).max(span.start) }
}

fn is_same(a: &Location, b: &Location) -> bool {
    Arc::ptr_eq(&a.source, &b.source) && a.span == b.span
}

/// Counts a file that several kustomizations read for the first of them.
fn count_files_once(views: &mut [Loaded]) {
    let mut seen = BTreeSet::new();
    for view in views {
        let paths = view.sources.iter().map(|source| source.path.clone());
        view.counts.files = paths.filter(|path| seen.insert(path.clone())).count();
    }
}

/// Tells each view what the others generate.
fn share_generated(views: &mut [Loaded]) {
    let named = |view: &Loaded| {
        let own = view.generated.iter().cloned();
        own.map(|one| Generated { is_elsewhere: true, ..one }).collect::<Vec<_>>()
    };
    let all: Vec<_> = views.iter().map(named).collect();
    for (index, view) in views.iter_mut().enumerate() {
        let others = all.iter().enumerate().filter(|(other, _)| *other != index);
        view.generated.extend(others.flat_map(|(_, one)| one.iter().cloned()));
    }
}

/// A patch of a component may select something in one overlay only: it is idle if it is so in all of them.
fn forget_used_patches(views: &mut [Loaded]) {
    let all: Vec<_> = views.iter().map(|view| (view.sources.clone(), view.idle.clone())).collect();
    for view in views {
        view.idle.retain(|patch| {
            all.iter().all(|(sources, idle)| {
                let is_read = sources.iter().any(|source| Arc::ptr_eq(source, &patch.at.source));
                !is_read || idle.iter().any(|other| is_same(&other.at, &patch.at))
            })
        });
    }
}
