use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("policy-undecided", include_str!("../../rules/policy-undecided.yaml"), Check::Run);
