//! Loads kustomizations as units: builds each one natively and traces every object back to the base, patch, generator
//! or transformer that a person wrote.

mod bases;
mod charts;
mod completed;
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

use file_boundary::Refusal;
use job_lifecycle::Tool;
use kustomize_build::{Error, Files, LoadRestrictor, Options, Order, Reason, Unprinted, Workspace};
use rayon::prelude::*;
use serde_json::{Deserializer, Value};
use yaml_spans::{Location, Source, Span};

use crate::{
    discover::{is_overlay_file, shown},
    load,
    redact::SecretValues,
    unit::{
        Boundary, Failure, File, Generated, KustomizeRoot, Loaded, NO_FILE, OverlayView, Problem,
        Unit, UnitKind,
    },
    words::one_line,
};

pub(crate) use charts::HelmCharts;
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

/// What is left of a kustomization that does not build. Without Jobs nothing is missed.
fn failed(error: &Error, repository: &Repository, root: &KustomizeRoot) -> Loaded {
    let declares_jobs =
        |path: &PathBuf| repository.read(path).is_ok_and(|bytes| load::declares_jobs(&bytes));
    let problem = problem(error, repository, root);
    let problem = match missing::template_of_tool(error, repository, root) {
        Some(path) => missing::unfilled(&path, problem),
        None => {
            let misses_work = root.files.iter().any(declares_jobs);
            let problem = match missing::left_out(error, repository, root) {
                Some((path, why)) => missing::without(&path, &why, problem),
                None => problem,
            };
            Problem { misses_work, ..problem }
        }
    };
    let sources = vec![problem.source.clone()];
    Loaded { problems: vec![problem], sources, ..Loaded::default() }
}

/// An error of kustomize as a problem at its location.
fn problem(error: &Error, repository: &Repository, root: &KustomizeRoot) -> Problem {
    if let Some(at) = unnamed(error) {
        return Problem {
            help: Some("Give it a `name` that contains a hash of its inputs".to_owned()),
            ..Problem::new(Failure::Unnamed, at, format!("kustomize refuses it: `{UNNAMED}`"))
        };
    }
    let at = match &error.at {
        Some(at) => Location { source: at.source.clone(), span: first_line(&at.source, at.span) },
        None => {
            let path = Path::new(&root.shown).join("kustomization.yaml");
            let source = Source::read_only(shown(&path), String::new());
            Location { source: Arc::new(source), span: Span::default() }
        }
    };
    let reason = match outside(error) {
        Some(path) => format!("`{path}` {}", Refusal::Outside),
        None if is_no_patch(&error.message) => NO_PATCH.to_owned(),
        None if error.message.contains(CONFLICT) => conflict(&error.message),
        None if is_empty_patch(error, repository, root) => EMPTY_PATCH.to_owned(),
        None => repository.without_root(innermost(&error.message), root),
    };
    let failure = failure(error.reason);
    let headline = match failure {
        Failure::Unrenderable | Failure::LacksValues | Failure::TooLarge => {
            let merging = merging(&error.message).map(|path| repository.without_root(path, root));
            Some(does_not_build(&reason, (&at.source.path, merging), root))
        }
        Failure::NotRendered | Failure::Absent | Failure::Misdeclared => Some(not_built(&reason)),
        Failure::Unreadable | Failure::Unnamed | Failure::Policy | Failure::Refused => None,
    };
    let help = help(error.reason, &reason);
    Problem { headline, help, ..Problem::new(failure, at, reason) }
}

/// The entry of a kustomization that leads out of the repository. What is there is not for the report.
fn outside(error: &Error) -> Option<&str> {
    let at = error.at.as_ref()?;
    let entry = at.source.slice(at.span).trim_matches(['"', '\'']);
    let is_outside = error.message.contains(&Refusal::Outside.to_string());
    (is_outside && !entry.is_empty()).then_some(entry)
}

/// The headline about a kustomization that does not build because of a file: the one that the file is, or the root.
fn does_not_build(
    reason: &str,
    (file, merging): (&str, Option<String>),
    root: &KustomizeRoot,
) -> String {
    let file = Path::new(file);
    let of_file = || file.parent().filter(|_| is_overlay_file(file));
    let folder = match &merging {
        Some(folder) if !folder.is_empty() => Some(Path::new(folder)),
        Some(_) => None,
        None => of_file(),
    };
    let folder = folder.unwrap_or(Path::new(&root.shown)).file_name();
    let folder = folder.map(|name| format!("kustomization `{}`", name.to_string_lossy()));
    let name = folder.unwrap_or_else(|| "this kustomization".to_owned());
    let absent = reason.strip_suffix(NO_FILE).and_then(|rest| rest.rsplit(' ').next());
    let malformed = reason.split_once("MalformedYAMLError: yaml: ");
    let malformed = malformed.and_then(|(_, rest)| rest.split_once(" in File: "));
    match (absent, malformed) {
        (Some(path), _) => format!("{name} does not build: `{path}` does not exist"),
        (None, Some((why, path))) => format!("{name} does not build: `{path}`, {why}"),
        (None, None) => format!("{name} does not build: {}", one_line(cause(reason))),
    }
}

/// What is wrong with a text that kustomize takes for a path because no patch can be read from it.
const NO_PATCH: &str = "the patch is not valid YAML";

/// Whether kustomize looked for a file whose name would have several lines.
fn is_no_patch(message: &str) -> bool {
    let path = message.strip_suffix(NO_FILE).and_then(|rest| rest.rsplit_once("open "));
    path.is_some_and(|(_, path)| path.contains('\n'))
}

/// What is wrong with a patch without content.
const EMPTY_PATCH: &str = "the patch is empty";

/// Whether kustomize took a patch without content for any or, of no bytes, for operations that need a target.
fn is_empty_patch(error: &Error, repository: &Repository, root: &KustomizeRoot) -> bool {
    let is_file_empty = |at: &Location| {
        let entry = at.source.slice(at.span).trim_matches(['"', '\'']);
        let file = Path::new(&at.source.path).with_file_name(entry);
        let file = repository.read(&repository.path(&shown(&file), root));
        file.is_ok_and(|bytes| bytes.is_empty())
    };
    error.message.contains("illegally qualifies as both an SM and JSON patch")
        || error.message.contains("must specify a target for JSON patch")
            && error.at.as_ref().is_some_and(is_file_empty)
}

/// What kustomize says of objects that one namespace makes the same, before it prints them.
const CONFLICT: &str = "namespace transformation produces ID conflict: ";

/// How that begins in plain words.
const SAME: &str = "`namespace` makes ";

/// What is wrong, in place of the objects.
fn conflict(message: &str) -> String {
    let (_, objects) = message.split_once(CONFLICT).unwrap_or_default();
    let objects = Deserializer::from_str(objects.trim_start_matches('['));
    let all: Vec<_> = objects.into_iter::<Value>().map_while(Result::ok).collect();
    let text = |path: &str| all.first()?.pointer(path)?.as_str();
    let kind = text("/kind").unwrap_or_default();
    // A Namespace gets its name from the kustomization.
    match text("/metadata/name").filter(|_| kind != "Namespace") {
        Some(name) => format!("{SAME}{} objects the same {kind} `{name}`", all.len()),
        None => format!("{SAME}{} objects the same {kind}", all.len()),
    }
}

/// What is wrong with an entry that kustomize tries as a file and as a folder: the error of what it is.
fn cause(reason: &str) -> &str {
    let Some((_, rest)) = reason.split_once("accumulation err='") else { return reason };
    let of_folder = || rest.split_once(": is a directory': ").map(|(_, cause)| cause);
    let of_file = || {
        let marks = ["merging resources from '", "accumulating resources from '"];
        let rest = marks.iter().find_map(|mark| rest.strip_prefix(mark))?;
        let (_, rest) = rest.split_once("': ")?;
        rest.split_once("': must build at directory: ").map(|(cause, _)| cause)
    };
    of_folder().or_else(of_file).unwrap_or(reason)
}

/// What kustomize says about an object that another entry has added.
const REGISTERED: &str = "already registered id";

/// The path of the kustomization that cannot take what one of its resources builds, which builds alone; empty if it is the
/// root. `None` where something else fails.
fn merging(message: &str) -> Option<&str> {
    const ABOVE: &str = "recursed accumulation of path '";
    let (above, _) = message.rsplit_once("recursed merging from path '")?;
    let parent = above.rsplit_once(ABOVE).and_then(|(_, rest)| rest.split_once('\''));
    Some(parent.map_or("", |(path, _)| path))
}

/// The headline about a part that is left out of a build.
fn not_built(reason: &str) -> String {
    format!("not built: {reason}")
}

/// What kustomize says about an object without a name.
const UNNAMED: &str = "missing metadata.name in object";

/// The `generateName` of an object that kustomize refuses because it has no name.
fn unnamed(error: &Error) -> Option<Location> {
    let at = error.at.as_ref().filter(|_| error.message.contains(UNNAMED))?;
    let mut documents = yaml_spans::parse(&at.source.text).into_iter().filter_map(Result::ok);
    let holds = |document: &yaml_spans::Document| {
        let own = document.root.span;
        own.start <= at.span.start && at.span.start <= own.end
    };
    let root = documents.find(holds)?.root;
    let entry = root.get("metadata")?.entry("generateName")?;
    Some(Location { source: at.source.clone(), span: entry.key_span.to(entry.value.span) })
}

/// The message of the kustomization that fails, without those of the kustomizations above: the location says it.
fn innermost(message: &str) -> &str {
    let marks = [": recursed accumulation of path '", ": couldn't make target for path '"];
    let last = marks.iter().filter_map(|mark| Some(message.rfind(mark)? + mark.len())).max();
    let rest = last.and_then(|at| message[at..].split_once("': "));
    rest.map_or(message, |(_, rest)| rest)
}

fn failure(reason: Reason) -> Failure {
    match reason {
        Reason::Remote => Failure::Absent,
        Reason::Unsupported => Failure::NotRendered,
        Reason::Limit => Failure::Unreadable,
        Reason::Kustomization
        | Reason::File
        | Reason::Resource
        | Reason::Generator
        | Reason::Transformer => Failure::Unrenderable,
    }
}

/// What to do about a kustomization that does not build, or a part that a build of the tree alone leaves out.
fn help(reason: Reason, words: &str) -> Option<String> {
    let text = match reason {
        Reason::Remote => "Copy the remote resource into the repository to have it checked",
        Reason::Unsupported => "Check what `kustomize build --enable-helm` prints",
        Reason::Limit => return None,
        _ if words.contains(REGISTERED) => {
            "Remove one of the two objects of this kind and name, or rename it"
        }
        _ if words.starts_with(SAME) => {
            "Remove one of the objects from the resources, or `namespace` from the kustomization"
        }
        _ if words.ends_with(NO_FILE) => "Add the file, or remove the entry that names it",
        _ => "Correct the marked line, and check it with `kustomize build`",
    };
    Some(text.to_owned())
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
