//! Provenance: output that changes with an input names that input.

mod chains;
mod changes;

use std::ops::Range;

use serde_json::Value as Json;

use super::go_data::{build, functions};
use crate::provenance::{FileId, Input, InputSet, Provenance, Span, SpanMap};
use crate::{Executor, MissingKey, Options, TemplateSet};

/// A template executed over data whose inputs are below the root `D`.
struct Rendered {
    bytes: Vec<u8>,
    spans: SpanMap,
    provenance: Provenance,
}

impl Rendered {
    fn new(template: &str, data: &Json) -> Result<Self, String> {
        let functions = functions();
        let mut set = TemplateSet::new("case");
        let parsed = set.parse("case", template.as_bytes(), FileId(0), &functions);
        parsed.map_err(|error| error.to_string())?;
        let mut provenance = Provenance::default();
        let root = provenance.inputs.root("D");
        let data = build(data).label(&mut provenance.inputs, root);
        let options = Options { missing_key: MissingKey::Zero, ..Options::default() };
        let mut executor = Executor::new(&set, &functions, options, provenance, ());
        let text = executor.execute("case", &data).map_err(|error| error.to_string())?;
        let (bytes, spans) = text.into_parts();
        Ok(Self { bytes, spans, provenance: executor.into_provenance() })
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    fn trace(&self, range: Range<usize>) -> Vec<Span> {
        self.spans.trace(&self.provenance, range)
    }

    /// The single span of the first occurrence of `needle`.
    fn span_of(&self, needle: &str) -> Span {
        let start = memchr::memmem::find(&self.bytes, needle.as_bytes()).unwrap();
        let mut spans = self.trace(start..start + needle.len());
        spans.retain(|span| !span.range.is_empty());
        assert_eq!(spans.len(), 1, "{needle} has several origins: {spans:?}");
        spans.remove(0)
    }

    fn paths(&self, set: InputSet) -> Vec<String> {
        let inputs = &self.provenance.inputs;
        inputs.members(set).into_iter().map(|input| inputs.path(input)).collect()
    }

    /// The input at a JSON pointer.
    fn input(&mut self, pointer: &str) -> Input {
        let inputs = &mut self.provenance.inputs;
        let root = inputs.root("D");
        pointer.split('/').skip(1).fold(root, |parent, step| match step.parse() {
            Ok(index) => inputs.item(parent, index),
            Err(_) => inputs.child(parent, step),
        })
    }

    fn covers(&self, span: &Span, input: Input) -> bool {
        let inputs = &self.provenance.inputs;
        inputs.covers(span.data, input) || inputs.covers(span.control, input)
    }
}
