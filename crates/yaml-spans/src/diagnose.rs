//! Explains an error of the parser in words for the author of the file, at the place to look at.

use std::ops::Range;

use granit_parser::ErrorKind as SyntaxError;

use crate::{
    ErrorKind, ParseError, ParserMessage, Span,
    error::TAB,
    text::{character, line_start},
    tree::Builder,
};

/// Where the parser stopped, and what that offset is inside of.
#[derive(Debug)]
pub(crate) struct ErrorSite<'t> {
    text: &'t str,
    pub(crate) document: Span,
    pub(crate) at: usize,
    /// Where the parser's last event ends.
    last: usize,
    /// The opening bracket of the innermost collection, if it has one.
    pub(crate) bracket: Option<Span>,
    /// The column of the innermost block collection.
    pub(crate) column: usize,
}

impl<'t> ErrorSite<'t> {
    pub(crate) fn new(
        text: &'t str,
        document: Span,
        at: usize,
        last: usize,
        tree: &Builder<'_>,
    ) -> Self {
        let column = tree.block_column(text).unwrap_or(0);
        Self { text, document, at, last: last.min(at), bracket: tree.bracket(), column }
    }

    /// The text up to the end of the document.
    fn up_to_end(&self) -> &'t str {
        &self.text[..self.document.end as usize]
    }

    /// The line of an offset without the white space around it.
    fn line(&self, at: usize) -> Span {
        let start = line_start(self.text, at);
        let line = self.up_to_end()[start..].split('\n').next().unwrap_or_default();
        let indent = line.len() - line.trim_start().len();
        Span::new(start + indent, start + line.trim_end().len().max(indent))
    }

    /// The quoted scalar around the site: the offset of its opening quote, and the offset after its closing
    /// one if it is closed.
    pub(crate) fn quote(&self) -> Option<(usize, Option<usize>)> {
        let bytes = self.up_to_end().as_bytes();
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

    /// The first tab in the indentation of the site's line or of a later line.
    pub(crate) fn tab(&self) -> Option<usize> {
        let start = line_start(self.text, self.at);
        let here = &self.up_to_end()[start..];
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

    /// A tab in the indentation of the site's line, when only white space precedes the site.
    fn tab_before(&self) -> Option<usize> {
        let start = line_start(self.text, self.at);
        let before = &self.text[start..self.at];
        let blank = before.trim().is_empty() && self.bracket.is_none() && self.quote().is_none();
        before.find('\t').filter(|_| blank).map(|tab| start + tab)
    }

    /// The double-quoted scalar that starts at the site, up to the end of its first unknown escape.
    pub(crate) fn bad_escape(&self) -> Option<&'t str> {
        let raw = &self.up_to_end()[self.at..];
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

    /// A line in column 1 that ends a block of text, and the key of the block, where the site is that line or goes on with
    /// the text behind it.
    fn ended_block(&self) -> Option<(Span, Span)> {
        let end = self.line(self.at).end as usize;
        let start = (self.document.start as usize).min(end);
        let mut lines = offset_lines(&self.text[start..end], start).peekable();
        // The key of a list: its items have no names.
        let mut of_items = None;
        while let Some((at, line)) = lines.next() {
            let Some(key) = block_key(line) else {
                of_items = key_before_items(line, at).or(of_items);
                continue;
            };
            let own = Span::new(at + key.start, at + key.end);
            let key = Some(own).filter(|own| !own.is_empty()).or(of_items);
            let mut content = None;
            let ender = loop {
                let (at, line) = *lines.peek()?;
                let indent = indentation(line);
                if line.trim().is_empty() || content.is_none_or(|own| indent >= own) && indent > 0 {
                    content = content.or((!line.trim().is_empty()).then_some(indent));
                    lines.next();
                } else {
                    break (at, line);
                }
            };
            let content = content?;
            let rest = lines.clone().skip_while(|(_, line)| {
                line.trim().is_empty() || line.trim_start().starts_with('#')
            });
            let is_text = |line: &str| indentation(line) >= content || indentation(line) == 0;
            let goes_on = rest.clone().count() == 1 && rest.clone().all(|(_, line)| is_text(line));
            if indentation(ender.1) == 0 && !ender.1.starts_with('\t') && goes_on {
                return Some((self.line(ender.0), key?));
            }
        }
        None
    }

    /// Whether the site is on a later line than its bracket, and that line is indented as if the collection
    /// had ended.
    fn leaves_bracket(&self, bracket: Span) -> bool {
        let line = self.line(self.at).start as usize;
        bracket.end as usize <= line && line - line_start(self.text, line) <= self.column
    }
}

/// The lines of a text, each with its offset when the text starts at one.
fn offset_lines(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> + Clone {
    text.split('\n').scan(start, |at, line| {
        let start = std::mem::replace(at, *at + line.len() + 1);
        Some((start, line))
    })
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The key of a line that ends with it: `args:`.
fn key_before_items(line: &str, at: usize) -> Option<Span> {
    let key = line.trim_end().strip_suffix(':')?;
    let start = key.len() - key.trim_start_matches([' ', '-']).len();
    (!key[start..].contains(['#', ' '])).then(|| Span::new(at + start, at + key.len()))
}

/// The key of a block of text that starts on a line: `script: |`; empty for an item of a list: `- |`.
fn block_key(line: &str) -> Option<Range<usize>> {
    let rest = line.trim_start_matches([' ', '-']);
    let is_item = rest.starts_with(['|', '>']) && line.contains("- ");
    let (key, value) = if is_item { ("", rest) } else { rest.split_once(": ")? };
    let mut words = value.split_whitespace();
    let header = words.next()?.trim_start_matches(['|', '>']);
    let is_header = value.trim_start().starts_with(['|', '>'])
        && header.chars().all(|c| matches!(c, '+' | '-' | '1'..='9'))
        && words.next().is_none_or(|comment| comment.starts_with('#'));
    let start = line.len() - rest.len();
    (is_header && !key.contains(['#', ' '])).then_some(start..start + key.len())
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

/// Explains an error of the parser.
pub(crate) fn explain(kind: &SyntaxError, site: &ErrorSite<'_>) -> ParseError {
    let at = u32::try_from(site.at).unwrap_or(u32::MAX);
    let parser = Some(Box::new(ParserMessage { at, text: kind.to_string() }));
    ParseError { kind: classify(kind), parser, ..cause(kind, site) }
}

fn classify(kind: &SyntaxError) -> ErrorKind {
    use SyntaxError as E;
    match kind {
        E::InvalidBlockScalarIndent => ErrorKind::BlockScalarIndentation,
        E::MissingLowSurrogate => ErrorKind::HalfSurrogatePair,
        E::InvalidQuotedScalarHexEscape | E::InvalidLowSurrogateHexEscape => {
            ErrorKind::InvalidHexEscape
        }
        E::MisplacedFlowCollectionEnd => ErrorKind::MisplacedBracket,
        E::SimpleKeyExpected => ErrorKind::MissingColon,
        E::InvalidQuotedScalarIndent => ErrorKind::QuoteIndentation,
        E::TabNotAllowed | E::TabInBlockIndentation => ErrorKind::Tab,
        E::TabAtBlockScalarStart => ErrorKind::TabInBlockScalar,
        E::InvalidTrailingSingleQuotedScalar | E::InvalidTrailingDoubleQuotedScalar => {
            ErrorKind::TextAfterQuote
        }
        E::UnclosedFlowCollection { open } => ErrorKind::UnclosedBracket(*open),
        E::UnclosedQuotedScalar => ErrorKind::UnclosedQuote,
        E::UndeclaredTagHandle => ErrorKind::UndeclaredTagHandle,
        E::UnexpectedCharacter { .. } => ErrorKind::UnexpectedCharacter,
        E::UnexpectedEofFlowSequence
        | E::UnexpectedEofFlowMapping
        | E::UnexpectedEofImplicitFlowMapping
        | E::UnexpectedEofBlockSequence
        | E::UnexpectedEofBlockMapping => ErrorKind::UnexpectedEnd,
        E::UnknownAnchor => ErrorKind::UnknownAnchor,
        E::UnknownQuotedScalarEscape => ErrorKind::UnknownEscape,
        _ => ErrorKind::Other,
    }
}

fn cause(kind: &SyntaxError, site: &ErrorSite<'_>) -> ParseError {
    use SyntaxError as E;
    if let Some((line, key)) = site.ended_block() {
        let name = site.text[key.range()].trim_matches(['"', '\'']);
        let reason =
            format!("this line starts in column 1, so it ends the text of `{name}`; indent it");
        return ParseError::new(line, reason).with_secondary(key, "the text of this key");
    }
    let (text, at) = (site.up_to_end(), site.at);
    let here = character(text, at);
    let one = |at: usize| Span::new(at, at + 1);
    if let Some(tab) = site.tab_before() {
        return ParseError::tab(one(tab));
    }
    match kind {
        E::InvalidQuotedScalarIndent
        | E::UnclosedQuotedScalar
        | E::DocumentIndicatorInQuotedScalar => open_quote(kind, site),
        E::UnknownQuotedScalarEscape => {
            let escape = site
                .bad_escape()
                .map(|raw| Span::new(at + raw.rfind('\\').unwrap_or(0), at + raw.len()));
            ParseError::new(escape.unwrap_or(here), words(kind))
        }
        E::TabNotAllowed
        | E::TabInBlockIndentation
        | E::TabInIndentation
        | E::TabInPlainScalar
        | E::TabAtBlockScalarStart
        | E::InvalidBlockEntryWhitespace
        | E::InvalidMappingValueWhitespace => ParseError::tab(site.tab().map_or(here, one)),
        E::SimpleKeyExpected => ParseError::new(site.line(at), words(kind)),
        E::UnknownAnchor => ParseError::new(alias(text, at), words(kind)),
        E::ExpectedBlockMappingKey if text[site.line(at).range()].starts_with("- ") => {
            ParseError::new(site.line(at), "a list item cannot stand among keys")
        }
        E::ExpectedBlockMappingKey | E::ExpectedBlockSequenceEntry => {
            ParseError::new(site.line(at), words(kind))
        }
        E::UnexpectedEofBlockMapping | E::UnexpectedEofBlockSequence | E::ExpectedNodeContent
            if !here.is_empty() =>
        {
            let found = text[here.range()].chars().next().unwrap_or_default();
            ParseError::new(here, cannot_start(found))
        }
        _ => match site.bracket {
            Some(bracket) if site.leaves_bracket(bracket) => {
                let open = &text[bracket.range()];
                ParseError::new(bracket, format!("this `{open}` is never closed"))
                    .with_secondary(site.line(at), "this would be part of it")
            }
            _ => ParseError::new(here, words(kind)),
        },
    }
}

/// An error inside a quoted scalar, shown at its opening quote.
fn open_quote(kind: &SyntaxError, site: &ErrorSite<'_>) -> ParseError {
    let Some((start, end)) = site.quote() else {
        return ParseError::new(character(site.up_to_end(), site.at), words(kind));
    };
    let reason = match end {
        None => "this quote is never closed",
        Some(_) => "this quote is not closed before the next line",
    };
    let error = ParseError::new(Span::new(start, start + 1), reason);
    match site.line(site.at) {
        line if line.start as usize > start => {
            error.with_secondary(line, "this would be part of the text")
        }
        _ => error,
    }
}

/// The alias at an offset.
fn alias(text: &str, at: usize) -> Span {
    let is_end = |c: char| c.is_whitespace() || ",[]{}".contains(c);
    let length = text[at..].find(is_end).unwrap_or(text.len() - at);
    Span::new(at, at + length.max(1))
}

/// The reason for an error of the parser.
fn words(kind: &SyntaxError) -> String {
    use SyntaxError as E;
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
