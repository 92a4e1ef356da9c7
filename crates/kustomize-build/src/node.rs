//! The tree that kustomize works on: scalars as text with a type, each with its origin.

use std::{borrow::Cow, sync::Arc};

use crate::{
    Origin, folded,
    scalar::{self, Tag},
};

/// A value of a resource, patch or configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) origin: Origin,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Scalar(Scalar),
    Map(Vec<Entry>),
    Seq(Vec<Node>),
}

#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    pub(crate) text: Arc<str>,
    pub(crate) tag: Tag,
    pub(crate) style: Style,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Quoted,
    Literal,
    Folded,
}

impl Scalar {
    /// The type that the scalar has when it is read again.
    pub(crate) fn resolved(&self) -> Tag {
        match self.tag {
            Tag::Empty if self.style != Style::Plain || self.text.contains('\n') => Tag::Str,
            Tag::Empty => scalar::tag(&self.text),
            Tag::Null if self.style == Style::Quoted && self.text.is_empty() => Tag::Str,
            tag => tag,
        }
    }

    /// The text of a string when it is read again.
    pub(crate) fn string(&self) -> Cow<'_, str> {
        match self.tag {
            Tag::Timestamp => {
                yaml_spans::timestamp(&self.text).map_or(Cow::Borrowed(&*self.text), Cow::Owned)
            }
            _ if self.style == Style::Folded && can_be_block(&self.text) => {
                Cow::Owned(folded::round_trip(&self.text))
            }
            _ => Cow::Borrowed(&self.text),
        }
    }
}

/// Whether go-yaml writes a text as a block scalar at all.
fn can_be_block(text: &str) -> bool {
    let is_printable = |c: char| c == '\n' || c == '\t' || !c.is_control();
    !text.is_empty()
        && !text.ends_with(' ')
        && !text.contains(" \n")
        && text.chars().all(is_printable)
}

/// A key of a map and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Arc<str>,
    /// Whether the key is a string even if its text looks like another type.
    pub(crate) is_quoted: bool,
    pub(crate) origin: Origin,
    pub(crate) value: Node,
}

/// What a node is, for errors and merging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar,
    Map,
    Seq,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scalar => "ScalarNode",
            Self::Map => "MappingNode",
            Self::Seq => "SequenceNode",
        }
    }
}

impl Default for Data {
    fn default() -> Self {
        Self::Scalar(Scalar { text: "".into(), tag: Tag::Null, style: Style::Plain })
    }
}

impl Node {
    pub(crate) fn scalar(text: impl Into<Arc<str>>, tag: Tag, origin: Origin) -> Self {
        Self { data: Data::Scalar(Scalar { text: text.into(), tag, style: Style::Plain }), origin }
    }

    pub(crate) fn string(text: impl Into<Arc<str>>, origin: Origin) -> Self {
        Self::scalar(text, Tag::Str, origin)
    }

    /// A scalar whose type is open, as kyaml's `NewScalarRNode` makes it.
    pub(crate) fn untyped(text: impl Into<Arc<str>>, origin: Origin) -> Self {
        Self::scalar(text, Tag::Empty, origin)
    }

    pub(crate) fn map() -> Self {
        Self { data: Data::Map(Vec::new()), origin: Origin::default() }
    }

    pub(crate) fn seq() -> Self {
        Self { data: Data::Seq(Vec::new()), origin: Origin::default() }
    }

    pub(crate) fn empty(kind: Kind) -> Self {
        match kind {
            Kind::Scalar => Self::untyped("", Origin::default()),
            Kind::Map => Self::map(),
            Kind::Seq => Self::seq(),
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.data {
            Data::Scalar(_) => Kind::Scalar,
            Data::Map(_) => Kind::Map,
            Data::Seq(_) => Kind::Seq,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.data, Data::Scalar(Scalar { tag: Tag::Null, .. }))
    }

    pub(crate) fn is_empty_map(&self) -> bool {
        matches!(&self.data, Data::Map(entries) if entries.is_empty())
    }

    /// Whether the node is null or an empty collection.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.data {
            Data::Scalar(_) => self.is_null(),
            Data::Map(entries) => entries.is_empty(),
            Data::Seq(items) => items.is_empty(),
        }
    }

    /// The text of a scalar, empty for collections.
    pub(crate) fn text(&self) -> &str {
        self.as_scalar().map_or("", |scalar| &scalar.text)
    }

    pub(crate) fn as_scalar(&self) -> Option<&Scalar> {
        match &self.data {
            Data::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.data {
            Data::Map(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Node] {
        match &self.data {
            Data::Seq(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| &*entry.key == key)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let Data::Map(entries) = &mut self.data else { return None };
        entries.iter_mut().find(|entry| &*entry.key == key).map(|entry| &mut entry.value)
    }

    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The value of a key, created as an empty node of a kind when missing. The node must be a map.
    pub(crate) fn get_or_create(&mut self, key: &str, kind: Kind) -> &mut Node {
        if !matches!(self.data, Data::Map(_)) {
            self.data = Data::Map(Vec::new());
        }
        let Data::Map(entries) = &mut self.data else { unreachable!("made a map above") };
        let found = entries.iter().position(|entry| &*entry.key == key);
        let index = found.unwrap_or_else(|| {
            entries.push(Entry {
                key: key.into(),
                is_quoted: false,
                origin: Origin::default(),
                value: Node::empty(kind),
            });
            entries.len() - 1
        });
        &mut entries[index].value
    }

    /// Sets a key as kyaml's `FieldSetter` does: null removes it, and quotes stay.
    pub(crate) fn set(&mut self, key: &str, mut value: Node, key_origin: &Origin) {
        if value.is_null() {
            self.remove(key);
            return;
        }
        let Data::Map(entries) = &mut self.data else { return };
        match entries.iter_mut().find(|entry| &*entry.key == key) {
            Some(entry) => {
                value.keep_style(&entry.value);
                entry.value = value;
            }
            None => {
                value.quote_if_typed();
                let origin = key_origin.clone();
                entries.push(Entry { key: key.into(), is_quoted: false, origin, value });
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Entry> {
        let Data::Map(entries) = &mut self.data else { return None };
        let index = entries.iter().position(|entry| &*entry.key == key)?;
        Some(entries.remove(index))
    }

    /// Replaces a scalar, whose quotes stay.
    pub(crate) fn replace_scalar(&mut self, mut value: Node) {
        value.keep_style(self);
        *self = value;
    }

    fn keep_style(&mut self, old: &Node) {
        if let (Data::Scalar(new), Data::Scalar(old)) = (&mut self.data, &old.data) {
            new.style = old.style;
        }
    }

    fn quote_if_typed(&mut self) {
        if let Data::Scalar(scalar) = &mut self.data
            && scalar.tag == Tag::Empty
            && scalar::is_other_in_1_1(&scalar.text)
        {
            scalar.style = Style::Quoted;
        }
    }

    /// Whether a scalar is a string or of open type.
    pub(crate) fn is_string(&self) -> bool {
        self.as_scalar().is_some_and(|scalar| matches!(scalar.tag, Tag::Str | Tag::Empty))
    }

    /// The origins of all scalars below, joined.
    pub(crate) fn all_origins(&self) -> Origin {
        match &self.data {
            Data::Scalar(_) => self.origin.clone(),
            Data::Map(entries) => entries.iter().fold(Origin::default(), |all, entry| {
                all.and(&entry.origin).and(&entry.value.all_origins())
            }),
            Data::Seq(items) => {
                items.iter().fold(Origin::default(), |all, item| all.and(&item.all_origins()))
            }
        }
    }
}
