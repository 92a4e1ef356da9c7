//! Values that a GitOps object holds as text.

use std::sync::Arc;

use job_lifecycle::Object;
use yaml_spans::{Node, Source, Style};

use crate::unit::ValuesLayer;

/// The YAML text of a field (`values: |`, a key of a ConfigMap): blanks stand for everything around it,
/// so that places stay true, where it is written as it is read.
pub(super) fn layer(object: &Object, node: &Node, text: &str) -> ValuesLayer {
    let source = &object.source;
    let blank = |span: std::ops::Range<usize>| -> String {
        let part = source.text.get(span).unwrap_or_default();
        part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
    };
    let literal = node.style == Style::Literal;
    let made = match literal.then(|| source.text.get(node.span.range())).flatten() {
        Some(written) => {
            let line = source.text[..node.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
            // The span starts at the first character: its indentation belongs to the text.
            let padding = blank(0..line) + &blank(line..node.span.start as usize);
            Source::read_only(&source.path, padding + written)
        }
        None => Source::read_only(&source.path, text),
    };
    ValuesLayer::Text(Arc::new(made))
}
