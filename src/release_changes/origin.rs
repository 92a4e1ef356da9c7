//! Finds which changed inputs caused a part of a render, and where they enter the template.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use go_template::provenance::{Input, InputSet, Position, Span as Traced};
use helm_render::Rendered;
use job_lifecycle::Label;
use yaml_spans::{Location, Span};

use crate::words::{listed, set_here};

/// The provenance of a difference.
#[derive(Debug, Default)]
pub(super) struct Causes {
    /// The changed inputs that caused it.
    pub(super) inputs: Vec<String>,
    /// These, and the changed inputs that decided a condition around it.
    pub(super) all: Vec<String>,
    /// The inputs only decided a condition around it.
    pub(super) by_condition: bool,
    /// The template action that printed it.
    pub(super) at: Option<Location>,
    /// The helper that printed it, and where the values are set.
    pub(super) causes: Vec<Label>,
}

impl Causes {
    /// A label where the inputs enter the template; `None` if provenance does not know.
    pub(super) fn place(&self, path: &str) -> Option<Label> {
        let Location { source, span } = self.at.clone()?;
        let verb = if self.by_condition { "depends on" } else { "follows" };
        let text = format!("`{path}` {verb} {}", listed(&self.inputs));
        Some(Label { source, span, text })
    }
}

/// The members of a set of inputs, each with the index of a changed input that is equal to it, above it or below it.
type Members = Rc<[(Input, usize)]>;

/// Changed inputs of a render, and what is known of the sets that they are in.
pub(super) struct Raised<'a> {
    rendered: &'a Rendered,
    names: &'a [&'a str],
    known: RefCell<HashMap<InputSet, Members>>,
}

impl<'a> Raised<'a> {
    pub(super) fn new(rendered: &'a Rendered, names: &'a [&'a str]) -> Self {
        Self { rendered, names, known: RefCell::default() }
    }

    /// Finds the changed inputs behind a span of rendered text: inputs that are part of the text, else inputs
    /// that decided a condition around it.
    pub(super) fn behind(&self, file: usize, span: Span) -> Causes {
        let spans = self.rendered.files[file].spans.trace(&self.rendered.provenance, span.range());
        let all = self.all(&spans);
        let by_data = self.gather(&spans, |span| span.data);
        if !by_data.inputs.is_empty() {
            return Causes { all, ..by_data };
        }
        let by_control = self.gather(&spans, |span| span.control);
        Causes { by_condition: !by_control.inputs.is_empty(), all, ..by_control }
    }

    fn all(&self, spans: &[Traced]) -> Vec<String> {
        let sets = spans.iter().flat_map(|span| [span.data, span.control]);
        let found = sets.flat_map(|set| self.among(set).to_vec());
        let found: BTreeSet<_> = found.map(|(_, index)| index).collect();
        found.into_iter().map(|index| self.names[index].to_owned()).collect()
    }

    fn among(&self, set: InputSet) -> Members {
        if let Some(known) = self.known.borrow().get(&set) {
            return known.clone();
        }
        let inputs = &self.rendered.provenance.inputs;
        let mut found = Vec::new();
        for member in inputs.members(set) {
            let path = inputs.path(member);
            let parts = self.names.iter().enumerate().filter(|(_, name)| is_part(name, &path));
            found.extend(parts.map(|(index, _)| (member, index)));
        }
        let found: Members = found.into();
        self.known.borrow_mut().insert(set, found.clone());
        found
    }

    fn gather(&self, spans: &[Traced], set: impl Fn(&Traced) -> InputSet) -> Causes {
        let mut behind = Causes::default();
        for span in spans {
            for (member, index) in self.among(set(span)).iter() {
                let name = self.names[*index];
                if behind.inputs.iter().any(|own| own == name) {
                    continue;
                }
                if behind.at.is_none() {
                    behind.at = outermost(self.rendered, span);
                    behind.causes.extend(helper(self.rendered, span));
                }
                behind.inputs.push(name.to_owned());
                behind.causes.extend(setting(self.rendered, *member, name));
            }
        }
        behind
    }
}

/// The paths of the inputs whose text is part of a span.
pub(super) fn data(rendered: &Rendered, file: usize, span: Span) -> Vec<String> {
    union(rendered, file, span, |span| vec![span.data])
}

/// The paths of the inputs that are part of a span or decided a condition around it.
pub(crate) fn all(rendered: &Rendered, file: usize, span: Span) -> Vec<String> {
    union(rendered, file, span, |span| vec![span.data, span.control])
}

/// The helper that printed the first part of a span that is not literal text.
pub(super) fn helper_of(rendered: &Rendered, file: usize, span: Span) -> Option<Label> {
    let spans = rendered.files[file].spans.trace(&rendered.provenance, span.range());
    spans.iter().find_map(|span| helper(rendered, span))
}

/// Whether an action prints a hash into a span: hexadecimal digits that no input holds as they are.
pub(super) fn is_hashed(rendered: &Rendered, file: usize, span: Span) -> bool {
    const HASHES: [&str; 4] = ["sha1sum", "sha256sum", "sha512sum", "adler32sum"];
    let own = &rendered.files[file];
    let is_digest = |text: &str| {
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        text.len() >= 5 && digits > 0 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    own.spans.trace(&rendered.provenance, span.range()).iter().any(|part| {
        let text = own.text.get(part.range.clone()).unwrap_or_default();
        let Some(maker) = part.chain.first() else { return false };
        let Location { source, span } = rendered.locate(*maker);
        let action = source.text.get(span.range()).unwrap_or_default();
        let calls = HASHES.iter().any(|name| action.contains(name));
        let inputs = rendered.provenance.inputs.members(part.data);
        let is_computed = |digest| !inputs.iter().any(|input| holds(rendered, *input, digest));
        let mut digests = text.split('-').filter(|piece| is_digest(piece));
        action != text && digests.any(|digest| calls || is_computed(digest))
    })
}

/// Whether a value of the chart contains a text where it is written.
fn holds(rendered: &Rendered, input: Input, text: &str) -> bool {
    let is_value = rendered.provenance.inputs.path(input).starts_with("Values.");
    let written = rendered.origin_of(input).filter(|_| is_value);
    written.is_some_and(|Location { source, span }| source.slice(span).contains(text))
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

/// The helper whose action printed a span, if it is in another file than the template.
fn helper(rendered: &Rendered, span: &Traced) -> Option<Label> {
    let known = |position: &&Position| !position.file.is_dynamic();
    let inner = span.chain.iter().find(known)?;
    let outer = span.chain.iter().rev().find(known)?;
    let Location { source, span } = rendered.locate(*inner);
    let text = "printed by this helper".to_owned();
    (inner.file != outer.file).then_some(Label { source, span, text })
}

/// A label where a value is set.
fn setting(rendered: &Rendered, input: Input, name: &str) -> Option<Label> {
    let Location { source, span } = rendered.origin_of(input)?;
    let text = set_here(name);
    name.starts_with("Values.").then_some(Label { source, span, text })
}

/// Returns whether `member` equals the input or lies above or below it.
pub(crate) fn is_part(input: &str, member: &str) -> bool {
    let below =
        |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with(['.', '[']));
    input == member || below(input, member) || below(member, input) || member == "anything"
}

/// The position in the executed template, not in a file it includes.
fn outermost(rendered: &Rendered, span: &Traced) -> Option<Location> {
    let known = span.chain.iter().rev().find(|position| !position.file.is_dynamic());
    known.or(span.chain.last()).map(|position| rendered.locate(*position))
}
