use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("immutable-change", include_str!("../../rules/immutable-change.yaml"), Check::Run);
