//! Prefixes, suffixes and hashes of names.

use super::{Place, Transform};
use crate::{
    config::FieldSpec,
    error::Result,
    field_spec::{Create, visit},
    go::Text,
    hash,
    id::Gvk,
    node::{Kind, Node},
    resource::Resource,
    resources::Resources,
    scalar::Tag,
};

/// `namePrefix` or `nameSuffix`.
pub(crate) struct Affix {
    pub(crate) side: Side,
    pub(crate) text: Text,
    pub(crate) specs: Vec<FieldSpec>,
    pub(crate) place: Place,
}

/// The end of a name at which an affix stands.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Prefix,
    Suffix,
}

/// The hashes of generated resources.
pub(crate) struct Hashes;

/// Kinds whose names stay.
fn is_skipped(gvk: &Gvk) -> bool {
    matches!(&*gvk.kind, "CustomResourceDefinition" | "Namespace")
        || gvk.kind == "APIService" && gvk.group == "apiregistration.k8s.io"
}

impl Transform for Affix {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        resources.work.spend(resources.list.len() as u64 * self.text.len() as u64 / 4)?;
        let origin = self.place.origin(&self.text);
        for resource in &mut resources.list {
            let original = resource.original_id().gvk;
            if is_skipped(&original) {
                continue;
            }
            for spec in self.specs.iter().filter(|spec| original.is_selected(&spec.gvk)) {
                if spec.path == "metadata/name" && !self.text.is_empty() {
                    self.note(resource);
                }
                let gvk = resource.gvk();
                visit(&mut resource.node, &gvk, spec, Create::As(Kind::Scalar), &mut |node| {
                    let text = self.joined(node.text());
                    node.replace_scalar(Node::scalar(text, Tag::Empty, node.origin.and(&origin)));
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

impl Affix {
    fn joined(&self, name: &str) -> String {
        match self.side {
            Side::Prefix => format!("{}{name}", &*self.text),
            Side::Suffix => format!("{name}{}", &*self.text),
        }
    }

    fn note(&self, resource: &mut Resource) {
        let history = &mut resource.history;
        let affixes = match self.side {
            Side::Prefix => &mut history.prefixes,
            Side::Suffix => &mut history.suffixes,
        };
        affixes.push(self.text.to_string());
        resource.store_previous_id();
    }
}

impl Transform for Hashes {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        for resource in resources.list.iter_mut().filter(|resource| resource.history.needs_hash) {
            let (hash, covered) = hash::of(resource)?;
            resource.store_previous_id();
            let old = resource.name_node();
            let name = format!("{}-{hash}", old.text());
            resource.set_name(Node::untyped(name, old.origin.and(&covered)));
        }
        Ok(())
    }
}
