//! Builds the tree of one YAML document from the parser's events.
//!
//! The parser reads YAML 1.2. `strict` rejects what go-yaml does not accept, `lenient` changes what only
//! go-yaml accepts until the parser accepts it too.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, StructureStyle, Tag};

use crate::{
    Node, ParseError, Span, Style, block_scalar,
    diagnose::{self, ErrorSite},
    lenient::Patched,
    mapping::Form,
    scalar::{self, CORE},
    strict, text,
    tree::{Builder, Extent},
    whitespace::{self, Layout, ScalarExtent},
};

/// Reads the document at a span of a text; `None` when it holds no value. With a path of fields, the tree holds only what
/// that leads to.
pub(crate) fn read(
    text: &str,
    document: Span,
    extent: Extent<'_>,
) -> Result<Option<Node>, ParseError> {
    let mut patched = Patched::new(&text[document.range()]);
    let mut first = None;
    loop {
        let mut reader = Reader::new(text, document, &patched, extent);
        let result = reader.events();
        if reader.builder.needs_all() {
            return read(text, document, Extent::default());
        }
        let Err(failure) = result else { return reader.finish() };
        let (error, at) = match failure {
            Failure::Rejected(error) => return Err(error),
            Failure::Syntax(error, at) => (error, at),
        };
        let site = ErrorSite::new(text, document, at, reader.last, &reader.builder);
        let explained = first.get_or_insert_with(|| diagnose::explain(error.kind(), &site)).clone();
        drop(reader);
        if !patched.patch(error.kind(), &site) {
            return Err(explained);
        }
    }
}

/// Why reading stopped.
enum Failure {
    /// The parser accepts the document, Kubernetes does not.
    Rejected(ParseError),
    /// The parser's error and its offset in the text.
    Syntax(ScanError, usize),
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Self {
        Failure::Rejected(error)
    }
}

struct Reader<'a> {
    text: &'a str,
    document: Span,
    patched: &'a Patched<'a>,
    builder: Builder<'a>,
    /// Where the last event ends.
    last: usize,
    /// Where scalars and brackets are; `None` when the white space needs no check.
    layout: Option<Layout>,
    /// Whether to stop where the builder has what it keeps.
    stops: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, document: Span, patched: &'a Patched<'a>, extent: Extent<'a>) -> Self {
        let layout = whitespace::needs_check(&text[document.range()]).then(Layout::default);
        let last = document.start as usize;
        let stops = extent.stops && layout.is_none();
        Self { text, document, patched, builder: Builder::of(extent.path), last, layout, stops }
    }

    fn events(&mut self) -> Result<(), Failure> {
        let options = granit_parser::options! { emit_comments: false, emit_anchor_events: true };
        let patched = self.patched;
        for event in Parser::new_from_str_with_options(patched.text(), options) {
            let (event, at) = event.map_err(|error| {
                let at = error.marker().byte_offset().unwrap_or(0).min(patched.text().len());
                Failure::Syntax(error, self.offset(at))
            })?;
            // kubectl reads one document between separators and ignores what follows `...`.
            if matches!(event, Event::DocumentEnd) {
                break;
            }
            let at = at.byte_range().unwrap_or_default();
            let span = self.span(at);
            self.event(event, span)?;
            if self.stops && self.builder.has_field() {
                return Ok(self.builder.close_all(span)?);
            }
        }
        Ok(())
    }

    /// The offset in the text of an offset in the patched document.
    fn offset(&self, at: usize) -> usize {
        self.document.start as usize + self.patched.original(at)
    }

    fn span(&self, at: Range<usize>) -> Span {
        let start = self.offset(at.start);
        let end = self.document.start as usize + self.patched.original_end(at.end);
        Span::new(start, end.max(start))
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), ParseError> {
        let last = self.last;
        self.last = last.max(span.end as usize);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, anchor, tag.as_deref(), span, last)
            }
            Event::Alias(id) => self.builder.alias(id, span),
            Event::Anchor(_, name) => strict::check_anchor(&name, span),
            Event::SequenceStart(style, anchor, _) => {
                self.open_bracket(style, span);
                let span = self.first_dash(style, span);
                self.builder.open_sequence(span, collection_style(style), anchor)
            }
            Event::MappingStart(style, anchor, _) => {
                self.open_bracket(style, span);
                self.builder.open_mapping(span, collection_style(style), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            _ => Ok(()),
        }
    }

    /// Records an outermost bracket.
    fn open_bracket(&mut self, style: StructureStyle, span: Span) {
        if let Some(layout) = &mut self.layout
            && style == StructureStyle::Flow
            && self.builder.bracket().is_none()
        {
            layout.brackets.push(span);
        }
    }

    fn close(&mut self, span: Span) -> Result<(), ParseError> {
        let was_in_bracket = self.builder.bracket().is_some();
        self.builder.close(span)?;
        if let Some(layout) = &mut self.layout
            && was_in_bracket
            && self.builder.bracket().is_none()
            && let Some(outermost) = layout.brackets.last_mut()
        {
            outermost.end = span.end;
        }
        Ok(())
    }

    /// Moves the start of a block sequence back to its first dash. Where a sequence is not indented below its
    /// key, the parser reports what follows that dash, which can start with a dash itself.
    fn first_dash(&self, style: StructureStyle, span: Span) -> Span {
        let before = &self.text[..span.start as usize];
        let dash = before.trim_end();
        let is_dash = dash
            .strip_suffix('-')
            .is_some_and(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace));
        let is_on_line = !before[dash.len()..].contains('\n');
        let starts_with_dash = self.text.as_bytes().get(span.start as usize) == Some(&b'-');
        let is_late = is_dash && self.builder.expects_value() && (is_on_line || !starts_with_dash);
        if style == StructureStyle::Flow || !is_late {
            return span;
        }
        Span { start: dash.len() as u32 - 1, ..span }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
        last: usize,
    ) -> Result<(), ParseError> {
        let is_patched_dash = &self.text[span.range()] == "-";
        let style = if is_patched_dash { Style::Plain } else { scalar_style(style) };
        let empty = span.is_empty() && style == Style::Plain;
        let mut span = if empty { self.empty_span(span) } else { span };
        if empty && tag.is_none() && self.builder.expects_key() {
            return Err(ParseError::new(span, "a key is missing here"));
        }
        self.record(span, style, text);
        strict::check_scalar(self.text, span, style, &self.builder, last)?;
        if matches!(style, Style::Literal | Style::Folded) {
            span = block_scalar::trim(self.text, span, text);
        }
        let tag = tag.map(|tag| format!("{}{}", tag.handle(), tag.suffix()));
        let is_merge = is_merge(text, style, tag.as_deref());
        let form = if is_merge { Form::MergeKey } else { Form::Direct };
        // The parser reports an absent value as `~`.
        let text = if empty { "" } else { text };
        let value =
            scalar::value(text, style == Style::Plain, tag.as_deref()).map_err(|error| {
                ParseError::new(text::visible(self.text, span), error.to_string())
                    .with_kind(error.into())
            })?;
        self.builder.scalar(Node { span, value, style }, anchor, form)
    }

    /// The place of an absent key or value; the parser puts both before the `:`.
    fn empty_span(&self, span: Span) -> Span {
        if self.text.as_bytes().get(span.start as usize) != Some(&b':') {
            return span;
        }
        match self.builder.expects_value() {
            true => Span { start: span.start + 1, end: span.start + 1 },
            false => Span { end: span.start + 1, ..span },
        }
    }

    /// Records a scalar for the check of white space.
    fn record(&mut self, span: Span, style: Style, value: &str) {
        let Some(layout) = &mut self.layout else { return };
        let column = match style {
            Style::Literal | Style::Folded => {
                block_scalar::indent(self.text, span.start as usize, value)
            }
            _ => self.builder.block_column(self.text).map_or(0, |column| column + 1),
        };
        layout.scalars.push(ScalarExtent { span, style, column });
    }

    fn finish(self) -> Result<Option<Node>, ParseError> {
        if let Some(layout) = &self.layout
            && let Some(error) = whitespace::check(self.text, self.document, layout)
        {
            return Err(error);
        }
        self.builder.finish()
    }
}

fn is_merge(text: &str, style: Style, tag: Option<&str>) -> bool {
    text == "<<"
        && match tag {
            None => style == Style::Plain,
            Some(tag) => tag == "!" || tag.strip_prefix(CORE) == Some("merge"),
        }
}

fn collection_style(style: StructureStyle) -> Style {
    match style {
        StructureStyle::Block => Style::Block,
        StructureStyle::Flow => Style::Flow,
    }
}

fn scalar_style(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}
