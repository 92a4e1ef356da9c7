//! A mapping under construction: duplicate keys, merge keys, and keys that are not strings.

use std::{
    collections::{HashMap, hash_map},
    sync::Arc,
};

use crate::{Entry, ErrorKind, Map, Node, ParseError, Span, Value, number};

/// How a node is written, as far as merge keys care.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Direct,
    Alias,
    /// A plain `<<`.
    MergeKey,
}

/// Keys without a JSON form, with the reason. They are errors only if the document keeps them.
pub(crate) type UnsupportedKeys = HashMap<Span, &'static str>;

/// A mapping whose end has not been read.
#[derive(Default)]
pub(crate) struct OpenMap {
    map: Map,
    /// The key that waits for its value.
    key: Option<Key>,
    /// Where each key is; kept only for large mappings.
    index: Option<HashMap<Arc<str>, u32>>,
}

enum Key {
    Name(Arc<str>, Span),
    Merge(Span),
}

impl OpenMap {
    /// Whether the next node is a key, rather than the value of one.
    pub(crate) fn expects_key(&self) -> bool {
        self.key.is_none()
    }

    /// The key that waits for its value, unless that is merged.
    pub(crate) fn key(&self) -> Option<&str> {
        match &self.key {
            Some(Key::Name(name, _)) => Some(name),
            Some(Key::Merge(_)) | None => None,
        }
    }

    /// Takes the next key. `bracket` is the `{` of a flow mapping.
    pub(crate) fn take_key(
        &mut self,
        node: Node,
        form: Form,
        bracket: Option<Span>,
        unsupported: &mut UnsupportedKeys,
    ) -> Result<(), ParseError> {
        let span = node.span;
        if form == Form::MergeKey {
            self.key = Some(Key::Merge(span));
            return Ok(());
        }
        if let Some(bracket) = bracket
            && bracket.end == span.start
            && node.as_map().is_some()
        {
            let reason = "`{{` starts a template; Kubernetes reads YAML only, so quote it";
            return Err(ParseError::new(bracket.to(span), reason));
        }
        self.key = Some(Key::Name(key_text(node, unsupported)?, span));
        Ok(())
    }

    /// Takes the value of the waiting key, and keeps it if it is wanted; the number of entries merged so far is counted in
    /// `merged`.
    pub(crate) fn take_value(
        &mut self,
        node: Node,
        form: Form,
        is_kept: bool,
        merged: &mut usize,
    ) -> Result<(), ParseError> {
        match self.key.take() {
            Some(Key::Merge(at)) => self.merge(at, &node, form, merged),
            Some(Key::Name(..)) if !is_kept => Ok(()),
            Some(Key::Name(key, key_span)) => {
                self.insert(Entry { key, key_span, value: node, merged: false });
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Copies the entries of the mappings that a `<<` names. They replace keys written before it (go-yaml).
    fn merge(
        &mut self,
        key: Span,
        node: &Node,
        form: Form,
        merged: &mut usize,
    ) -> Result<(), ParseError> {
        /// Without aliases a document reaches this only by nesting merge keys.
        const MOST_MERGED: usize = 1_000_000;
        let at = if node.span.is_empty() { key } else { node.span };
        let sources = merge_sources(node, form).ok_or_else(|| {
            ParseError::new(at, "`<<` takes a mapping or a list of mappings")
                .with_kind(ErrorKind::InvalidMerge)
        })?;
        for source in sources.iter().rev() {
            *merged += source.entries.len();
            for entry in &source.entries {
                self.insert(Entry { merged: true, ..entry.clone() });
            }
        }
        if *merged > MOST_MERGED {
            return Err(ParseError::new(at, "the document contains excessive merging")
                .with_kind(ErrorKind::ExcessiveAliasing));
        }
        Ok(())
    }

    /// Adds an entry. As in go-yaml the last one of a name wins; the one it replaces is kept aside.
    fn insert(&mut self, entry: Entry) {
        /// Up to this many entries a scan is as fast as an index.
        const SMALL: usize = 16;
        let entries = &mut self.map.entries;
        let count = entries.len();
        let known = if count < SMALL {
            entries.iter().position(|old| old.key == entry.key)
        } else {
            let written = || (0..).zip(&*entries).map(|(at, entry)| (entry.key.clone(), at));
            let index = self.index.get_or_insert_with(|| written().collect());
            match index.entry(entry.key.clone()) {
                hash_map::Entry::Occupied(at) => Some(*at.get() as usize),
                hash_map::Entry::Vacant(free) => {
                    free.insert(count as u32);
                    None
                }
            }
        };
        match known {
            Some(at) => {
                let old = std::mem::replace(&mut entries[at], entry);
                self.map.overridden.push(old);
            }
            None => entries.push(entry),
        }
    }

    pub(crate) fn finish(self) -> Map {
        self.map
    }
}

/// The mappings that the value of a `<<` names, the most important first.
fn merge_sources(node: &Node, form: Form) -> Option<Vec<Arc<Map>>> {
    let mapping = |node: &Node| match &node.value {
        Value::Map(map) => Some(map.clone()),
        _ => None,
    };
    match &node.value {
        Value::Map(map) => Some(vec![map.clone()]),
        Value::Seq(items) if form == Form::Direct => items.iter().map(mapping).collect(),
        _ => None,
    }
}

/// The string that `sigs.k8s.io/yaml` makes of a key.
fn key_text(node: Node, unsupported: &mut UnsupportedKeys) -> Result<Arc<str>, ParseError> {
    match node.value {
        Value::Str(text) => Ok(text),
        Value::Bool(flag) => Ok(flag.to_string().into()),
        Value::Int(number) => Ok(number.to_string().into()),
        Value::Float(number) => Ok(number::key(number).into()),
        // A NUL keeps these apart from every key that can be written.
        Value::Uint(number) => {
            unsupported.insert(node.span, "a key must be a string; this number is too large");
            Ok(format!("\0{number}").into())
        }
        Value::Null => {
            unsupported.insert(node.span, "a key must be a string; this is null");
            Ok("\0null".into())
        }
        Value::Seq(_) | Value::Map(_) => {
            let what = if node.as_map().is_some() { "a mapping" } else { "a list" };
            Err(ParseError::new(node.span, format!("a key must be a string; this is {what}")))
        }
    }
}
