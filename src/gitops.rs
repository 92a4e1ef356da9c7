//! Finds the GitOps objects of a repository: which deployer applies which folder or chart, with which options
//! and values. Reads files only and never the network; sources outside the repository are named in notes.
//!
//! Sources: argocd 4; argocd 10; flux 1.8; flux 1.9; flux 2.1; fleet 3.7.

mod applicationset_template;
mod argocd;
mod build_options;
mod by_kind;
mod deployed;
mod fleet;
mod flux;
mod flux_named;
mod flux_parents;
mod flux_variables;
mod generators;
mod known;
mod notes;
mod options;
mod overlays;
mod overrides;
mod plan;
mod post_build;
mod rendered;
mod repository;
pub(crate) mod revision;
mod scan;
mod target;
mod units;
mod values_file;
mod values_text;

use std::{collections::HashSet, mem::take, path::PathBuf, sync::Arc};

use by_kind::ByKind;
use deployed::Deployed;
use job_lifecycle::Object;
use overlays::Overlays;
use rayon::prelude::*;
use rendered::AppChart;
use scan::NamedValues;

use crate::{
    chart,
    discover::{self, Request},
    load::FileCache,
    redact::SecretValues,
    unit::{Deployment, Failure, Problem, Unit, UnitKind, ValuesLayer},
};

pub(crate) use deployed::commands;
pub(crate) use notes::unrendered;
pub(crate) use plan::{Plan, Planned};
pub use repository::Tree;
pub(crate) use scan::{holds_policy, is_policy, may_decide};

/// A policy, a binding of one, or a rule of the user.
#[derive(Debug)]
pub(crate) struct FoundPolicy {
    pub object: Object,
    pub reach: Reach,
}

/// Whose objects a policy judges. Folders are as printed.
#[derive(Clone, Debug)]
pub(crate) enum Reach {
    /// All of the run.
    All,
    /// Those of one of several repositories.
    Repository(String),
    /// Those of its chart, which nothing here deploys.
    Chart(String),
}

impl Reach {
    /// The folder of the objects; `None` where it judges all.
    pub(crate) fn folder(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Repository(folder) | Self::Chart(folder) => Some(folder),
        }
    }
}

/// The units of a request, grouped by who deploys them.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// The regrouped units.
    pub units: Vec<Unit>,
    /// The deployments whose GitOps objects lie in the paths of the request.
    pub deployments: Vec<Arc<Deployment>>,
    /// Notes for standard error about deployments that were not resolved.
    pub notes: Vec<String>,
    /// The objects that exceed a limit.
    pub problems: Vec<Problem>,
    /// The admission policies of the repository and their bindings.
    pub policies: Vec<FoundPolicy>,
    /// What the charts that have admission policies render beside them.
    beside: Vec<Object>,
    /// The files that were searched.
    paths: Vec<PathBuf>,
    /// The repository.
    pub tree: Tree,
    /// Files that were already read during the search.
    pub seen: FileCache,
    /// The secrets of the GitOps objects, and of all files without Jobs.
    pub secrets: SecretValues,
}

/// Finds the GitOps objects around a request and regroups its units by who deploys them. `walked` are all
/// files of the request.
pub(crate) fn resolve(units: Vec<Unit>, walked: Vec<PathBuf>, request: &Request) -> Resolved {
    let tree = Tree::around(request);
    let asked: HashSet<_> = walked.par_iter().map(|path| tree.absolute(path)).collect();
    let Searched {
        mut deployments,
        policies,
        paths,
        seen,
        kustomizations,
        policy_charts,
        is_complete,
    } = search(request, walked, &tree);
    let plain = |object: Object| {
        let reach = tree.nested(object.source.path.as_ref());
        FoundPolicy { object, reach }
    };
    let mut policies: Vec<_> = policies.into_iter().map(plain).collect();
    let mut of_charts = rendered(&policy_charts, &deployments, &tree);
    of_charts.failures.retain(|(chart, _)| request.obeys(chart));
    let obeyed = |one: &FoundPolicy| request.obeys(&one.object.source.path);
    policies.extend(of_charts.policies.into_iter().filter(obeyed));
    let beside = of_charts.beside;
    let overlays = Overlays { deployments: &deployments, tree: &tree, request, asked: &asked };
    let graph = overlays.graph(&kustomizations);
    let roots = overlays.roots(&graph);
    let repository = deployed::Repository {
        tree: &tree,
        request,
        graph: &graph,
        paths: &paths,
        deployments: &deployments,
    };
    let deployed = is_complete.then(|| Deployed::of(&repository, &roots)).flatten();
    let units = overlays.group(units, roots);
    let mut units = units::by_deployment(units, &deployments, &tree);
    deployed.iter().for_each(|deployed| deployed.mark(&mut units));
    let charts = units.iter_mut().filter(|unit| unit.kind == UnitKind::Chart);
    charts.for_each(|chart| chart.remotes = tree.remotes().to_vec());
    let unlisted = units.iter().filter(|unit| unit.unlisted).map(|unit| unit.files.len()).sum();
    units.retain(|unit| !unit.unlisted);
    let secrets = secrets(&deployments, &seen);
    let named: Vec<_> = request.paths.iter().map(|path| tree.absolute(path)).collect();
    let is_named = |deployment: &Arc<Deployment>| {
        let path = tree.absolute(deployment.place().source.path.as_ref());
        named.iter().any(|named| path.starts_with(named))
    };
    // What is not read matters to whoever checks the object, or a chart that it deploys.
    let applied: Vec<_> = units.iter().flat_map(|unit| &unit.deployments).collect();
    let is_applied = |one: &Arc<Deployment>| applied.iter().any(|other| Arc::ptr_eq(one, other));
    let mut notes =
        notes::refused(deployments.iter().filter(|one| is_named(one) || is_applied(one)));
    notes.extend(of_charts.failures.iter().map(|(chart, why)| unrendered(chart, why)));
    notes.extend(notes::unlisted(unlisted));
    deployments.retain(is_named);
    notes.extend(notes::of(&deployments));
    let problems = deployments.iter().filter_map(|one| too_large(one)).collect();
    Resolved { units, notes, problems, deployments, policies, beside, paths, tree, seen, secrets }
}

impl Resolved {
    /// The objects of the repository with one of these kinds, given as API version and kind.
    pub(crate) fn objects_of(&self, kinds: &[(String, String)], request: &Request) -> Vec<Object> {
        let mut all = scan::objects_of(kinds, &self.paths, request, &self.tree);
        let is_meant = |object: &&Object| {
            let is_it = |(version, kind): &(String, String)| {
                (object.api_version(), object.kind()) == (version.as_str(), kind.as_str())
            };
            kinds.iter().any(is_it)
        };
        all.extend(self.beside.iter().filter(is_meant).cloned());
        all
    }
}

fn secrets(deployments: &[Arc<Deployment>], seen: &FileCache) -> SecretValues {
    let mut all = SecretValues::default();
    seen.secrets().for_each(|found| all.extend(found));
    for deployment in deployments {
        let object = &deployment.object;
        all.add_node(&object.root, &object.source.text);
        object.name().into_iter().for_each(|name| all.add_public(name));
        let layers = deployment.helm.iter().flat_map(|input| &input.values);
        for layer in layers {
            match layer {
                // Its values are those of the chart that is rendered with them.
                ValuesLayer::File(..) => {}
                ValuesLayer::Node(source, node) => all.add_node(node, &source.text),
                ValuesLayer::Text(source) => all.add_text(&source.text),
                ValuesLayer::Flag(flag) => all.add_flag(&flag.text),
            }
        }
    }
    all
}

/// The problem of an object that exceeds a limit.
fn too_large(deployment: &Deployment) -> Option<Problem> {
    let limit = deployment.exceeded.first()?;
    let object = &deployment.object;
    let reason = format!("{} `{}` {limit}: not evaluated", object.kind(), object.display_name());
    let problem = Problem::new(Failure::Unreadable, deployment.place(), reason);
    Some(Problem { misses_work: true, ..problem })
}

/// The deployments of the repository around a request, in the order of their locations.
pub fn discover(request: &Request, tree: &Tree) -> Vec<Arc<Deployment>> {
    search(request, discover::discover(request).walked, tree).deployments
}

/// What a repository holds.
struct Searched {
    deployments: Vec<Arc<Deployment>>,
    policies: Vec<Object>,
    paths: Vec<PathBuf>,
    seen: FileCache,
    /// Kustomization files, absolute.
    kustomizations: Vec<PathBuf>,
    /// Charts whose templates may render admission policies.
    policy_charts: Vec<PathBuf>,
    /// Whether all charts that render GitOps objects were rendered with the values that they are deployed with.
    is_complete: bool,
}

fn search(request: &Request, walked: Vec<PathBuf>, tree: &Tree) -> Searched {
    let mut found = scan::scan(tree, request, walked);
    let seen = take(&mut found.seen);
    let kustomizations = take(&mut found.kustomizations);
    let policy_charts = take(&mut found.policy_charts);
    let (policies, paths) = (take(&mut found.policies), take(&mut found.paths));
    let mut values = NamedValues::new(&paths, request, tree);
    values.add(found.objects.iter());
    let objects: Vec<_> = found.objects.iter().chain(&values.found).collect();
    let mut all = read(&objects, &found.fleet, tree);
    let mut is_complete = true;
    if !found.charts.is_empty() {
        // Without a rendering thread, apps of apps are skipped.
        let found = chart::with_stack(|| of_charts(&found, &all, tree, values));
        (all, is_complete) = found.unwrap_or((all, false));
    }
    build_options::apply(&found.build_options, &mut all);
    all.sort_by(|a, b| a.place().sort_key().cmp(&b.place().sort_key()));
    let deployments = all.into_iter().map(Arc::new).collect();
    Searched { deployments, policies, paths, seen, kustomizations, policy_charts, is_complete }
}

/// The nesting depth up to which apps of apps are resolved.
const DEPTH: usize = 3;

/// Adds the GitOps objects that charts render, repeatedly: each pass renders charts with the values of the
/// deployments found so far. Also returns whether those are all that the charts may render.
fn of_charts(
    found: &scan::ScanResult,
    plain: &[Deployment],
    tree: &Tree,
    mut values: NamedValues<'_>,
) -> (Vec<Deployment>, bool) {
    let mut charts: Vec<_> = found.charts.iter().map(|root| AppChart::new(root)).collect();
    let pool = chart::limits::pool(charts.len());
    let mut all = plain.to_vec();
    for _ in 0..DEPTH {
        let update = |chart: &mut AppChart| chart.update(&all, tree, &pool).then_some(());
        let changed = charts.iter_mut().filter_map(update);
        if changed.count() == 0 {
            break;
        }
        let rendered = || charts.iter().flat_map(|chart| &chart.objects);
        values.add(rendered());
        let objects: Vec<_> = found.objects.iter().chain(rendered()).chain(&values.found).collect();
        all = read(&objects, &found.fleet, tree);
    }
    let is_complete = charts.iter().all(|chart| chart.is_rendered_for(&all));
    (all, is_complete)
}

/// What charts with policies render.
#[derive(Default)]
struct Rendered {
    policies: Vec<FoundPolicy>,
    beside: Vec<Object>,
    /// The charts that do not render, as printed, and why.
    failures: Vec<(String, String)>,
}

/// What charts render with the values of their deployments; without one, with their own.
fn rendered(charts: &[PathBuf], deployments: &[Arc<Deployment>], tree: &Tree) -> Rendered {
    if charts.is_empty() {
        return Rendered::default();
    }
    let pool = chart::limits::pool(charts.len());
    let deployments: Vec<_> = deployments.iter().map(|one| Deployment::clone(one)).collect();
    let all = chart::with_stack(|| {
        let mut all = Rendered::default();
        for root in charts {
            let mut chart = AppChart::whole(root);
            chart.update(&deployments, tree, &pool);
            // Nobody is known to install the chart: its policies hold where it is installed, and judge what comes with it.
            let reach = match chart.is_deployed() {
                true => tree.nested(&root.join("Chart.yaml")),
                false => Reach::Chart(tree.shown(root)),
            };
            for object in chart.objects {
                match is_policy(&object) {
                    true => all.policies.push(FoundPolicy { object, reach: reach.clone() }),
                    false => all.beside.push(object),
                }
            }
            all.failures.extend(chart.failure.map(|why| (tree.shown(root), why)));
        }
        all
    });
    // Without a rendering thread nothing of theirs is found.
    all.unwrap_or_default()
}

fn read(objects: &[&Object], fleet: &[PathBuf], tree: &Tree) -> Vec<Deployment> {
    let (parents, by_kind) = (flux::parents(objects, tree), ByKind::new(objects.iter().copied()));
    let variables = flux_variables::OfFolders::of(&by_kind, tree);
    let of = |object: &&Object| match object.group() {
        "argoproj.io" => argocd::deployments(object, tree),
        _ => flux::deployments(&variables.filled(object), &by_kind, &parents, tree),
    };
    let bundles = fleet.par_iter().flat_map_iter(|file| fleet::deployments(file, tree));
    objects.par_iter().flat_map_iter(of).chain(bundles).collect()
}
