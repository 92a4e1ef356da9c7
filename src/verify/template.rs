//! Proves fixes that are written for a template: they may change names, labels and annotations.

use std::sync::Arc;

use helm_render::{self as helm, Chart, Rendered};
use yaml_spans::{self as yaml, Edit, Node, Source};

use super::{Changed, Verdict, Verifier};
use crate::{chart, rules::Raised, unit::Rendering};

impl Verifier<'_> {
    /// Renders the chart with the fix of a template or helper. Under every value set only the names, labels and
    /// annotations of the Job may differ, and the rules must raise fewer findings about its template than before.
    pub(super) fn template_verdict(
        &self,
        raised: &Raised<'_>,
        file: &Source,
        edits: &[Edit],
    ) -> Verdict {
        match self.is_verified(raised, file, edits) {
            true => Verdict::Proven,
            false => Verdict::Worse,
        }
    }

    fn is_verified(&self, raised: &Raised<'_>, file: &Source, edits: &[Edit]) -> bool {
        let Some(text) = Edit::apply(&file.text, edits) else { return false };
        let Ok(chart) = chart::load_edited(self.scope.unit, &file.path, text) else { return false };
        let renderings = self.scope.all.iter().filter_map(|loaded| loaded.rendering.as_deref());
        let mut renderings = renderings.peekable();
        let Some(rendering) = &self.scope.loaded.rendering else { return false };
        chart.reuse_manifests_of(&rendering.chart);
        let (object, rule) = (raised.object, raised.rule);
        let path = &*object.source.path;
        let is_same = |rendering| is_otherwise_same(rendering, &chart, path, object.kind());
        renderings.peek().is_some()
            && renderings.all(is_same)
            && chart::rerender(rendering, &chart)
                .is_ok_and(|loaded| self.is_better(rule, &loaded, 1, &Changed::in_file(path)))
    }
}

/// True when the other templates render the same text, and of the documents of this one only those of a kind differ, in
/// metadata only.
fn is_otherwise_same(old: &Rendering, chart: &Arc<Chart>, path: &str, kind: &str) -> bool {
    let Ok(new) = helm::render(chart, &old.options) else { return false };
    if new.failures.len() != old.rendered.failures.len() {
        return false;
    }
    let (own, others) = documents(&old.rendered, path);
    let (own_new, others_new) = documents(&new, path);
    let is_same = |(old, new): (&&str, &&str)| old == new || differs_in_metadata(old, new, kind);
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

/// True when two documents of a kind differ at most in name, labels, annotations and the metadata of the pod template, and
/// the new name extends the old one within 63 characters.
fn differs_in_metadata(old: &str, new: &str, kind: &str) -> bool {
    let parse = |text: &str| yaml::parse(text).into_iter().next()?.ok().map(|one| one.root);
    let (Some(old), Some(new)) = (parse(old), parse(new)) else { return false };
    let name = |root: &Node| root.at(&["metadata", "name"])?.as_str().map(str::to_owned);
    let (Some(before), Some(after)) = (name(&old), name(&new)) else { return false };
    let kept: String = before.chars().take(after.len().saturating_sub(9)).collect();
    let is_valid = before == after || after.len() <= 63 && after.starts_with(&*kept);
    let is_own = old.get("kind").and_then(Node::as_str) == Some(kind);
    is_own && is_valid && rest(&old) == rest(&new)
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
