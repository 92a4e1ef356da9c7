//! The fields that a deployer adds to the kustomization that it builds.

use std::sync::Arc;

use yaml_spans::{Node, Source};

use crate::{
    error::Result,
    go::{Decode, Decoder, Strings},
    origin::Field,
    types::{Image, Kustomization},
};

/// Fields of a kustomization that are written in another file, such as an object of Flux or Argo CD.
#[derive(Clone, Debug)]
pub struct Overrides {
    /// The text that the fields point into.
    pub source: Arc<Source>,
    /// A mapping with the fields as a kustomization names them.
    pub fields: Node,
    /// A mapping with the `labels` and `annotations` that every object gets: `commonMetadata` of Flux.
    pub metadata: Option<Node>,
}

/// Compares the fields, not where they are written.
impl PartialEq for Overrides {
    fn eq(&self, other: &Self) -> bool {
        self.fields == other.fields && self.metadata == other.metadata
    }
}

impl Overrides {
    /// Adds the fields as kustomize-controller does: lists grow, images replace those of the same name, and texts
    /// replace what is there.
    pub(crate) fn apply(&self, k: &mut Kustomization) -> Result<()> {
        let source = &self.source;
        let decoder = Decoder { source, inside: None, root: "Kustomization", is_strict: false };
        let own = Kustomization::decode(&decoder, &self.fields, "")?;
        for (old, new) in [
            (&mut k.namespace, own.namespace),
            (&mut k.name_prefix, own.name_prefix),
            (&mut k.name_suffix, own.name_suffix),
        ] {
            if !new.is_empty() {
                *old = new;
            }
        }
        extend(&mut k.patches, own.patches);
        extend(&mut k.components, own.components);
        extend(&mut k.replicas, own.replicas);
        extend(&mut k.labels, own.labels);
        set(&mut k.common_labels, own.common_labels);
        set(&mut k.common_annotations, own.common_annotations);
        for image in own.images.unwrap_or_default() {
            let images = k.images.get_or_insert_default();
            let same = |other: &&mut Image| *other.name == *image.name;
            match images.iter_mut().find(same) {
                Some(other) => *other = image,
                None => images.push(image),
            }
        }
        Ok(())
    }

    /// The labels and annotations that every object gets.
    pub(crate) fn metadata(&self) -> Result<Vec<(Field, &'static str, Strings)>> {
        let source = &self.source;
        let decoder = Decoder { source, inside: None, root: "CommonMetadata", is_strict: false };
        let mut all = Vec::new();
        for (field, name) in [(Field::Labels, "labels"), (Field::Annotations, "annotations")] {
            let node = self.metadata.as_ref().and_then(|metadata| metadata.get(name));
            if let Some(node) = node.filter(|node| !node.is_empty()) {
                all.push((field, name, Strings::decode(&decoder, node, name)?));
            }
        }
        Ok(all)
    }
}

fn extend<T>(list: &mut Option<Vec<T>>, more: Option<Vec<T>>) {
    if let Some(more) = more {
        list.get_or_insert_default().extend(more);
    }
}

fn set(all: &mut Option<Strings>, more: Option<Strings>) {
    for (key, value) in more.into_iter().flat_map(|more| more.0) {
        let all = &mut all.get_or_insert_default().0;
        all.retain(|(other, _)| **other != *key);
        all.push((key, value));
    }
}
