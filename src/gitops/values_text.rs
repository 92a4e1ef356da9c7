//! Helm values embedded as text in a GitOps object.

use std::sync::Arc;

use job_lifecycle::Object;
use yaml_spans::{Node, Source, Style};

use crate::unit::ValuesLayer;

/// The YAML text of a field (`values: |`, a key of a ConfigMap) as a values layer. For literal blocks the
/// rest of the file is replaced with blanks, so that positions in the layer equal positions in the file.
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
            // The span starts after the indentation, which belongs to the YAML text.
            let indent = blank(line..node.span.start as usize);
            let written = match is_filled(written, text) {
                true => text.trim_end().replace('\n', &format!("\n{indent}")),
                false => written.to_owned(),
            };
            Source::read_only(&source.path, blank(0..line) + &indent + &written)
        }
        None => Source::read_only(&source.path, text),
    };
    ValuesLayer::Text(Arc::new(made))
}

/// Whether the text is no longer what is written: the parameters of an ApplicationSet are in their places.
fn is_filled(written: &str, text: &str) -> bool {
    written.contains("{{") && !written.split_whitespace().eq(text.split_whitespace())
}
