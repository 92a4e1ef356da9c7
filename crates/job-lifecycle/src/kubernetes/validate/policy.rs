//! `podFailurePolicy`, `podReplacementPolicy` and `successPolicy`.

use super::{Causes, Place, names};
use crate::kubernetes::defaults::Counts;

const ACTIONS: &[&str] = &["Count", "FailIndex", "FailJob", "Ignore"];
const MOST_RULES: usize = 20;
const MOST_CODES: usize = 255;

pub(super) fn failure(spec: &Place<'_>, causes: &mut Causes) {
    let policy = spec.field("podFailurePolicy");
    let replacement = spec.field("podReplacementPolicy");
    if !policy.is_set() {
        causes.exactly_one_of(&replacement, &["Failed", "TerminatingOrFailed"]);
        return;
    }
    causes.exactly_one_of(&replacement, &["Failed"]);
    let restart = spec.at(&["template", "spec", "restartPolicy"]);
    if restart.text() == Some("OnFailure") {
        causes.invalid(&restart, "only \"Never\" is supported when podFailurePolicy is specified");
    }
    let rules = policy.field("rules");
    let count = rules.items().count();
    if count > MOST_RULES {
        causes.too_many(&rules, count, MOST_RULES);
    }
    rules.items().for_each(|rule| failure_rule(spec, &rule, causes));
}

fn failure_rule(spec: &Place<'_>, rule: &Place<'_>, causes: &mut Causes) {
    let action = rule.field("action");
    if action.is_empty() {
        causes.required(&action, &format!("valid values: [{}]", listed(ACTIONS, " ")));
    } else if action.text() == Some("FailIndex") {
        if !spec.field("backoffLimitPerIndex").is_set() {
            causes.invalid(&action, "requires the backoffLimitPerIndex to be set");
        }
    } else {
        causes.one_of(&action, ACTIONS);
    }
    let (codes, conditions) = (rule.field("onExitCodes"), rule.field("onPodConditions"));
    let count = conditions.items().count();
    if codes.is_set() {
        exit_codes(spec, &codes, causes);
    }
    if count > MOST_RULES {
        causes.too_many(&conditions, count, MOST_RULES);
    }
    for pattern in conditions.items() {
        causes.checked_always(&pattern.field("type"), names::label_key);
        causes.one_of(&pattern.field("status"), &["False", "True", "Unknown"]);
    }
    match (codes.is_set(), count > 0) {
        (true, true) => causes.invalid_whole(
            rule,
            "specifying both OnExitCodes and OnPodConditions is not supported",
        ),
        (false, false) => causes
            .invalid_whole(rule, "specifying one of OnExitCodes and OnPodConditions is required"),
        _ => {}
    }
}

fn exit_codes(spec: &Place<'_>, at: &Place<'_>, causes: &mut Causes) {
    let operator = at.field("operator");
    if operator.is_empty() {
        causes.required(&operator, &format!("valid values: [{}]", listed(&["In", "NotIn"], " ")));
    }
    causes.one_of(&operator, &["In", "NotIn"]);
    container_name(spec, &at.field("containerName"), causes);
    let values = at.field("values");
    let codes: Vec<_> = values.items().collect();
    if codes.is_empty() {
        let written = if values.is_set() { "[]" } else { "null" };
        causes.invalid_as(&values, written, "at least one value is required");
    } else if codes.len() > MOST_CODES {
        causes.too_many(&values, codes.len(), MOST_CODES);
    }
    let mut seen = Vec::new();
    for (code, number) in codes.iter().filter_map(|code| Some((code, code.int()?))) {
        if operator.text() == Some("In") && number == 0 {
            causes.invalid(code, "must not be 0 for the In operator");
        }
        if seen.contains(&number) {
            causes.duplicate(code);
        }
        seen.push(number);
    }
    if !seen.is_sorted() {
        causes.invalid(&values, "must be ordered");
    }
}

fn container_name(spec: &Place<'_>, at: &Place<'_>, causes: &mut Causes) {
    let pod = spec.at(&["template", "spec"]);
    let lists = ["containers", "initContainers"].map(|list| pod.field(list));
    let mut containers = lists.iter().flat_map(Place::items).map(|item| item.field("name"));
    if at.is_set() && !containers.any(|name| name.text() == at.text() || name.is_placeholder()) {
        causes
            .invalid(at, "must be one of the container or initContainer names in the pod template");
    }
}

pub(super) fn success(spec: &Place<'_>, counts: &Counts, causes: &mut Causes) {
    let (policy, mode) = (spec.field("successPolicy"), spec.field("completionMode"));
    if !policy.is_set() || mode.is_placeholder() {
        return;
    }
    if mode.text() != Some("Indexed") {
        // The server prints the policy under its internal names: {"Rules":[…]}.
        causes.invalid_whole(&policy, "requires indexed completion mode");
        return;
    }
    let rules = policy.field("rules");
    let count = rules.items().count();
    if count == 0 {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        causes.required(&rules, detail);
    } else if count > MOST_RULES {
        causes.too_many(&rules, count, MOST_RULES);
    }
    if let Some(completions) = counts.completions {
        rules.items().for_each(|rule| success_rule(&rule, completions, causes));
    }
}

fn success_rule(rule: &Place<'_>, completions: i64, causes: &mut Causes) {
    let (count, indexes) = (rule.field("succeededCount"), rule.field("succeededIndexes"));
    if !count.is_set() && !indexes.is_set() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        causes.required(rule, detail);
    }
    let mut listed = None;
    if let Some(text) = indexes.text() {
        match total_indexes(text, completions) {
            Ok(total) => listed = Some(total),
            Err(error) => {
                causes.invalid(&indexes, &format!("error parsing succeededIndexes: {error}"));
            }
        }
    }
    causes.not_negative(&count);
    let limits = [
        (Some(completions), "the number of specified completions"),
        (listed, "the number of indexes in the specified succeededIndexes field"),
    ];
    for (limit, what) in limits {
        if let Some(limit) = limit.filter(|limit| count.int().is_some_and(|number| number > *limit))
        {
            causes.invalid(&count, &format!("must be less than or equal to {limit} ({what})"));
        }
    }
}

/// How many indexes a text such as `1,3-5` names (`validateIndexesFormat`).
fn total_indexes(text: &str, completions: i64) -> Result<i64, String> {
    let (mut total, mut last) = (0, None);
    for interval in text.split(',').filter(|_| !text.is_empty()) {
        let parts: Vec<_> = interval.split('-').collect();
        if parts.len() > 2 {
            return Err(format!(
                "the fragment {interval:?} violates the requirement that an index interval can have at most two \
                 parts separated by '-'"
            ));
        }
        let limits: Vec<_> =
            parts.iter().map(|part| index(part, completions)).collect::<Result<_, _>>()?;
        let (low, high) = (limits[0], limits[limits.len() - 1]);
        let disorder = |previous, current| {
            format!("non-increasing order, previous: {previous}, current: {current}")
        };
        if limits.len() > 1 && low >= high {
            return Err(disorder(low, high));
        }
        if let Some(last) = last.filter(|last| *last >= low) {
            return Err(disorder(last, low));
        }
        total += high - low + 1;
        last = Some(high);
    }
    Ok(total)
}

fn index(text: &str, completions: i64) -> Result<i64, String> {
    let number = text.parse::<i64>();
    let number =
        number.map_err(|_| format!("cannot convert string to integer for index: {text:?}"))?;
    if number >= completions {
        return Err(format!("too large index: {text:?}"));
    }
    Ok(number)
}

fn listed(values: &[&str], between: &str) -> String {
    values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(between)
}
