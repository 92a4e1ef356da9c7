//! Findings about the policies themselves, not about the objects that they judge.

use std::collections::BTreeSet;

use yaml_spans::Location;

use crate::{
    diagnostic::Diagnostic,
    finding::Severity,
    resolve,
    results::Undecided,
    rules::{invalid_policy, policy_undecided},
    settings::Settings,
};

/// The finding about a policy that the API server takes with a warning.
pub(super) fn warned(at: &Location, label: &str, settings: &Settings) -> Diagnostic {
    let finding =
        resolve::run_finding(&invalid_policy::RULE, at.clone(), label.to_owned(), settings);
    let message = format!("the API server warns about this policy: {label}");
    Diagnostic { severity: finding.severity.min(Severity::Warning), message, ..finding }
}

/// A finding for each policy that cannot be decided without a cluster.
pub(super) fn undecided(undecided: &Undecided, settings: &Settings) -> Vec<Diagnostic> {
    let finding = |(name, objects, unknown): (&str, usize, &BTreeSet<String>)| {
        let policies = settings.own.admission.policies.iter();
        let of_policy = policies.filter(|one| one.name == name).map(|one| &one.object);
        let rules = settings.own.rules.iter().filter(|one| one.id == name);
        let object = of_policy.chain(rules.map(|one| &one.object)).next()?;
        let root = &object.root;
        let named = root.at(&["metadata", "name"]).or(root.get("id"));
        let span = named.map_or(root.span, |name| name.span);
        let at = Location { source: object.source.clone(), span };
        let (message, label) = policy_undecided::words(name, objects, unknown);
        let finding = resolve::run_finding(&policy_undecided::RULE, at, label, settings);
        Some(Diagnostic { message, ..finding })
    };
    undecided.each().filter_map(finding).collect()
}
