//! `podFailurePolicy`, `podReplacementPolicy` and `successPolicy`.

use super::{Field, FieldErrors, names, succeeded_indexes};
use crate::kubernetes::defaults::Completions;

const ACTIONS: &[&str] = &["Count", "FailIndex", "FailJob", "Ignore"];
const MOST_RULES: usize = 20;
const MOST_CODES: usize = 255;

pub(super) fn failure(spec: &Field<'_>, errors: &mut FieldErrors) {
    let policy = spec.field("podFailurePolicy");
    let replacement = spec.field("podReplacementPolicy");
    if !policy.is_set() {
        errors.exactly_one_of(&replacement, &["Failed", "TerminatingOrFailed"]);
        return;
    }
    errors.exactly_one_of(&replacement, &["Failed"]);
    let restart = spec.at(&["template", "spec", "restartPolicy"]);
    if restart.text() == Some("OnFailure") {
        errors.invalid(&restart, "only \"Never\" is supported when podFailurePolicy is specified");
    }
    let rules = policy.field("rules");
    let count = rules.items().count();
    if count > MOST_RULES {
        errors.too_many(&rules, count, MOST_RULES);
    }
    rules.items().for_each(|rule| failure_rule(spec, &rule, errors));
}

fn failure_rule(spec: &Field<'_>, rule: &Field<'_>, errors: &mut FieldErrors) {
    let action = rule.field("action");
    if action.is_empty() {
        errors.required(&action, &format!("valid values: [{}]", listed(ACTIONS, " ")));
    } else if action.text() == Some("FailIndex") {
        if !spec.field("backoffLimitPerIndex").is_set() {
            errors.invalid(&action, "requires the backoffLimitPerIndex to be set");
        }
    } else {
        errors.one_of(&action, ACTIONS);
    }
    let (codes, conditions) = (rule.field("onExitCodes"), rule.field("onPodConditions"));
    let count = conditions.items().count();
    if codes.is_set() {
        exit_codes(spec, &codes, errors);
    }
    if count > MOST_RULES {
        errors.too_many(&conditions, count, MOST_RULES);
    }
    for pattern in conditions.items() {
        errors.checked_always(&pattern.field("type"), names::label_key);
        errors.one_of(&pattern.field("status"), &["False", "True", "Unknown"]);
    }
    match (codes.is_set(), count > 0) {
        (true, true) => errors.invalid_whole(
            rule,
            "specifying both OnExitCodes and OnPodConditions is not supported",
        ),
        (false, false) => errors
            .invalid_whole(rule, "specifying one of OnExitCodes and OnPodConditions is required"),
        _ => {}
    }
}

fn exit_codes(spec: &Field<'_>, at: &Field<'_>, errors: &mut FieldErrors) {
    let operator = at.field("operator");
    if operator.is_empty() {
        errors.required(&operator, &format!("valid values: [{}]", listed(&["In", "NotIn"], " ")));
    }
    errors.one_of(&operator, &["In", "NotIn"]);
    container_name(spec, &at.field("containerName"), errors);
    let values = at.field("values");
    let codes: Vec<_> = values.items().collect();
    if codes.is_empty() {
        let written = if values.is_set() { "[]" } else { "null" };
        errors.invalid_as(&values, written, "at least one value is required");
    } else if codes.len() > MOST_CODES {
        errors.too_many(&values, codes.len(), MOST_CODES);
    }
    let mut seen = Vec::new();
    for (code, number) in codes.iter().filter_map(|code| Some((code, code.int()?))) {
        if operator.text() == Some("In") && number == 0 {
            errors.invalid(code, "must not be 0 for the In operator");
        }
        if seen.contains(&number) {
            errors.duplicate(code);
        }
        seen.push(number);
    }
    if !seen.is_sorted() {
        errors.invalid(&values, "must be ordered");
    }
}

fn container_name(spec: &Field<'_>, at: &Field<'_>, errors: &mut FieldErrors) {
    let pod = spec.at(&["template", "spec"]);
    let lists = ["containers", "initContainers"].map(|list| pod.field(list));
    let mut containers = lists.iter().flat_map(Field::items).map(|item| item.field("name"));
    if at.is_set() && !containers.any(|name| name.text() == at.text() || name.is_placeholder()) {
        errors
            .invalid(at, "must be one of the container or initContainer names in the pod template");
    }
}

pub(super) fn success(spec: &Field<'_>, completions: &Completions, errors: &mut FieldErrors) {
    let (policy, mode) = (spec.field("successPolicy"), spec.field("completionMode"));
    if !policy.is_set() || mode.is_placeholder() {
        return;
    }
    if mode.text() != Some("Indexed") {
        // The server prints the policy with internal field names: {"Rules":[…]}.
        errors.invalid_whole(&policy, "requires indexed completion mode");
        return;
    }
    let rules = policy.field("rules");
    let count = rules.items().count();
    if count == 0 {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        errors.required(&rules, detail);
    } else if count > MOST_RULES {
        errors.too_many(&rules, count, MOST_RULES);
    }
    if let Some(count) = completions.count {
        rules.items().for_each(|rule| success_rule(&rule, count, errors));
    }
}

fn success_rule(rule: &Field<'_>, completions: i64, errors: &mut FieldErrors) {
    let (count, indexes) = (rule.field("succeededCount"), rule.field("succeededIndexes"));
    if !count.is_set() && !indexes.is_set() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        errors.required(rule, detail);
    }
    let mut listed = None;
    if let Some(text) = indexes.text() {
        match succeeded_indexes::count(text, completions) {
            Ok(total) => listed = Some(total),
            Err(error) => {
                errors.invalid(&indexes, &format!("error parsing succeededIndexes: {error}"));
            }
        }
    }
    errors.not_negative(&count);
    let limits = [
        (Some(completions), "the number of specified completions"),
        (listed, "the number of indexes in the specified succeededIndexes field"),
    ];
    for (limit, what) in limits {
        if let Some(limit) = limit.filter(|limit| count.int().is_some_and(|number| number > *limit))
        {
            errors.invalid(&count, &format!("must be less than or equal to {limit} ({what})"));
        }
    }
}

fn listed(values: &[&str], between: &str) -> String {
    values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(between)
}
