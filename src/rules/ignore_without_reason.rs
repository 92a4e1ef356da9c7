use super::{Check, Rule};

pub(crate) static RULE: Rule = Rule::new(
    "ignore-without-reason",
    include_str!("../../rules/ignore-without-reason.yaml"),
    Check::Run,
);
