use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("not-rendered", include_str!("../../rules/not-rendered.yaml"), Check::Run);
