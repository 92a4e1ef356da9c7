//! The part of the settings that rules read.

mod own;
mod requirement;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use shell_effects::{Analysis, Catalogue, Container};

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
    /// What is known of scripts by these commands.
    pub(crate) analyses: Analyses,
    /// The user's own policies and rules.
    pub own: Arc<Own>,
    /// Whether the user states the Kubernetes version of the cluster.
    pub states_kubernetes: bool,
}

/// By the words of a command and what its container has.
type Analysed = HashMap<(Vec<String>, Container), Arc<Analysis>>;

/// The analyses of scripts, by the command line and its container. The views of a unit and the proofs of its fixes have most
/// of them in common. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Analyses(Arc<Mutex<Analysed>>);

impl Policy {
    /// The analysis of a command line: the elements of `command` followed by those of `args`.
    pub(crate) fn analyse(&self, words: Vec<String>, container: &Container) -> Arc<Analysis> {
        let lock = || self.analyses.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (words, container.clone());
        if let Some(known) = lock().get(&key) {
            return known.clone();
        }
        let words: Vec<_> = key.0.iter().map(String::as_str).collect();
        let analysis = Arc::new(shell_effects::analyse(self.catalogue(), &words, container));
        lock().insert(key, analysis.clone());
        analysis
    }

    /// The catalogue that says what commands do when they run again.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        self.commands.as_deref().unwrap_or(Catalogue::built_in())
    }

    /// The value of a rule's option; `None` when it is not set.
    pub(crate) fn option(&self, rule: &str, option: &str) -> Option<&serde_json::Value> {
        self.options.get(rule)?.get(option)
    }
}
