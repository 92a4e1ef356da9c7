//! Fills in the empty maps and lists of the values, to see where a template prints them once they are set.

use std::sync::Arc;

use go_template::provenance::Step;
use helm_render::{
    Override, RenderOptions,
    guards::PLACEHOLDER,
    values::{Setting, Tree},
};
use job_lifecycle::workload::kind_of;
use yaml_spans::Node;

use super::{Parsed, ValueSet, render};
use crate::unit::{Loaded, Rendering};

/// The most renders with a single value, where the chart refuses all of them together.
const MOST: usize = 8;

/// Renders the Jobs of the first view, and those of explored ones, with an entry in each map and list that is empty there.
pub(super) fn add(loaded: &mut [Loaded]) {
    for (index, view) in loaded.iter_mut().enumerate() {
        let Some(base) = view.rendering.clone().filter(|own| index == 0 || own.is_explored) else {
            continue;
        };
        let empty = empty_values(view, &base);
        if empty.is_empty() {
            continue;
        }
        let alone = || empty.chunks(1).take(MOST).filter_map(|one| filled(&base, one)).collect();
        view.filled = match filled(&base, &empty) {
            Some(all) => vec![all],
            None if empty.len() > 1 => alone(),
            None => Vec::new(),
        };
    }
}

/// The empty maps and lists that decide or print a part of a Job, each with an entry.
fn empty_values(view: &Loaded, base: &Rendering) -> Vec<Override> {
    let jobs = view.objects.iter().filter(|one| kind_of(one).is_some() && view.counts(one));
    let inputs = jobs.filter_map(|job| Some(job.source.origin.as_ref()?.inputs(job.root.span)));
    let mut inputs: Vec<_> = inputs.flatten().collect();
    inputs.sort();
    inputs.dedup();
    inputs.iter().filter_map(|input| with_entry(base, input)).collect()
}

fn with_entry(base: &Rendering, input: &str) -> Option<Override> {
    let names: Vec<_> = input.strip_prefix("Values.")?.split('.').map(str::to_owned).collect();
    let text = || Setting::new(Tree::Str(PLACEHOLDER.into()), None);
    let map = || Tree::Table([(Arc::from(PLACEHOLDER), text())].into_iter().collect());
    let value = match &base.setting(&names)?.value {
        Tree::Table(table) if table.is_empty() => map(),
        Tree::List(items) if items.is_empty() => Tree::List(vec![Setting::new(map(), None)]),
        _ => return None,
    };
    let path = names.iter().map(|name| Step::Key(name.as_str().into())).collect();
    Some(Override { path, value })
}

/// Whether a rendered value is such an entry and nothing else.
pub(crate) fn is_entry(value: &Node) -> bool {
    match (value.entries(), value.items()) {
        ([only], _) => &*only.key == PLACEHOLDER && only.value.as_str() == Some(PLACEHOLDER),
        (_, [only]) => is_entry(only),
        _ => false,
    }
}

/// The view with these values; `None` if the chart does not take them.
fn filled(base: &Rendering, values: &[Override]) -> Option<Loaded> {
    let options = RenderOptions {
        honours_fail: true,
        known: Some(base.rendered.clone()),
        overrides: base.options.overrides.iter().chain(values).cloned().collect(),
        ..base.options.clone()
    };
    let set = ValueSet::new(base.values.to_string(), Default::default(), false);
    let rendering = render(&base.chart, options, &set).ok()?;
    let refuses = rendering.rendered.failures.len() > base.rendered.failures.len();
    let deployments = base.deployments.clone();
    let rendering = Rendering { is_explored: base.is_explored, deployments, ..rendering };
    (!refuses).then(|| Parsed::new(rendering).loaded)
}
