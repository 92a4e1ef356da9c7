use super::{Check, Rule};

pub static RULE: Rule =
    Rule::new("immutable-change", include_str!("../../rules/immutable-change.yaml"), Check::Run);
