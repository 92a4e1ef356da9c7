use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("unreadable", include_str!("../../rules/unreadable.yaml"), Check::Run);
