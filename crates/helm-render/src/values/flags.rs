//! The syntax of `--set` and its relatives: `a.b[0]=x,c={1,2}`. Helm `pkg/strvals`.

use std::sync::Arc;

use go_template::quote::quote;
use yaml_spans::{Location, Source, Span};

use super::{Setting, Table, Tree, collect::FlagKind, json};
use crate::HelmVersion;

/// Limit for list indexes.
const MAX_INDEX: usize = 65_536;
/// Limit for nested names.
const MAX_NESTING: usize = 30;

/// Reads the file that `--set-file` names.
pub(super) type ReadFile<'r> = &'r dyn Fn(&str) -> Result<String, String>;

/// Applies a flag to the values.
///
/// # Errors
///
/// Helm's message.
pub(super) fn parse(
    kind: FlagKind,
    source: &Arc<Source>,
    values: &mut Table,
    version: HelmVersion,
    read: ReadFile<'_>,
) -> Result<(), String> {
    let mut parser = Parser { source, at: 0, kind, read };
    loop {
        match parser.key(values, 0) {
            Ok(()) => {}
            Err(Stop::End) => return Ok(()),
            // Helm 4 treats an error that wraps the end of the text as the end of the text.
            Err(Stop::EndIn(_)) if version == HelmVersion::V4 => return Ok(()),
            Err(Stop::EndIn(problem) | Stop::Fail(problem)) => return Err(problem),
        }
    }
}

enum Stop {
    /// The text ends.
    End,
    /// The text ends inside a construct.
    EndIn(String),
    Fail(String),
}

struct Parser<'p> {
    source: &'p Arc<Source>,
    /// Byte offset.
    at: usize,
    kind: FlagKind,
    read: ReadFile<'p>,
}

impl Parser<'_> {
    /// Parses one key with its value, or the part of a key up to a dot or bracket.
    fn key(&mut self, table: &mut Table, level: usize) -> Result<(), Stop> {
        let stops: &[char] =
            if self.kind == FlagKind::Literal { &['=', '[', '.'] } else { &['=', '[', ',', '.'] };
        let (key, last) = self.until(stops);
        let quoted = quote(key.as_bytes());
        match last {
            None if key.is_empty() => Err(Stop::End),
            None => Err(Stop::Fail(format!("key {quoted} has no value"))),
            Some('[') => self.indexed(table, &key, level),
            Some('=') => self.value_of(table, &key),
            Some(',') => Err(Stop::Fail(format!("key {quoted} has no value (cannot end with ,)"))),
            Some(_) => {
                let level = level + 1;
                if level > MAX_NESTING {
                    let problem = "value name nested level is greater than maximum supported";
                    return Err(Stop::Fail(format!("{problem} nested level of {MAX_NESTING}")));
                }
                let mut inner = match table.get(&*key) {
                    None => Table::new(),
                    Some(Setting { value: Tree::Table(inner), .. }) => inner.clone(),
                    Some(other) => return Err(not_a(other, "map[string]interface {}")),
                };
                let result = self.key(&mut inner, level);
                if result.is_ok() && inner.is_empty() {
                    return Err(Stop::Fail(format!("key map {quoted} has no value")));
                }
                if !inner.is_empty() {
                    let at = self.location(self.at, self.at);
                    put(table, &key, Setting { value: Tree::Table(inner), at });
                }
                result
            }
        }
    }

    /// Parses an index after `key[`. Like Helm, this stores the list even if it then fails.
    fn indexed(&mut self, table: &mut Table, key: &str, level: usize) -> Result<(), Stop> {
        let index = self.index()?;
        let mut list = match table.get(key) {
            None => Vec::new(),
            Some(Setting { value: Tree::List(items), .. }) => items.clone(),
            Some(other) => return Err(not_a(other, "[]interface {}")),
        };
        let start = self.at;
        let result = self.item(&mut list, index, level);
        let at = self.location(start, self.at);
        put(table, key, Setting { value: Tree::List(list), at });
        result
    }

    fn value_of(&mut self, table: &mut Table, key: &str) -> Result<(), Stop> {
        let start = self.at;
        match self.value() {
            Ok(setting) => {
                put(table, key, setting);
                Ok(())
            }
            Err(Stop::End) => {
                put(
                    table,
                    key,
                    Setting { value: Tree::Str("".into()), at: self.location(start, start) },
                );
                Err(Stop::End)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Parses a value after `=`. An empty rest is [`Stop::End`].
    fn value(&mut self) -> Result<Setting, Stop> {
        match self.kind {
            FlagKind::Literal => {
                let start = self.at;
                let text = self.rest().to_owned();
                self.at += text.len();
                Ok(Setting { value: Tree::Str(text.into()), at: self.location(start, self.at) })
            }
            FlagKind::Json => self.json(),
            _ if self.rest().is_empty() => Err(Stop::End),
            _ if self.rest().starts_with('{') => self.list(),
            _ => {
                let start = self.at;
                let (text, last) = self.until(&[',']);
                let end = self.at - usize::from(last.is_some());
                self.scalar(&text, start, end)
            }
        }
    }

    /// Parses a list: `{a,b}`.
    fn list(&mut self) -> Result<Setting, Stop> {
        let list_start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        loop {
            let start = self.at;
            let (text, last) = self.until(&[',', '}']);
            let Some(last) = last else {
                return Err(Stop::Fail("list must terminate with '}'".into()));
            };
            items.push(self.scalar(&text, start, self.at - 1)?);
            if last == '}' {
                let at = self.location(list_start, self.at);
                self.at += usize::from(self.rest().starts_with(','));
                return Ok(Setting { value: Tree::List(items), at });
            }
        }
    }

    fn json(&mut self) -> Result<Setting, Stop> {
        let start = self.at;
        if self.skip_to_value() {
            return Ok(Setting { value: Tree::Null, at: self.location(start, start) });
        }
        let start = self.at;
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter();
        let json: serde_json::Value = match values.next() {
            Some(Ok(json)) => json,
            _ => return Err(Stop::Fail("invalid JSON".into())),
        };
        self.at += values.byte_offset();
        let at = Location { source: self.source.clone(), span: Span::new(start, self.at) };
        self.skip_to_value();
        Ok(json::from_json(&json, &at))
    }

    /// Skips blanks and one comma. Returns whether the value is missing.
    fn skip_to_value(&mut self) -> bool {
        while let Some(next) = self.rest().chars().next() {
            if next != ',' && !next.is_whitespace() {
                return false;
            }
            self.at += next.len_utf8();
            if next == ',' {
                return true;
            }
        }
        true
    }

    /// Parses what follows `]`.
    fn item(&mut self, list: &mut Vec<Setting>, index: i64, level: usize) -> Result<(), Stop> {
        let Ok(index) = usize::try_from(index) else {
            return Err(Stop::Fail(format!("negative {index} index not allowed")));
        };
        let (junk, last) = self.until(&['[', '.', '=']);
        if !junk.is_empty() {
            let junk = quote(junk.as_bytes());
            return Err(Stop::Fail(format!("unexpected data at end of array index: {junk}")));
        }
        let start = self.at;
        match last {
            None => Err(Stop::End),
            Some('=') => match self.value() {
                Ok(setting) => put_at(list, index, setting),
                Err(Stop::End) => {
                    let at = self.location(start, start);
                    put_at(list, index, Setting { value: Tree::Str("".into()), at })
                }
                Err(stop) => Err(stop),
            },
            Some('[') => {
                let next = self.index()?;
                let mut inner = match list.get(index) {
                    None | Some(Setting { value: Tree::Null, .. }) => Vec::new(),
                    Some(Setting { value: Tree::List(items), .. }) => items.clone(),
                    Some(other) => return Err(not_a(other, "[]interface {}")),
                };
                self.item(&mut inner, next, level)?;
                let at = self.location(start, self.at);
                put_at(list, index, Setting { value: Tree::List(inner), at })
            }
            Some(_) => {
                if let Some(item) = list.get_mut(index) {
                    if item.as_table().is_none() {
                        item.value = Tree::Table(Table::new());
                    }
                    if let Tree::Table(inner) = &mut item.value {
                        return self.key(inner, level);
                    }
                }
                let mut inner = Table::new();
                self.key(&mut inner, level)?;
                let at = self.location(start, self.at);
                put_at(list, index, Setting { value: Tree::Table(inner), at })
            }
        }
    }

    /// Parses the number up to `]`.
    fn index(&mut self) -> Result<i64, Stop> {
        let (text, last) = self.until(&[']']);
        let prefix = "error parsing index";
        if last.is_none() {
            return Err(Stop::EndIn(format!("{prefix}: EOF")));
        }
        text.parse().map_err(|error: std::num::ParseIntError| {
            use std::num::IntErrorKind::{NegOverflow, PosOverflow};
            let is_overflow = matches!(error.kind(), PosOverflow | NegOverflow);
            let problem = if is_overflow { "value out of range" } else { "invalid syntax" };
            let text = quote(text.as_bytes());
            Stop::Fail(format!("{prefix}: strconv.Atoi: parsing {text}: {problem}"))
        })
    }

    fn scalar(&self, text: &str, start: usize, end: usize) -> Result<Setting, Stop> {
        let value = match self.kind {
            FlagKind::Set => typed(text),
            FlagKind::File => Tree::Str((self.read)(text).map_err(Stop::Fail)?.into()),
            _ => Tree::Str(text.into()),
        };
        Ok(Setting { value, at: self.location(start, end) })
    }

    /// The text up to one of the stops, which is consumed, or to the end. A backslash escapes a
    /// character.
    fn until(&mut self, stops: &[char]) -> (String, Option<char>) {
        let mut text = String::new();
        let rest = self.source.text.get(self.at..).unwrap_or_default();
        let mut chars = rest.char_indices();
        while let Some((at, next)) = chars.next() {
            if stops.contains(&next) {
                self.at += at + next.len_utf8();
                return (text, Some(next));
            }
            if next == '\\' && self.kind != FlagKind::Literal {
                text.extend(chars.next().map(|(_, escaped)| escaped));
            } else {
                text.push(next);
            }
        }
        self.at = self.source.text.len();
        (text, None)
    }

    fn rest(&self) -> &str {
        self.source.text.get(self.at..).unwrap_or_default()
    }

    fn location(&self, start: usize, end: usize) -> Option<Location> {
        Some(Location { source: self.source.clone(), span: Span::new(start, end.max(start)) })
    }
}

/// The type that `--set` gives to a text.
fn typed(text: &str) -> Tree {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match text {
        _ if is("true") => Tree::Bool(true),
        _ if is("false") => Tree::Bool(false),
        _ if is("null") => Tree::Null,
        "0" => Tree::Int(0),
        _ if text.starts_with('0') => Tree::Str(text.into()),
        _ => text.parse().map_or_else(|_| Tree::Str(text.into()), Tree::Int),
    }
}

fn put(table: &mut Table, key: &str, setting: Setting) {
    if !key.is_empty() {
        table.insert(key.into(), setting);
    }
}

fn put_at(list: &mut Vec<Setting>, index: usize, setting: Setting) -> Result<(), Stop> {
    if index > MAX_INDEX {
        let problem = format!("index of {index} is greater than maximum supported index of");
        return Err(Stop::Fail(format!("{problem} {MAX_INDEX}")));
    }
    if list.len() <= index {
        list.resize_with(index + 1, || Setting { value: Tree::Null, at: None });
    }
    list[index] = setting;
    Ok(())
}

/// The message of Go's panic for a value of another type.
fn not_a(found: &Setting, wanted: &str) -> Stop {
    let found = match found.value {
        Tree::Null => "nil",
        Tree::Bool(_) => "bool",
        Tree::Int(_) => "int64",
        Tree::Float(_) => "float64",
        Tree::Str(_) => "string",
        Tree::List(_) => "[]interface {}",
        Tree::Table(_) => "map[string]interface {}",
    };
    let problem = format!("interface conversion: interface {{}} is {found}, not {wanted}");
    Stop::Fail(format!("unable to parse key: {problem}"))
}
