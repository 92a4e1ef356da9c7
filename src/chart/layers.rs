//! Merges the values that a GitOps object passes to Helm into one table.

use std::sync::Arc;

use helm_render::{
    Error, HelmVersion, Reason,
    values::{self, Setting, Table, Tree, collect, override_tables},
};
use yaml_spans::{Source, Span};

use crate::unit::{HelmInput, ValuesLayer};

/// Merges all layers into one table, later layers over earlier ones.
///
/// # Errors
/// A values file cannot be read, or a layer is not valid YAML or not a mapping. The message is Helm's.
pub fn merged_values(input: &HelmInput, version: HelmVersion) -> Result<Table, Error> {
    input.values.iter().try_fold(Table::new(), |table, layer| {
        Ok(override_tables(table, of_layer(layer, version)?))
    })
}

fn of_layer(layer: &ValuesLayer, version: HelmVersion) -> Result<Table, Error> {
    let read = |source: &Arc<Source>| {
        values::read(source, version).map_err(|invalid| bad(source, invalid.span, &invalid.message))
    };
    match layer {
        ValuesLayer::File(path, _) => collect(&[path], &[], version),
        ValuesLayer::Node(source, node) => match Setting::from_node(source, node, version).value {
            Tree::Table(table) => Ok(table),
            Tree::Null => Ok(Table::new()),
            _ => Err(bad(source, node.span, "values are not a mapping")),
        },
        ValuesLayer::Text(source) => read(source),
        ValuesLayer::Flag(flag) => collect(&[], std::slice::from_ref(flag), version),
    }
}

fn bad(source: &Source, span: Span, words: &str) -> Error {
    let at = source.position(span.start);
    Error::new(Reason::Values, format!("{}:{}:{}: {words}", source.path, at.line, at.column))
}
