//! A fix in a template is offered when a render shows that it does what it says: the finding is gone, and
//! nothing else became another.

use std::sync::Arc;

use helm_render::{self as helm, Chart, Rendered};
use yaml_spans::{self as yaml, Edit, Node};

use crate::{
    chart,
    context::Context,
    finding::{Finding, RaisedFix, Severity},
    rules::{self, Persona, Raised, Rule},
    unit::{Loaded, Rendering, Unit},
};

/// Keeps of the fixes that edit templates the first that a render proves; a fix of the object itself needs no
/// proof here.
pub fn fixes<'a>(
    raised: Vec<Raised<'a>>,
    unit: &Unit,
    views: (&[Loaded], &Loaded),
    context: &Context<'a>,
    active: &[&'static Rule],
) -> Vec<Raised<'a>> {
    let (all, loaded) = views;
    let ground = Ground { unit, all, loaded, context, active, raised: &raised };
    let kept: Vec<_> = raised.iter().map(|one| kept(&ground, one)).collect();
    let with = raised.into_iter().zip(kept);
    with.map(|(one, fixes)| Raised { finding: Finding { fixes, ..one.finding }, ..one }).collect()
}

fn kept(ground: &Ground<'_>, raised: &Raised<'_>) -> Vec<RaisedFix> {
    let fixes = &raised.finding.fixes;
    let edits_template = fixes.iter().any(|fix| fix.source.is_some());
    if !edits_template || !ground.loaded.counts(raised.object) {
        return fixes.clone();
    }
    let holds = |fix: &&RaisedFix| fix.source.is_none() || is_proven(ground, raised.rule, fix);
    fixes.iter().find(holds).cloned().into_iter().collect()
}

/// What a proof is held against.
struct Ground<'a> {
    unit: &'a Unit,
    /// All views of the unit.
    all: &'a [Loaded],
    /// The one in which the rules raised this.
    loaded: &'a Loaded,
    context: &'a Context<'a>,
    active: &'a [&'static Rule],
    raised: &'a [Raised<'a>],
}

/// Renders the chart with the fix: under every set of values nothing but the Job's names, labels and annotations
/// differs, and the rules say less of the template than before.
fn is_proven(ground: &Ground<'_>, rule: &Rule, fix: &RaisedFix) -> bool {
    let Some(template) = &fix.source else { return false };
    let Some(text) = Edit::apply(&template.text, &fix.edits) else { return false };
    let Ok(chart) = chart::load_edited(ground.unit, &template.path, text) else { return false };
    let renderings = ground.all.iter().filter_map(|loaded| loaded.rendering.as_deref());
    let mut renderings = renderings.peekable();
    renderings.peek().is_some()
        && renderings.all(|rendering| is_otherwise_same(rendering, &chart, &template.path))
        && is_better(ground, rule, &chart, &template.path)
}

fn is_otherwise_same(old: &Rendering, chart: &Arc<Chart>, path: &str) -> bool {
    let Ok(new) = helm::render(chart, &old.options) else { return false };
    if new.failures.len() != old.rendered.failures.len() {
        return false;
    }
    let (own, others) = documents(&old.rendered, path);
    let (own_new, others_new) = documents(&new, path);
    let is_same = |(old, new): (&&str, &&str)| old == new || is_only_named(old, new);
    others == others_new && own.len() == own_new.len() && own.iter().zip(&own_new).all(is_same)
}

/// The documents of a template in its order, and those of all others.
fn documents<'a>(rendered: &'a Rendered, path: &str) -> (Vec<&'a str>, Vec<(&'a str, &'a str)>) {
    let mut all: Vec<_> = rendered.documents.iter().chain(&rendered.dropped).collect();
    all.sort_by_key(|document| (rendered.path(document), document.range.start));
    let (own, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|one| rendered.template(one).file().path == path);
    let text = |document| rendered.text(document);
    let named = |document| (rendered.path(document), rendered.text(document));
    (own.into_iter().map(text).collect(), others.into_iter().map(named).collect())
}

/// Two documents differ in the name, labels and annotations, or in labels of the pod template; the longer name
/// is a good one.
fn is_only_named(old: &str, new: &str) -> bool {
    let parse = |text: &str| yaml::parse(text).into_iter().next()?.ok().map(|one| one.root);
    let (Some(old), Some(new)) = (parse(old), parse(new)) else { return false };
    let name = |root: &Node| root.at(&["metadata", "name"])?.as_str().map(str::to_owned);
    let (Some(before), Some(after)) = (name(&old), name(&new)) else { return false };
    let kept: String = before.chars().take(after.len().saturating_sub(9)).collect();
    let is_good = before == after || after.len() <= 63 && after.starts_with(&*kept);
    is_good && rest(&old) == rest(&new)
}

/// All but what a fix may change.
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

/// The rule raises less about the template than before, and no other rule more.
fn is_better(ground: &Ground<'_>, rule: &Rule, chart: &Arc<Chart>, path: &str) -> bool {
    let Some(rendering) = &ground.loaded.rendering else { return false };
    let Ok(loaded) = chart::rerender(rendering, chart) else { return false };
    let context = Context {
        objects: &loaded.objects,
        changes: &loaded.changes,
        counts: loaded.counts,
        ..*ground.context
    };
    let raised = rules::run(&context, ground.active);
    let (before, after) = (serious(ground.raised, path), serious(&raised, path));
    let count = |all: &[&str], id: &str| all.iter().filter(|own| **own == id).count();
    count(&after, rule.id) < count(&before, rule.id)
        && after.iter().all(|id| count(&after, id) <= count(&before, id))
}

/// The rules that say something about objects of a template without being asked, as often as they do.
fn serious(raised: &[Raised<'_>], path: &str) -> Vec<&'static str> {
    let is_serious = |Raised { rule, object, finding }: &&Raised<'_>| {
        let meta = rule.meta();
        let is_pedantic = finding.pedantic.unwrap_or(meta.persona == Persona::Pedantic);
        object.source.path == path
            && !is_pedantic
            && finding.severity.unwrap_or(meta.severity) > Severity::Info
    };
    raised.iter().filter(is_serious).map(|raised| raised.rule.id).collect()
}
