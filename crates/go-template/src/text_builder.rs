//! Assembles texts from pieces that keep their origin.

use std::ops::Range;

use crate::provenance::{Inputs, PositionId, SpanMap, Taint};
use crate::text::{Text, TextOrigin};
use crate::tracker::Tracker;
use crate::value::Value;
use crate::{quote, runes};

/// A text under construction. With provenance switched off it collects only the bytes.
#[derive(Debug, Default)]
pub struct TextBuilder {
    bytes: Vec<u8>,
    spans: SpanMap,
}

impl TextBuilder {
    /// An empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of bytes so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no bytes yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes and their origins; the map is empty with provenance switched off.
    pub fn into_parts(self) -> (Vec<u8>, SpanMap) {
        (self.bytes, self.spans)
    }

    /// Counts the inputs of all bytes as met.
    pub(crate) fn meet(&self, inputs: &mut Inputs) {
        for run in self.spans.runs() {
            inputs.join(run.taint, Taint::NONE);
        }
    }

    /// Appends bytes that the current action makes out of the inputs of `taint`.
    pub fn push(&mut self, tracker: &mut Tracker, bytes: impl AsRef<[u8]>, taint: Taint) {
        let bytes = bytes.as_ref();
        self.bytes.extend_from_slice(bytes);
        if tracker.is_on() {
            self.spans.push(bytes.len(), tracker.here(), taint);
        }
    }

    /// Appends a string; appends nothing for a value of another type.
    pub fn push_text(&mut self, tracker: &mut Tracker, value: &Value) {
        let len = value.as_text().map_or(0, Text::len);
        self.push_slice(tracker, value, 0..len);
    }

    /// Appends the bytes `range` of a string; appends nothing for a value of another type.
    ///
    /// # Panics
    ///
    /// `range` is out of bounds.
    pub fn push_slice(&mut self, tracker: &mut Tracker, value: &Value, range: Range<usize>) {
        if let Some(text) = value.as_text() {
            self.push_piece(tracker, text, range, value.taint());
        }
    }

    pub(crate) fn push_piece(
        &mut self,
        tracker: &mut Tracker,
        text: &Text,
        range: Range<usize>,
        taint: Taint,
    ) {
        self.bytes.extend_from_slice(text.slice(range.clone()));
        if !tracker.is_on() {
            return;
        }
        match text.origin() {
            TextOrigin::Pieces(spans) => {
                self.spans.append(tracker.inputs(), spans, range, taint, None);
            }
            TextOrigin::Literal(position) => {
                self.spans.push_part(range, *position, *position, taint);
            }
            TextOrigin::Unknown => self.spans.push(range.len(), tracker.here(), taint),
        }
    }

    /// Appends a string quoted as by `strconv.Quote`; appends nothing for a value of another type.
    pub fn push_quoted(&mut self, tracker: &mut Tracker, value: &Value) {
        if let Some(text) = value.as_text() {
            self.push_quoted_piece(tracker, text, 0..text.len(), value.taint(), false);
        }
    }

    pub(crate) fn push_quoted_piece(
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
        for (at, rune, len) in runes::runes(text.slice(range.clone())) {
            let at = at + range.start;
            if let Some(escaped) = quote::escape(text.slice(at..at + len), rune, ascii) {
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

    /// Appends a text that the current action prints.
    pub(crate) fn print_text(&mut self, tracker: &mut Tracker, text: &Text, taint: Taint) {
        self.bytes.extend_from_slice(text.as_bytes());
        if !tracker.is_on() {
            return;
        }
        let here = tracker.here();
        let all = 0..text.len();
        match text.origin() {
            TextOrigin::Pieces(spans) => {
                self.spans.append(tracker.inputs(), spans, all, taint, Some(here));
            }
            TextOrigin::Literal(position) => self.spans.push_part(all, *position, here, taint),
            TextOrigin::Unknown => self.spans.push(text.len(), here, taint),
        }
    }

    /// Appends literal text of a template.
    pub(crate) fn print_literal(
        &mut self,
        bytes: &[u8],
        position: Option<PositionId>,
        taint: Taint,
    ) {
        self.bytes.extend_from_slice(bytes);
        if let Some(position) = position {
            self.spans.push(bytes.len(), position, taint);
        }
    }

    /// Appends literal text of a template that is itself a text with the origins `source`; the bytes
    /// are those at offset `start` of it and keep the inputs of its parts.
    pub(crate) fn print_sourced_literal(
        &mut self,
        tracker: &mut Tracker,
        (bytes, start): (&[u8], usize),
        source: &SpanMap,
        position: PositionId,
        taint: Taint,
    ) {
        self.bytes.extend_from_slice(bytes);
        for (part, inner) in source.parts(start..start + bytes.len()) {
            let part = part.start - start..part.end - start;
            let taint = tracker.join(taint, inner);
            self.spans.push_part(part, position, position, taint);
        }
    }

    /// Removes the bytes from offset `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
        self.spans.truncate(len);
    }

    /// The string, tainted by its pieces alone.
    pub fn finish(self) -> Value {
        Value::from(self.finish_text())
    }

    pub(crate) fn finish_text(self) -> Text {
        Text::with_spans(self.bytes, self.spans)
    }
}
