//! Edits of the scripts of a command, as edits of the file that holds them.

use std::sync::Arc;

use job_lifecycle::Object;
use shell_effects::{self as script, Analysis, ElementSpan};
use yaml_spans::{Edit, Node, Source, Span, Style, Value};

use super::{Command, Element};
use crate::{context::Context, fix};

impl Command<'_> {
    /// The analysis with an edit of the script, which may be a mounted file.
    pub(crate) fn analysis_after(
        &self,
        edit: &script::Edit,
        context: &Context<'_>,
    ) -> Arc<Analysis> {
        let own = self.elements.iter().filter(|one| one.file.is_none());
        let mut words: Vec<_> = own.map(|one| one.value.text.clone()).collect();
        let mut setup = self.setup.clone();
        let (element, range) = (edit.location.element, edit.location.span.range());
        let files = &mut setup.files;
        let file = element.checked_sub(words.len()).and_then(|file| files.get_mut(file));
        if let Some(text) = file.map(|file| &mut file.text).or_else(|| words.get_mut(element)) {
            text.replace_range(range, &edit.text);
        }
        context.policy.analyse(words, &setup)
    }

    /// The edit that puts a statement before the first one of a script, on a line of its own if the script has several
    /// and is written so that a line can be added.
    pub(crate) fn first_statement(&self, element: usize, statement: &str) -> Option<script::Edit> {
        let Element { value, node, .. } = self.elements.get(element)?;
        let is_content =
            |line: &&str| !matches!(line.trim_start().chars().next(), None | Some('#'));
        let value = &value.text;
        let first = value.split_inclusive('\n').find(is_content)?;
        let word = first.split_whitespace().next()?;
        let start = word.as_ptr() as usize - value.as_ptr() as usize;
        let has_lines = value.trim_end().contains('\n')
            && matches!(node.style, Style::Literal | Style::DoubleQuoted);
        let between = if has_lines { "\n" } else { "; " };
        let location =
            ElementSpan { element, span: script::ast::Span::new(start, start + word.len()) };
        Some(script::Edit { location, text: format!("{statement}{between}{word}") })
    }

    /// Like [`Self::edit`], for a location in the text as it is written.
    pub(crate) fn edit_written(&self, edit: &script::Edit) -> Option<Edit> {
        self.edit_of(edit, self.written(edit.location))
    }

    /// Converts an edit of a script into an edit of the file. `None` if the file does not hold the old text byte for
    /// byte, if the new text would read back differently, or for the files of other objects.
    pub(crate) fn edit(&self, edit: &script::Edit) -> Option<Edit> {
        let old =
            self.elements.get(edit.location.element)?.value.text.get(edit.location.span.range())?;
        let location = self.as_written(edit.location);
        self.edit_of(&script::Edit { location, text: edit.text.clone() }, old)
    }

    fn edit_of(&self, edit: &script::Edit, old: &str) -> Option<Edit> {
        let element = self.elements.get(edit.location.element)?;
        let text = &self.object.source.text;
        let alone = !element.value.text.contains(char::is_whitespace);
        if element.file.is_some() || element.implied || alone && edit.text.contains(' ') {
            return None;
        }
        let range = edit.location.span.range();
        let offsets = element.offsets(self.object);
        let span = match offsets?
            .span(range.start.checked_sub(usize::from(old.is_empty()))?..range.end)?
        {
            before if old.is_empty() => Span { start: before.end, end: before.end },
            span => span,
        };
        (text.get(span.range())? == old).then_some(())?;
        let written = match element.node.style {
            Style::Literal => lines(&self.object.source, span.start, &edit.text)?,
            style => escaped(style, &edit.text)?,
        };
        let whole = Edit { span, text: written };
        let mut value = element.node.as_str()?.to_owned();
        value.replace_range(range, &edit.text);
        reads_back(self.object, element.node, &whole, &value).then_some(())?;
        // What stays may be the text of a template that nothing else may replace.
        Some(match whole.text.strip_suffix(old).filter(|_| !old.is_empty()) {
            Some(before) => {
                Edit { span: Span { end: span.start, ..span }, text: before.to_owned() }
            }
            None => whole,
        })
    }
}

/// A text of one or more lines for a place in a literal block. `None` for several lines behind other text.
fn lines(source: &Source, at: u32, text: &str) -> Option<String> {
    let line = source.line_span(source.line_of(at));
    let indent = source.slice(Span { start: line.start, end: at });
    let is_first = indent.chars().all(|c| c == ' ');
    let text = text.replace('\n', &format!("{}{indent}", source.line_break()));
    (is_first || !text.contains('\n')).then_some(text)
}

/// Escapes a text for a scalar of a style; `None` if the style cannot express it.
fn escaped(style: Style, text: &str) -> Option<String> {
    match style {
        Style::SingleQuoted => Some(text.replace('\'', "''")),
        Style::DoubleQuoted => {
            Some(text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
        }
        Style::Plain | Style::Folded => (!text.contains('\n')).then(|| text.to_owned()),
        Style::Literal | Style::Block | Style::Flow => None,
    }
}

/// The longest document, in bytes, that is parsed again to see what an edit of a script makes of it.
const LONGEST_DOCUMENT: u32 = 256 << 10;

/// True when the edited scalar has the value that it should have.
fn reads_back(object: &Object, node: &Node, edit: &Edit, value: &str) -> bool {
    let document = object.document;
    let is_short = document.end - document.start <= LONGEST_DOCUMENT;
    let after = is_short
        .then(|| fix::edited(&object.source, document, std::slice::from_ref(edit)))
        .flatten();
    let start = node.span.start.wrapping_sub(document.start);
    after.is_some_and(|root| scalar_at(&root, start).is_some_and(|own| own == value))
}

/// The text of the scalar that starts at an offset.
fn scalar_at(node: &Node, start: u32) -> Option<&str> {
    match &node.value {
        Value::Map(map) => map.entries.iter().find_map(|entry| scalar_at(&entry.value, start)),
        Value::Seq(items) => items.iter().find_map(|item| scalar_at(item, start)),
        _ => node.as_str().filter(|_| node.span.start == start),
    }
}
