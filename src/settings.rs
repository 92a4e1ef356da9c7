//! What the user asked for: settings file and flags, resolved.

use std::collections::BTreeMap;

use crate::{
    deploy::Deployer,
    finding::{Confidence, Severity},
    kubernetes::Version,
    rules::{self, Rule},
};

/// Everything that steers a run, defaults filled in.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The deployers in force; empty: find out.
    pub deployers: Vec<Deployer>,
    pub kubernetes: Option<Version>,
    /// Only these rules run, when given.
    pub select: Option<Vec<String>>,
    /// These rules do not run.
    pub skip: Vec<String>,
    pub rules: BTreeMap<String, RuleSettings>,
    pub min_severity: Severity,
    pub min_confidence: Confidence,
    pub fail_on: Severity,
    pub pedantic: bool,
}

/// Settings of one rule.
#[derive(Clone, Debug, Default)]
pub struct RuleSettings {
    pub severity: Option<Severity>,
    pub options: BTreeMap<String, serde_json::Value>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            deployers: Vec::new(),
            kubernetes: None,
            select: None,
            skip: Vec::new(),
            rules: BTreeMap::new(),
            min_severity: Severity::Info,
            min_confidence: Confidence::Low,
            fail_on: Severity::Warning,
            pedantic: false,
        }
    }
}

impl Settings {
    /// True when the rule is to run at all.
    pub fn runs(&self, rule: &Rule) -> bool {
        let selected = self.select.as_ref().is_none_or(|ids| ids.iter().any(|id| id == rule.id));
        selected && !self.skip.iter().any(|id| id == rule.id)
    }

    /// A rule's option as an integer: as set, else its default.
    pub fn integer(&self, rule: &str, option: &str) -> Option<i64> {
        self.option(rule, option)?.as_i64()
    }

    /// A rule's option as a text: as set, else its default.
    pub fn text(&self, rule: &str, option: &str) -> Option<&str> {
        self.option(rule, option)?.as_str()
    }

    /// A rule's option: as set, else its default.
    pub fn option(&self, rule: &str, option: &str) -> Option<&serde_json::Value> {
        let set = self.rules.get(rule).and_then(|settings| settings.options.get(option));
        set.or_else(|| Some(&rules::find(rule)?.meta().options.get(option)?.default))
    }
}
