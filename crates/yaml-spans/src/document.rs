//! One document: the parser's events into a tree, with what kubectl does differently on top.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, StructureStyle, Tag};

use super::{
    Node, Problem, Style,
    breaks::{self, Scalar},
    lenient::Patched,
    offset,
    problem::{self, Place},
    scalar::{self, CORE},
    tree::{Builder, Written},
};
use crate::Span;

/// Reads the document that stands at a place of a text.
pub fn read(text: &str, place: Span) -> Result<Option<Node>, Problem> {
    let mut patched = Patched::new(&text[place.range()]);
    let mut first = None;
    loop {
        let mut reading = Reading::new(text, place, &patched);
        let Err(stop) = reading.events() else { return reading.finish() };
        let (error, at) = match stop {
            Stop::Problem(problem) => return Err(problem),
            Stop::Parser(error, at) => (error, at),
        };
        let at = Place::new(text, place, at, reading.last, &reading.builder);
        let problem = first.get_or_insert_with(|| problem::explain(error.kind(), &at)).clone();
        drop(reading);
        if !patched.repair(error.kind(), &at) {
            return Err(problem);
        }
    }
}

/// Why reading stopped.
enum Stop {
    Problem(Problem),
    /// With the offset in the text.
    Parser(ScanError, usize),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Stop::Problem(problem)
    }
}

struct Reading<'a> {
    text: &'a str,
    place: Span,
    patched: &'a Patched<'a>,
    builder: Builder,
    /// Where the last event ended.
    last: usize,
    /// What is written, for the check of tabs; nothing when there is nothing to check.
    check: Option<(Vec<Scalar>, Vec<Span>)>,
}

impl<'a> Reading<'a> {
    fn new(text: &'a str, place: Span, patched: &'a Patched<'a>) -> Self {
        let check = breaks::needs_check(&text[place.range()]).then(Default::default);
        let last = place.start as usize;
        Self { text, place, patched, builder: Builder::default(), last, check }
    }

    fn events(&mut self) -> Result<(), Stop> {
        let options = granit_parser::options! { emit_comments: false, emit_anchor_events: true };
        let patched = self.patched;
        for event in Parser::new_from_str_with_options(patched.text(), options) {
            let (event, at) = event.map_err(|error| {
                let at = error.marker().byte_offset().unwrap_or(0).min(patched.text().len());
                Stop::Parser(error, self.offset(at))
            })?;
            // kubectl reads one document between separators; nobody looks at what follows `...`.
            if matches!(event, Event::DocumentEnd) {
                break;
            }
            let at = at.byte_range().unwrap_or_default();
            self.event(event, self.span(at))?;
        }
        Ok(())
    }

    fn offset(&self, at: usize) -> usize {
        self.place.start as usize + self.patched.original(at)
    }

    fn span(&self, at: Range<usize>) -> Span {
        let start = self.offset(at.start);
        let end = self.place.start as usize + self.patched.original_end(at.end);
        Span::new(start, end.max(start))
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let last = self.last;
        self.last = last.max(span.end as usize);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, anchor, tag.as_deref(), span, last)
            }
            Event::Alias(id) => self.builder.alias(id, span),
            Event::Anchor(_, name) => anchor_name(&name, span),
            Event::SequenceStart(style, anchor, _) => {
                self.bracket(style, span);
                let span = self.first_dash(style, span);
                self.builder.open_sequence(span, collection_style(style), anchor)
            }
            Event::MappingStart(style, anchor, _) => {
                self.bracket(style, span);
                self.builder.open_mapping(span, collection_style(style), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let bracket = self.builder.bracket();
                self.builder.close(span)?;
                if let Some((_, brackets)) = &mut self.check
                    && bracket.is_some()
                    && self.builder.bracket().is_none()
                    && let Some(outermost) = brackets.last_mut()
                {
                    outermost.end = span.end;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The parser is late where a list is not indented: it reports what follows the first dash. That can
    /// start with a dash too.
    fn first_dash(&self, style: StructureStyle, span: Span) -> Span {
        let before = &self.text[..span.start as usize];
        let dash = before.trim_end();
        let is_dash = dash
            .strip_suffix('-')
            .is_some_and(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace));
        let is_on_line = !before[dash.len()..].contains('\n');
        let is_there = self.text.as_bytes().get(span.start as usize) == Some(&b'-');
        let is_late = is_dash && self.builder.expects_value() && (is_on_line || !is_there);
        if style == StructureStyle::Flow || !is_late {
            return span;
        }
        Span { start: dash.len() as u32 - 1, ..span }
    }

    /// Notes the outermost brackets.
    fn bracket(&mut self, style: StructureStyle, span: Span) {
        if let Some((_, brackets)) = &mut self.check
            && style == StructureStyle::Flow
            && self.builder.bracket().is_none()
        {
            brackets.push(span);
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
        last: usize,
    ) -> Result<(), Problem> {
        let repaired = &self.text[span.range()] == "-";
        let style = if repaired { Style::Plain } else { scalar_style(style) };
        let empty = span.is_empty() && style == Style::Plain;
        let mut span = span;
        if empty && self.text.as_bytes().get(span.start as usize) == Some(&b':') {
            // The parser puts an absent value before the `:`.
            span = match self.builder.expects_value() {
                true => Span { start: span.start + 1, end: span.start + 1 },
                false => Span { end: span.start + 1, ..span },
            };
        }
        if empty && tag.is_none() && self.builder.expects_key() {
            return Err(Problem::new(span, "a key is missing here"));
        }
        self.note(span, style, text);
        self.refuse(span, style, last)?;
        if matches!(style, Style::Literal | Style::Folded) {
            span = offset::block_span(self.text, span, text);
        }
        let tag = tag.map(|tag| format!("{}{}", tag.handle(), tag.suffix()));
        let written = if is_merge(text, style, tag.as_deref()) {
            Written::AsMerge
        } else {
            Written::Directly
        };
        // It reports an absent value as `~`.
        let text = if empty { "" } else { text };
        let value = scalar::value(text, style == Style::Plain, tag.as_deref())
            .map_err(|reason| Problem::new(problem::visible(self.text, span), reason))?;
        self.builder.scalar(Node { span, value, style }, anchor, written)
    }

    /// What the parser takes and go-yaml does not.
    fn refuse(&self, span: Span, style: Style, last: usize) -> Result<(), Problem> {
        let (start, raw) = (span.start as usize, &self.text[span.range()]);
        let bracket = self.builder.bracket().is_some();
        let key = bracket && self.builder.expects_key();
        let refused = match style {
            Style::DoubleQuoted | Style::SingleQuoted | Style::Plain
                if key && raw.contains('\n') && !self.text[..start].trim_end().ends_with('?') =>
            {
                Some((0..raw.len(), "a key must stand on one line"))
            }
            Style::DoubleQuoted => bad_escape(raw),
            Style::Plain if bracket && raw.starts_with(':') => {
                Some((0..1, "between brackets a text cannot start with `:`; quote it"))
            }
            Style::Plain if bracket => memchr::memchr(b'?', raw.as_bytes())
                .map(|at| (at..at + 1, "between brackets a `?` ends the text; quote it")),
            // The indentation of a block of text is that of its first line, unless a digit says so.
            Style::Literal | Style::Folded if raw.starts_with('\t') => {
                let header = self.text[last.min(start)..start].split(['|', '>']).nth(1);
                let stated = header.is_some_and(|h| {
                    h.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
                });
                (!stated).then_some((0..1, problem::TAB))
            }
            _ => None,
        };
        match refused {
            Some((at, reason)) => {
                Err(Problem::new(Span::new(start + at.start, start + at.end), reason))
            }
            None => Ok(()),
        }
    }

    fn note(&mut self, span: Span, style: Style, value: &str) {
        let Some((scalars, _)) = &mut self.check else { return };
        let column = match style {
            Style::Literal | Style::Folded => {
                offset::block_indent(self.text, span.start as usize, value)
            }
            _ => self.builder.block_column(self.text).map_or(0, |column| column + 1),
        };
        scalars.push(Scalar { span, style, column });
    }

    fn finish(self) -> Result<Option<Node>, Problem> {
        if let Some((scalars, brackets)) = &self.check
            && let Some(problem) = breaks::check(self.text, self.place, scalars, brackets)
        {
            return Err(problem);
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

fn anchor_name(name: &str, span: Span) -> Result<(), Problem> {
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        return Ok(());
    }
    Err(Problem::new(span, "an anchor's name is made of letters, digits, `_` and `-`"))
}

/// The first escape that YAML 1.2 has and YAML 1.1 has not: `\/`, and half a surrogate pair.
fn bad_escape(raw: &str) -> Option<(Range<usize>, &'static str)> {
    let bytes = raw.as_bytes();
    let mut at = 0;
    loop {
        at += memchr::memchr(b'\\', bytes.get(at..)?)?;
        match bytes.get(at + 1..(at + 4).min(bytes.len()))? {
            [b'/', ..] => {
                return Some((at..at + 2, "no such escape; write `/` without a backslash"));
            }
            [b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F'] => {
                let reason =
                    "half a surrogate pair is no character in YAML; write `\\U` and 8 digits";
                return Some((at..(at + 6).min(bytes.len()), reason));
            }
            _ => at += 2,
        }
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
