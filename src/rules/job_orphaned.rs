use super::{Check, Rule};

pub(crate) static RULE: Rule =
    Rule::new("job-orphaned", include_str!("../../rules/job-orphaned.yaml"), Check::Run);
