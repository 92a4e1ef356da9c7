//! What a named template of an absent dependency may print into an object, in the middle of what the chart writes itself.

use helm_render::guards::PLACEHOLDER;
use job_lifecycle::{Object, annotations::HELM_DELETE_POLICY};

use crate::rules::{Category, Raised};

/// The rules about fields that an object lacks.
const OF_FIELDS: [&str; 14] = [
    "cronjob-history",
    "cronjob-missed-runs",
    "default-backoff-limit",
    "invalid-cronjob",
    "invalid-job",
    "key-not-found",
    "logs-lost-on-failure",
    "missing-required",
    "missing-ttl",
    "no-deadline",
    "overlap",
    "program-not-in-image",
    "restart-policy-always",
    "unbounded-wait",
];

/// True for what an object lacks if a template that nothing defines here may print it.
pub(super) fn may_be_there(raised: &Raised<'_>) -> bool {
    let Raised { rule, object, .. } = raised;
    // Annotations decide what deployers do with an object.
    let is_of_deploy = matches!(rule.meta().category, Category::Hooks | Category::Recreation);
    let of_annotations = is_of_deploy && object.annotation(HELM_DELETE_POLICY).is_none();
    let of_fields = OF_FIELDS.contains(&rule.id);
    (of_annotations || of_fields)
        && parts(object).into_iter().any(|key| match key {
            "labels" | "matchLabels" => false,
            "annotations" => of_annotations,
            _ => of_fields,
        })
}

/// The keys of the maps and lists of an object into which such templates print.
fn parts(object: &Object) -> Vec<&str> {
    let text = object.source.slice(object.document);
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut parts = Vec::new();
    // The lines around the current one, outermost first.
    let mut around: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        around.truncate(around.partition_point(|outer| depth(outer) <= depth(line)));
        if line.trim().strip_prefix('#') == Some(PLACEHOLDER) {
            let above = around.last().copied().unwrap_or_default();
            parts.push(above.trim().trim_start_matches("- ").trim_end_matches(':'));
        } else {
            around.truncate(around.partition_point(|outer| depth(outer) < depth(line)));
            around.push(line);
        }
    }
    parts
}
