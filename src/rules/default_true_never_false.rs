use std::collections::HashSet;

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "default-true-never-false",
    include_str!("../../rules/default-true-never-false.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(origin) = &job.object.source.origin else { return };
    let root = &job.object.root;
    let suspend = root.at(&["spec", "suspend"]).filter(|node| node.is_true());
    let places = [(root.get("kind"), "is deployed"), (suspend, "stays suspended")];
    let mut known = HashSet::new();
    for (node, what) in places {
        let Some(span) = node.map(|node| node.span) else { continue };
        for (value, at) in origin.ineffective(span) {
            if known.insert(value.clone()) {
                let message = format!("{} {what} although `{value}` is `false`", job.title());
                let finding = Finding::new(span, "the same with `false` as with `true`");
                found.push(finding.message(message).label_in(
                    &at.source,
                    at.span,
                    "set to `false` here",
                ));
            }
        }
    }
}
