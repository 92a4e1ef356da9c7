//! Renders a chart with a few changed inputs and compares each result with the original render.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use helm_render::{Chart, CurrentValues, RenderOptions, Rendered};
use job_lifecycle::{
    Label, ReleaseChanges,
    annotations::HELM_HOOK,
    release_changes::{Change, Step},
};
use yaml_spans::{Node, Span};

use super::{
    attribution::{Found, Joint},
    bump::{self, ValueGroup},
    flow::Flows,
    origin::{self, Raised},
    witness::{self, InputChange, SubchartVersions},
};
use crate::redact::Secrets;

/// A workload in the output of a render.
#[derive(Clone, Copy, Debug)]
pub struct RenderedWorkload<'a> {
    /// Index in [`Rendered::files`].
    pub file: usize,
    /// Byte offset of its manifest in that file.
    pub start: usize,
    /// Its parsed manifest; spans are relative to `start`.
    pub root: &'a Node,
}

impl RenderedWorkload<'_> {
    /// Converts a span of the manifest to a span of the file.
    pub(super) fn in_file(&self, span: Span) -> Span {
        Span::new(self.start + span.start as usize, self.start + span.end as usize)
    }
}

/// Predicts what the next releases change in each workload. `rendered` is the result of rendering `chart`
/// with `options`.
///
/// Renders the chart again, so call it with as much stack as the original render.
pub fn predict(
    chart: &Arc<Chart>,
    options: &RenderOptions,
    rendered: &Rendered,
    works: &[RenderedWorkload<'_>],
) -> Vec<ReleaseChanges> {
    if works.is_empty() {
        return Vec::new();
    }
    // Nothing is left of the limits of the chart.
    let Ok(values) = CurrentValues::of(chart, options) else {
        return vec![ReleaseChanges::default(); works.len()];
    };
    let leaves = values.leaves();
    let flows = Flows::of(rendered, works, &leaves);
    let groups = bump::groups(&leaves, &flows);
    let secrets = rendered.files.iter().map(|_| OnceCell::new()).collect();
    let (groups, known, widest) = (&groups[..], RefCell::default(), RefCell::default());
    let inputs: Vec<_> = works
        .iter()
        .map(|work| origin::all(rendered, work.file, work.in_file(work.root.span)))
        .collect();
    let dependencies = dependencies(rendered, works, &inputs);
    let base = Predictor {
        chart,
        options,
        values,
        rendered,
        works,
        groups,
        dependencies,
        inputs,
        known,
        widest,
        secrets,
    };
    let mut all = base.predicted(true);
    let again = |changes: &ReleaseChanges| !changes.render.is_none();
    if all.iter().any(again) {
        for (changes, stateless) in all.iter_mut().zip(base.predicted(false)) {
            let same = changes.steps == stateless.steps && changes.upgrade == stateless.upgrade;
            changes.stateless = (!same).then(|| Box::new(stateless));
        }
    }
    for (changes, work) in all.iter_mut().zip(works) {
        changes.settled = base.settled(work);
        changes.name_inputs = base.name_inputs(work);
        changes.name_is_hashed = base.name_is_hashed(work);
        changes.name_helper = base.name_helper(work);
    }
    base.cut(&mut all);
    all
}

pub(super) struct Predictor<'a> {
    pub(super) chart: &'a Arc<Chart>,
    pub(super) options: &'a RenderOptions,
    pub(super) values: CurrentValues,
    pub(super) rendered: &'a Rendered,
    pub(super) works: &'a [RenderedWorkload<'a>],
    pub(super) groups: &'a [ValueGroup],
    pub(super) dependencies: Option<SubchartVersions>,
    /// The inputs of each workload.
    inputs: Vec<Vec<String>>,
    /// What witnesses have changed, by the paths of the inputs that they change.
    known: RefCell<HashMap<Vec<String>, Option<Vec<Change>>>>,
    /// The first witness that renders: it changes everything that a release may change.
    widest: RefCell<Option<Joint>>,
    /// The secrets of each rendered file, computed on first use.
    pub(super) secrets: Vec<OnceCell<Secrets>>,
}

impl Predictor<'_> {
    fn predicted(&self, release: bool) -> Vec<ReleaseChanges> {
        let mut predicted = vec![ReleaseChanges::default(); self.works.len()];
        let again = InputChange { fresh: true, release, ..InputChange::default() };
        let chart = InputChange { chart: true, ..again.clone() };
        let app = InputChange { app: true, ..chart.clone() };
        let dependencies = self.dependencies.as_ref();
        let all = InputChange { values: self.groups.iter().collect(), dependencies, ..app.clone() };
        let joint = self.changes(&all).or_else(|| self.changes(&self.acceptable(&all)));
        if let Some(joint) = &joint {
            if joint.iter().all(Change::is_none) {
                return predicted;
            }
            for (changes, change) in predicted.iter_mut().zip(joint) {
                changes.upgrade = change.clone();
            }
        }
        let mut steps = vec![(Step::Again, again), (Step::Chart, chart), (Step::App, app.clone())];
        let released = self.changes(&app);
        let has_more = joint.is_none() || joint != released;
        if let (true, Some(_)) = (has_more, dependencies) {
            let raised =
                InputChange { fresh: true, release, dependencies, ..InputChange::default() };
            steps.push((Step::Dependencies, raised));
        }
        for (step, raise) in steps {
            let changes = if step == Step::App { released.clone() } else { self.changes(&raise) };
            for (own, change) in predicted.iter_mut().zip(changes.into_iter().flatten()) {
                own.add_step(step.clone(), change, joint.is_none());
            }
        }
        if has_more {
            self.add_values(release, joint.is_none(), &mut predicted);
        }
        predicted
    }

    /// Raises the value groups that reach a patched Job, each by itself. Workloads that are recreated or freely
    /// mutable need only the joint change.
    fn add_values(&self, release: bool, stands_for_upgrade: bool, all: &mut [ReleaseChanges]) {
        for batch in self.batches() {
            let groups = batch.groups.iter().map(|(group, _)| *group).collect();
            let together = self.changes(&raised(groups, release));
            for (group, reached) in &batch.groups {
                let alone = || self.changes(&raised(vec![group], release));
                let Some(changes) = together.clone().or_else(alone) else { continue };
                let step = Step::Value(group.raised());
                for at in reached {
                    all[*at].add_step(step.clone(), changes[*at].clone(), stands_for_upgrade);
                }
            }
        }
    }

    /// The value groups that reach a patched Job, in as few batches as possible: groups that have no workload
    /// in common need only one render.
    fn batches(&self) -> Vec<Batch<'_>> {
        let mut batches: Vec<Batch<'_>> = Vec::new();
        for group in self.groups {
            let names: Vec<_> = group.names.iter().map(String::as_str).collect();
            let reached: Vec<_> =
                (0..self.works.len()).filter(|at| self.reaches(&names, *at)).collect();
            if !reached.iter().any(|at| is_patched(self.works[*at].root)) {
                continue;
            }
            let is_free = |batch: &&mut Batch<'_>| reached.iter().all(|at| !batch.holds(*at));
            match batches.iter_mut().find(is_free) {
                Some(batch) => batch.groups.push((group, reached)),
                None => batches.push(Batch { groups: vec![(group, reached)] }),
            }
        }
        batches
    }

    /// A change without the values that the chart does not accept: those with which it does not render.
    fn acceptable<'g>(&'g self, all: &InputChange<'g>) -> InputChange<'g> {
        InputChange { values: self.accepted(&all.values), ..all.clone() }
    }

    /// Those of some values with which the chart renders: most charts refuse none or one, which halving finds fast.
    fn accepted<'g>(&self, values: &[&'g ValueGroup]) -> Vec<&'g ValueGroup> {
        if self.changes(&raised(values.to_vec(), false)).is_some() {
            return values.to_vec();
        }
        if values.len() < 2 {
            return Vec::new();
        }
        let (first, rest) = values.split_at(values.len() / 2);
        [self.accepted(first), self.accepted(rest)].concat()
    }

    /// What a witness changes in each workload; `None` if it does not render. What reaches no workload is not changed.
    fn changes(&self, raise: &InputChange<'_>) -> Option<Vec<Change>> {
        let raise = &match self.options.provenance {
            true => raise.reaching(&self.inputs),
            false => raise.clone(),
        };
        let names: Vec<_> = raise.names().into_iter().map(str::to_owned).collect();
        if names.is_empty() {
            return Some(vec![Change::default(); self.works.len()]);
        }
        if let Some(known) = self.known.borrow().get(&names) {
            return known.clone();
        }
        let parts = self.widest.borrow().as_ref().map(|widest| self.parts(widest, &names));
        let found = match parts {
            Some(parts) => self.completed(raise, parts),
            None => self.rendered_with(raise, |_| true).map(|found| {
                let changes = found.iter().map(|one| one.change.clone()).collect();
                *self.widest.borrow_mut() = Some(Joint { names: names.clone(), found });
                changes
            }),
        };
        self.known.borrow_mut().insert(names, found.clone());
        found
    }

    /// The changes of all workloads, those that are not known by a render.
    fn completed(
        &self,
        raise: &InputChange<'_>,
        parts: Vec<Option<Change>>,
    ) -> Option<Vec<Change>> {
        if let Some(known) = parts.iter().cloned().collect() {
            return Some(known);
        }
        let found = self.rendered_with(raise, |at| parts[at].is_none())?;
        let both = parts.into_iter().zip(found);
        Some(both.map(|(part, found)| part.unwrap_or(found.change)).collect())
    }

    /// Renders the templates of the workloads that are asked for, as far as the inputs reach them. Nothing changes in the
    /// others.
    fn rendered_with(
        &self,
        raise: &InputChange<'_>,
        is_asked: impl Fn(usize) -> bool,
    ) -> Option<Vec<Found>> {
        let names = raise.names();
        let reached = self.rendered_for(&names, is_asked);
        let works: Vec<_> = reached.iter().map(|at| self.works[*at]).collect();
        let found = self.witness(self.options, raise, &works)?;
        let raised = Raised::new(self.rendered, &names);
        let mut changes = vec![Found::default(); self.works.len()];
        for (at, found) in reached.into_iter().zip(found) {
            changes[at] = match found {
                None => Found::gone(),
                Some(new) => self.found(&self.works[at], &new, &raised),
            };
        }
        Some(changes)
    }

    /// The workloads of the templates in which one of the inputs reaches a workload that is asked for.
    fn rendered_for(&self, names: &[&str], is_asked: impl Fn(usize) -> bool) -> Vec<usize> {
        let all = 0..self.works.len();
        let is_reached = |at: &usize| !self.options.provenance || self.reaches(names, *at);
        let asked = all.clone().filter(|at| is_asked(*at) && is_reached(at));
        let files: BTreeSet<_> = asked.map(|at| self.works[at].file).collect();
        all.filter(|at| files.contains(&self.works[*at].file)).collect()
    }

    /// Whether one of the inputs reaches a workload.
    fn reaches(&self, names: &[&str], work: usize) -> bool {
        let is_behind =
            |name: &&str| self.inputs[work].iter().any(|own| origin::is_part(name, own));
        names.iter().any(is_behind)
    }

    /// Renders with changed inputs and finds workloads in the result; `None` if it does not render.
    pub(super) fn witness(
        &self,
        options: &RenderOptions,
        raise: &InputChange<'_>,
        works: &[RenderedWorkload<'_>],
    ) -> Option<Vec<Option<Node>>> {
        let raised = witness::raised(self.chart, options, &self.values, raise);
        witness::render(self.chart, raised, self.rendered, works)
    }

    /// The values in an immutable field that no step changes.
    fn settled(&self, work: &RenderedWorkload<'_>) -> Vec<String> {
        let Some(template) = work.root.at(&["spec", "template"]) else { return Vec::new() };
        let raised = |name: &String| self.groups.iter().any(|group| group.names.contains(name));
        let mut names = origin::data(self.rendered, work.file, work.in_file(template.span));
        names.retain(|name| name.starts_with("Values.") && !raised(name) && !is_name(name));
        let above = |name: &String, other: &String| {
            other.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let leaves = names.iter().filter(|name| !names.iter().any(|other| above(name, other)));
        leaves.cloned().collect()
    }

    /// The inputs of the name other than values and the release's own name.
    fn name_inputs(&self, work: &RenderedWorkload<'_>) -> Vec<String> {
        let Some(name) = work.root.at(&["metadata", "name"]) else { return Vec::new() };
        let mut names = origin::data(self.rendered, work.file, work.in_file(name.span));
        let fixed = ["Release.Name", "Release.Namespace", "Release.Service", "Chart.Name"];
        names.retain(|name| !name.starts_with("Values") && !fixed.contains(&name.as_str()));
        names
    }

    pub(super) fn name_is_hashed(&self, work: &RenderedWorkload<'_>) -> bool {
        let name = work.root.at(&["metadata", "name"]);
        name.is_some_and(|name| {
            origin::is_hashed(self.rendered, work.file, work.in_file(name.span))
        })
    }

    fn name_helper(&self, work: &RenderedWorkload<'_>) -> Option<Label> {
        let name = work.root.at(&["metadata", "name"])?;
        origin::helper_of(self.rendered, work.file, work.in_file(name.span))
    }
}

/// Value groups that are raised in one render, each with the workloads that it reaches. No two of them reach the
/// same workload.
struct Batch<'g> {
    groups: Vec<(&'g ValueGroup, Vec<usize>)>,
}

impl Batch<'_> {
    fn holds(&self, work: usize) -> bool {
        self.groups.iter().any(|(_, reached)| reached.contains(&work))
    }
}

fn raised(values: Vec<&ValueGroup>, release: bool) -> InputChange<'_> {
    InputChange { fresh: true, release, values, ..InputChange::default() }
}

/// The versions of sub-charts that reach workloads; `None` if they reach no patched Job.
fn dependencies(
    rendered: &Rendered,
    works: &[RenderedWorkload<'_>],
    inputs: &[Vec<String>],
) -> Option<SubchartVersions> {
    let is_below = |name: &str| name.contains("/charts/");
    if !rendered.templates.iter().any(|template| is_below(&template.name)) {
        return None;
    }
    let mut patched = works.iter().zip(inputs).filter(|(work, _)| is_patched(work.root));
    let reaches_one =
        patched.any(|(_, inputs)| inputs.iter().any(|input| SubchartVersions::is_version(input)));
    reaches_one.then(|| SubchartVersions::of(rendered, inputs.iter().flatten()))
}

/// Returns whether the API server patches this workload: a Job that is not a Helm hook.
fn is_patched(root: &Node) -> bool {
    let is_job = root.get("kind").and_then(Node::as_str) == Some("Job");
    is_job && root.at(&["metadata", "annotations", HELM_HOOK]).is_none()
}

/// Returns whether an input overrides a name; these do not change between releases.
pub(crate) fn is_name(input: &str) -> bool {
    let last = input.rsplit('.').next().unwrap_or_default();
    ["nameOverride", "fullnameOverride", "namespaceOverride"].contains(&last)
}
