//! Finds where another text writes what one text writes.

use crate::{Node, Offsets, Span, Value};

impl Node {
    /// Where another tree writes the key or scalar that this one writes in `span`, or the same part of a string byte for
    /// byte. The texts are those that the trees were parsed from. `None` if the other tree holds none that is equal, or
    /// several.
    pub fn counterpart(&self, text: &str, span: Span, other: (&Node, &str)) -> Option<Span> {
        let (other, other_text) = other;
        let own = words(self).into_iter().find(|word| word.span().contains(span))?;
        let mut same = words(other).into_iter().filter(|word| word.is_same(&own));
        let found = same.next().filter(|_| same.next().is_none())?;
        let is_same = |there: Span| text.get(span.range()) == other_text.get(there.range());
        if own.span() == span {
            // Of a string the quotes may differ; a number may be written in another way.
            let is_text = !matches!(&own, Word::Scalar(node) if node.as_str().is_none());
            return Some(found.span()).filter(|there| is_text || is_same(*there));
        }
        let (Word::Scalar(own), Word::Scalar(found)) = (own, found) else { return None };
        let (from, to) = (own.offsets(text)?, found.offsets(other_text)?);
        to.span(from.part(span)?).filter(|there| is_same(*there))
    }
}

impl Offsets {
    /// The part of the value that a span writes byte for byte: without escapes, folds and indentation.
    fn part(&self, span: Span) -> Option<std::ops::Range<usize>> {
        let start = self.value(span.start)?;
        Some(match span.is_empty() {
            true => start..start,
            false => start..self.value(span.end - 1)? + 1,
        })
    }
}

/// A key or scalar.
enum Word<'a> {
    Key(&'a str, Span),
    Scalar(&'a Node),
}

impl Word<'_> {
    fn span(&self) -> Span {
        match self {
            Word::Key(_, span) => *span,
            Word::Scalar(node) => node.span,
        }
    }

    fn is_same(&self, other: &Word<'_>) -> bool {
        match (self, other) {
            (Word::Key(a, _), Word::Key(b, _)) => a == b,
            (Word::Scalar(a), Word::Scalar(b)) => a == b,
            _ => false,
        }
    }
}

fn words(node: &Node) -> Vec<Word<'_>> {
    let mut all = Vec::new();
    add_words(node, &mut all);
    all
}

fn add_words<'a>(node: &'a Node, all: &mut Vec<Word<'a>>) {
    match &node.value {
        Value::Map(map) => {
            for entry in &map.entries {
                all.push(Word::Key(&entry.key, entry.key_span));
                add_words(&entry.value, all);
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| add_words(item, all)),
        _ => all.push(Word::Scalar(node)),
    }
}
