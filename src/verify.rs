//! Verifies fixes of templates by rendering the chart with the fix: the finding must disappear, and nothing else
//! may change.

use std::sync::Arc;

use helm_render::{self as helm, Chart, Rendered};
use yaml_spans::{self as yaml, Edit, Node};

use crate::{
    chart,
    context::Context,
    finding::{Finding, RaisedFix, Severity},
    rules::{self, Raised, Rule},
    unit::{Loaded, Rendering, Unit},
};

/// Keeps the first fix per finding that a render verifies. Fixes of plain manifests are kept as they are.
pub(crate) fn fixes<'a>(
    raised: Vec<Raised<'a>>,
    unit: &Unit,
    views: (&[Loaded], &Loaded),
    context: &Context<'a>,
    active: &[&'static Rule],
) -> Vec<Raised<'a>> {
    let (all, loaded) = views;
    let verifier = Verifier { unit, all, loaded, context, active, raised: &raised };
    let kept: Vec<_> = raised.iter().map(|one| verifier.kept(one)).collect();
    let with = raised.into_iter().zip(kept);
    with.map(|(one, fixes)| Raised { finding: Finding { fixes, ..one.finding }, ..one }).collect()
}

/// The chart before a fix, and what the rules raise about it.
struct Verifier<'a> {
    unit: &'a Unit,
    /// All views of the unit.
    all: &'a [Loaded],
    /// The view in which the rules raised the findings.
    loaded: &'a Loaded,
    context: &'a Context<'a>,
    active: &'a [&'static Rule],
    raised: &'a [Raised<'a>],
}

impl Verifier<'_> {
    fn kept(&self, raised: &Raised<'_>) -> Vec<RaisedFix> {
        let fixes = &raised.finding.fixes;
        let edits_template = fixes.iter().any(|fix| fix.source.is_some());
        if !edits_template || !self.loaded.counts(raised.object) {
            return fixes.clone();
        }
        let holds = |fix: &&RaisedFix| fix.source.is_none() || self.is_verified(raised.rule, fix);
        fixes.iter().find(holds).cloned().into_iter().collect()
    }

    /// Renders the chart with the fix. Under every value set only the names, labels and annotations of the Job may
    /// differ, and the rules must raise fewer findings about the template than before.
    fn is_verified(&self, rule: &Rule, fix: &RaisedFix) -> bool {
        let Some(template) = &fix.source else { return false };
        let Some(text) = Edit::apply(&template.text, &fix.edits) else { return false };
        let Ok(chart) = chart::load_edited(self.unit, &template.path, text) else { return false };
        let renderings = self.all.iter().filter_map(|loaded| loaded.rendering.as_deref());
        let mut renderings = renderings.peekable();
        renderings.peek().is_some()
            && renderings.all(|rendering| is_otherwise_same(rendering, &chart, &template.path))
            && self.is_better(rule, &chart, &template.path)
    }

    /// True when the rule raises fewer findings about the template than before, and no other rule raises more.
    fn is_better(&self, rule: &Rule, chart: &Arc<Chart>, path: &str) -> bool {
        let Some(rendering) = &self.loaded.rendering else { return false };
        let Ok(loaded) = chart::rerender(rendering, chart) else { return false };
        let context = Context {
            objects: &loaded.objects,
            changes: &loaded.changes,
            counts: loaded.counts,
            deletions: Default::default(),
            ..*self.context
        };
        let raised = rules::run(&context, self.active);
        let (before, after) = (counted(self.raised, path, rule), counted(&raised, path, rule));
        let count = |all: &[&str], id: &str| all.iter().filter(|own| **own == id).count();
        count(&after, rule.id) < count(&before, rule.id)
            && after.iter().all(|id| count(&after, id) <= count(&before, id))
    }
}

/// True when the other templates render the same text, and the documents of this one differ in metadata only.
fn is_otherwise_same(old: &Rendering, chart: &Arc<Chart>, path: &str) -> bool {
    let Ok(new) = helm::render(chart, &old.options) else { return false };
    if new.failures.len() != old.rendered.failures.len() {
        return false;
    }
    let (own, others) = documents(&old.rendered, path);
    let (own_new, others_new) = documents(&new, path);
    let is_same = |(old, new): (&&str, &&str)| old == new || differs_in_metadata(old, new);
    others == others_new && own.len() == own_new.len() && own.iter().zip(&own_new).all(is_same)
}

/// The documents of a template in their order, and those of all other templates with their paths.
fn documents<'a>(rendered: &'a Rendered, path: &str) -> (Vec<&'a str>, Vec<(&'a str, &'a str)>) {
    let mut all: Vec<_> = rendered.documents.iter().chain(&rendered.dropped).collect();
    all.sort_by_key(|document| (rendered.path(document), document.range.start));
    let (own, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|one| rendered.template(one).file().path == path);
    let text = |document| rendered.text(document);
    let named = |document| (rendered.path(document), rendered.text(document));
    (own.into_iter().map(text).collect(), others.into_iter().map(named).collect())
}

/// True when two documents differ at most in name, labels, annotations and the metadata of the pod template, and
/// the new name extends the old one within 63 characters.
fn differs_in_metadata(old: &str, new: &str) -> bool {
    let parse = |text: &str| yaml::parse(text).into_iter().next()?.ok().map(|one| one.root);
    let (Some(old), Some(new)) = (parse(old), parse(new)) else { return false };
    let name = |root: &Node| root.at(&["metadata", "name"])?.as_str().map(str::to_owned);
    let (Some(before), Some(after)) = (name(&old), name(&new)) else { return false };
    let kept: String = before.chars().take(after.len().saturating_sub(9)).collect();
    let is_valid = before == after || after.len() <= 63 && after.starts_with(&*kept);
    is_valid && rest(&old) == rest(&new)
}

/// The document without the fields that a fix may change.
fn rest(root: &Node) -> serde_json::Value {
    let mut json = root.to_json();
    if let Some(metadata) = json.get_mut("metadata").and_then(|one| one.as_object_mut()) {
        ["name", "labels", "annotations"].iter().for_each(|key| drop(metadata.remove(*key)));
    }
    if let Some(template) = json.pointer_mut("/spec/template").and_then(|one| one.as_object_mut()) {
        template.remove("metadata");
    }
    json
}

/// The ids of the rules that raise findings about objects of a template, without `--pedantic`: above info, or of any
/// severity for the rule `own` whose finding is fixed. An id repeats for each finding.
fn counted(raised: &[Raised<'_>], path: &str, own: &Rule) -> Vec<&'static str> {
    let counts = |raised: &&Raised<'_>| {
        let Raised { rule, object, finding } = raised;
        let is_serious = finding.severity.unwrap_or(rule.meta().severity) > Severity::Info;
        object.source.path == path && !raised.is_pedantic() && (is_serious || rule.id == own.id)
    };
    raised.iter().filter(counts).map(|raised| raised.rule.id).collect()
}
