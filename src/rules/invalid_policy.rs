use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("invalid-policy", include_str!("../../rules/invalid-policy.yaml"), Check::Run);
