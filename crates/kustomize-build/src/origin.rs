//! Where values come from: the texts that people wrote, and the kustomizations on the way to the output.

use std::sync::Arc;

use yaml_spans::Location;

/// The texts that a value of the output comes from. The first is where the value was written; what follows changed it:
/// a prefix, a tag, the content that a hash covers.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    parts: Parts,
}

#[derive(Clone, Debug, Default)]
enum Parts {
    #[default]
    None,
    One(Part),
    Many(Arc<[Part]>),
}

/// One text that flows into a value.
#[derive(Clone, Debug)]
pub struct Part {
    /// The bytes that a person wrote.
    pub at: Location,
    /// The field of the kustomization that brings the text in.
    pub field: Field,
    /// The kustomizations on the way, innermost first. `None` for a text in the kustomization that is built.
    pub chain: Option<Arc<Step>>,
}

/// One step on the way from the kustomization that is built to a text: the entry that leads on.
#[derive(Debug)]
pub struct Step {
    /// The entry, such as `../base` or `patch.yaml`.
    pub at: Location,
    /// The step before it, towards the kustomization that is built.
    pub parent: Option<Arc<Step>>,
}

/// A field of a kustomization that contributes text to the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// `resources` and `bases`.
    Resources,
    /// `patches`, `patchesStrategicMerge` and `patchesJson6902`.
    Patches,
    /// `configMapGenerator`.
    ConfigMapGenerator,
    /// `secretGenerator`.
    SecretGenerator,
    /// `generatorOptions`.
    GeneratorOptions,
    /// `namePrefix`.
    NamePrefix,
    /// `nameSuffix`.
    NameSuffix,
    /// `namespace`.
    Namespace,
    /// `labels` and `commonLabels`.
    Labels,
    /// `commonAnnotations`.
    Annotations,
    /// `images`.
    Images,
    /// `replicas`.
    Replicas,
    /// `replacements`.
    Replacements,
    /// `vars`.
    Vars,
    /// `helmCharts`.
    HelmCharts,
    /// A file of `generators` or `transformers`.
    Plugins,
    /// A [variable](crate::Variables) that Flux substitutes.
    Substitute,
}

impl Origin {
    pub(crate) fn one(part: Part) -> Self {
        Self { parts: Parts::One(part) }
    }

    /// All texts, the primary one first.
    pub fn parts(&self) -> &[Part] {
        match &self.parts {
            Parts::None => &[],
            Parts::One(part) => std::slice::from_ref(part),
            Parts::Many(parts) => parts,
        }
    }

    /// Whether nobody wrote the value: kustomize adds it.
    pub fn is_empty(&self) -> bool {
        self.parts().is_empty()
    }

    /// This origin, then the texts of another that are not in it.
    pub(crate) fn and(&self, other: &Origin) -> Origin {
        if self.is_empty() {
            return other.clone();
        }
        let mut parts = self.parts().to_vec();
        parts.extend(
            other
                .parts()
                .iter()
                .filter(|part| !self.parts().iter().any(|own| own.is(part)))
                .cloned(),
        );
        if parts.len() == self.parts().len() {
            return self.clone();
        }
        Origin { parts: Parts::Many(parts.into()) }
    }
}

impl Part {
    fn is(&self, other: &Part) -> bool {
        self.at.span == other.at.span && Arc::ptr_eq(&self.at.source, &other.at.source)
    }

    /// The entries that lead from the kustomization that is built to this text, outermost first.
    pub fn path(&self) -> Vec<&Location> {
        let mut steps = Vec::new();
        let mut next = self.chain.as_deref();
        while let Some(step) = next {
            steps.push(&step.at);
            next = step.parent.as_deref();
        }
        steps.reverse();
        steps
    }
}
