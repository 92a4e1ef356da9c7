use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("hook-conversion", include_str!("../../rules/hook-conversion.yaml"), Check::Run);
