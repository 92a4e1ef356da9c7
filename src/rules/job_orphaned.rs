use super::{Check, Rule};

pub static RULE: Rule =
    Rule::new("job-orphaned", include_str!("../../rules/job-orphaned.yaml"), Check::Run);
