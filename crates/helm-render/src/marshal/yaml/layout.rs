//! Indentation, line breaks and indicators.

use go_template::provenance::Taint;

use super::Emitter;

impl Emitter<'_, '_> {
    pub(super) fn increase_indent(&mut self, flow: bool, indentless: bool) {
        self.indent = Some(match self.indent {
            None if flow => 2,
            None => 0,
            Some(indent) if indentless => indent,
            Some(indent) => indent + 2,
        });
    }

    pub(super) fn write_indent(&mut self, taint: Taint) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || self.column == indent && !self.whitespace {
            self.line_break(taint);
        }
        if self.column < indent {
            let decided = self.context.tracker.decide(taint);
            const SPACES: &str = "                                ";
            let mut missing = indent - self.column;
            while missing > 0 {
                let part = missing.min(SPACES.len());
                self.out.push(&mut self.context.tracker, &SPACES[..part], decided);
                missing -= part;
            }
            self.column = indent;
        }
        self.whitespace = true;
        self.indention = true;
    }

    pub(super) fn line_break(&mut self, taint: Taint) {
        self.punctuation("\n", taint);
        self.column = 0;
    }

    pub(super) fn indicator(
        &mut self,
        text: &str,
        needs_space: bool,
        is_indention: bool,
        taint: Taint,
    ) {
        if needs_space {
            self.space(taint);
        }
        self.punctuation(text, taint);
        self.whitespace = false;
        self.indention &= is_indention;
    }

    /// Prints a space unless the last character is one.
    pub(super) fn space(&mut self, taint: Taint) {
        if !self.whitespace {
            self.punctuation(" ", taint);
        }
    }

    /// Bytes that no value flows into: values only control whether they are printed.
    pub(super) fn punctuation(&mut self, text: &str, taint: Taint) {
        let decided = self.context.tracker.decide(taint);
        self.put(text, decided);
    }

    /// Prints ASCII text made here.
    pub(super) fn put(&mut self, text: &str, taint: Taint) {
        self.out.push(&mut self.context.tracker, text, taint);
        self.column += text.len();
    }
}
