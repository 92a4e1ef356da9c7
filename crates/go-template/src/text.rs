//! Strings that remember where their bytes came from.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{Tracker, Value, quote, runes};
use crate::provenance::{Place, SpanMap, Taint};

/// A Go string: bytes, usually but not necessarily UTF-8. Cheap to clone.
///
/// The inputs that belong to the *whole* string are in the [`Value`] around it; a text assembled
/// from pieces has those of each piece as well.
#[derive(Clone)]
pub struct Text {
    bytes: Arc<[u8]>,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Origin {
    Unknown,
    /// A literal of a template.
    Place(Place),
    Pieces(Arc<SpanMap>),
}

impl Text {
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { bytes: bytes.into(), origin: Origin::Unknown }
    }

    /// A literal at a known place.
    pub fn at(bytes: Arc<[u8]>, place: Option<Place>) -> Self {
        Self { bytes, origin: place.map_or(Origin::Unknown, Origin::Place) }
    }

    /// A text whose pieces have origins of their own; `spans` covers all bytes or is empty.
    pub fn with_spans(bytes: impl Into<Arc<[u8]>>, spans: SpanMap) -> Self {
        let origin =
            if spans.is_empty() { Origin::Unknown } else { Origin::Pieces(Arc::new(spans)) };
        Self { bytes: bytes.into(), origin }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The text if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// The text with U+FFFD for what is not UTF-8, as Go sees it when it decodes runes.
    pub fn to_str(&self) -> Cow<'_, str> {
        runes::to_str(&self.bytes)
    }

    /// The origins of the pieces, where they are known apart.
    pub fn spans(&self) -> Option<&SpanMap> {
        match &self.origin {
            Origin::Pieces(spans) => Some(spans),
            _ => None,
        }
    }

    /// Inputs of the pieces; those of the whole are in the value.
    pub(super) fn inner_taint(&self, tracker: &mut Tracker) -> Taint {
        self.spans().map_or(Taint::NONE, |spans| spans.summary(tracker.inputs()))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_str())
    }
}

/// Assembles a text from pieces that keep their origin.
///
/// With provenance switched off only the bytes are collected.
#[derive(Debug, Default)]
pub struct TextBuilder {
    bytes: Vec<u8>,
    spans: SpanMap,
}

impl TextBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// A text that will have about so many bytes.
    pub(super) fn with_capacity(len: usize) -> Self {
        Self { bytes: Vec::with_capacity(len), spans: SpanMap::new() }
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes and their origins; nothing of them with provenance switched off.
    pub fn into_parts(self) -> (Vec<u8>, SpanMap) {
        (self.bytes, self.spans)
    }

    /// Bytes made by the action being executed, out of what `taint` names.
    pub fn push(&mut self, tracker: &mut Tracker, bytes: impl AsRef<[u8]>, taint: Taint) {
        let bytes = bytes.as_ref();
        self.bytes.extend_from_slice(bytes);
        if tracker.is_on() {
            let place = tracker.here();
            self.spans.push(bytes.len(), place, taint);
        }
    }

    /// All of a string; nothing for a value that is not a string.
    pub fn push_text(&mut self, tracker: &mut Tracker, value: &Value) {
        let len = value.as_text().map_or(0, Text::len);
        self.push_slice(tracker, value, 0..len);
    }

    /// The bytes `range` of a string, which must be within bounds.
    pub fn push_slice(&mut self, tracker: &mut Tracker, value: &Value, range: Range<usize>) {
        if let Some(text) = value.as_text() {
            self.push_piece(tracker, text, range, value.taint());
        }
    }

    pub(super) fn push_piece(
        &mut self,
        tracker: &mut Tracker,
        text: &Text,
        range: Range<usize>,
        taint: Taint,
    ) {
        self.bytes.extend_from_slice(&text.bytes[range.clone()]);
        if !tracker.is_on() {
            return;
        }
        match &text.origin {
            Origin::Pieces(spans) => self.spans.append(tracker.inputs(), spans, range, taint, None),
            Origin::Place(place) => {
                self.spans.push_part(range, *place, *place, taint);
            }
            Origin::Unknown => {
                let place = tracker.here();
                self.spans.push(range.len(), place, taint);
            }
        }
    }

    /// The bytes of a string quoted as by `strconv.Quote`.
    pub fn push_quoted(&mut self, tracker: &mut Tracker, value: &Value) {
        if let Some(text) = value.as_text() {
            self.push_quoted_piece(tracker, text, 0..text.len(), value.taint(), false);
        }
    }

    pub(super) fn push_quoted_piece(
        &mut self,
        tracker: &mut Tracker,
        text: &Text,
        range: Range<usize>,
        taint: Taint,
        ascii: bool,
    ) {
        let inner = text.inner_taint(tracker);
        let inner = tracker.join(taint, inner);
        let decided = tracker.decide(inner);
        self.push(tracker, "\"", decided);
        let mut plain = range.start;
        for (at, rune, len) in runes::runes(&text.bytes[range.clone()]) {
            let at = at + range.start;
            if let Some(escaped) = quote::escape(&text.bytes[at..at + len], rune, ascii) {
                self.push_piece(tracker, text, plain..at, taint);
                let piece = text.spans().map(|spans| spans.taint_at(at)).unwrap_or_default();
                let piece = tracker.join(taint, piece);
                self.push(tracker, escaped, piece);
                plain = at + len;
            }
        }
        self.push_piece(tracker, text, plain..range.end, taint);
        self.push(tracker, "\"", decided);
    }

    /// Appends to an output: the same, with the action being executed as printer.
    pub(super) fn print_text(&mut self, tracker: &mut Tracker, text: &Text, taint: Taint) {
        self.bytes.extend_from_slice(&text.bytes);
        if !tracker.is_on() {
            return;
        }
        let here = tracker.here();
        let inputs = tracker.inputs();
        let all = 0..text.len();
        match &text.origin {
            Origin::Pieces(spans) => self.spans.append(inputs, spans, all, taint, Some(here)),
            Origin::Place(place) => self.spans.push_part(all, *place, here, taint),
            Origin::Unknown => self.spans.push(text.len(), here, taint),
        }
    }

    /// Bytes of a template's literal text.
    pub(super) fn print_literal(&mut self, bytes: &[u8], place: Option<Place>, taint: Taint) {
        self.bytes.extend_from_slice(bytes);
        if let Some(place) = place {
            self.spans.push(bytes.len(), place, taint);
        }
    }

    /// Bytes of a template that is itself a text: those of its `range`, which keep the inputs of its pieces.
    pub(super) fn print_written(
        &mut self,
        tracker: &mut Tracker,
        text: &Text,
        range: Range<usize>,
        place: Place,
        taint: Taint,
    ) {
        self.bytes.extend_from_slice(&text.bytes[range.clone()]);
        let start = range.start;
        for (part, inner) in text.spans().into_iter().flat_map(|spans| spans.parts(range.clone())) {
            let part = part.start - start..part.end - start;
            let taint = tracker.join(taint, inner);
            self.spans.push_part(part, place, place, taint);
        }
    }

    /// Forgets the bytes from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
        self.spans.truncate(len);
    }

    /// The string, tainted by its pieces alone.
    pub fn finish(self) -> Value {
        Value::from(self.finish_text())
    }

    pub(super) fn finish_text(self) -> Text {
        Text::with_spans(self.bytes, self.spans)
    }
}
