use super::{Check, Rule};

pub static RULE: Rule =
    Rule::new("not-rendered", include_str!("../../rules/not-rendered.yaml"), Check::Run);
