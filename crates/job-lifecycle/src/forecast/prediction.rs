//! The answer of a deployer's model: a row of its tables.

use super::Outcome;
use crate::deployer::OptionName;

/// An outcome with its reason, its source, and the parts of the manifest that decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prediction {
    pub outcome: Outcome,
    pub also: Option<Outcome>,
    /// The reason, with the variables `{tool}`, `{name}`, `{kind}`, `{field}`, `{interval}`, `{ttl}` and
    /// `{mode}`; empty where the outcome says it all.
    pub why: &'static str,
    /// The documented fact behind it: file and section.
    pub fact: &'static str,
    pub causes: &'static [Cause],
}

/// A part of the manifests that decides an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// What the deploy changes; see [`crate::release_changes::Change`].
    Change,
    Ttl,
    Policy,
    Hook,
    SyncOptions,
    FluxForce,
    FluxSsa,
    FluxReconcile,
    Prune,
    ResourcePolicy,
    GenerateName,
    Suspend,
    RestartPolicy,
    Annotation,
    Label,
    /// The hook that deletes the old object.
    Deleter,
    /// An option of the deployer that a GitOps object sets.
    Option(OptionName),
}

pub(super) const fn predict(outcome: Outcome, why: &'static str, fact: &'static str) -> Prediction {
    Prediction { outcome, also: None, why, fact, causes: &[] }
}

impl Prediction {
    pub(super) const fn also(self, also: Outcome) -> Prediction {
        Prediction { also: Some(also), ..self }
    }

    pub(super) const fn cause(self, causes: &'static [Cause]) -> Prediction {
        Prediction { causes, ..self }
    }
}
