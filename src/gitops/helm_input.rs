//! What a GitOps object has Helm told: release, namespace, values.

use std::{path::PathBuf, sync::Arc};

use crate::object::Object;
use helm_render::{
    Error, HelmVersion, Reason,
    values::{self, Flag, Setting, Table, Tree, collect, override_tables},
};
use yaml_spans::{Node, Source, Span, Style};

/// How a chart is rendered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HelmInput {
    /// `None`: the tool makes one up that is not in the tree.
    pub release: Option<String>,
    pub namespace: Option<String>,
    /// The lowest precedence first; above the chart's own `values.yaml`.
    pub values: Vec<Values>,
    pub skip_tests: bool,
    pub skip_crds: bool,
    pub skip_schema: bool,
    /// For `.Capabilities`, where the object states them.
    pub kube_version: Option<String>,
    pub api_versions: Vec<String>,
}

/// One layer of values.
#[derive(Clone, Debug)]
pub enum Values {
    /// A values file: an absolute path, and how it is shown.
    File(PathBuf, String),
    /// A mapping of the object, or of another one.
    Node(Arc<Source>, Node),
    /// A text that is YAML itself, standing in a file: its places are those of the file.
    Text(Arc<Source>),
    /// As `--set` and its kin: `name=value`.
    Flag(Flag),
}

impl HelmInput {
    /// All layers as one table.
    ///
    /// # Errors
    /// A file cannot be read, or a layer is no YAML or no table: Helm's words.
    pub fn table(&self, version: HelmVersion) -> Result<Table, Error> {
        self.values.iter().try_fold(Table::new(), |table, layer| {
            Ok(override_tables(table, layer.table(version)?))
        })
    }
}

/// Equal values, wherever they are written.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Values::File(own, _), Values::File(other, _)) => own == other,
            (Values::Node(_, own), Values::Node(_, other)) => own == other,
            (Values::Text(own), Values::Text(other)) => own.text.trim() == other.text.trim(),
            (Values::Flag(own), Values::Flag(other)) => {
                own.text == other.text && own.kind == other.kind
            }
            _ => false,
        }
    }
}

impl Values {
    /// The YAML text of a field (`values: |`, a key of a ConfigMap): blanks stand for everything around it,
    /// so that places stay true, where it is written as it is read.
    pub fn text(object: &Object, node: &Node, text: &str) -> Self {
        let source = &object.source;
        let blank = |span: std::ops::Range<usize>| -> String {
            let part = source.text.get(span).unwrap_or_default();
            part.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
        };
        let literal = node.style == Style::Literal;
        let made = match literal.then(|| source.text.get(node.span.range())).flatten() {
            Some(written) => {
                let line =
                    source.text[..node.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
                // The span starts at the first character: its indentation belongs to the text.
                let padding = blank(0..line) + &blank(line..node.span.start as usize);
                Source::read_only(&source.path, padding + written)
            }
            None => Source::read_only(&source.path, text),
        };
        Values::Text(Arc::new(made))
    }

    fn table(&self, version: HelmVersion) -> Result<Table, Error> {
        let read = |source: &Arc<Source>| {
            values::read(source, version).map_err(|(span, words)| bad(source, span, &words))
        };
        match self {
            Values::File(path, _) => collect(&[path], &[], version),
            Values::Node(source, node) => match Setting::from_node(source, node, version).value {
                Tree::Table(table) => Ok(table),
                Tree::Null => Ok(Table::new()),
                _ => Err(bad(source, node.span, "values are no mapping")),
            },
            Values::Text(source) => read(source),
            Values::Flag(flag) => collect(&[], std::slice::from_ref(flag), version),
        }
    }
}

fn bad(source: &Source, span: Span, words: &str) -> Error {
    let at = source.position(span.start);
    Error::new(Reason::Values, format!("{}:{}:{}: {words}", source.path, at.line, at.column))
}
