use std::collections::BTreeSet;

use super::{Check, Rule};
use crate::words::count;

pub(crate) static RULE: Rule =
    Rule::new("policy-undecided", include_str!("../../rules/policy-undecided.yaml"), Check::Run);

/// The headline and the label of the finding about a policy that some objects depend on.
pub(crate) fn words(policy: &str, objects: usize, unknown: &BTreeSet<String>) -> (String, String) {
    let unknown: Vec<_> = unknown.iter().map(|one| format!("`{one}`")).collect();
    let unknown = unknown.join(", ");
    let objects = count(objects, "object");
    let message = format!("{}{objects}: only a cluster knows {unknown}", about(policy));
    (message, format!("depends on {unknown}"))
}

/// How the headline starts.
pub(crate) fn about(policy: &str) -> String {
    format!("policy `{policy}` is undecided for ")
}
