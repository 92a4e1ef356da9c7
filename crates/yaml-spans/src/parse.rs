//! Splits a text into documents as kubectl does, and reads each into a tree.

use crate::{Document, ParseError, Span, events, json, strict, tree::Extent};

/// The reason why a line that begins with `---` does not separate documents.
pub const BAD_SEPARATOR: &str = "only a comment may follow `---` on its line";

/// The byte order mark.
const MARK: char = '\u{FEFF}';

/// Reads all documents of a text, in order. Empty documents (only comments, or `null`) are left out.
///
/// A text that starts with `{` is read as a stream of JSON documents, and as YAML from where it stops being JSON, as
/// kubectl does since 1.33; older versions reject such a text.
///
/// # Errors
/// Each document that cannot be read is an error of its own; the others are still read. A text of 4 GiB or more
/// is one error.
pub fn parse(text: &str) -> Vec<Result<Document, ParseError>> {
    parse_some(text, &mut |_| true)
}

/// Like [`parse`], but skips each YAML document for whose text `wanted` returns false, without parsing it.
pub fn parse_some(
    text: &str,
    wanted: &mut dyn FnMut(&str) -> bool,
) -> Vec<Result<Document, ParseError>> {
    parse_parts(text, wanted, Extent::default())
}

/// Like [`parse`], for what a path of fields leads to: the trees may lack all else. Errors are those of the whole text.
pub fn parse_field(text: &str, path: &[&str]) -> Vec<Result<Document, ParseError>> {
    parse_parts(text, &mut |_| true, Extent { path, stops: false })
}

/// Like [`parse_field`], for texts that are taken to be valid: each document is read up to the end of the field. What is
/// wrong behind it is not noticed, nor that a key comes again.
pub fn parse_up_to_field(text: &str, path: &[&str]) -> Vec<Result<Document, ParseError>> {
    parse_parts(text, &mut |_| true, Extent { path, stops: true })
}

/// Reads the first document as go-yaml does, for which white space or the end of the line follows a `---` between documents: in
/// the lines of a quoted text, `-----END CERTIFICATE-----` is text. Empty documents are left out.
///
/// # Errors
/// As [`parse`], about the first document.
pub fn parse_first(text: &str) -> Option<Result<Document, ParseError>> {
    let start = text.len() - text.strip_prefix(MARK).unwrap_or(text).len();
    if text[start..].trim_start().starts_with('{') {
        return parse(text).into_iter().next();
    }
    let is_marker = |at: &usize| text[at + 3..].chars().next().is_none_or(char::is_whitespace);
    let chunks = chunks(text, start, separators(text, start).filter(is_marker));
    let mut documents = chunks.into_iter().filter_map(|chunk| {
        chunk.and_then(|span| parse_chunk(text, span, Extent::default())).transpose()
    });
    documents.next()
}

fn parse_parts(
    text: &str,
    wanted: &mut dyn FnMut(&str) -> bool,
    extent: Extent<'_>,
) -> Vec<Result<Document, ParseError>> {
    if u32::try_from(text.len()).is_err() {
        return vec![Err(ParseError::new(Span::default(), "this is larger than 4 GiB"))];
    }
    let start = text.len() - text.strip_prefix(MARK).unwrap_or(text).len();
    if !text[start..].trim_start().starts_with('{') {
        return parse_yaml(text, start, wanted, extent);
    }
    let json::Stream { mut documents, stop } = json::read(text, start);
    match stop {
        None => {}
        // A text with two JSON documents is meant as JSON.
        Some((_, error)) if documents.len() > 1 => documents.push(Err(error)),
        Some((from, error)) => {
            let mut rest = parse_yaml(text, from, wanted, extent);
            if looks_like_json(&text[from..])
                && let Some(first @ Err(_)) = rest.first_mut()
            {
                *first = Err(error);
            }
            documents.extend(rest);
        }
    }
    documents.retain(|document| !document.as_ref().is_ok_and(|document| document.root.is_null()));
    documents
}

fn looks_like_json(text: &str) -> bool {
    let inner = text.trim_start().strip_prefix('{').map(str::trim_start);
    inner.is_some_and(|inner| inner.starts_with(['"', '}']))
}

fn parse_yaml(
    text: &str,
    from: usize,
    wanted: &mut dyn FnMut(&str) -> bool,
    extent: Extent<'_>,
) -> Vec<Result<Document, ParseError>> {
    chunks(text, from, separators(text, from))
        .into_iter()
        .filter(|chunk| chunk.as_ref().map_or(true, |span| wanted(&text[span.range()])))
        .filter_map(|chunk| chunk.and_then(|span| parse_chunk(text, span, extent)).transpose())
        .collect()
}

/// Splits at lines that start with `---` before any parsing, as Kubernetes' `YAMLReader` does: even inside a block
/// scalar.
fn chunks(
    text: &str,
    from: usize,
    separators: impl Iterator<Item = usize>,
) -> Vec<Result<Span, ParseError>> {
    let mut chunks = Vec::new();
    let mut start = from;
    for at in separators {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n + 1);
        let rest = text[at + 3..end].trim();
        // At the start of a file the parser reads this line too, and requires a space before the comment.
        let glued = at == from && text[at + 3..].starts_with('#');
        chunks.push(Ok(Span::new(start, at)));
        if !rest.is_empty() && !rest.starts_with('#') || glued {
            let span = Span::new(at, at + text[at..end].trim_end().len());
            chunks.push(Err(ParseError::new(span, BAD_SEPARATOR)));
        }
        start = end;
    }
    chunks.push(Ok(Span::new(start, text.len())));
    chunks
}

/// The offsets of the lines that start with `---`.
fn separators(text: &str, from: usize) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(&bytes[from..], "---")
        .map(move |at| from + at)
        .filter(move |&at| at == from || bytes[at - 1] == b'\n')
}

fn parse_chunk(text: &str, span: Span, extent: Extent<'_>) -> Result<Option<Document>, ParseError> {
    let chunk = &text[span.range()];
    if is_blank(chunk) {
        return Ok(None);
    }
    let base = span.start as usize + chunk.len() - chunk.strip_prefix(MARK).unwrap_or(chunk).len();
    let content = Span::new(base, span.end as usize);
    strict::check_characters(text, content)?;
    let root = events::read(text, content, extent)?.filter(|root| !root.is_null());
    Ok(root.map(|root| Document { root, span }))
}

/// Whether a document holds only comments and empty lines.
fn is_blank(chunk: &str) -> bool {
    chunk.lines().all(|line| {
        let line = line.trim_start_matches(' ');
        line.is_empty() || line.starts_with('#')
    })
}
