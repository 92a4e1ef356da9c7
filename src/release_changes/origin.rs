//! Which of the raised inputs are behind a part of a render, and where they enter it.

use std::collections::{BTreeSet, HashSet};

use go_template::provenance::{Input, InputSet, Position, Span as Traced};
use helm_render::Rendered;
use job_lifecycle::Label;
use yaml_spans::{Location, Span};

use crate::words::listed;

/// What provenance says about a difference.
#[derive(Debug, Default)]
pub(super) struct Behind {
    /// The raised inputs behind it.
    pub(super) inputs: Vec<String>,
    /// They only decided about it.
    pub(super) by_condition: bool,
    /// The action of the template that printed it.
    pub(super) at: Option<Location>,
    /// The helper that made it, and where the values are set.
    pub(super) causes: Vec<Label>,
}

impl Behind {
    /// Where it enters the template; `None` where provenance does not know.
    pub(super) fn place(&self, path: &str) -> Option<Label> {
        let Location { source, span } = self.at.clone()?;
        let verb = if self.by_condition { "depends on" } else { "follows" };
        let text = format!("`{path}` {verb} {}", listed(&self.inputs));
        Some(Label { source, span, text })
    }
}

/// Finds the raised inputs behind a span of a file of the render: those that are part of the text, else those
/// that decided about it.
pub(super) fn behind(rendered: &Rendered, file: usize, span: Span, raised: &[&str]) -> Behind {
    let spans = rendered.files[file].spans.trace(&rendered.provenance, span.range());
    let by_data = gather(rendered, &spans, raised, |span| span.data);
    if !by_data.inputs.is_empty() {
        return by_data;
    }
    let by_control = gather(rendered, &spans, raised, |span| span.control);
    Behind { by_condition: !by_control.inputs.is_empty(), ..by_control }
}

/// The inputs whose text is part of a span, by their paths.
pub(super) fn data(rendered: &Rendered, file: usize, span: Span) -> Vec<String> {
    union(rendered, file, span, |span| vec![span.data])
}

/// These, and the inputs that decided about it.
pub fn all(rendered: &Rendered, file: usize, span: Span) -> Vec<String> {
    union(rendered, file, span, |span| vec![span.data, span.control])
}

/// The helper that printed the first part of a span that is not literal text.
pub(super) fn helper_of(rendered: &Rendered, file: usize, span: Span) -> Option<Label> {
    let spans = rendered.files[file].spans.trace(&rendered.provenance, span.range());
    spans.iter().find_map(|span| helper(rendered, span))
}

fn union(
    rendered: &Rendered,
    file: usize,
    span: Span,
    sets: impl Fn(&Traced) -> Vec<InputSet>,
) -> Vec<String> {
    let inputs = &rendered.provenance.inputs;
    let spans = rendered.files[file].spans.trace(&rendered.provenance, span.range());
    let all: HashSet<_> = spans.iter().flat_map(sets).collect();
    let members: BTreeSet<_> = all.into_iter().flat_map(|set| inputs.members(set)).collect();
    members.into_iter().map(|input| inputs.path(input)).collect()
}

fn gather(
    rendered: &Rendered,
    spans: &[Traced],
    raised: &[&str],
    set: impl Fn(&Traced) -> InputSet,
) -> Behind {
    let inputs = &rendered.provenance.inputs;
    let mut behind = Behind::default();
    for span in spans {
        for member in inputs.members(set(span)) {
            let path = inputs.path(member);
            for name in raised.iter().filter(|name| is_part(name, &path)) {
                if behind.inputs.iter().any(|own| own == name) {
                    continue;
                }
                if behind.at.is_none() {
                    behind.at = outermost(rendered, span);
                    behind.causes.extend(helper(rendered, span));
                }
                behind.inputs.push((*name).to_owned());
                behind.causes.extend(setting(rendered, member, name));
            }
        }
    }
    behind
}

/// The helper whose action printed it, where that is another file than the template.
fn helper(rendered: &Rendered, span: &Traced) -> Option<Label> {
    let known = |position: &&Position| !position.file.is_dynamic();
    let inner = span.chain.iter().find(known)?;
    let outer = span.chain.iter().rev().find(known)?;
    let Location { source, span } = rendered.locate(*inner);
    let text = "printed by this helper".to_owned();
    (inner.file != outer.file).then_some(Label { source, span, text })
}

/// Where a value is set.
fn setting(rendered: &Rendered, input: Input, name: &str) -> Option<Label> {
    let Location { source, span } = rendered.origin_of(input)?;
    let text = format!("`{name}` is set here");
    name.starts_with("Values.").then_some(Label { source, span, text })
}

/// The member of a set is the input, or something above or below it.
pub fn is_part(input: &str, member: &str) -> bool {
    let below =
        |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with(['.', '[']));
    input == member || below(input, member) || below(member, input) || member == "anything"
}

/// The place in the template that was executed, not in what it includes.
fn outermost(rendered: &Rendered, span: &Traced) -> Option<Location> {
    let known = span.chain.iter().rev().find(|position| !position.file.is_dynamic());
    known.or(span.chain.last()).map(|position| rendered.locate(*position))
}
