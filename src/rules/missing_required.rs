use job_lifecycle::workload::Kind;
use yaml_spans::Span;

use super::{Check, Rule};
use crate::{
    finding::Finding,
    workload::{IDEMPOTENT, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "missing-required",
    include_str!("../../rules/missing-required.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for choice in &job.context.policy.require {
        if choice.is_empty() || choice.iter().any(|item| has(job, item)) {
            continue;
        }
        let Some(span) = choice.iter().find_map(|item| location(job, item)) else { continue };
        let names: Vec<_> = choice.iter().map(|item| describe(item)).collect();
        let name = job.object.display_name();
        let label = match names.as_slice() {
            [one] => format!("`{name}` has no {one}"),
            [all @ .., last] => format!("`{name}` has neither {} nor {last}", all.join(", ")),
            [] => continue,
        };
        let message =
            format!("{} lacks {}, which the settings require", job.title(), names.join(" or "));
        let finding = Finding::new(span, label).message(message);
        found.push(finding.help(format!("add {}", names.join(" or "))));
    }
}

/// True when the workload has the required item. `ttl`, `hook` and `generate-name` concern the replacement of a
/// Job, which a CronJob does itself.
fn has(job: &Subject<'_>, item: &str) -> bool {
    let of_cron = job.kind == Kind::CronJob;
    match item.split_once(':').unwrap_or((item, "")) {
        ("ttl", _) => of_cron || job.ttl().is_some(),
        ("hook", _) => of_cron || job.object.is_annotated_hook(),
        ("generate-name", _) => of_cron || job.object.is_unnamed(),
        ("idempotency-hint", _) => job.idempotent_hint().is_some(),
        ("deadline", _) => job.job.set("activeDeadlineSeconds").is_some(),
        ("backoff-limit", _) => job.job.set("backoffLimit").is_some(),
        ("label", key) => job.object.root.at(&["metadata", "labels", key]).is_some(),
        ("annotation", key) => job.object.annotation(key).is_some(),
        _ => false,
    }
}

/// Where the item would be added.
fn location(job: &Subject<'_>, item: &str) -> Option<Span> {
    match item.split_once(':').map_or(item, |(kind, _)| kind) {
        "ttl" | "deadline" | "backoff-limit" => job.job_key(),
        "generate-name" => job.object.deepest_key(&["metadata"]),
        "label" => job.object.deepest_key(&["metadata", "labels"]),
        "idempotency-hint" if job.kind == Kind::CronJob => {
            job.object.deepest_key(&["spec", "jobTemplate", "metadata", "annotations"])
        }
        _ => job.object.deepest_key(&["metadata", "annotations"]),
    }
}

fn describe(item: &str) -> String {
    match item.split_once(':').unwrap_or((item, "")) {
        ("ttl", _) => "`ttlSecondsAfterFinished`".to_owned(),
        ("hook", _) => "hook annotation".to_owned(),
        ("generate-name", _) => "`generateName`".to_owned(),
        ("idempotency-hint", _) => format!("annotation `{IDEMPOTENT}`"),
        ("deadline", _) => "`activeDeadlineSeconds`".to_owned(),
        ("backoff-limit", _) => "`backoffLimit`".to_owned(),
        ("label", key) => format!("label `{key}`"),
        ("annotation", key) => format!("annotation `{key}`"),
        _ => format!("`{item}`"),
    }
}
