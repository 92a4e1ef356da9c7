use super::{Check, Rule};

pub static RULE: Rule =
    Rule::new("unrenderable", include_str!("../../rules/unrenderable.yaml"), Check::Run);
