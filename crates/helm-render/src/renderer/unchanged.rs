//! What a render takes from another one of its chart.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use go_template::{
    Read, TemplateSet,
    provenance::{FileId, Input, InputSet, Inputs},
};

use super::templates::ParsedTemplates;
use crate::{
    chart::Chart,
    dependencies::ChartView,
    options::{ChartVersions, RenderOptions},
    reads::{Reads, Surroundings},
    rendered::{NOTES, Rendered, RenderedFile, TemplateFile},
};

/// The reads of a render that begins, before the values of its inputs are known.
pub(super) fn reads(options: &RenderOptions, view: &ChartView) -> Reads {
    let surroundings = options.provenance.then(|| surroundings(options, view));
    Reads::new(surroundings, options.is_lint.then_some(options.honours_fail))
}

fn surroundings(options: &RenderOptions, view: &ChartView) -> Surroundings {
    let versions =
        |one: &ChartVersions| [&one.chart, &one.version, &one.app_version].map(String::clone);
    let mut charts = Vec::new();
    add_charts(view, &mut charts);
    Surroundings {
        version: options.version,
        release: [options.release.name.clone(), options.release.namespace.clone()],
        kube_version: options.kube_version.clone(),
        api_versions: [options.api_versions.clone(), options.lacking_api_versions.clone()],
        versions: [options.chart_version.clone(), options.app_version.clone()],
        dependency_versions: options.dependency_versions.iter().map(versions).collect(),
        clock: (options.seed, options.now),
        charts,
    }
}

fn add_charts(view: &ChartView, charts: &mut Vec<String>) {
    charts.push(view.path());
    view.dependencies().iter().for_each(|sub| add_charts(sub, charts));
}

/// How many times as large as in the first render provenance may become.
const MOST_GROWTH: usize = 2;

/// Whether the provenance of a render holds too much of those before it: each takes what the one before it knew, and adds
/// what is new, as long as somebody types.
pub(super) fn has_outgrown(rendered: &Rendered) -> bool {
    rendered.provenance.size() > MOST_GROWTH * rendered.first_size
}

/// Whether a render is of the same charts in the same surroundings as one that begins; templates and values may differ.
pub(super) fn is_alike(rendered: &Rendered, parsed: &ParsedTemplates, reads: &Reads) -> bool {
    let mut alike: HashSet<[*const Chart; 2]> = HashSet::default();
    let mut is_same = |(own, other): (&TemplateFile, &TemplateFile)| {
        own.name == other.name && {
            let both = [&own.chart, &other.chart].map(Arc::as_ptr);
            both[0] == both[1]
                || alike.contains(&both)
                || own.chart.is_like(&other.chart) && alike.insert(both)
        }
    };
    rendered.templates.len() == parsed.files.len()
        && rendered.reads.hold_in(reads)
        && rendered.templates.iter().zip(&parsed.files).all(&mut is_same)
        && rendered.parsed.has_same_names(&parsed.set)
}

/// The templates of another render that read nothing which is different now.
pub(super) struct Unchanged<'r> {
    rendered: &'r Rendered,
    templates: &'r TemplateSet,
    /// The inputs that have other values.
    changed: HashSet<Input>,
    /// These, and all that contain one of them.
    around: HashSet<Input>,
    /// Whether a set has one of them among its members.
    reaches: HashMap<InputSet, bool>,
}

impl<'r> Unchanged<'r> {
    /// Those of a render that [`is_alike`]. `inputs` must hold all its inputs under their ids.
    pub(super) fn of(
        rendered: &'r Rendered,
        parsed: &'r ParsedTemplates,
        (reads, inputs): (&Reads, &Inputs),
    ) -> Self {
        let changed = rendered.reads.changed(reads);
        let around = changed.iter().flat_map(|input| inputs.with_containers(*input)).collect();
        Self { rendered, templates: &parsed.set, changed, around, reaches: HashMap::default() }
    }

    /// What a template read and printed; `None` if it may print something else now. Notes, which are no file, are made again.
    pub(super) fn template(
        &mut self,
        template: FileId,
        inputs: &Inputs,
    ) -> Option<(&'r Arc<Read>, Option<&'r RenderedFile>)> {
        let rendered = self.rendered;
        let read = rendered.reads.of(template)?;
        let is_notes = rendered.templates[template.0 as usize].name.ends_with(NOTES);
        let is_edited = |name: &Arc<str>| !rendered.parsed.has_same(self.templates, name);
        if is_notes
            || read.templates.iter().any(is_edited)
            || read.inputs.iter().any(|set| self.is_reached(*set, inputs))
        {
            return None;
        }
        Some((read, rendered.files.iter().find(|file| file.template == template)))
    }

    /// Whether a set announces a change of an input that has another value.
    fn is_reached(&mut self, set: InputSet, inputs: &Inputs) -> bool {
        let Self { changed, around, reaches, .. } = self;
        inputs.any_member(set, reaches, |member| {
            let is_within = || inputs.with_containers(member).any(|one| changed.contains(&one));
            member == Input::ANY || around.contains(&member) || is_within()
        })
    }
}
