//! Named templates.

use std::sync::Arc;

use foldhash::HashMap;

use super::ast::Tree;
use super::parser::parse;
use super::{Functions, ParseError};
use crate::provenance::FileId;

/// Templates by name, as one `template.Template` with its associates is in Go. Immutable once
/// built, and shared between threads.
#[derive(Debug, Default)]
pub struct TemplateSet {
    name: Arc<str>,
    trees: HashMap<Arc<str>, Tree>,
}

impl TemplateSet {
    /// A set whose root template is called `name`; the name appears in messages only.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), trees: HashMap::default() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Parses a source: its text becomes the template `name`, its definitions further templates.
    /// Later definitions win, except that blank ones do not replace others.
    pub fn parse(
        &mut self,
        name: &str,
        text: impl Into<Arc<[u8]>>,
        file: FileId,
        functions: &Functions,
    ) -> Result<(), ParseError> {
        self.add(parse(name, text.into(), file, functions)?);
        Ok(())
    }

    /// Whether a template of this name exists.
    pub fn contains(&self, name: &str) -> bool {
        self.trees.contains_key(name)
    }

    /// The names of all templates, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.trees.keys().map(|name| &**name)
    }

    pub(super) fn add(&mut self, trees: Vec<Tree>) {
        for tree in trees {
            if !tree.is_blank || !self.trees.contains_key(&tree.name) {
                self.trees.insert(tree.name.clone(), tree);
            }
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Tree> {
        self.trees.get(name)
    }
}
