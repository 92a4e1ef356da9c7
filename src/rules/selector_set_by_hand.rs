use job_lifecycle::{kubernetes::Field, workload::Kind};
use yaml_spans::{Entry, Node};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, Severity},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "selector-set-by-hand",
    include_str!("../../rules/selector-set-by-hand.yaml"),
    Check::Workload(check),
);

/// Labels that the API server sets to the Job's name.
const NAMES: &[&str] = &["job-name", "batch.kubernetes.io/job-name"];

/// Labels that the API server sets to the Job's uid.
const UIDS: &[&str] = &["controller-uid", "batch.kubernetes.io/controller-uid"];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut own = Vec::new();
    check_all(job, &mut own);
    // An exported Job has all of these flaws; they are one finding.
    let Some(mut first) = own.first().cloned() else { return };
    if first.message.is_none() {
        first = first.message(format!(
            "API server will reject {}: it sets its selector or labels by hand",
            job.title()
        ));
    }
    let others = own.into_iter().skip(1);
    found.push(others.fold(first, |finding, other| finding.label(other.span, other.label)));
}

fn check_all(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let root = Field::root(job.object);
    let spec = root.at(job.job_path);
    let (selector, manual) = (spec.field("selector"), spec.field("manualSelector"));
    let labels = job.template.at(&["metadata", "labels"]);
    if job.kind == Kind::CronJob {
        cron_job(job, &selector, &manual, found);
    } else if manual.is_true() {
        by_hand(job, &selector, labels, found);
        return;
    } else if selector.node().is_some_and(|node| !only_generated(job, node)) {
        let label = "a selector without `manualSelector: true`: `selector` not auto-generated";
        found.push(with_removal(job, "selector", Finding::new(selector.span(), label)));
    }
    for entry in labels.map(Node::entries).unwrap_or_default() {
        generated_label(job, entry, found);
    }
}

/// True when the selector holds only what the API server would generate.
fn only_generated(job: &Subject<'_>, selector: &Node) -> bool {
    let name =
        |entry: &Entry| NAMES.contains(&&*entry.key) && entry.value.as_str() == job.object.name();
    let labels = selector.get("matchLabels").map(Node::entries).unwrap_or_default();
    let expressions = selector.get("matchExpressions").map(Node::items).unwrap_or_default();
    expressions.is_empty() && labels.iter().all(name)
}

fn cron_job(job: &Subject<'_>, selector: &Field<'_>, manual: &Field<'_>, found: &mut Vec<Finding>) {
    if selector.is_set() {
        let label = "`selector` will be auto-generated, a CronJob may not set it";
        found.push(with_removal(job, "selector", Finding::new(selector.span(), label)));
    }
    if manual.is_true() {
        let label = "a CronJob may not set `manualSelector: true`";
        found.push(with_removal(job, "manualSelector", Finding::new(manual.span(), label)));
    }
}

fn by_hand(
    job: &Subject<'_>,
    selector: &Field<'_>,
    labels: Option<&Node>,
    found: &mut Vec<Finding>,
) {
    let Some(node) = selector.node().filter(|node| !node.is_null()) else {
        let span = job.job.entry("manualSelector").map(|entry| entry.key_span).unwrap_or_default();
        let label = "`manualSelector: true` without a `selector`";
        found.push(with_removal(job, "manualSelector", Finding::new(span, label)));
        return;
    };
    let has = |entry: &Entry| {
        labels.and_then(|labels| labels.get(&entry.key)).is_some_and(|label| *label == entry.value)
    };
    let wanted = node.get("matchLabels").map(Node::entries).unwrap_or_default();
    if let Some(missing) = wanted.iter().find(|entry| !has(entry)) {
        let label = format!(
            "`selector` does not match template `labels`: no `{}` of this value",
            missing.key
        );
        found.push(
            Finding::new(missing.key_span, label).help("give the pod template the same label"),
        );
        return;
    }
    let message = format!("{} may count pods of other Jobs as its own", job.title());
    let label = "selected by hand: another Job's pods with these labels count as its own";
    let finding = Finding::new(selector.span(), label).severity(Severity::Info).pedantic();
    found.push(with_removal(job, "selector", finding.message(message)));
}

fn generated_label(job: &Subject<'_>, entry: &Entry, found: &mut Vec<Finding>) {
    let key = &*entry.key;
    let own = job.kind == Kind::Job
        && job.object.name().is_some_and(|name| entry.value.as_str() == Some(name));
    let label = if UIDS.contains(&key) {
        format!(
            "`{key}` is written by the API server: it holds the uid of a Job that is not created yet"
        )
    } else if NAMES.contains(&key) && !own && job.object.name().is_some() {
        let whose = if job.kind == Kind::Job { "the Job's name" } else { "the name of each Job" };
        format!("`{key}` is written by the API server: it must be {whose}")
    } else {
        return;
    };
    found.push(Finding::new(entry.key_span, label).help("remove the label"));
}

/// Adds the fix that removes a key; a selector with `manualSelector: true` stays.
fn with_removal(job: &Subject<'_>, key: &str, finding: Finding) -> Finding {
    let is_required = key == "selector" && job.job.get("manualSelector").is_some_and(Node::is_true);
    let entry = job.job.entry(key).filter(|_| !is_required);
    let edit = entry.and_then(|entry| fix::remove(job.source, job.job, entry));
    finding.fix_if(format!("remove `{key}`"), Applicability::Unsafe, edit)
}
