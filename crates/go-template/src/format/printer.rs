//! The state of a printing operation: output, flags, padding.

use std::ops::Range;

use crate::error::FuncError;
use crate::provenance::Taint;
use crate::runes;
use crate::text::Text;
use crate::text_builder::TextBuilder;
use crate::tracker::Tracker;
use crate::value::Value;

/// Bytes that one printing operation may produce.
const MAX_BYTES: usize = 16 << 20;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) minus: bool,
    pub(super) plus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    /// `%+v`.
    pub(super) plus_v: bool,
    /// `%#v`.
    pub(super) sharp_v: bool,
}

pub(super) struct Printer<'t> {
    pub(super) tracker: &'t mut Tracker,
    pub(super) flags: Flags,
    /// Whether the operand of a bad verb is being printed, which ignores methods.
    pub(super) is_erroring: bool,
    /// The inputs of the bytes being printed.
    pub(super) taint: Taint,
    pub(super) depth: usize,
    out: TextBuilder,
    error: Option<&'static str>,
}

impl<'t> Printer<'t> {
    pub(super) fn new(tracker: &'t mut Tracker) -> Self {
        Self {
            tracker,
            flags: Flags::default(),
            is_erroring: false,
            taint: Taint::NONE,
            depth: 0,
            out: TextBuilder::new(),
            error: None,
        }
    }

    pub(super) fn finish(self) -> Result<Value, FuncError> {
        match self.error {
            Some(error) => Err(FuncError::new(error)),
            None => Ok(self.out.finish()),
        }
    }

    pub(super) fn fail(&mut self, error: &'static str) {
        self.error.get_or_insert(error);
    }

    /// Whether further output is pointless.
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Appends bytes made here.
    pub(super) fn put(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if !bytes.is_empty() && self.has_room(bytes.len()) {
            self.out.push(self.tracker, bytes, self.taint);
        }
    }

    /// Appends bytes of an operand, which keep their origin.
    pub(super) fn put_piece(&mut self, text: &Text, range: Range<usize>) {
        if self.has_room(range.len()) {
            self.out.push_piece(self.tracker, text, range, self.taint);
        }
    }

    /// Appends bytes of an operand in quotes; those that need no escape keep their origin.
    pub(super) fn put_quoted(&mut self, text: &Text, range: Range<usize>, ascii: bool) {
        if self.has_room(range.len() * 4) {
            self.out.push_quoted_piece(self.tracker, text, range, self.taint, ascii);
        }
    }

    /// Appends bytes padded to the width.
    pub(super) fn pad(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let missing = self.missing(runes::count(bytes));
        self.pad_left(missing);
        self.put(bytes);
        self.pad_right(missing);
    }

    /// The amount of padding that a text of `len` runes needs.
    pub(super) fn missing(&self, len: usize) -> usize {
        self.flags.width.unwrap_or(0).saturating_sub(len)
    }

    pub(super) fn pad_left(&mut self, missing: usize) {
        if !self.flags.minus {
            self.put_padding(missing);
        }
    }

    pub(super) fn pad_right(&mut self, missing: usize) {
        if self.flags.minus {
            self.put_padding(missing);
        }
    }

    pub(super) fn put_padding(&mut self, len: usize) {
        if len > 0 && self.has_room(len) {
            let byte = if self.flags.zero && !self.flags.minus { b'0' } else { b' ' };
            self.put(vec![byte; len]);
        }
    }

    fn has_room(&mut self, len: usize) -> bool {
        if self.out.len().saturating_add(len) > MAX_BYTES {
            self.fail("exceeded maximum size of a formatted text");
        }
        !self.has_failed()
    }
}
