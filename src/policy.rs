//! The part of the settings that rules read.

mod own;
mod requirement;

use std::{collections::BTreeMap, sync::Arc};

use shell_effects::Catalogue;

pub use own::{Own, OwnRule, RunCost};
pub use requirement::{Bound, Bounds, Metadata, Number, Requirement, Wish};

/// Rule options, required fields and the user's own commands.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Option values by rule id and option name.
    pub options: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
    /// What every Job and CronJob must have.
    pub require: Vec<Requirement>,
    /// The built-in command catalogue extended by the user's commands; `None` without any.
    pub commands: Option<Arc<Catalogue>>,
    /// The user's own policies and rules.
    pub own: Arc<Own>,
    /// Whether the user states the Kubernetes version of the cluster.
    pub states_kubernetes: bool,
}

impl Policy {
    /// The catalogue that says what commands do when they run again.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        self.commands.as_deref().unwrap_or(Catalogue::built_in())
    }

    /// The value of a rule's option; `None` when it is not set.
    pub(crate) fn option(&self, rule: &str, option: &str) -> Option<&serde_json::Value> {
        self.options.get(rule)?.get(option)
    }
}
