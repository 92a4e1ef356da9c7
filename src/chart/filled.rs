//! Fills in the empty maps and lists of the values, to see where a template prints them once they are set.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use go_template::provenance::Step;
use helm_render::{
    Override, RenderOptions,
    guards::PLACEHOLDER,
    values::{Setting, Tree},
};
use job_lifecycle::{
    Object,
    kubernetes::{
        Version,
        schema::{self, Mismatch},
    },
    workload::kind_of,
};
use yaml_spans::Node;

use super::{Parsed, ValueSet, render};
use crate::unit::{Loaded, Rendering};

/// How many parts of the empty values of a chart are tried.
const MOST: usize = 5;

/// Renders the Jobs of the first view, and those of explored ones, with an entry in each map and list that is empty there.
pub(super) fn add(loaded: &mut [Loaded]) {
    for (index, view) in loaded.iter_mut().enumerate() {
        let Some(base) = view.rendering.clone().filter(|own| index == 0 || own.is_explored) else {
            continue;
        };
        let empty = empty_values(view, &base);
        if !empty.is_empty() {
            view.filled = out_of_place(&base, &templates(view, &base), &empty);
        }
    }
}

/// The renders with some of the values that have a Job with an entry at a wrong place: with all of them, or, where the chart
/// refuses those, with halves.
fn out_of_place(base: &Rendering, of_jobs: &Arc<[Arc<str>]>, empty: &[Override]) -> Vec<Loaded> {
    let (mut parts, mut found) = (VecDeque::from([empty]), Vec::new());
    for _ in 0..MOST {
        let Some(values) = parts.pop_front() else { break };
        // Most charts print all of them where they belong, which the templates of the Jobs alone tell. The others tell
        // whether the chart takes them.
        let jobs = filled(base, Some(of_jobs), values);
        if jobs.as_ref().is_some_and(|jobs| !is_any_out_of_place(jobs)) {
            continue;
        }
        match jobs.and_then(|_| filled(base, None, values)) {
            Some(all) => found.push(all),
            None if values.len() > 1 => {
                let (first, second) = values.split_at(values.len() / 2);
                parts.extend([first, second]);
            }
            None => {}
        }
    }
    found
}

/// The empty maps and lists that decide or print a part of a Job, each with an entry.
fn empty_values(view: &Loaded, base: &Rendering) -> Vec<Override> {
    let inputs =
        jobs(view).filter_map(|job| Some(job.source.origin.as_ref()?.inputs(job.root.span)));
    let mut inputs: Vec<_> = inputs.flatten().collect();
    inputs.sort();
    inputs.dedup();
    inputs.iter().filter_map(|input| with_entry(base, input)).collect()
}

fn jobs(view: &Loaded) -> impl Iterator<Item = &Object> {
    view.objects.iter().filter(|one| kind_of(one).is_some() && view.counts(one))
}

/// The templates of the Jobs, and those that change what other templates read.
fn templates(view: &Loaded, base: &Rendering) -> Arc<[Arc<str>]> {
    let rendered = &base.rendered;
    let paths: HashSet<_> = jobs(view).map(|job| &*job.source.path).collect();
    let writers: HashSet<_> = rendered.writers.iter().map(|file| file.0 as usize).collect();
    let all = rendered.templates.iter().enumerate();
    let needed = all.filter(|(index, template)| {
        writers.contains(index) || paths.contains(&*template.file().path)
    });
    needed.map(|(_, template)| template.name.clone()).collect()
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

/// Whether a Job has an entry in a field that its kind has not there.
fn is_any_out_of_place(view: &Loaded) -> bool {
    jobs(view).filter_map(|job| Some((job, kind_of(job)?))).any(|(job, kind)| {
        let mismatches = schema::mismatches(&job.root, kind.name(), Version::NEWEST);
        mismatches.iter().any(|one| match one {
            Mismatch::UnknownField(field) => is_entry(&field.entry.value),
            _ => false,
        })
    })
}

/// The view with these values; `None` if the chart does not take them.
fn filled(base: &Rendering, only: Option<&Arc<[Arc<str>]>>, values: &[Override]) -> Option<Loaded> {
    let options = RenderOptions {
        honours_fail: true,
        known: Some(base.rendered.clone()),
        // Where a value comes from is asked of all templates only.
        provenance: only.is_none(),
        only: only.cloned(),
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
