//! Named templates.

use std::sync::Arc;

use foldhash::HashMap;

use crate::ast::Tree;

/// The templates of one source, for any number of sets.
#[derive(Clone, Debug)]
pub struct ParsedSource(pub(crate) Arc<[Tree]>);

/// Templates by name: a Go `template.Template` with its associated templates. Threads can share it once
/// it is built.
#[derive(Debug, Default)]
pub struct TemplateSet {
    name: Arc<str>,
    trees: HashMap<Arc<str>, Tree>,
}

impl TemplateSet {
    /// An empty set whose root template is called `name`; only messages use the name.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), trees: HashMap::default() }
    }

    /// The name of the root template.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a template of this name exists.
    pub fn contains(&self, name: &str) -> bool {
        self.trees.contains_key(name)
    }

    /// The names of all templates, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.trees.keys().map(|name| &**name)
    }

    /// Whether another set has templates of the same names.
    pub fn has_same_names(&self, other: &Self) -> bool {
        self.trees.len() == other.trees.len() && self.names().all(|name| other.contains(name))
    }

    /// Whether another set has the same template of this name, from the same parsed source.
    pub fn has_same(&self, other: &Self, name: &str) -> bool {
        let both = self.find(name).zip(other.find(name));
        both.is_some_and(|(a, b)| Arc::ptr_eq(&a.source, &b.source) && a.root == b.root)
    }

    /// Adds the templates of a source. Later ones replace earlier ones of the same name, except that blank ones
    /// replace nothing.
    pub fn add(&mut self, source: &ParsedSource) {
        self.add_trees(source.0.iter().cloned());
    }

    pub(crate) fn add_trees(&mut self, trees: impl Iterator<Item = Tree>) {
        for tree in trees {
            if !tree.is_blank || !self.trees.contains_key(&tree.name) {
                self.trees.insert(tree.name.clone(), tree);
            }
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Tree> {
        self.trees.get(name)
    }
}
