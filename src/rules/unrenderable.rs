use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("unrenderable", include_str!("../../rules/unrenderable.yaml"), Check::Run);
