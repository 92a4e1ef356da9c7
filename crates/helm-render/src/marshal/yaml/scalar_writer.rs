//! Printing the text of a string in each scalar style.

use go_template::{Value, provenance::Taint};

use yaml_spans::emit;

use super::{Emitter, WIDTH};

/// Prints the text of one string.
pub(super) struct ScalarWriter<'s, 'c, 'e> {
    pub(super) emitter: &'s mut Emitter<'c, 'e>,
    pub(super) value: &'s Value,
    pub(super) text: &'s str,
    /// All inputs of the string; they control what is added to its text.
    pub(super) observed: Taint,
    pub(super) may_break: bool,
}

impl ScalarWriter<'_, '_, '_> {
    pub(super) fn plain(&mut self) {
        let taint = self.observed;
        self.emitter.space(taint);
        self.folded(|_, _| false, |_| None);
        self.emitter.whitespace = false;
        self.emitter.indention = false;
    }

    pub(super) fn single_quoted(&mut self) {
        let taint = self.observed;
        self.emitter.indicator("'", true, false, taint);
        // A single-quoted scalar cannot start or end with a folded line.
        self.folded(|at, len| at == 0 || at + 1 >= len, |c| (c == '\'').then_some("'"));
        self.emitter.indicator("'", false, false, taint);
    }

    /// Prints text, replacing single spaces after the maximum width with line breaks. `prefix`
    /// gives the text to put before a character.
    fn folded(
        &mut self,
        is_kept: fn(usize, usize) -> bool,
        prefix: fn(char) -> Option<&'static str>,
    ) {
        let (text, taint) = (self.text, self.observed);
        let bytes = text.as_bytes();
        let (mut start, mut after_space, mut after_break) = (0, false, false);
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            if c == ' ' {
                let is_single = !after_space && bytes.get(end) != Some(&b' ');
                if self.may_fold() && is_single && !is_kept(at, bytes.len()) {
                    self.flush(start, at);
                    start = end;
                    self.emitter.write_indent(taint);
                } else {
                    self.emitter.column += 1;
                }
                after_space = true;
                continue;
            }
            if emit::is_break(c) {
                self.flush(start, at);
                start = end;
                if !after_break && c == '\n' {
                    self.emitter.line_break(taint);
                }
                self.flush(at, end);
                self.emitter.column = 0;
                self.emitter.indention = true;
                after_break = true;
                continue;
            }
            if after_break {
                self.flush(start, at);
                start = at;
                self.emitter.write_indent(taint);
            }
            if let Some(prefix) = prefix(c) {
                self.flush(start, at);
                start = at;
                let piece = self.value.taint_at(&mut self.emitter.context.tracker, at);
                self.emitter.put(prefix, piece);
            }
            self.emitter.column += 1;
            self.emitter.indention = false;
            (after_space, after_break) = (false, false);
        }
        self.flush(start, bytes.len());
    }

    fn may_fold(&self) -> bool {
        self.may_break && !self.emitter.is_v3() && self.emitter.column > WIDTH
    }

    pub(super) fn double_quoted(&mut self) {
        let (text, taint) = (self.text, self.observed);
        self.emitter.indicator("\"", true, false, taint);
        let escapes_all = text.starts_with('\u{feff}');
        let (mut start, mut after_space) = (0, false);
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            let is_plain = emit::is_printable(c) && !emit::is_break(c) && c != '"' && c != '\\';
            if escapes_all || !is_plain {
                self.flush(start, at);
                start = end;
                let escaped = emit::escape(c);
                let piece = self.value.taint_at(&mut self.emitter.context.tracker, at);
                self.emitter.put(&escaped, piece);
                after_space = false;
                continue;
            }
            let can_fold = self.may_fold() && !after_space && at > 0 && end < text.len();
            if c == ' ' && can_fold {
                self.flush(start, at);
                start = end;
                self.emitter.write_indent(taint);
                if text.as_bytes().get(end) == Some(&b' ') {
                    self.emitter.put("\\", taint);
                }
            } else {
                self.emitter.column += 1;
            }
            after_space = c == ' ';
        }
        self.flush(start, text.len());
        self.emitter.indicator("\"", false, false, taint);
    }

    pub(super) fn literal(&mut self) {
        let (text, taint) = (self.text, self.observed);
        self.emitter.indicator("|", true, false, taint);
        if text.starts_with(|c| c == ' ' || emit::is_break(c)) {
            self.emitter.indicator("2", false, false, taint);
        }
        self.emitter.indicator(emit::chomping(text), false, false, taint);
        self.emitter.line_break(taint);
        self.emitter.indention = true;
        self.emitter.whitespace = true;
        let (mut start, mut after_break) = (0, true);
        for (at, c) in text.char_indices() {
            if emit::is_break(c) {
                self.emitter.column = 0;
                self.emitter.indention = true;
                after_break = true;
                continue;
            }
            if after_break {
                self.flush(start, at);
                start = at;
                self.emitter.write_indent(taint);
            }
            self.emitter.column += 1;
            self.emitter.indention = false;
            after_break = false;
        }
        self.flush(start, text.len());
    }

    /// Copies bytes of the string whose columns are already counted.
    fn flush(&mut self, start: usize, end: usize) {
        if start < end {
            let Emitter { context, out, .. } = &mut *self.emitter;
            out.push_slice(&mut context.tracker, self.value, start..end);
        }
    }
}
