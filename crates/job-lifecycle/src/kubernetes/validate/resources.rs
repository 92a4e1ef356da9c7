//! Requests and limits of a container.

use yaml_spans::{Node, Value};

use super::{Causes, Place, names};
use crate::kubernetes::quantity;

/// Resources without a domain that a container may ask for; `hugepages-…` beside them.
const STANDARD: &[&str] = &["cpu", "memory", "ephemeral-storage"];

pub(super) fn check(at: &Place<'_>, causes: &mut Causes) {
    let (limits, requests) = (at.field("limits"), at.field("requests"));
    for (name, place) in limits.keys().chain(requests.keys()) {
        known(name, &place.its_key(), causes);
        if amount(&place).is_some_and(|amount| amount < 0) {
            let written = format!("\"{}\"", text(&place));
            causes.invalid_as(&place, &written, "must be greater than or equal to 0");
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
                causes.invalid_as(&printed, &value, &detail);
            }
            (Some(wanted), Some(most)) if wanted > most => {
                let detail =
                    format!("must be less than or equal to {name} limit of {}", text(&limit));
                causes.invalid_as(&printed, &value, &detail);
            }
            (Some(_), None) if !limit.is_set() && !may_exceed => {
                let place = request.its_key().named_as(&limits);
                causes.required(&place, "Limit must be set for non overcommitable resources");
            }
            _ => {}
        }
    }
}

fn known(name: &str, at: &Place<'_>, causes: &mut Causes) {
    let value = format!("{name:?}");
    let wrong = names::label_key(name);
    for message in &wrong {
        causes.invalid_as(at, &value, message);
    }
    if wrong.is_empty()
        && !name.contains('/')
        && !STANDARD.contains(&name)
        && !name.starts_with("hugepages-")
    {
        causes.invalid_as(at, &value, "must be a standard resource for containers");
    }
}

/// In billionths.
fn amount(at: &Place<'_>) -> Option<i128> {
    quantity::parse(&text(at))
}

/// The quantity as it is written, numbers as JSON would write them.
fn text(at: &Place<'_>) -> String {
    match at.node() {
        Some(Node { value: Value::Str(text), .. }) => text.to_string(),
        Some(node) => node.to_json().to_string(),
        None => String::new(),
    }
}
