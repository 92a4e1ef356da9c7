use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("unused-ignore", include_str!("../../rules/unused-ignore.yaml"), Check::Run);
