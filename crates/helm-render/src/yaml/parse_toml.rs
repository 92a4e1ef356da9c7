//! TOML as BurntSushi/toml decodes it into a `map[string]interface{}`.

mod scalars;

use std::collections::{BTreeMap, BTreeSet};

use self::scalars::scalar;
use super::json::JsonError;
use crate::functions::objects;
use crate::time::Time;
use go_template::provenance::Taint;
use go_template::quote::quote;
use go_template::{Executor, Key, List, Map, Type, Value};

static TABLES: Type = Type::slice("[]map[string]interface {}", &Type::MAP);

/// `toml.Unmarshal`; the whole text flows into every value.
pub fn from_toml(context: &mut Executor<'_>, text: &Value) -> Result<Value, JsonError> {
    let taint = text.observed(&mut context.tracker);
    let source = text.as_text().map(|text| text.to_str().into_owned()).unwrap_or_default();
    let mut parser = Parser {
        rest: &source,
        line: 1,
        last_key: None,
        root: BTreeMap::new(),
        current: Vec::new(),
        defined: BTreeSet::new(),
        depth: 0,
    };
    match parser.document() {
        Ok(()) => Ok(table(&parser.root, taint)),
        Err(message) => {
            let key = parser.last_key.as_ref();
            let key =
                key.map_or(String::new(), |key| format!(" (last key {})", quote(key.as_bytes())));
            Err(JsonError::new(format!("toml: line {}{key}: {message}", parser.line)))
        }
    }
}

/// A value while tables may still grow.
#[derive(Clone)]
enum Item {
    Scalar(Scalar),
    Array(Vec<Item>),
    Table(BTreeMap<Key, Item>),
    /// Inline tables do not grow.
    Inline(BTreeMap<Key, Item>),
    Tables(Vec<BTreeMap<Key, Item>>),
}

#[derive(Clone)]
enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
    String(String),
    Time(Time),
}

fn table(entries: &BTreeMap<Key, Item>, taint: Taint) -> Value {
    let entries = entries.iter().map(|(key, item)| (key.clone(), value(item, taint)));
    Value::from(Map::of(&Type::MAP, entries.collect())).with_taint(taint)
}

fn value(item: &Item, taint: Taint) -> Value {
    match item {
        Item::Scalar(Scalar::Bool(flag)) => Value::from(*flag).with_taint(taint),
        Item::Scalar(Scalar::Int(number)) => Value::int64(*number).with_taint(taint),
        Item::Scalar(Scalar::Float(number)) => Value::from(*number).with_taint(taint),
        Item::Scalar(Scalar::String(text)) => Value::from(&**text).with_taint(taint),
        Item::Scalar(Scalar::Time(time)) => objects::time(time.clone()).with_taint(taint),
        Item::Array(items) => {
            let items = items.iter().map(|item| value(item, taint)).collect();
            Value::from(List::new(items)).with_taint(taint)
        }
        Item::Table(entries) | Item::Inline(entries) => table(entries, taint),
        Item::Tables(tables) => {
            let tables = tables.iter().map(|entries| table(entries, taint)).collect();
            Value::from(List::of(&TABLES, tables)).with_taint(taint)
        }
    }
}

type Parsed<T> = Result<T, String>;

const MAX_DEPTH: usize = 200;

struct Parser<'t> {
    rest: &'t str,
    line: usize,
    last_key: Option<String>,
    root: BTreeMap<Key, Item>,
    /// Path of the table that keys belong to.
    current: Vec<Key>,
    /// Tables that had a header of their own.
    defined: BTreeSet<Vec<Key>>,
    depth: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Parsed<()> {
        loop {
            self.skip_blank(true);
            let Some(c) = self.rest.chars().next() else { return Ok(()) };
            if let Some(rest) = self.rest.strip_prefix("[[") {
                self.rest = rest;
                self.header(true)?;
            } else if c == '[' {
                self.rest = &self.rest[1..];
                self.header(false)?;
            } else {
                let path = self.key_path('=')?;
                self.last_key = Some(self.full_key(&path));
                let item = self.value()?;
                let mut full = self.current.clone();
                full.extend(path);
                self.insert(&full, item)?;
                self.last_key = None;
            }
            self.end_of_line()?;
        }
    }

    fn full_key(&self, path: &[Key]) -> String {
        self.current.iter().chain(path).map(|key| &**key).collect::<Vec<_>>().join(".")
    }

    fn header(&mut self, is_array: bool) -> Parsed<()> {
        let path = self.key_path(']')?;
        if is_array {
            self.rest = self
                .rest
                .strip_prefix(']')
                .ok_or("expected end of table array name delimiter ']'")?;
        }
        if is_array {
            let (last, parents) = path.split_last().ok_or("unexpected end of table name")?;
            let parent = descend(&mut self.root, parents)?;
            match parent.entry(last.clone()).or_insert_with(|| Item::Tables(Vec::new())) {
                Item::Tables(tables) => tables.push(BTreeMap::new()),
                _ => {
                    return Err(format!(
                        "Key '{last}' was already created and cannot be used as an array."
                    ));
                }
            }
        } else {
            let shown = path.join(".");
            let is_scalar =
                !matches!(lookup(&self.root, &path), None | Some(Item::Table(_) | Item::Tables(_)));
            if is_scalar || !self.defined.insert(path.clone()) {
                return Err(format!("Key '{shown}' has already been defined."));
            }
            descend(&mut self.root, &path)?;
        }
        self.current = path;
        Ok(())
    }

    /// Keys with points between them, up to and with `end`.
    fn key_path(&mut self, end: char) -> Parsed<Vec<Key>> {
        let mut path = Vec::new();
        loop {
            self.skip_blank(false);
            path.push(self.key(end)?);
            self.skip_blank(false);
            if let Some(rest) = self.rest.strip_prefix('.') {
                self.rest = rest;
            } else if let Some(rest) = self.rest.strip_prefix(end) {
                self.rest = rest;
                return Ok(path);
            } else {
                let found = self.found();
                return Err(match end {
                    '=' if self.rest.is_empty() => {
                        "unexpected EOF; expected key separator '='".into()
                    }
                    ']' => {
                        format!("expected '.' or ']' to end table name, but got {found} instead")
                    }
                    _ => format!("expected '.' or '=', but got {found} instead"),
                });
            }
        }
    }

    /// The next character, as messages show it.
    fn found(&self) -> String {
        match self.rest.chars().next() {
            None => r"'\x00'".into(),
            Some('\n') => "'\\n'".into(),
            Some(c) => format!("'{c}'"),
        }
    }

    /// The same, for messages that know the end.
    fn found_or_end(&self) -> String {
        if self.rest.is_empty() { "end of file".into() } else { self.found() }
    }

    fn key(&mut self, end: char) -> Parsed<Key> {
        match self.rest.chars().next() {
            Some('"') => self.basic().map(Key::from),
            Some('\'') => self.literal().map(Key::from),
            _ => {
                let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                let len = self.rest.find(|c| !is_bare(c)).unwrap_or(self.rest.len());
                if len == 0 {
                    return Err(match (self.rest.chars().next(), end) {
                        (None, _) => "unexpected EOF".into(),
                        (Some(']'), ']') => {
                            "unexpected end of table name (table names cannot be empty)".into()
                        }
                        (Some('='), '=') => "unexpected '=': key name appears blank".into(),
                        _ => format!("bare keys cannot contain {}", self.found()),
                    });
                }
                let (key, rest) = self.rest.split_at(len);
                self.rest = rest;
                Ok(key.into())
            }
        }
    }

    fn insert(&mut self, path: &[Key], item: Item) -> Parsed<()> {
        let (last, parents) = path.split_last().ok_or("unexpected EOF")?;
        let table = descend(&mut self.root, parents)?;
        if table.contains_key(last) {
            return Err(format!("Key '{}' has already been defined.", path.join(".")));
        }
        table.insert(last.clone(), item);
        Ok(())
    }

    /// Spaces and comments, and line breaks where they mean nothing.
    fn skip_blank(&mut self, lines: bool) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            if lines && self.rest.starts_with('#') {
                self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
            }
            match self.rest.strip_prefix('\n') {
                Some(rest) if lines => {
                    self.line += 1;
                    self.rest = rest;
                }
                _ => return,
            }
        }
    }

    fn end_of_line(&mut self) -> Parsed<()> {
        self.skip_blank(false);
        if self.rest.starts_with('#') {
            self.rest = &self.rest[self.rest.find('\n').unwrap_or(self.rest.len())..];
        }
        if self.rest.is_empty() || self.rest.starts_with('\n') {
            return Ok(());
        }
        let found = self.found();
        Err(format!(
            "expected a top-level item to end with a newline, comment, or EOF, but got {found} instead"
        ))
    }

    fn value(&mut self) -> Parsed<Item> {
        self.skip_blank(false);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("values are nested too deeply".into());
        }
        let item = match self.rest.chars().next() {
            Some('[') => self.array()?,
            Some('{') => self.inline_table()?,
            Some('"') => Item::Scalar(Scalar::String(match self.rest.starts_with("\"\"\"") {
                true => self.long_basic()?,
                false => self.basic()?,
            })),
            Some('\'') => Item::Scalar(Scalar::String(match self.rest.starts_with("'''") {
                true => self.long_literal()?,
                false => self.literal()?,
            })),
            None => return Err("unexpected EOF; expected value".into()),
            _ => Item::Scalar(self.scalar()?),
        };
        self.depth -= 1;
        Ok(item)
    }

    fn array(&mut self) -> Parsed<Item> {
        self.rest = &self.rest[1..];
        let mut items = Vec::new();
        loop {
            self.skip_blank(true);
            if let Some(rest) = self.rest.strip_prefix(']') {
                self.rest = rest;
                return Ok(Item::Array(items));
            }
            if self.rest.is_empty() {
                return Err("unexpected EOF; expected ']'".into());
            }
            items.push(self.value()?);
            self.skip_blank(true);
            match self.rest.strip_prefix(',') {
                Some(rest) => self.rest = rest,
                None if self.rest.starts_with(']') => {}
                None => {
                    let found = self.found_or_end();
                    return Err(format!(
                        "expected a comma (',') or array terminator (']'), but got {found}"
                    ));
                }
            }
        }
    }

    fn inline_table(&mut self) -> Parsed<Item> {
        self.rest = &self.rest[1..];
        let mut entries = BTreeMap::new();
        loop {
            self.skip_blank(true);
            if let Some(rest) = self.rest.strip_prefix('}') {
                self.rest = rest;
                return Ok(Item::Inline(entries));
            }
            let path = self.key_path('=')?;
            let outer = self.last_key.clone();
            let shown = path.join(".");
            let shown = outer.as_ref().map_or(shown.clone(), |outer| format!("{outer}.{shown}"));
            self.last_key = Some(shown);
            let item = self.value()?;
            let (last, parents) = path.split_last().ok_or("unexpected EOF")?;
            descend(&mut entries, parents)?.insert(last.clone(), item);
            self.skip_blank(true);
            match self.rest.strip_prefix(',') {
                Some(rest) => {
                    self.rest = rest;
                    self.last_key = outer;
                }
                None if self.rest.starts_with('}') => self.last_key = outer,
                None => {
                    let found = self.found_or_end();
                    return Err(format!(
                        "expected a comma or an inline table terminator '}}', but got {found} instead"
                    ));
                }
            }
        }
    }

    /// A number, a boolean or a time.
    fn scalar(&mut self) -> Parsed<Scalar> {
        let is_end = |c: char| matches!(c, ',' | ']' | '}' | '#' | '\n' | '\r' | '\t' | ' ' | '=');
        let mut len = self.rest.find(is_end).unwrap_or(self.rest.len());
        // A date and a time may have a space between them.
        if len == 10 && self.rest.as_bytes()[4] == b'-' && self.rest[len..].starts_with(' ') {
            let tail = &self.rest[len + 1..];
            if tail.starts_with(|c: char| c.is_ascii_digit()) {
                len += 1 + tail.find(is_end).unwrap_or(tail.len());
            }
        }
        let (text, rest) = self.rest.split_at(len);
        let found = scalar(text);
        match found {
            Some(scalar) => {
                self.rest = rest;
                Ok(scalar)
            }
            None => Err(self.bad_scalar(text)),
        }
    }

    fn bad_scalar(&self, text: &str) -> String {
        match text.chars().next() {
            None => format!("expected value but found {} instead", self.found()),
            Some(c) if c.is_ascii_digit() || matches!(c, '+' | '-') => {
                let digits = text.trim_start_matches(['+', '-']);
                let leads_zero = digits.len() > 1
                    && digits.starts_with('0')
                    && digits[1..].starts_with(|c: char| c.is_ascii_digit());
                if leads_zero {
                    return format!(
                        "Invalid integer {}: cannot have leading zeroes",
                        quote(text.as_bytes())
                    );
                }
                if text.contains('_') {
                    let quoted = quote(text.as_bytes());
                    return format!(
                        "Invalid integer {quoted}: underscores must be surrounded by digits"
                    );
                }
                format!("expected a digit but got {}", self.found())
            }
            Some(_) => format!("expected value but found {} instead", quote(text.as_bytes())),
        }
    }
}

fn lookup<'i>(root: &'i BTreeMap<Key, Item>, path: &[Key]) -> Option<&'i Item> {
    let (first, rest) = path.split_first()?;
    match (root.get(first)?, rest) {
        (item, []) => Some(item),
        (Item::Table(entries) | Item::Inline(entries), _) => lookup(entries, rest),
        (Item::Tables(tables), _) => lookup(tables.last()?, rest),
        (item, _) => Some(item),
    }
}

/// The table at a path, made where it is missing; of arrays of tables the last.
fn descend<'i>(
    mut table: &'i mut BTreeMap<Key, Item>,
    path: &[Key],
) -> Parsed<&'i mut BTreeMap<Key, Item>> {
    for key in path {
        let item = table.entry(key.clone()).or_insert_with(|| Item::Table(BTreeMap::new()));
        table = match item {
            Item::Table(entries) => entries,
            Item::Tables(tables) => tables.last_mut().ok_or("unexpected EOF")?,
            _ => return Err(format!("Key '{key}' has already been defined.")),
        };
    }
    Ok(table)
}
