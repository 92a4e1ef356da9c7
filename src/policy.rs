//! What the user's settings ask of rules: their options, required fields, commands of one's own.

use std::{collections::BTreeMap, sync::Arc};

use shell_effects::Catalogue;

/// The part of the settings that rules may read.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Options as set, by rule and name.
    pub options: BTreeMap<String, BTreeMap<String, serde_json::Value>>,
    /// What every Job must have: all of the outer list, any one of each inner.
    pub require: Vec<Vec<String>>,
    /// The built-in catalogue of commands with the user's own; `None` without own ones.
    pub commands: Option<Arc<Catalogue>>,
    /// Fixes in templates are wanted: each has to be proven by rendering again.
    pub fixes_templates: bool,
}

impl Policy {
    /// What commands do when they run again.
    pub fn catalogue(&self) -> &Catalogue {
        self.commands.as_deref().unwrap_or(Catalogue::built_in())
    }

    /// An option of a rule, where it is set.
    pub fn option(&self, rule: &str, option: &str) -> Option<&serde_json::Value> {
        self.options.get(rule)?.get(option)
    }
}
