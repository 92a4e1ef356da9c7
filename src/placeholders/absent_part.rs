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
    let is_told = object.annotation(HELM_DELETE_POLICY).is_some();
    let is_of_deploy = matches!(rule.meta().category, Category::Hooks | Category::Recreation);
    parts(object).any(|key| match key {
        "labels" | "matchLabels" => false,
        "annotations" => is_of_deploy && !is_told,
        _ => OF_FIELDS.contains(&rule.id),
    })
}

/// The keys of the maps and lists of an object into which such templates print.
fn parts(object: &Object) -> impl Iterator<Item = &str> {
    let text = object.source.slice(object.document);
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines = move || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let stand_ins = lines().filter(|(_, line)| line.trim().strip_prefix('#') == Some(PLACEHOLDER));
    stand_ins.map(move |(index, own)| {
        let before = lines().take_while(|(at, _)| *at < index).map(|(_, line)| line);
        let above = before.filter(|line| depth(line) <= depth(own)).last().unwrap_or_default();
        above.trim().trim_start_matches("- ").trim_end_matches(':')
    })
}
