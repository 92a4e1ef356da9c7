//! The witness: renders the chart with changed inputs and finds the same workloads in the result.

use std::sync::Arc;

use helm_render::{self as helm, Chart, ChartVersions, CurrentValues, RenderOptions, Rendered};
use yaml_spans::Node;

use super::{bump::ValueGroup, compare, next::next_version, origin, predict::RenderedWorkload};
use crate::load;

/// The inputs that differ in every render.
const FRESH: [&str; 2] = ["random", "time"];
/// The inputs that differ in every release.
const RELEASE: [&str; 3] = ["Release.Revision", "Release.IsUpgrade", "Release.IsInstall"];
const CHART: &str = "Chart.Version";
const APP: &str = "Chart.AppVersion";

/// The inputs that a witness changes.
#[derive(Clone, Debug, Default)]
pub(super) struct InputChange<'g> {
    /// A new render: other time and random values.
    pub(super) fresh: bool,
    /// The next revision of the release, as an upgrade.
    pub(super) release: bool,
    pub(super) chart: bool,
    pub(super) app: bool,
    pub(super) dependencies: Option<&'g SubchartVersions>,
    pub(super) values: Vec<&'g ValueGroup>,
}

/// The next versions of sub-charts whose versions reach a workload.
#[derive(Clone, Debug, Default)]
pub(super) struct SubchartVersions {
    /// The inputs that reach workloads: `Subcharts.db.Chart.Version`.
    pub(super) names: Vec<String>,
    pub(super) next: Vec<ChartVersions>,
}

impl SubchartVersions {
    /// Whether an input is the version of a sub-chart or of its application.
    pub(super) fn is_version(input: &str) -> bool {
        let last = input.rsplit("Chart.").next();
        input.starts_with("Subcharts") && matches!(last, Some("Version" | "AppVersion"))
    }

    /// The next versions of all sub-charts, and those among some inputs.
    pub(super) fn of<'a>(rendered: &Rendered, inputs: impl Iterator<Item = &'a String>) -> Self {
        let mut names: Vec<_> = inputs.filter(|input| Self::is_version(input)).cloned().collect();
        names.sort();
        names.dedup();
        let mut next: Vec<ChartVersions> = Vec::new();
        for template in &rendered.templates {
            let chart = template.name.split("/templates/").next().unwrap_or_default();
            if chart.contains("/charts/") && next.iter().all(|other| other.chart != chart) {
                let metadata = &template.chart.metadata;
                next.push(ChartVersions {
                    chart: chart.to_owned(),
                    version: next_version(&metadata.version),
                    app_version: match &*metadata.app_version {
                        "" => String::new(),
                        own => next_version(own),
                    },
                });
            }
        }
        Self { names, next }
    }
}

impl InputChange<'_> {
    /// The part of the change that may reach one of the inputs.
    pub(super) fn reaching(&self, inputs: &[Vec<String>]) -> Self {
        let reaches =
            |name: &str| inputs.iter().flatten().any(|input| origin::is_part(name, input));
        Self {
            fresh: self.fresh && FRESH.iter().any(|name| reaches(name)),
            release: self.release && RELEASE.iter().any(|name| reaches(name)),
            chart: self.chart && reaches(CHART),
            app: self.app && reaches(APP),
            dependencies: self
                .dependencies
                .filter(|all| all.names.iter().any(|name| reaches(name))),
            values: {
                let is_read = |group: &&&ValueGroup| group.names.iter().any(|name| reaches(name));
                self.values.iter().filter(is_read).copied().collect()
            },
        }
    }

    /// The paths of the changed inputs.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        names.extend(FRESH.iter().filter(|_| self.fresh));
        names.extend(RELEASE.iter().filter(|_| self.release));
        names.extend(self.chart.then_some(CHART));
        names.extend(self.app.then_some(APP));
        names.extend(self.dependencies.iter().flat_map(|all| &all.names).map(String::as_str));
        names.extend(self.values.iter().flat_map(|group| &group.names).map(String::as_str));
        names
    }
}

/// One day, in nanoseconds.
const LATER: i128 = 86_400_000_000_000;

/// Renders with changed inputs, and finds each workload of the first render in the result: `None` for a workload that
/// is gone. Returns `None` if the chart does not render.
pub(super) fn render(
    chart: &Arc<Chart>,
    raised: RenderOptions,
    rendered: &Rendered,
    works: &[RenderedWorkload<'_>],
) -> Option<Vec<Option<Node>>> {
    let template = |rendered: &Rendered, file: usize| {
        let template = rendered.files[file].template.0 as usize;
        rendered.templates[template].name.clone()
    };
    let of_work: Vec<_> = works.iter().map(|work| template(rendered, work.file)).collect();
    let mut names = of_work.clone();
    names.sort();
    names.dedup();
    // Other templates matter only if they change state that these templates read.
    let writers = rendered.writers.iter().map(|file| &rendered.templates[file.0 as usize].name);
    let only = names.iter().chain(writers).cloned().collect();
    let raised = RenderOptions { only: Some(only), ..raised };
    let witness = helm::render(chart, &raised).ok()?;
    let mut found = vec![None; works.len()];
    for name in names {
        let indexes: Vec<_> = (0..works.len()).filter(|index| of_work[*index] == name).collect();
        let file = (0..witness.files.len()).find(|file| template(&witness, *file) == name);
        let Some(file) = file else { continue };
        let old: Vec<_> = indexes.iter().map(|index| works[*index].root).collect();
        let matches = matched(&old, objects(&witness, file));
        for (index, node) in indexes.into_iter().zip(matches) {
            found[index] = node;
        }
    }
    Some(found)
}

/// The options of a render with changed inputs. `values` are those of the render without them.
pub(super) fn raised(
    chart: &Chart,
    options: &RenderOptions,
    values: &CurrentValues,
    raise: &InputChange<'_>,
) -> RenderOptions {
    let mut raised = RenderOptions { provenance: false, skips_schema: true, ..options.clone() };
    let next = |own: &Option<String>, default: &String| {
        let version = own.as_ref().unwrap_or(default);
        (!version.is_empty()).then(|| next_version(version))
    };
    if raise.fresh {
        render_later(&mut raised);
    }
    if raise.release {
        raised.release.revision += 1;
        raised.release.is_upgrade = true;
    }
    if raise.chart {
        raised.chart_version = next(&options.chart_version, &chart.metadata.version);
    }
    if raise.app {
        raised.app_version = next(&options.app_version, &chart.metadata.app_version);
    }
    raised.dependency_versions.extend(raise.dependencies.iter().flat_map(|all| all.next.clone()));
    let own = std::mem::take(&mut raised.overrides);
    let raises = raise.values.iter().flat_map(|group| &group.overrides);
    values.set(&mut raised.values, own.iter().chain(raises));
    raised
}

/// Makes a render the next one: at another time, with other random values.
pub(crate) fn render_later(options: &mut RenderOptions) {
    options.seed = options.seed.wrapping_add(1);
    options.now += LATER;
}

/// The objects of a file that may be workloads, in its order, including items of lists.
fn objects(witness: &Rendered, file: usize) -> Vec<Node> {
    let documents = witness.documents.iter().chain(&witness.dropped);
    let is_work = |document: &&helm::Document| {
        document.file == file && load::may_hold_work(witness.text(document).as_bytes())
    };
    let mut documents: Vec<_> = documents.filter(is_work).collect();
    documents.sort_by_key(|document| document.range.start);
    let mut found = Vec::new();
    for document in documents.iter().flat_map(|document| document.parsed.iter()).flatten() {
        expand(document.root.clone(), &mut found);
    }
    found
}

fn expand(root: Node, found: &mut Vec<Node>) {
    let is_list =
        root.get("kind").and_then(Node::as_str).is_some_and(|kind| kind.ends_with("List"));
    match root.get("items").filter(|_| is_list) {
        Some(items) => items.items().iter().for_each(|item| expand(item.clone(), found)),
        None => found.push(root),
    }
}

/// Matches the old objects of a template to new ones: by kind and name, else the most similar remaining name
/// of the same kind.
fn matched(old: &[&Node], mut new: Vec<Node>) -> Vec<Option<Node>> {
    let same = |a: &Node, b: &Node| a.get("kind") == b.get("kind");
    let mut found: Vec<Option<Node>> = old
        .iter()
        .map(|old| {
            let named = |new: &Node| same(old, new) && compare::name(old) == compare::name(new);
            new.iter().position(named).map(|index| new.remove(index))
        })
        .collect();
    for (old, found) in old.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
        let likeness = |new: &Node| {
            let (a, b) = (compare::name(old).1.unwrap_or_default(), compare::name(new).1);
            a.bytes().zip(b.unwrap_or_default().bytes()).take_while(|(a, b)| a == b).count()
        };
        let left = (0..new.len()).filter(|index| same(old, &new[*index]));
        let best = left.max_by_key(|index| (likeness(&new[*index]), usize::MAX - index));
        *found = best.map(|index| new.remove(index));
    }
    found
}
