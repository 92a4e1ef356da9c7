//! Requests and limits of a container.

use yaml_spans::{Node, Value};

use super::{Field, FieldErrors, names};
use crate::kubernetes::quantity;

/// The resources without a domain that a container may request, besides `hugepages-…`.
const STANDARD: &[&str] = &["cpu", "memory", "ephemeral-storage"];

pub(super) fn check(at: &Field<'_>, errors: &mut FieldErrors) {
    let (limits, requests) = (at.field("limits"), at.field("requests"));
    for (name, field) in limits.keys().chain(requests.keys()) {
        known(name, &field.its_key(), errors);
        if amount(&field).is_some_and(|amount| amount < 0) {
            let written = format!("\"{}\"", text(&field));
            errors.invalid_as(&field, &written, "must be greater than or equal to 0");
        }
    }
    for (name, request) in requests.keys() {
        let limit = limits.key(name);
        let native = !name.contains('/') || name.contains("kubernetes.io/");
        let may_exceed = native && !name.starts_with("hugepages-");
        let printed = request.named_as(&requests);
        let value = format!("\"{}\"", text(&request));
        match (amount(&request), amount(&limit)) {
            (Some(wanted), Some(most)) if wanted != most && !may_exceed => {
                let detail = format!("must be equal to {name} limit of {}", text(&limit));
                errors.invalid_as(&printed, &value, &detail);
            }
            (Some(wanted), Some(most)) if wanted > most => {
                let detail =
                    format!("must be less than or equal to {name} limit of {}", text(&limit));
                errors.invalid_as(&printed, &value, &detail);
            }
            (Some(_), None) if !limit.is_set() && !may_exceed => {
                let field = request.its_key().named_as(&limits);
                errors.required(&field, "Limit must be set for non overcommitable resources");
            }
            _ => {}
        }
    }
}

fn known(name: &str, at: &Field<'_>, errors: &mut FieldErrors) {
    let value = format!("{name:?}");
    let wrong = names::label_key(name);
    for message in &wrong {
        errors.invalid_as(at, &value, message);
    }
    if wrong.is_empty()
        && !name.contains('/')
        && !STANDARD.contains(&name)
        && !name.starts_with("hugepages-")
    {
        errors.invalid_as(at, &value, "must be a standard resource for containers");
    }
}

/// The quantity in billionths.
fn amount(at: &Field<'_>) -> Option<i128> {
    quantity::parse(&text(at))
}

/// The quantity as written; numbers as JSON.
fn text(at: &Field<'_>) -> String {
    match at.node() {
        Some(Node { value: Value::Str(text), .. }) => text.to_string(),
        Some(node) => node.to_json().to_string(),
        None => String::new(),
    }
}
