//! Values of charts, files and flags. Each value keeps the location that sets it.

mod collect;
mod flags;
mod json;
mod merge;
mod shared;

use std::{collections::BTreeMap, fmt, sync::Arc};

pub use collect::{Flag, FlagKind, collect, collect_texts, source};
pub(crate) use merge::{Nulls, merge_tables};
pub(crate) use shared::{Item, SharedTable};
use yaml_spans::{self as yaml, Location, Node, Source, Span};

use crate::{
    HelmVersion,
    documents::{BadDocument, documents, first_document, scalar_text},
};

/// The key of the table that every sub-chart sees.
pub const GLOBAL: &str = "global";

/// A value and its location.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The value.
    pub value: Tree,
    /// `None` for a value that nobody wrote, such as the empty table of a sub-chart.
    pub at: Option<Location>,
}

/// A table of settings.
pub type Table = BTreeMap<Arc<str>, Setting>;

/// A value as Helm holds it. Numbers in files are floats; integers come from flags only.
#[derive(Clone, Debug)]
pub enum Tree {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer, from a flag.
    Int(i64),
    /// A number in a file.
    Float(f64),
    /// A string.
    Str(Arc<str>),
    /// A list.
    List(Vec<Setting>),
    /// A map.
    Table(Table),
}

impl Tree {
    /// What tells scalars apart; `None` for lists and maps.
    pub(crate) fn scalar(&self) -> Option<(u8, u64, &str)> {
        match self {
            Tree::Null => Some((0, 0, "")),
            Tree::Bool(flag) => Some((1, u64::from(*flag), "")),
            Tree::Int(number) => Some((2, number.cast_unsigned(), "")),
            Tree::Float(number) => Some((3, number.to_bits(), "")),
            Tree::Str(text) => Some((4, 0, text)),
            Tree::List(_) | Tree::Table(_) => None,
        }
    }
}

impl Setting {
    /// A value and its location.
    pub fn new(value: Tree, at: Option<Location>) -> Self {
        Self { value, at }
    }

    /// A table without a location.
    pub fn table(table: Table) -> Self {
        Self::new(Tree::Table(table), None)
    }

    /// Whether the value is null.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Tree::Null)
    }

    /// The table, if the value is one.
    pub fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Tree::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn as_table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.value {
            Tree::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Converts a YAML value as `sigs.k8s.io/yaml` does, by way of JSON.
    pub fn from_node(source: &Arc<Source>, node: &Node, version: HelmVersion) -> Self {
        let value = match &node.value {
            yaml::Value::Null => Tree::Null,
            yaml::Value::Bool(flag) => Tree::Bool(*flag),
            yaml::Value::Int(number) => Tree::Float(*number as f64),
            yaml::Value::Uint(number) => Tree::Float(*number as f64),
            yaml::Value::Float(number) => Tree::Float(*number),
            // Helm 4 adds a final line break before it parses the text.
            yaml::Value::Str(text) if version == HelmVersion::V3 => {
                Tree::Str(scalar_text(&source.text, node, text).into())
            }
            yaml::Value::Str(text) => Tree::Str((&**text).into()),
            yaml::Value::Seq(items) => Tree::List(
                items.iter().map(|item| Self::from_node(source, item, version)).collect(),
            ),
            yaml::Value::Map(map) => {
                let entry = |entry: &yaml::Entry| {
                    let mut setting = Self::from_node(source, &entry.value, version);
                    if entry.value.span.is_empty() {
                        setting.at =
                            Some(Location { source: source.clone(), span: entry.key_span });
                    }
                    (Arc::from(&*entry.key), setting)
                };
                Tree::Table(map.entries.iter().map(entry).collect())
            }
        };
        let at = Location { source: source.clone(), span: node.span };
        Self { value, at: Some(at) }
    }

    /// The value as JSON. Whole floats become integers.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Tree::Null => Json::Null,
            Tree::Bool(flag) => Json::Bool(*flag),
            Tree::Int(number) => Json::from(*number),
            Tree::Float(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => {
                Json::from(*number as i64)
            }
            Tree::Float(number) => Json::from(*number),
            Tree::Str(text) => Json::from(&**text),
            Tree::List(items) => items.iter().map(Setting::to_json).collect(),
            Tree::Table(table) => {
                let entry =
                    |(key, setting): (&Arc<str>, &Setting)| (key.to_string(), setting.to_json());
                Json::Object(table.iter().map(entry).collect())
            }
        }
    }
}

/// Why a text is not a valid values file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValues {
    /// The range of the problem in the text.
    pub span: Span,
    /// Helm's message.
    pub message: String,
}

impl fmt::Display for InvalidValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InvalidValues {}

/// Parses a values file, which holds a table. Helm 4 merges the tables of several documents; Helm 3
/// reads the first document.
///
/// # Errors
///
/// The text is not YAML, or its value is not a table.
pub fn read(source: &Arc<Source>, version: HelmVersion) -> Result<Table, InvalidValues> {
    read_documents(source, version).map(|(table, _)| table)
}

/// The same, with the documents that were parsed.
pub(crate) fn read_documents(
    source: &Arc<Source>,
    version: HelmVersion,
) -> Result<(Table, Vec<Node>), InvalidValues> {
    let text = &source.text;
    // Helm 4 reads a document with another reader than it unmarshals it with.
    let unmarshal = |message: String| match version {
        HelmVersion::V3 => message,
        HelmVersion::V4 => format!("cannot unmarshal yaml document: {message}"),
    };
    let bad = |problem: BadDocument| {
        let of_reader = problem.of_separator(text).filter(|_| version == HelmVersion::V4);
        let message = of_reader.unwrap_or_else(|| unmarshal(problem.go_text(text)));
        InvalidValues { span: problem.span, message }
    };
    let read = match version {
        HelmVersion::V3 => first_document(text).map(Vec::from_iter),
        HelmVersion::V4 => documents(text),
    };
    let roots = read.map_err(bad)?;
    let tables = roots.iter().map(|root| table(source, root, version));
    let tables = tables.collect::<Result<Vec<_>, _>>().map_err(|invalid| {
        let message = unmarshal(invalid.message);
        InvalidValues { message, ..invalid }
    })?;
    Ok((tables.into_iter().reduce(override_tables).unwrap_or_default(), roots))
}

fn table(source: &Arc<Source>, root: &Node, version: HelmVersion) -> Result<Table, InvalidValues> {
    match Setting::from_node(source, root, version).value {
        Tree::Table(table) => Ok(table),
        Tree::Null => Ok(Table::new()),
        _ => {
            let kind = root.value.json_type();
            let problem = format!("json: cannot unmarshal {kind} into Go value of type");
            let prefix = "error unmarshaling JSON: while decoding JSON";
            let message = format!("{prefix}: {problem} map[string]interface {{}}");
            Err(InvalidValues { span: root.span, message })
        }
    }
}

/// Merges two tables recursively. The later one wins, including its nulls.
pub fn override_tables(mut earlier: Table, later: Table) -> Table {
    for (key, setting) in later {
        let below = earlier.get_mut(&key).and_then(Setting::as_table_mut);
        let setting = match (below, setting) {
            (Some(below), Setting { value: Tree::Table(table), at }) => {
                let merged = override_tables(std::mem::take(below), table);
                Setting { value: Tree::Table(merged), at }
            }
            (_, setting) => setting,
        };
        earlier.insert(key, setting);
    }
    earlier
}
