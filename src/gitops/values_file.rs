//! The values files that GitOps objects name.

use std::path::{Path, PathBuf};

use job_lifecycle::Object;
use yaml_spans::{Location, Node};

use super::Tree;
use crate::unit::ValuesLayer;

/// The files that one GitOps object names.
pub(super) struct NamedFiles<'a> {
    object: &'a Object,
    tree: &'a Tree,
    /// The files that are not opened, each with where it is named and why.
    pub(super) refused: Vec<(Location, String)>,
}

impl<'a> NamedFiles<'a> {
    pub(super) fn of(object: &'a Object, tree: &'a Tree) -> Self {
        Self { object, tree, refused: Vec::new() }
    }

    /// Whether a file that `node` names may be opened; if not, that is recorded.
    pub(super) fn allows(&mut self, path: &Path, node: &Node) -> bool {
        let Some(refusal) = self.tree.refusal(path) else { return true };
        let place = Location { source: self.object.source.clone(), span: node.span }.written();
        let named = node.as_str().unwrap_or_default();
        self.refused.push((place, format!("`{named}` {refusal}: not read")));
        false
    }

    /// A values file as a layer. `None` if it is not opened, which is recorded, or not there, which is noted
    /// unless `may_miss`.
    pub(super) fn layer(
        &mut self,
        path: PathBuf,
        node: &Node,
        may_miss: bool,
        notes: &mut Vec<String>,
    ) -> Option<ValuesLayer> {
        if !self.allows(&path, node) {
            return None;
        }
        let shown = self.tree.shown(&path);
        if path.is_file() {
            return Some(ValuesLayer::File(path, shown));
        }
        if !may_miss {
            notes.push(format!("values file `{shown}` is not here"));
        }
        None
    }
}
