//! Reads the head of an ordinary manifest without a YAML parser: reading back what was just printed would
//! cost more than printing it.
//!
//! It knows block collections of scalars, quoted ones on one line, and gives up at anything else. What it
//! accepts is valid YAML and means what the parser says; the tests compare both.

mod scalars;

use self::scalars::{is_block_header, scalar, split_key};
use super::Head;
use crate::source::Span;
use crate::yaml::quick::lines::{Lines, is_end_or_space, trim_end, trim_start};
use crate::yaml::quick::scalars::plain_rest;
use crate::yaml::quick::{DEEPEST, has_odd_breaks};
use crate::yaml::{Value, resolve, unprintable};

/// The head of a manifest; `None` where only the parser can tell.
pub(super) fn scan(text: &str) -> Option<Head> {
    let place = Span::new(0, text.len());
    if unprintable(text, place).is_some() || has_odd_breaks(text) {
        return None;
    }
    let mut scan = Scan::default();
    for line in Lines::new(text, place) {
        let (indent, body) = (line.indent, &text[line.start + line.indent..line.end]);
        if scan.is_inside_block(indent, body)? {
            continue;
        }
        if memchr::memchr(b'\t', body.as_bytes()).is_some() {
            return None;
        }
        if indent == 0 && ["---", "...", "%"].iter().any(|mark| body.starts_with(mark)) {
            return None;
        }
        if !body.is_empty() && !scan.goes_on(indent, body)? {
            scan.line(indent, body)?;
        }
    }
    scan.head.annotations.sort();
    Some(scan.head)
}

#[derive(Default)]
struct Scan<'t> {
    head: Head,
    levels: Vec<Level>,
    /// Whether the root mapping has come: what follows its end is another document.
    is_begun: bool,
    /// The column of the key or dash whose value has not come yet.
    pending: Option<usize>,
    block: Option<Block>,
    /// The column that the lines of the scalar without quotes must exceed that may go on.
    plain: Option<usize>,
    /// The keys of the head that were met: none may come twice.
    met: Vec<&'t str>,
    /// The key of the root mapping that the line is below, and that of `metadata`.
    top: &'t str,
    second: &'t str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Level {
    column: usize,
    is_map: bool,
}

/// A block scalar being read.
struct Block {
    /// The column that its lines must exceed.
    outer: usize,
    /// The column of its lines, once one has come.
    indent: Option<usize>,
    /// Spaces on the blank lines before.
    blank: usize,
}

impl<'t> Scan<'t> {
    /// Whether a line belongs to the block scalar above it.
    fn is_inside_block(&mut self, indent: usize, body: &str) -> Option<bool> {
        let Some(block) = &mut self.block else { return Some(false) };
        match (body.is_empty(), block.indent) {
            (true, None) => block.blank = block.blank.max(indent),
            (true, Some(_)) => {}
            (false, None) if indent > block.outer => {
                if block.blank > indent || body.starts_with('\t') {
                    return None;
                }
                block.indent = Some(indent);
            }
            (false, Some(inner)) if indent >= inner => {}
            (false, _) => {
                if indent > block.outer || block.indent.is_none() && block.blank > 0 {
                    return None;
                }
                self.block = None;
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether a line is a comment or belongs to the scalar above it.
    fn goes_on(&mut self, indent: usize, body: &str) -> Option<bool> {
        let outer = self.plain.take();
        if body.starts_with('#') {
            return Some(true);
        }
        if outer.is_none_or(|outer| indent <= outer) {
            return Some(false);
        }
        self.plain = outer;
        let (_, has_comment) = plain_rest(body)?;
        (!has_comment).then_some(true)
    }

    /// A line with content: dashes, then a key with or without its value, or a scalar.
    fn line(&mut self, mut column: usize, mut rest: &'t str) -> Option<()> {
        let mut is_item = false;
        while let Some(after) = rest.strip_prefix('-').filter(|after| is_end_or_space(after)) {
            self.place(Level { column, is_map: false })?;
            self.pending = Some(column);
            is_item = true;
            let inner = trim_start(after);
            if inner.is_empty() || inner.starts_with('#') {
                return Some(());
            }
            column += 1 + after.len() - inner.len();
            rest = inner;
        }
        if let Some((key, value)) = split_key(rest) {
            self.place(Level { column, is_map: true })?;
            return self.entry(column, key, trim_start(value));
        }
        let outer = self.pending.take()?;
        if !is_item {
            let is_of_head = self.levels.len() < 2 || self.top == "metadata";
            let is_value = ["{}", "[]", "null"].contains(&trim_end(rest));
            return (is_value && column > outer && !is_of_head).then_some(());
        }
        if is_block_header(rest) {
            self.block = Some(Block { outer, indent: None, blank: 0 });
            return Some(());
        }
        self.plain = scalar(rest)?.is_open().then_some(outer);
        Some(())
    }

    /// Closes what ends before this line, and opens the collection that starts with it.
    fn place(&mut self, level: Level) -> Option<()> {
        if let Some(owner) = self.pending.take() {
            let above = Level { column: owner, is_map: true };
            let is_flush = !level.is_map && level.column == owner;
            if level.column > owner || is_flush && self.levels.last() == Some(&above) {
                return self.open(level);
            }
            if self.is_annotation() {
                return None;
            }
        }
        while self.levels.last().is_some_and(|last| last.column > level.column) {
            self.levels.pop();
        }
        let Some(last) = self.levels.last() else {
            let is_first = !std::mem::replace(&mut self.is_begun, true);
            return if level.is_map && is_first { self.open(level) } else { None };
        };
        if last.column == level.column && !last.is_map && level.is_map {
            self.levels.pop();
        }
        (self.levels.last() == Some(&level)).then_some(())
    }

    fn open(&mut self, level: Level) -> Option<()> {
        let is_wanted = match self.levels.len() {
            1 => ["apiVersion", "kind", "metadata"].contains(&self.top),
            2 => self.top == "metadata" && ["name", "annotations"].contains(&self.second),
            3 => self.is_annotation(),
            _ => false,
        };
        let is_container = match self.levels.len() {
            1 => self.top == "metadata",
            2 => self.second == "annotations",
            _ => false,
        };
        if is_wanted && !(level.is_map && is_container) || self.levels.len() > DEEPEST {
            return None;
        }
        self.levels.push(level);
        Some(())
    }

    fn is_annotation(&self) -> bool {
        self.levels.len() == 3 && self.top == "metadata" && self.second == "annotations"
    }

    fn entry(&mut self, column: usize, key: &'t str, value: &'t str) -> Option<()> {
        let wanted = self.wanted(key)?;
        let has_value = !value.is_empty() && !value.starts_with('#');
        if !has_value {
            self.pending = Some(column);
            return (wanted != Wanted::Text || self.levels.len() < 3).then_some(());
        }
        if is_block_header(value) {
            self.block = Some(Block { outer: column, indent: None, blank: 0 });
            return (wanted == Wanted::Nothing).then_some(());
        }
        let scalar = scalar(value)?;
        if wanted == Wanted::Nothing {
            self.plain = scalar.is_open().then_some(column);
            return Some(());
        }
        let text = scalar.text()?.to_owned();
        match (self.levels.len(), key) {
            (1, "apiVersion") => self.head.api_version = text,
            (1, "kind") => self.head.kind = text,
            (2, "name") => self.head.name = text,
            (3, _) => self.head.annotations.push((key.to_owned(), text)),
            // `metadata: x`
            _ => return None,
        }
        Some(())
    }

    /// What the head wants of a key.
    fn wanted(&mut self, key: &'t str) -> Option<Wanted> {
        let names: &[&str] = match self.levels.len() {
            1 => {
                (self.top, self.second) = (key, "");
                &["apiVersion", "kind", "metadata"]
            }
            2 if self.top == "metadata" => {
                self.second = key;
                &["name", "annotations"]
            }
            3 if self.is_annotation() => {
                let is_text = matches!(resolve(key), Value::Str(_));
                let is_new = self.head.annotations.iter().all(|(other, _)| other != key);
                return (is_text && is_new).then_some(Wanted::Text);
            }
            _ => return Some(Wanted::Nothing),
        };
        let Some(name) = names.iter().find(|name| name.eq_ignore_ascii_case(key)) else {
            return Some(Wanted::Nothing);
        };
        // Go takes names in any case, and the last of several.
        if *name != key || self.met.contains(name) {
            return None;
        }
        self.met.push(name);
        Some(Wanted::Text)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Nothing,
    Text,
}
