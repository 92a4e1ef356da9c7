//! Sub-charts that no value set enables, and the values that enable them.

use std::collections::BTreeMap;

use go_template::provenance::Step;
use helm_render::{Chart, Dependency, Override, values::Tree};

use super::missed::all_templates;
use crate::{load, unit::Rendering};

/// The values that enable the sub-charts in the folder of a chart which its own values disable and which may hold work, by
/// their path. What another repository offers is vendored, and whoever enables it checks it there.
pub(super) fn enabling(base: &Rendering) -> BTreeMap<Vec<String>, Override> {
    let declared = base.chart.metadata.dependencies.iter().flatten();
    let conditions = declared.filter_map(|one| {
        let sub = own(&base.chart, one)?;
        (!is_enabled(base, one) && holds_work(sub)).then(|| condition(base, one))?
    });
    let enabled = |path: Vec<String>| {
        let steps = path.iter().map(|key| Step::Key(key.as_str().into())).collect();
        (path, Override { path: steps, value: Tree::Bool(true) })
    };
    conditions.map(enabled).collect()
}

/// The sub-chart that a dependency names, if it is a folder of this chart.
fn own<'c>(chart: &'c Chart, dependency: &Dependency) -> Option<&'c Chart> {
    let mut all = chart.dependencies.iter().map(|sub| &**sub);
    all.find(|sub| *sub.name() == *dependency.name && is_own(chart, sub))
}

/// Whether a sub-chart is an unpacked folder below `charts/` and comes from this tree: it is not vendored.
pub(super) fn is_own(chart: &Chart, sub: &Chart) -> bool {
    let mut declared = chart.metadata.dependencies.iter().flatten();
    let repository = declared.find(|one| *one.name == *sub.name()).map(|one| &*one.repository);
    let is_here = |url: &str| url.is_empty() || url.starts_with("file://");
    sub.folder.starts_with("charts/")
        && !sub.folder.ends_with(".tgz")
        && repository.is_none_or(is_here)
}

fn is_enabled(base: &Rendering, dependency: &Dependency) -> bool {
    let name = if dependency.alias.is_empty() { &*dependency.name } else { &dependency.alias };
    let folder = format!("{}/charts/{name}/", base.chart.name());
    base.rendered.templates.iter().any(|template| template.name.starts_with(&folder))
}

fn holds_work(chart: &Chart) -> bool {
    all_templates(chart).into_iter().any(load::declares_jobs)
}

/// The path of the value that disables a dependency.
fn condition(base: &Rendering, dependency: &Dependency) -> Option<Vec<String>> {
    let paths = dependency.condition.split(',').map(str::trim).filter(|path| !path.is_empty());
    let mut paths = paths.map(|path| path.split('.').map(str::to_owned).collect::<Vec<_>>());
    paths.find(|path| base.value(path).is_some_and(|value| value == false))
}
