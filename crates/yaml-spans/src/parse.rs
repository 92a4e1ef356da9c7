//! Text to documents: splitting as kubectl does, then one tree per document.

use super::{Node, Problem, document, json};
use crate::Span;

/// One document of a file; empty ones (only comments, or `null`) are left out.
#[derive(Debug)]
pub struct Document {
    pub root: Node,
    /// The bytes between its separators.
    pub span: Span,
}

/// The byte order mark.
const MARK: char = '\u{FEFF}';

/// All documents of a text, in order; a broken one does not lose the others.
///
/// A text that starts with `{` is read as JSON documents in a row, and from where that fails on as
/// YAML, as kubectl does since 1.33; before, it refused such a text.
pub fn parse(text: &str) -> Vec<Result<Document, Problem>> {
    parse_some(text, &mut |_| true)
}

/// The same without the YAML documents whose text is not `wanted`: those are not even parsed.
pub fn parse_some(
    text: &str,
    wanted: &mut dyn FnMut(&str) -> bool,
) -> Vec<Result<Document, Problem>> {
    if u32::try_from(text.len()).is_err() {
        return vec![Err(Problem::new(Span::default(), "this is larger than 4 GiB"))];
    }
    let start = text.len() - text.strip_prefix(MARK).unwrap_or(text).len();
    if !text[start..].trim_start().starts_with('{') {
        return parse_yaml(text, start, wanted);
    }
    let json::Stream { mut documents, stop } = json::read(text, start);
    match stop {
        None => {}
        // By the second document it is certain that this is JSON.
        Some((_, problem)) if documents.len() > 1 => documents.push(Err(problem)),
        Some((from, problem)) => {
            let mut rest = parse_yaml(text, from, wanted);
            if is_like_json(&text[from..])
                && let Some(first @ Err(_)) = rest.first_mut()
            {
                *first = Err(problem);
            }
            documents.extend(rest);
        }
    }
    documents.retain(|document| !document.as_ref().is_ok_and(|document| document.root.is_null()));
    documents
}

fn is_like_json(text: &str) -> bool {
    let inner = text.trim_start().strip_prefix('{').map(str::trim_start);
    inner.is_some_and(|inner| inner.starts_with(['"', '}']))
}

fn parse_yaml(
    text: &str,
    from: usize,
    wanted: &mut dyn FnMut(&str) -> bool,
) -> Vec<Result<Document, Problem>> {
    chunks(text, from)
        .into_iter()
        .filter(|chunk| chunk.as_ref().map_or(true, |span| wanted(&text[span.range()])))
        .filter_map(|chunk| chunk.and_then(|span| parse_chunk(text, span)).transpose())
        .collect()
}

/// Splits at lines that start with `---`, before any parsing, as Kubernetes' `YAMLReader` does: even
/// inside a block of text.
fn chunks(text: &str, from: usize) -> Vec<Result<Span, Problem>> {
    let mut chunks = Vec::new();
    let mut start = from;
    for at in separators(text, from) {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n + 1);
        let rest = text[at + 3..end].trim();
        // At the start of a file the parser sees the line too, and wants a space before the comment.
        let glued = at == from && text[at + 3..].starts_with('#');
        chunks.push(Ok(Span::new(start, at)));
        if !rest.is_empty() && !rest.starts_with('#') || glued {
            let span = Span::new(at, at + text[at..end].trim_end().len());
            let reason = "only a comment may follow `---` on its line";
            chunks.push(Err(Problem::new(span, reason)));
        }
        start = end;
    }
    chunks.push(Ok(Span::new(start, text.len())));
    chunks
}

fn separators(text: &str, from: usize) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(&bytes[from..], "---")
        .map(move |at| from + at)
        .filter(move |&at| at == from || bytes[at - 1] == b'\n')
}

fn parse_chunk(text: &str, span: Span) -> Result<Option<Document>, Problem> {
    let chunk = &text[span.range()];
    if is_blank(chunk) {
        return Ok(None);
    }
    let base = span.start as usize + chunk.len() - chunk.strip_prefix(MARK).unwrap_or(chunk).len();
    let place = Span::new(base, span.end as usize);
    if let Some(problem) = unprintable(text, place) {
        return Err(problem);
    }
    let root = document::read(text, place)?.filter(|root| !root.is_null());
    Ok(root.map(|root| Document { root, span }))
}

pub(super) fn is_blank(chunk: &str) -> bool {
    chunk.lines().all(|line| {
        let line = line.trim_start_matches(' ');
        line.is_empty() || line.starts_with('#')
    })
}

/// What YAML 1.1 does not let stand in a document, whatever quotes are around it.
pub fn unprintable(text: &str, span: Span) -> Option<Problem> {
    let is_good = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..);
    let bytes = &text.as_bytes()[span.range()];
    // Almost always there is nothing to find: a pass that the compiler turns into vector code. The bad ones
    // above U+007F begin with C2 (U+0080 to U+009F) or EF (U+FFFE, U+FFFF).
    let suspect = |chunk: &[u8]| {
        let bad = |byte: u8| {
            byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
                || matches!(byte, 0x7F | 0xC2 | 0xEF)
        };
        chunk.iter().fold(false, |any, &byte| any | bad(byte))
    };
    if !bytes.chunks(4096).any(suspect) {
        return None;
    }
    let (at, found) = text[span.range()].char_indices().find(|&(_, c)| !is_good(c))?;
    let at = span.start as usize + at;
    let reason = format!("the control character U+{:04X} cannot stand in YAML", found as u32);
    Some(Problem::new(Span::new(at, at + found.len_utf8()), reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The characters that the reader of libyaml and go-yaml takes for control characters.
    #[test]
    fn every_control_character_is_found_and_no_other() {
        let found = |c: char| unprintable(&format!("a: {c}\n"), Span::new(0, 4 + c.len_utf8()));
        let bad: Vec<u32> =
            ('\0'..=char::MAX).filter(|c| found(*c).is_some()).map(u32::from).collect();
        let expected =
            (0..=8).chain([0xB, 0xC]).chain(0xE..=0x1F).chain(0x7F..=0x84).chain(0x86..=0x9F);
        assert_eq!(bad, expected.chain([0xFFFE, 0xFFFF]).collect::<Vec<_>>());
    }
}
