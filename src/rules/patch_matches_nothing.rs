use super::{Check, Rule};

pub(crate) static RULE: Rule = Rule::new(
    "patch-matches-nothing",
    include_str!("../../rules/patch-matches-nothing.yaml"),
    Check::Run,
);
