//! What a model answers: a row of its tables.

use super::Outcome;
use crate::deployer::OptionName;

/// An outcome with its reason, the fact it rests on, and where in the manifest it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    pub outcome: Outcome,
    pub also: Option<Outcome>,
    /// `{tool}`, `{name}`, `{kind}`, `{field}`, `{interval}` and `{ttl}` are filled in; empty where the
    /// outcome says it all.
    pub why: &'static str,
    /// File and section of the facts.
    pub fact: &'static str,
    pub causes: &'static [Cause],
}

/// The part of a manifest that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// What the deploy changes, as [`crate::release_changes::Change`] says.
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
    /// An option of the deployer, where a GitOps object sets it.
    Option(OptionName),
}

pub const fn predict(outcome: Outcome, why: &'static str, fact: &'static str) -> Prediction {
    Prediction { outcome, also: None, why, fact, causes: &[] }
}

impl Prediction {
    pub const fn also(self, also: Outcome) -> Prediction {
        Prediction { also: Some(also), ..self }
    }

    pub const fn cause(self, causes: &'static [Cause]) -> Prediction {
        Prediction { causes, ..self }
    }
}
