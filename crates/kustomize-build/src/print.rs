//! Printing resources as `kustomize build` does: JSON read and written by go-yaml 2, with sorted keys.
//!
//! A port of libyaml's emitter for the events that JSON values produce. The printer notes which bytes come from which
//! origin.

mod writer;

use std::ops::Range;

use yaml_spans::emit::{self, Analysis, GoYaml, ScalarStyle, analyze};

use self::writer::Writer;
use crate::{
    Origin,
    error::{Error, Result},
    node::{Data, Entry, Node, Scalar},
    number,
    scalar::{self, Tag},
};

/// A printed text, and the origins of its scalars and keys in order.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    pub(crate) text: String,
    pub(crate) origins: Vec<Traced>,
}

/// A scalar or key that was printed.
#[derive(Debug)]
pub(crate) struct Traced {
    pub(crate) range: Range<usize>,
    pub(crate) origin: Origin,
    pub(crate) is_key: bool,
}

/// The position of a node in its parent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Root,
    Item,
    Value,
}

/// A value as JSON has it.
enum Plain {
    String,
    Other(String),
}

/// The longest simple key.
const MAX_SIMPLE_KEY: usize = 128;

/// What stands between two documents.
pub(crate) const SEPARATOR: &str = "---\n";

impl Printed {
    /// Adds a document and its line break.
    pub(crate) fn add(&mut self, node: &Node) -> Result<()> {
        if !self.text.is_empty() {
            self.text.push_str(SEPARATOR);
        }
        let mut printer =
            Printer { writer: Writer::new(&mut self.text), origins: &mut self.origins };
        printer.node(node, Position::Root)?;
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        Ok(())
    }
}

struct Printer<'p> {
    writer: Writer<'p>,
    origins: &'p mut Vec<Traced>,
}

impl Printer<'_> {
    fn node(&mut self, node: &Node, position: Position) -> Result<()> {
        match &node.data {
            Data::Scalar(scalar) => self.scalar(scalar, &node.origin),
            Data::Seq(items) => self.seq(items, &node.origin, position),
            Data::Map(entries) => self.map(entries, &node.origin),
        }
    }

    fn scalar(&mut self, scalar: &Scalar, origin: &Origin) -> Result<()> {
        match plain(scalar).map_err(|error| error.at(location(origin)))? {
            Plain::Other(text) => self.plain(&text, origin),
            Plain::String => self.string(&scalar.string(), origin, false)?,
        }
        Ok(())
    }

    fn plain(&mut self, text: &str, origin: &Origin) {
        self.writer.space();
        let start = self.writer.len();
        self.writer.put(text);
        self.note(start, origin, false);
        self.writer.end_scalar();
    }

    fn note(&mut self, start: usize, origin: &Origin, is_key: bool) {
        if !origin.is_empty() {
            let range = start..self.writer.len();
            self.origins.push(Traced { range, origin: origin.clone(), is_key });
        }
    }

    fn string(&mut self, text: &str, origin: &Origin, is_key: bool) -> Result<()> {
        let folded = emit::through_json(text).ok_or_else(|| {
            Error::resource("yaml: control characters are not allowed").at(location(origin))
        })?;
        let analysis = analyze(&folded, GoYaml::V2);
        self.writer.scalar_indent();
        self.writer.space();
        let start = self.writer.len();
        match emit::style(&folded, &analysis, is_key, GoYaml::V2) {
            ScalarStyle::Plain => self.writer.plain(&folded, !is_key),
            ScalarStyle::Single => self.writer.single_quoted(&folded, !is_key),
            ScalarStyle::Double => self.writer.double_quoted(&folded, !is_key),
            ScalarStyle::Literal => self.writer.literal(&folded),
        }
        self.writer.outdent();
        self.note(start, origin, is_key);
        Ok(())
    }

    fn seq(&mut self, items: &[Node], origin: &Origin, position: Position) -> Result<()> {
        if items.is_empty() {
            self.plain("[]", origin);
            return Ok(());
        }
        self.writer.collection_indent(position == Position::Value);
        for item in items {
            self.writer.write_indent();
            self.writer.indicator("-", true, true);
            self.node(item, Position::Item)?;
        }
        self.writer.outdent();
        Ok(())
    }

    fn map(&mut self, entries: &[Entry], origin: &Origin) -> Result<()> {
        if entries.is_empty() {
            self.plain("{}", origin);
            return Ok(());
        }
        let mut sorted: Vec<&Entry> = entries.iter().collect();
        emit::sort_by_key(&mut sorted, |entry| &entry.key, GoYaml::V2);
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].key == pair[1].key) {
            let message = format!("mapping key {:?} already defined", pair[1].key);
            return Err(Error::resource(message).at(location(&pair[1].origin)));
        }
        let is_typed = |entry: &&&Entry| !entry.is_quoted && scalar::tag(&entry.key) != Tag::Str;
        if let Some(entry) = sorted.iter().find(is_typed) {
            let message = "json: unsupported type: map[interface {}]interface {}";
            return Err(Error::resource(message).at(location(&entry.origin)));
        }
        self.writer.collection_indent(false);
        for entry in sorted {
            self.writer.write_indent();
            self.entry(entry)?;
        }
        self.writer.outdent();
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> Result<()> {
        let Analysis { multiline, .. } = analyze(&entry.key, GoYaml::V2);
        if !multiline && entry.key.len() <= MAX_SIMPLE_KEY {
            self.string(&entry.key, &entry.origin, true)?;
            self.writer.indicator(":", false, false);
        } else {
            self.writer.indicator("?", true, true);
            self.string(&entry.key, &entry.origin, false)?;
            self.writer.write_indent();
            self.writer.indicator(":", true, true);
        }
        self.node(&entry.value, Position::Value)
    }
}

fn location(origin: &Origin) -> Option<yaml_spans::Location> {
    origin.parts().first().map(|part| part.at.clone())
}

/// What JSON holds for a scalar. A type that the text does not have is an error, as in go-yaml 3.
fn plain(scalar: &Scalar) -> Result<Plain> {
    let text = &*scalar.text;
    if scalar.resolved() == Tag::Str {
        return Ok(Plain::String);
    }
    let actual = match scalar.tag {
        Tag::Empty => scalar.resolved(),
        tag => {
            let actual = scalar::tag(text);
            let fits = actual == tag || tag == Tag::Float && actual == Tag::Int;
            if !fits {
                let message =
                    format!("yaml: cannot decode {} `{text}` as a {}", actual.name(), tag.name());
                return Err(Error::resource(message));
            }
            actual
        }
    };
    Ok(match actual {
        Tag::Null => Plain::Other("null".into()),
        Tag::Bool => Plain::Other(text.to_lowercase()),
        Tag::Int | Tag::Float => match number::printed(text) {
            Some(text) => Plain::Other(text),
            None => return Err(Error::resource(format!("json: unsupported value: {text}"))),
        },
        Tag::Str | Tag::Timestamp | Tag::Empty => Plain::String,
    })
}
