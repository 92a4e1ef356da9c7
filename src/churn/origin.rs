//! Which of the raised inputs are behind a part of a render, and where they enter it.

use std::collections::{BTreeSet, HashSet};

use crate::{
    helm::Rendered,
    provenance::{InputSet, Span as Traced},
    source::{Location, Span},
};

/// What provenance says about a difference.
#[derive(Debug, Default)]
pub(super) struct Behind {
    /// The raised inputs behind it.
    pub(super) inputs: Vec<String>,
    /// They only decided about it.
    pub(super) by_condition: bool,
    /// The action of the template that printed it.
    pub(super) at: Option<Location>,
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
pub(super) fn all(rendered: &Rendered, file: usize, span: Span) -> Vec<String> {
    union(rendered, file, span, |span| vec![span.data, span.control])
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
    let mut behind = Behind::default();
    for span in spans {
        let members = members(rendered, set(span));
        let known = |name: &&&str| members.iter().any(|member| is_part(name, member));
        for name in raised.iter().filter(known) {
            if behind.at.is_none() {
                behind.at = outermost(rendered, span);
            }
            if !behind.inputs.iter().any(|own| own == name) {
                behind.inputs.push((*name).to_owned());
            }
        }
    }
    behind
}

fn members(rendered: &Rendered, set: InputSet) -> Vec<String> {
    let inputs = &rendered.provenance.inputs;
    inputs.members(set).into_iter().map(|input| inputs.path(input)).collect()
}

/// The member of a set is the input, or something above or below it.
pub(super) fn is_part(input: &str, member: &str) -> bool {
    let below =
        |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with(['.', '[']));
    input == member || below(input, member) || below(member, input) || member == "anything"
}

/// The place in the template that was executed, not in what it includes.
fn outermost(rendered: &Rendered, span: &Traced) -> Option<Location> {
    let known = span.chain.iter().rev().find(|position| !position.file.is_dynamic());
    known.or(span.chain.last()).map(|position| rendered.locate(*position))
}
