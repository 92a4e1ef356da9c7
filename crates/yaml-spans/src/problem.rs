//! Why a document cannot be read, in words for whoever wrote it.

use granit_parser::ErrorKind;

use super::tree::Builder;
use crate::Span;

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// At least one character wide where a character is there.
    pub span: Span,
    pub reason: String,
    /// The other half: where reading stopped, when the span shows where something was opened.
    pub secondary: Option<(Span, String)>,
    /// Where the parser itself stopped, and its own words: those of go-yaml, nearly.
    pub parser: Option<(u32, String)>,
}

impl Problem {
    pub fn new(span: Span, reason: impl Into<String>) -> Self {
        Self { span, reason: reason.into(), secondary: None, parser: None }
    }

    pub fn secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary = Some((span, text.into()));
        self
    }
}

/// The character at an offset; at the end of a line or of the text the last one before it that is no
/// white space.
pub fn character(text: &str, at: usize) -> Span {
    let here = text[at..].chars().next().filter(|c| !matches!(c, '\n' | '\r'));
    let before = || text[..at].trim_end().char_indices().next_back();
    match (here, before()) {
        (Some(found), _) => Span::new(at, at + found.len_utf8()),
        (None, Some((at, found))) => Span::new(at, at + found.len_utf8()),
        (None, None) => Span::new(at, at),
    }
}

/// A span, or what stands before it when it is empty.
pub fn visible(text: &str, span: Span) -> Span {
    let before = text[..span.start as usize].trim_end().len();
    if span.is_empty() { character(text, before) } else { span }
}

/// Where the parser stopped, and what that place is inside of.
#[derive(Debug)]
pub struct Place<'t> {
    text: &'t str,
    pub document: Span,
    pub at: usize,
    /// Where the parser's last event before ended.
    last: usize,
    /// `[` or `{`, when the place is in such a collection.
    pub bracket: Option<Span>,
    /// The column of the innermost collection without brackets.
    pub column: usize,
}

impl<'t> Place<'t> {
    pub fn new(text: &'t str, document: Span, at: usize, last: usize, tree: &Builder) -> Self {
        let column = tree.block_column(text).unwrap_or(0);
        Self { text, document, at, last: last.min(at), bracket: tree.bracket(), column }
    }

    /// The document up to its end.
    fn document(&self) -> &'t str {
        &self.text[..self.document.end as usize]
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |found| found + 1)
    }

    /// The line of an offset without the white space around it.
    fn line(&self, at: usize) -> Span {
        let start = self.line_start(at);
        let line = self.document()[start..].split('\n').next().unwrap_or_default();
        let indent = line.len() - line.trim_start().len();
        Span::new(start + indent, start + line.trim_end().len().max(indent))
    }

    /// The quoted text around the place: from its opening quote to after the closing one, or without
    /// an end when nothing closes it.
    pub fn quote(&self) -> Option<(usize, Option<usize>)> {
        let bytes = self.document().as_bytes();
        let mut offset = self.last;
        while offset <= self.at && offset < bytes.len() {
            let before = offset.checked_sub(1).map_or(b' ', |at| bytes[at]);
            let fresh = before.is_ascii_whitespace() || b"[{,:-?".contains(&before);
            match bytes[offset] {
                quote @ (b'"' | b'\'') if fresh || offset == self.last => {
                    let end = quote_end(bytes, offset + 1, quote);
                    if end.is_none_or(|end| end > self.at) {
                        return Some((offset, end));
                    }
                    offset = end?;
                }
                b'#' if fresh => offset += memchr::memchr(b'\n', &bytes[offset..])?,
                _ => offset += 1,
            }
        }
        None
    }

    /// The tab among the white space at the place or, for plain text, at the start of its next lines.
    pub fn tab(&self) -> Option<usize> {
        let start = self.line_start(self.at);
        let here = &self.document()[start..];
        here.split_inclusive('\n')
            .scan(start, |at, line| {
                let start = std::mem::replace(at, *at + line.len());
                Some((start, line))
            })
            .find_map(|(start, line)| {
                let blank = line.len() - line.trim_start_matches([' ', '\t', '-', '?', ':']).len();
                line[..blank].find('\t').map(|tab| start + tab)
            })
    }

    /// A tab in the white space that the line of the place starts with.
    fn tab_before(&self) -> Option<usize> {
        let start = self.line_start(self.at);
        let before = &self.text[start..self.at];
        let blank = before.trim().is_empty() && self.bracket.is_none() && self.quote().is_none();
        before.find('\t').filter(|_| blank).map(|tab| start + tab)
    }

    /// The text of a double-quoted scalar that starts at the place, up to and with the first escape
    /// that YAML does not know.
    pub fn bad_escape(&self) -> Option<&'t str> {
        let raw = &self.document()[self.at..];
        let mut at = 1;
        loop {
            at += memchr::memchr(b'\\', raw.as_bytes().get(at..)?)?;
            let escaped = raw[at + 1..].chars().next()?;
            if !"0abt\tnvfre \"'\\N_LPxuU\r\n".contains(escaped) {
                return Some(&raw[..at + 1 + escaped.len_utf8()]);
            }
            at += 2;
        }
    }

    /// True when the place is on a later line than its bracket, and that line is indented like one
    /// that follows the collection.
    fn leaves_bracket(&self, bracket: Span) -> bool {
        let line = self.line(self.at).start as usize;
        bracket.end as usize <= line && line - self.line_start(line) <= self.column
    }
}

fn quote_end(bytes: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        at += memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'\\' if quote == b'"' => at += 2,
            b'\\' => at += 1,
            _ if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 2,
            _ => return Some(at + 1),
        }
    }
}

/// The problem that an error of the parser stands for.
pub fn explain(kind: &ErrorKind, place: &Place<'_>) -> Problem {
    let parser = Some((u32::try_from(place.at).unwrap_or(u32::MAX), kind.to_string()));
    Problem { parser, ..cause(kind, place) }
}

fn cause(kind: &ErrorKind, place: &Place<'_>) -> Problem {
    use ErrorKind as E;
    let (text, at) = (place.document(), place.at);
    let here = character(text, at);
    let one = |at: usize| Span::new(at, at + 1);
    if let Some(tab) = place.tab_before() {
        return Problem::new(one(tab), TAB);
    }
    match kind {
        E::InvalidQuotedScalarIndent
        | E::UnclosedQuotedScalar
        | E::DocumentIndicatorInQuotedScalar => {
            let Some((start, end)) = place.quote() else { return Problem::new(here, words(kind)) };
            let reason = match end {
                None => "this quote is never closed",
                Some(_) => "this quote is not closed before the next line",
            };
            let problem = Problem::new(one(start), reason);
            match place.line(at) {
                line if line.start as usize > start => {
                    problem.secondary(line, "this would be part of the text")
                }
                _ => problem,
            }
        }
        E::UnknownQuotedScalarEscape => match place.bad_escape() {
            Some(raw) => {
                let end = at + raw.len();
                let start = at + raw.rfind('\\').unwrap_or(0);
                Problem::new(Span::new(start, end), words(kind))
            }
            None => Problem::new(here, words(kind)),
        },
        E::TabNotAllowed
        | E::TabInBlockIndentation
        | E::TabInIndentation
        | E::TabInPlainScalar
        | E::TabAtBlockScalarStart
        | E::InvalidBlockEntryWhitespace
        | E::InvalidMappingValueWhitespace => Problem::new(place.tab().map_or(here, one), TAB),
        E::SimpleKeyExpected => Problem::new(place.line(at), words(kind)),
        E::UnknownAnchor => {
            let name = |c: char| !c.is_whitespace() && !",[]{}".contains(c);
            let length = text[at..].find(|c| !name(c)).unwrap_or(text.len() - at);
            Problem::new(Span::new(at, at + length.max(1)), words(kind))
        }
        E::ExpectedBlockMappingKey if text[place.line(at).range()].starts_with("- ") => {
            Problem::new(place.line(at), "a list item cannot stand among keys")
        }
        E::ExpectedBlockMappingKey | E::ExpectedBlockSequenceEntry => {
            Problem::new(place.line(at), words(kind))
        }
        E::UnexpectedEofBlockMapping | E::UnexpectedEofBlockSequence | E::ExpectedNodeContent
            if !here.is_empty() =>
        {
            let found = text[here.range()].chars().next().unwrap_or_default();
            Problem::new(here, cannot_start(found))
        }
        _ => match place.bracket {
            Some(bracket) if place.leaves_bracket(bracket) => {
                let open = &text[bracket.range()];
                Problem::new(bracket, format!("this `{open}` is never closed"))
                    .secondary(place.line(at), "this would be part of it")
            }
            _ => Problem::new(here, words(kind)),
        },
    }
}

/// What the parser's error means.
fn words(kind: &ErrorKind) -> String {
    use ErrorKind as E;
    let words = match kind {
        E::UnknownAnchor => "no anchor of this name stands before this alias",
        E::UndeclaredTagHandle => "no `%TAG` line declares the handle of this tag",
        E::ExpectedBlockMappingKey | E::InvalidIndentation => {
            "this line is indented differently from the keys it belongs to"
        }
        E::ExpectedBlockSequenceEntry => {
            "this line is indented like the list above, but does not start with `- `"
        }
        E::SimpleKeyExpected | E::InvalidSimpleKey => "this is no `key: value`: its `:` is missing",
        E::MappingValueNotAllowed => {
            "a second `: ` cannot stand here; quote the text, or check the indentation"
        }
        E::MappingKeyNotAllowed => "a key cannot stand here",
        E::BlockSequenceEntryNotAllowed => "a list cannot start on the line of its key",
        E::BlockEntryInFlowCollection => "`- ` cannot stand between brackets",
        E::ExpectedFlowMappingSeparator => "a `,` or `}` is missing before this",
        E::ExpectedFlowSequenceSeparator => "a `,` or `]` is missing before this",
        E::InvalidColonPlacement | E::FlowMappingValueAdjacentCollection => {
            "a `:` cannot stand here"
        }
        E::MisplacedFlowCollectionEnd => "nothing was opened that this bracket could close",
        E::MismatchedFlowCollectionEnd { open, close } => {
            return format!("`{close}` cannot close `{open}`");
        }
        E::UnclosedFlowCollection { open } => return format!("this `{open}` is never closed"),
        E::UnclosedQuotedScalar | E::DocumentIndicatorInQuotedScalar => {
            "this quote is never closed"
        }
        E::InvalidQuotedScalarIndent | E::InvalidFlowScalarIndent => {
            "this line must be indented more than the key of its value"
        }
        E::InvalidTrailingSingleQuotedScalar => {
            "nothing may follow the closing quote; write `''` for an apostrophe"
        }
        E::InvalidTrailingDoubleQuotedScalar => {
            "nothing may follow the closing quote; write `\\\"` for a quote"
        }
        E::UnknownQuotedScalarEscape => {
            "no such escape; write `\\\\` for a backslash, or use single quotes"
        }
        E::InvalidQuotedScalarHexEscape
        | E::InvalidLowSurrogateHexEscape
        | E::InvalidLowSurrogate
        | E::MissingLowSurrogate
        | E::UnpairedLowSurrogate
        | E::InvalidUnicodeEscape => "this escape names no character",
        E::UnexpectedCharacter { character } => return cannot_start(*character),
        E::TabNotAllowed
        | E::TabInBlockIndentation
        | E::TabInIndentation
        | E::TabInPlainScalar
        | E::TabAtBlockScalarStart
        | E::InvalidBlockEntryWhitespace
        | E::InvalidMappingValueWhitespace => TAB,
        E::InvalidBlockScalarIndent => {
            "this line is indented less than the block of text it belongs to"
        }
        E::ZeroBlockScalarIndent => "the indentation of a block of text is a digit from 1 to 9",
        E::InvalidBlockScalarHeader => {
            "only `+`, `-`, a digit or a comment may follow `|` and `>` on their line"
        }
        E::CommentNotSeparated => "a comment needs a space before its `#`",
        E::CommentInterceptedScalar => "a text that goes on over a line cannot hold a comment",
        E::ExpectedDocumentStart => "a directive must be followed by `---`",
        E::BomInsideDocument => "a byte order mark (U+FEFF) cannot stand here",
        E::RecursionLimitExceeded => "this is nested more than 255 levels deep",
        E::MissingAnchorOrAliasName => "`&` and `*` at the start of a value name an anchor",
        E::InvalidDocumentEnd => "only a comment may follow `...` on its line",
        E::PlainScalarStartsWithDashFlowIndicator => "a text cannot start with `-` here; quote it",
        other => return other.to_string(),
    };
    words.to_owned()
}

fn cannot_start(found: char) -> String {
    match found {
        '`' => "a value cannot start with a backtick; quote it".to_owned(),
        _ => format!("a value cannot start with `{}`; quote it", found.escape_debug()),
    }
}

/// What is wrong with tabs.
pub const TAB: &str = "a tab cannot indent YAML; use spaces";
