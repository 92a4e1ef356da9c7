use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("job-reruns", include_str!("../../rules/job-reruns.yaml"), Check::Run);
