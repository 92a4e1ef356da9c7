//! An expression in a policy, compiled, with the text that it is written as.

use std::ops::Range;

use kubernetes_cel::{Environment, Program, Type};
use yaml_spans::Node;

use crate::fields::{Flaw, FlawKind, Flaws};

/// The longest expression that is compiled, in bytes. The API server has no limit of its own beside that of the object.
pub const LONGEST: usize = 64 * 1024;

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The compiled text.
    pub program: Program,
    /// The scalar that holds it.
    pub node: Node,
}

impl Expression {
    /// Compiles the text at a key, and notes why the API server refuses it. `None` when it is absent or refused.
    pub fn read(
        parent: &Node,
        key: &str,
        environment: &Environment,
        flaws: &mut Flaws<'_>,
    ) -> Option<Self> {
        let text = flaws.text(parent, key)?;
        let node = parent.get(key)?.clone();
        if text.len() > LONGEST {
            flaws.add(node.span, format!("an expression has at most {LONGEST} bytes"));
            return None;
        }
        match Program::compile(&text, environment) {
            Ok(program) => Some(Self { program, node }),
            Err(issues) => {
                for issue in issues {
                    flaws.all.push(flaw(&node, &flaws.object.source.text, issue));
                }
                None
            }
        }
    }

    /// The expression if it has a type; another one is noted, as the API server does.
    pub fn must_be(self, expected: &Type, flaws: &mut Flaws<'_>) -> Option<Self> {
        let found = self.program.output();
        if found == expected {
            return Some(self);
        }
        flaws.add(self.node.span, format!("must evaluate to {expected} but got {found}"));
        None
    }

    /// The text without the space around it, as the API server prints it.
    pub fn text(&self) -> &str {
        self.program.text().trim()
    }
}

/// A range that is not empty: an error at the end is marked at the last character.
fn marked(value: &str, range: Range<usize>) -> Range<usize> {
    let end = value.trim_end().len();
    if range.start < range.end && range.start < end {
        return range.start..range.end.min(end);
    }
    let at = range.start.min(end.saturating_sub(1));
    let start = (0..=at).rev().find(|at| value.is_char_boundary(*at)).unwrap_or_default();
    let length = value[start..].chars().next().map_or(0, char::len_utf8);
    start..start + length
}

/// The flaw at the position of an issue in the scalar.
pub(crate) fn flaw(node: &Node, text: &str, issue: kubernetes_cel::Issue) -> Flaw {
    let offsets = node.offsets(text);
    let value = node.as_str().unwrap_or_default();
    let span = offsets.and_then(|offsets| offsets.span(marked(value, issue.range.clone())));
    let span = span.filter(|span| span.start < span.end).unwrap_or(node.span);
    Flaw { span, reason: issue.message, help: None, kind: FlawKind::Refused }
}
