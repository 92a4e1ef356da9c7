//! Proves that edits of a text change what they touch, and nothing else.

use std::cell::Cell;

use serde::de::IgnoredAny;
use yaml_spans::{
    self as yaml, Document, Edit, Entry, Node, ParseError, Source, Span, Style, Value,
};

/// True when all edits are inside the document, leave it valid YAML, and change nothing but what they touch: a scalar
/// around an edit may have another value, a key under an edit another name, the mapping around an insertion more keys.
/// No key may appear twice.
///
/// Parsing a large document for each of its findings can take minutes. When `allowance` is used up, only the lines
/// of the edits are parsed.
pub(crate) fn is_sound(
    source: &Source,
    document: Span,
    edits: &[Edit],
    allowance: &Allowance,
) -> bool {
    if allowance.covers(document) {
        return is_sound_in(source, document, edits);
    }
    edits.iter().all(|edit| document.contains(edit.span) && is_local(source, edit))
}

/// The root of a document after edits of its text; `None` if the edits do not fit, or leave it invalid.
pub(crate) fn edited(source: &Source, document: Span, edits: &[Edit]) -> Option<Node> {
    let after = Edit::apply(source.slice(document), &shifted(source, document, edits)?)?;
    match yaml::parse(&after).as_slice() {
        [Ok(after)] => Some(after.root.clone()),
        _ => None,
    }
}

/// True when the same documents of a text are valid after an edit as before, and the edit of a comment changes no value.
/// Without a comment, the lines around it can become one plain scalar. An edit inside a comment may be one in a block
/// scalar, where scripts have theirs; in quotes there are none. False when `allowance` is used up.
pub(crate) fn keeps_valid(source: &Source, edit: &Edit, allowance: &Allowance) -> bool {
    let is_comment = source.slice(edit.span).trim_start().starts_with('#');
    let after = || Edit::apply(&source.text, std::slice::from_ref(edit));
    let is_kept = |after: String| {
        let (before, after) = (yaml::parse(&source.text), yaml::parse(&after));
        let mut pairs = before.iter().zip(&after);
        let is_same = |(old, new): (&Parsed, &Parsed)| match (old, new) {
            (Ok(old), Ok(new)) if is_comment => old.root == new.root,
            (Ok(old), Ok(new)) => differs_in_scripts_only(&old.root, &new.root),
            (Err(_), Err(_)) => true,
            _ => false,
        };
        before.len() == after.len() && pairs.all(is_same)
    };
    allowance.covers(Span::new(0, source.text.len())) && after().is_some_and(is_kept)
}

type Parsed = Result<Document, ParseError>;

/// True when nothing but the texts of block scalars differs.
fn differs_in_scripts_only(old: &Node, new: &Node) -> bool {
    let is_block = |node: &Node| matches!(node.style, Style::Literal | Style::Folded);
    match (&old.value, &new.value) {
        (Value::Map(_), Value::Map(_)) => {
            let mut pairs = old.entries().iter().zip(new.entries());
            let is_same = |(old, new): (&Entry, &Entry)| {
                old.key == new.key && differs_in_scripts_only(&old.value, &new.value)
            };
            old.entries().len() == new.entries().len() && pairs.all(is_same)
        }
        (Value::Seq(before), Value::Seq(after)) => {
            let mut pairs = before.iter().zip(after.iter());
            before.len() == after.len() && pairs.all(|(old, new)| differs_in_scripts_only(old, new))
        }
        _ => is_block(old) && is_block(new) || old == new,
    }
}

/// The bytes that the proofs of fixes may still parse.
#[derive(Debug)]
pub(crate) struct Allowance(Cell<u64>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Cell::new(16 << 20))
    }
}

impl Allowance {
    fn covers(&self, document: Span) -> bool {
        let left = self.0.get().checked_sub(2 * u64::from(document.end - document.start));
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// The longest line that is parsed alone, in bytes.
const LONGEST_LINE: u32 = 4096;

/// True when an edit changes one value of the entry on its line, and nothing else. The value that it writes must be a
/// quoted text: other values can mean something else in their document.
fn is_local(source: &Source, edit: &Edit) -> bool {
    let line = source.line_span(source.line_of(edit.span.start));
    let is_quoted = |text: &str| text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    let starts_entry = !source.slice(line).trim_start().starts_with(['"', '\'', '|', '>']);
    line.end - line.start <= LONGEST_LINE
        && is_quoted(edit.text.trim())
        && starts_entry
        && is_sound_in(source, line, std::slice::from_ref(edit))
}

fn is_sound_in(source: &Source, document: Span, edits: &[Edit]) -> bool {
    let Some(shifted) = shifted(source, document, edits) else { return false };
    let Some(after) = edited(source, document, edits) else { return false };
    let text = source.slice(document);
    let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_json(text) && !Edit::apply(text, &shifted).is_some_and(|after| is_json(&after)) {
        return false;
    }
    match yaml::parse(text).as_slice() {
        [Ok(before)] => Touched { text, edits: &shifted }.is_kept(&before.root, &after, false),
        _ => false,
    }
}

/// The edits as edits of the document; `None` if one is not inside it.
fn shifted(source: &Source, document: Span, edits: &[Edit]) -> Option<Vec<Edit>> {
    let shift = |edit: &Edit| {
        let span = edit.span;
        let inside = document.contains(span) && source.text.is_char_boundary(span.start as usize);
        let shifted = Span {
            start: span.start.wrapping_sub(document.start),
            end: span.end.wrapping_sub(document.start),
        };
        inside.then(|| Edit { span: shifted, text: edit.text.clone() })
    };
    edits.iter().map(shift).collect()
}

/// A document and the edits of it.
struct Touched<'a> {
    text: &'a str,
    edits: &'a [Edit],
}

impl Touched<'_> {
    /// True when a value is as before, but for what the edits touch. What an alias or a merge key repeats must be
    /// exactly as before: an edit of the anchor would change it too.
    fn is_kept(&self, old: &Node, new: &Node, repeated: bool) -> bool {
        if repeated || self.is_alias(old) && !self.is_scalar_edit(old, new) {
            return old == new;
        }
        match (&old.value, &new.value) {
            (Value::Map(before), Value::Map(after)) => {
                after.overridden.len() <= before.overridden.len() && self.are_kept(old, new)
            }
            (Value::Seq(before), Value::Seq(after)) => {
                let mut pairs = before.iter().zip(after.iter());
                before.len() == after.len() && pairs.all(|(old, new)| self.is_kept(old, new, false))
            }
            (_, Value::Map(after)) if old.is_empty() => {
                after.overridden.is_empty() && self.is_touched(old.span)
            }
            _ => old == new || self.is_scalar_edit(old, new),
        }
    }

    /// The same for the entries of two mappings. An edit renames a key, removes an entry or adds some; an added one has
    /// a value, unlike what follows a comma that was meant as part of a text.
    fn are_kept(&self, old: &Node, new: &Node) -> bool {
        let is_lost = |entry: &&Entry| new.entry(&entry.key).is_none();
        let lost: Vec<_> = old.entries().iter().filter(is_lost).collect();
        let is_gained = |entry: &&Entry| old.entry(&entry.key).is_none();
        let gained: Vec<_> = new.entries().iter().filter(is_gained).collect();
        let renamed = |edit: &Edit| lost.iter().any(|entry| entry.key_span == edit.span);
        let renamed = self.edits.iter().filter(|edit| renamed(edit)).count();
        let is_gone = |entry: &&Entry| {
            let by = self.edits.iter().find(|edit| edit.span.contains(entry.key_span));
            let gone = |edit: &Edit| lost.iter().filter(|e| edit.span.contains(e.key_span)).count();
            !entry.merged && by.is_some_and(|edit| gone(edit) == 1)
        };
        let is_inserted = self.edits.iter().any(|edit| self.is_insertion(old, edit));
        let has_values = gained.iter().all(|entry| !entry.value.is_null());
        lost.iter().all(is_gone)
            && (gained.len() <= renamed || is_inserted && has_values)
            && old.entries().iter().all(|entry| {
                let same = |new: &Node| self.is_kept(&entry.value, new, entry.merged);
                new.get(&entry.key).is_none_or(same)
            })
    }

    /// True for an edit that adds text between the entries of a mapping.
    fn is_insertion(&self, mapping: &Node, edit: &Edit) -> bool {
        let is_inside = |entry: &Entry| {
            let own = entry.key_span.to(entry.value.span);
            !entry.merged && own.start < edit.span.start && edit.span.end < own.end
        };
        let own = mapping.span;
        own.start <= edit.span.start
            && edit.span.end <= self.end_of_lines(own.end)
            && !edit.text.is_empty()
            && !mapping.entries().iter().any(is_inside)
    }

    /// The end of the last line of a value, where an entry can be added.
    fn end_of_lines(&self, end: u32) -> u32 {
        let rest = self.text.get(end as usize..).unwrap_or_default();
        end + rest.find('\n').map_or(rest.len(), |at| at + 1) as u32
    }

    fn is_touched(&self, span: Span) -> bool {
        let touches = |edit: &Edit| edit.span.start <= span.end && span.start <= edit.span.end;
        self.edits.iter().any(touches)
            || span.is_empty()
                && self.edits.iter().any(|edit| {
                    span.end <= edit.span.start && edit.span.start <= self.end_of_lines(span.end)
                })
    }

    fn is_scalar_edit(&self, old: &Node, new: &Node) -> bool {
        let is_scalar = |node: &Node| !matches!(node.value, Value::Map(_) | Value::Seq(_));
        let is_near = self
            .edits
            .iter()
            .any(|edit| edit.span.start <= old.span.end && old.span.start <= edit.span.end);
        is_scalar(old) && is_scalar(new) && is_near
    }

    fn is_alias(&self, node: &Node) -> bool {
        self.text.get(node.span.range()).is_some_and(|text| text.starts_with('*'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fix_that_loses_something_is_not_sound() {
        let source = Source::new("a.yaml", "a: 1\n---\nb: {c: 1, d: 2, e: 3}\n");
        let document = yaml::parse(&source.text).remove(1).unwrap().span;
        let edit =
            |start, end, text: &str| vec![Edit { span: Span::new(start, end), text: text.into() }];
        let is_sound = |edits: &[Edit]| is_sound(&source, document, edits, &Allowance::default());
        assert!(is_sound(&edit(16, 17, "9")));
        assert!(!is_sound(&edit(12, 30, "{c: [}")), "no longer YAML");
        assert!(!is_sound(&edit(12, 30, "{}")), "three keys gone by one edit");
        assert!(!is_sound(&edit(3, 4, "2")), "outside the document");
    }

    /// A plain scalar ends at a comment (YAML 1.2, 6.6) and else goes on in the next line.
    #[test]
    fn a_comment_between_plain_scalars_stays() {
        let keeps_valid = |text: &str, start, allowance: &Allowance| {
            let span = Span::new(start, start + "# comment\n".len());
            keeps_valid(&Source::new("a.yaml", text), &Edit { span, text: "".into() }, allowance)
        };
        let ample = Allowance::default();
        assert!(keeps_valid("a: 1\n# comment\nb: 2\n", 5, &ample));
        assert!(!keeps_valid("a\n# comment\nb: 2\n", 2, &ample));
        assert!(!keeps_valid("a: 1\n# comment\n  b\n", 5, &ample), "it was invalid, and said so");
        assert!(!keeps_valid("a: 1\n# comment\nb: 2\n", 5, &Allowance(Cell::new(0))));
    }

    #[test]
    fn a_comment_in_quotes_is_none() {
        let corrected = |text: &str| {
            let start = text.find("wrong").unwrap();
            let edit = Edit { span: Span::new(start, start + "wrong".len()), text: "right".into() };
            keeps_valid(&Source::new("a.yaml", text), &edit, &Allowance::default())
        };
        assert!(corrected("a: 1 # ignore[wrong]\n"));
        assert!(corrected("a: |\n  ls # ignore[wrong]\n"), "a comment of a script");
        assert!(!corrected("kind: \"Job # ignore[wrong]\"\n"), "no comment at all");
    }

    #[test]
    fn without_allowance_only_quoted_values_are_sound() {
        let source = Source::new("a.yaml", "a:\n  b: 1\n  c: {d: 1}\n  e: 1\n");
        let document = yaml::parse(&source.text).remove(0).unwrap().span;
        let none = Allowance(Cell::new(0));
        let is_sound = |start, end, text: &str| {
            let edit = Edit { span: Span::new(start, end), text: text.into() };
            is_sound(&source, document, &[edit], &none)
        };
        assert!(is_sound(8, 9, "\"1\""));
        assert!(is_sound(19, 20, "\"1\""));
        assert!(!is_sound(8, 9, "2"), "not quoted");
        assert!(!is_sound(5, 10, "\"1\""), "the key is gone");
    }

    #[test]
    fn only_what_an_edit_touches_may_differ() {
        let is_sound = |text: &str, at: usize, len: usize, new: &str| {
            let source = Source::new("a.yaml", text);
            let document = yaml::parse(text).remove(0).unwrap().span;
            let edit = Edit { span: Span::new(at, at + len), text: new.to_owned() };
            is_sound(&source, document, &[edit], &Allowance::default())
        };
        // A comma in a flow mapping would end the value and start a key.
        assert!(!is_sound("{a: b}", 5, 0, ",c"));
        assert!(is_sound("{a: b}", 4, 1, "\"b,c\""));
        assert!(!is_sound("{\"a\": \"b\"}", 6, 3, "c"), "no longer JSON");
        assert!(!is_sound("a: 1\nb: 2\n", 0, 0, "b: 1\n"), "a second `b`");
        assert!(is_sound("a: 1\nb: 2\n", 0, 0, "c: 1\n"));
        assert!(!is_sound("a: &x 1\nb: *x\n", 6, 1, "2"), "`b` would change too");
        assert!(is_sound("a: &x 1\nb: *x\n", 11, 2, "2"));
        assert!(!is_sound("a: 1\n", 3, 1, "{b: 1}"), "no longer a scalar");
    }
}
