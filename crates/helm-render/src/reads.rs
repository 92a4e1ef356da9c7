//! What a render leaves for other renders of its chart: the values of its inputs, and which inputs each template read.
//!
//! A template whose inputs all have the values that they had before prints what it printed before, wherever those values
//! come from now. Which inputs those are, provenance knows: whatever a template prints or decides has them in its taint.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    sync::Arc,
};

use foldhash::{HashMap, HashSet};
use go_template::{
    Read,
    provenance::{FileId, Input},
};

use crate::{HelmVersion, KubeVersion};

/// What the templates of a render read.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// Unknown without provenance.
    surroundings: Option<Surroundings>,
    /// How `required` and `fail` behave if they do not fail.
    leniency: Option<bool>,
    pub(crate) values: InputValues,
    of_templates: HashMap<FileId, Arc<Read>>,
}

impl Reads {
    /// No template has read anything yet.
    pub(crate) fn new(surroundings: Option<Surroundings>, leniency: Option<bool>) -> Self {
        Self { surroundings, leniency, ..Self::default() }
    }

    /// What a template read. Nothing is known of one that failed or changes what others see.
    pub(crate) fn of(&self, template: FileId) -> Option<&Arc<Read>> {
        self.of_templates.get(&template)
    }

    /// The inputs whose values differ.
    pub(crate) fn changed(&self, other: &Self) -> HashSet<Input> {
        let (own, other) = (&self.values.0, &other.values.0);
        let inputs = own.keys().chain(other.keys());
        inputs.filter(|input| own.get(input) != other.get(input)).copied().collect()
    }

    pub(crate) fn add(&mut self, template: FileId, read: Arc<Read>) {
        self.of_templates.insert(template, read);
    }

    /// Whether a template that read the same prints the same in another render.
    pub(crate) fn hold_in(&self, other: &Self) -> bool {
        let both = self.surroundings.as_ref().zip(other.surroundings.as_ref());
        let is_alike = both.is_some_and(|(own, other)| own == other);
        is_alike && self.leniency.is_none_or(|_| self.leniency == other.leniency)
    }
}

/// Hashes of the values that inputs have. An input has several where charts share a table.
#[derive(Debug, Default)]
pub(crate) struct InputValues(HashMap<Input, u64>);

impl InputValues {
    /// Adds a value of an input, as the chart with the values `chart` sees it.
    pub(crate) fn add(&mut self, chart: Input, input: Input, value: impl Hash) {
        let mut hasher = DefaultHasher::new();
        (chart, value).hash(&mut hasher);
        let known = self.0.entry(input).or_default();
        *known = known.wrapping_add(hasher.finish());
    }
}

/// All that templates depend on, besides their charts and what has an input of its own in [`InputValues`].
#[derive(Debug, PartialEq)]
pub(crate) struct Surroundings {
    pub(crate) version: HelmVersion,
    /// Name and namespace.
    pub(crate) release: [String; 2],
    pub(crate) kube_version: Option<KubeVersion>,
    /// Those that are added, and those that are left out.
    pub(crate) api_versions: [Vec<String>; 2],
    /// Those of the chart and of its application.
    pub(crate) versions: [Option<String>; 2],
    /// Charts below the root, with their versions and those of their applications.
    pub(crate) dependency_versions: Vec<[String; 3]>,
    /// Seed and time.
    pub(crate) clock: (u64, i128),
    /// The charts that are enabled.
    pub(crate) charts: Vec<String>,
}
