//! The built-in transformers, in kustomize's terms.

pub(crate) mod fields;
mod images;
mod names;
mod namespace;
mod patches;
mod replacements;

use std::sync::Arc;

use crate::{
    Origin,
    error::Result,
    go::Text,
    idle_patch::IdlePatch,
    origin::{Field, Part, Step},
    resources::Resources,
};

pub(crate) use self::{
    fields::{Annotations, Labels, Replicas},
    images::Images,
    names::{Affix, Hashes, Side},
    namespace::{Namespace, Subjects},
    patches::{Content, JsonPatch, Patch, StrategicMerge},
    replacements::{Replacements, read_file as read_replacements},
};

/// Changes the resources.
pub(crate) trait Transform {
    fn apply(&self, resources: &mut Resources) -> Result<()>;

    /// A patch that selects none of the resources although it should.
    fn idle(&self, _resources: &Resources) -> Option<IdlePatch> {
        None
    }
}

/// The place of a transformer in the chain of kustomizations.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) field: Field,
    pub(crate) chain: Option<Arc<Step>>,
}

impl Place {
    /// The origin of a text that is written there.
    pub(crate) fn origin(&self, text: &Text) -> Origin {
        self.at(text.at.as_ref())
    }

    pub(crate) fn at(&self, at: Option<&yaml_spans::Location>) -> Origin {
        let part =
            at.map(|at| Part { at: at.clone(), field: self.field, chain: self.chain.clone() });
        part.map_or_else(Origin::default, Origin::one)
    }
}
