//! Columns, indentation, line breaks, and the text of scalars in each style.

use yaml_spans::emit::{chomping, escape, is_break, is_printable};

/// Lines are folded after this column.
const WIDTH: usize = 80;

/// The output and the state of libyaml's emitter.
pub(super) struct Writer<'o> {
    out: &'o mut String,
    column: usize,
    indent: Option<usize>,
    outer: Vec<Option<usize>>,
    whitespace: bool,
    indention: bool,
}

impl<'o> Writer<'o> {
    pub(super) fn new(out: &'o mut String) -> Self {
        Self { out, column: 0, indent: None, outer: Vec::new(), whitespace: true, indention: true }
    }

    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// A sequence in a map is not indented.
    pub(super) fn collection_indent(&mut self, is_map_value: bool) {
        let indentless = is_map_value && !self.indention;
        self.outer.push(self.indent);
        self.indent = Some(match self.indent {
            None => 0,
            Some(indent) if indentless => indent,
            Some(indent) => indent + 2,
        });
    }

    pub(super) fn scalar_indent(&mut self) {
        self.outer.push(self.indent);
        self.indent = Some(self.indent.map_or(2, |indent| indent + 2));
    }

    pub(super) fn outdent(&mut self) {
        self.indent = self.outer.pop().flatten();
    }

    pub(super) fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || self.column == indent && !self.whitespace {
            self.line_break();
        }
        while self.column < indent {
            self.put(" ");
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn line_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    pub(super) fn indicator(&mut self, text: &str, needs_space: bool, is_indention: bool) {
        if needs_space {
            self.space();
        }
        self.put(text);
        self.whitespace = false;
        self.indention &= is_indention;
    }

    /// Writes a space unless the last character is one.
    pub(super) fn space(&mut self) {
        if !self.whitespace {
            self.put(" ");
            self.whitespace = true;
        }
    }

    /// Writes ASCII text.
    pub(super) fn put(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.len();
    }

    fn push(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    pub(super) fn end_scalar(&mut self) {
        self.whitespace = false;
        self.indention = false;
    }

    pub(super) fn plain(&mut self, text: &str, may_break: bool) {
        self.folded(text, may_break, false);
        self.end_scalar();
    }

    pub(super) fn single_quoted(&mut self, text: &str, may_break: bool) {
        self.indicator("'", true, false);
        self.folded(text, may_break, true);
        self.indicator("'", false, false);
    }

    /// Writes text, replacing single spaces after the maximum width with line breaks.
    fn folded(&mut self, text: &str, may_break: bool, single_quoted: bool) {
        let (mut after_space, mut after_break) = (false, false);
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            if c == ' ' {
                // A single-quoted scalar cannot start or end with a folded line.
                let is_kept = single_quoted && (at == 0 || end >= text.len());
                let is_single = !after_space && text.as_bytes().get(end) != Some(&b' ');
                if may_break && self.column > WIDTH && is_single && !is_kept {
                    self.write_indent();
                } else {
                    self.push(c);
                }
                after_space = true;
            } else if is_break(c) {
                if !after_break && c == '\n' {
                    self.line_break();
                }
                self.out.push(c);
                self.column = 0;
                self.indention = true;
                after_break = true;
            } else {
                if after_break {
                    self.write_indent();
                }
                if single_quoted && c == '\'' {
                    self.push(c);
                }
                self.push(c);
                self.indention = false;
                (after_space, after_break) = (false, false);
            }
        }
    }

    pub(super) fn double_quoted(&mut self, text: &str, may_break: bool) {
        self.indicator("\"", true, false);
        let escapes_all = text.starts_with('\u{feff}');
        let mut after_space = false;
        for (at, c) in text.char_indices() {
            let end = at + c.len_utf8();
            let is_plain = is_printable(c) && !is_break(c) && c != '"' && c != '\\';
            if escapes_all || !is_plain {
                self.put(&escape(c));
                after_space = false;
                continue;
            }
            let can_fold = may_break && self.column > WIDTH && at > 0 && end < text.len();
            if c == ' ' && can_fold && !after_space {
                self.write_indent();
                if text.as_bytes().get(end) == Some(&b' ') {
                    self.put("\\");
                }
            } else {
                self.push(c);
            }
            after_space = c == ' ';
        }
        self.indicator("\"", false, false);
    }

    pub(super) fn literal(&mut self, text: &str) {
        self.indicator("|", true, false);
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.indicator("2", false, false);
        }
        self.indicator(chomping(text), false, false);
        self.line_break();
        self.indention = true;
        self.whitespace = true;
        let mut after_break = true;
        for c in text.chars() {
            if is_break(c) {
                self.out.push(c);
                self.column = 0;
                self.indention = true;
                after_break = true;
                continue;
            }
            if after_break {
                self.write_indent();
            }
            self.push(c);
            self.indention = false;
            after_break = false;
        }
    }
}
