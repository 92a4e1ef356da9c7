//! Probes and lifecycle hooks of a container.

use super::{Causes, Place, names};

const PROBES: &[&str] = &["livenessProbe", "readinessProbe", "startupProbe"];
const NUMBERS: &[&str] = &[
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
];
const HANDLERS: &[&str] = &["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
const ONLY_SIDECARS: &str = "may not be set for init containers without restartPolicy=Always";

pub(super) fn check(container: &Place<'_>, causes: &mut Causes) {
    for name in ["postStart", "preStop"] {
        let hook = container.at(&["lifecycle", name]);
        if hook.is_set() {
            handler(&hook, causes);
        }
    }
    for name in PROBES {
        let probe = container.field(name);
        if !probe.is_set() {
            continue;
        }
        handler(&probe, causes);
        for number in NUMBERS {
            causes.not_negative(&probe.field(number));
        }
        let threshold = probe.field("successThreshold");
        // 0 becomes the default, which is 1.
        if *name != "readinessProbe"
            && threshold.int().is_some_and(|number| !matches!(number, 0 | 1))
        {
            causes.invalid(&threshold, "must be 1");
        }
    }
}

/// An init container that ends has neither.
pub(super) fn forbid(container: &Place<'_>, causes: &mut Causes) {
    for name in ["lifecycle"].iter().chain(PROBES) {
        let place = container.field(name);
        if place.is_set() {
            causes.forbidden(&place, ONLY_SIDECARS);
        }
    }
}

fn handler(at: &Place<'_>, causes: &mut Causes) {
    let handlers: Vec<_> =
        HANDLERS.iter().map(|name| at.field(name)).filter(Place::is_set).collect();
    for second in handlers.iter().skip(1) {
        causes.forbidden(second, "may not specify more than 1 handler type");
    }
    if handlers.is_empty() {
        causes.required(at, "must specify a handler type");
    }
    let command = at.at(&["exec", "command"]);
    if at.field("exec").is_set() && command.items().next().is_none() {
        causes.required(&command, "");
    }
    causes.one_of(&at.at(&["httpGet", "scheme"]), &["HTTP", "HTTPS"]);
    for name in ["httpGet", "tcpSocket", "grpc"] {
        if at.field(name).is_set() {
            port(&at.field(name).field("port"), causes);
        }
    }
}

fn port(at: &Place<'_>, causes: &mut Causes) {
    match at.int() {
        Some(_) => causes.in_range(at, 1, 65_535),
        None if at.is_set() => causes.checked(at, names::port_name),
        None => causes.invalid_as(at, "0", "must be between 1 and 65535, inclusive"),
    }
}
