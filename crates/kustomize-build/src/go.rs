//! Decoding configuration into structs, as Go's `encoding/json` does after YAML became JSON.

use std::sync::Arc;

use yaml_spans::{Location, Node, Source, Value};

use crate::{
    error::{Error, Reason, Result},
    read::{Inside, without_added_break},
};

/// What is decoded, for locations and error texts.
pub(crate) struct Decoder<'s> {
    pub(crate) source: &'s Arc<Source>,
    /// Where the text stands in its source, when it is a string inside it.
    pub(crate) inside: Option<Inside>,
    /// The name of the Go struct at the root.
    pub(crate) root: &'static str,
    /// Whether unknown fields are errors.
    pub(crate) is_strict: bool,
}

/// A string and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) text: Arc<str>,
    pub(crate) at: Option<Location>,
    /// Positions inside the string.
    pub(crate) inside: Option<Inside>,
}

impl Default for Text {
    fn default() -> Self {
        Self { text: "".into(), at: None, inside: None }
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// A type that can be decoded.
pub(crate) trait Decode: Default {
    /// Reads a value that is not null. `path` is that of the field, for errors.
    fn decode(decoder: &Decoder<'_>, node: &Node, path: &str) -> Result<Self>;
}

impl Decoder<'_> {
    pub(crate) fn location(&self, node: &Node) -> Location {
        let span = match &self.inside {
            None => node.span,
            Some(inside) => inside
                .offsets
                .as_ref()
                .and_then(|offsets| offsets.span(node.span.range()))
                .unwrap_or(inside.span),
        };
        Location { source: self.source.clone(), span }
    }

    pub(crate) fn mismatch(&self, node: &Node, path: &str, wanted: &str) -> Error {
        let kind = node.value.json_type();
        let place = if path.is_empty() {
            "Go value".to_owned()
        } else {
            format!("Go struct field {}.{path}", self.root)
        };
        let message = format!("json: cannot unmarshal {kind} into {place} of type {wanted}");
        Error::new(Reason::Kustomization, message).at(Some(self.location(node)))
    }

    /// Decodes the fields of a struct in the order of JSON. `set` says whether it knows the field.
    pub(crate) fn fields(
        &self,
        node: &Node,
        path: &str,
        go_type: &str,
        names: &[&'static str],
        mut set: impl FnMut(&'static str, &Node, &str) -> Result<()>,
    ) -> Result<()> {
        let Some(map) = node.as_map() else { return Err(self.mismatch(node, path, go_type)) };
        let mut entries: Vec<_> = map.entries.iter().collect();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        let mut first = None;
        for entry in entries {
            let exact = names.iter().find(|name| **name == &*entry.key);
            let name =
                exact.or_else(|| names.iter().find(|name| name.eq_ignore_ascii_case(&entry.key)));
            let result = match name {
                Some(_) if entry.value.is_null() => Ok(()),
                Some(name) => {
                    let dot = if path.is_empty() { "" } else { "." };
                    set(name, &entry.value, &format!("{path}{dot}{name}"))
                }
                None if self.is_strict => {
                    let message = format!("json: unknown field {:?}", entry.key);
                    let at = Node { span: entry.key_span, ..entry.value.clone() };
                    Err(Error::new(Reason::Kustomization, message).at(Some(self.location(&at))))
                }
                None => Ok(()),
            };
            if let Err(error) = result {
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }
}

impl Decode for Text {
    fn decode(decoder: &Decoder<'_>, node: &Node, path: &str) -> Result<Self> {
        let Value::Str(text) = &node.value else {
            return Err(decoder.mismatch(node, path, "string"));
        };
        let offsets = match decoder.inside {
            None => node.offsets(&decoder.source.text).map(Arc::new),
            Some(_) => None,
        };
        let text = match decoder.inside {
            None => without_added_break(&decoder.source.text, node, text),
            Some(_) => text.clone(),
        };
        let at = decoder.location(node);
        let inside = Some(Inside { span: at.span, offsets });
        Ok(Self { text, at: Some(at), inside })
    }
}

impl Decode for bool {
    fn decode(decoder: &Decoder<'_>, node: &Node, path: &str) -> Result<Self> {
        node.as_bool().ok_or_else(|| decoder.mismatch(node, path, "bool"))
    }
}

impl Decode for i64 {
    fn decode(decoder: &Decoder<'_>, node: &Node, path: &str) -> Result<Self> {
        node.as_int().ok_or_else(|| decoder.mismatch(node, path, "int64"))
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(decoder: &Decoder<'_>, node: &Node, path: &str) -> Result<Self> {
        T::decode(decoder, node, path).map(Some)
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(decoder: &Decoder<'_>, node: &Node, path: &str) -> Result<Self> {
        let Value::Seq(items) = &node.value else {
            return Err(decoder.mismatch(node, path, "[]string"));
        };
        let item = |item: &Node| match item.is_null() {
            true => Ok(T::default()),
            false => T::decode(decoder, item, path),
        };
        items.iter().map(item).collect()
    }
}

/// Strings by key, in the order of the keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strings(pub(crate) Vec<(Text, Text)>);

impl Decode for Strings {
    fn decode(decoder: &Decoder<'_>, node: &Node, path: &str) -> Result<Self> {
        let Some(map) = node.as_map() else {
            return Err(decoder.mismatch(node, path, "map[string]string"));
        };
        let mut strings = Vec::new();
        let mut entries: Vec<_> = map.entries.iter().collect();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        for entry in entries {
            let at_key = Node { span: entry.key_span, ..entry.value.clone() };
            let at = decoder.location(&at_key);
            let key = Text { text: entry.key.clone(), at: Some(at), inside: None };
            let value = match entry.value.is_null() {
                true => Text { at: Some(decoder.location(&entry.value)), ..Text::default() },
                false => Text::decode(decoder, &entry.value, path)?,
            };
            strings.push((key, value));
        }
        Ok(Self(strings))
    }
}

/// A struct with its JSON names.
macro_rules! go_struct {
    ($(#[$meta:meta])* $name:ident $go:literal { $($field:ident: $type:ty = $json:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
        }

        impl $crate::go::Decode for $name {
            fn decode(
                decoder: &$crate::go::Decoder<'_>,
                node: &yaml_spans::Node,
                path: &str,
            ) -> $crate::error::Result<Self> {
                let mut value = Self::default();
                decoder.fields(node, path, $go, &[$($json),*], |name, node, path| {
                    match name {
                        $($json => value.$field = $crate::go::Decode::decode(decoder, node, path)?,)*
                        _ => {}
                    }
                    Ok(())
                })?;
                Ok(value)
            }
        }
    };
}

pub(crate) use go_struct;
