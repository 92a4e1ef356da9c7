//! Probes and lifecycle hooks of a container.

use super::{Field, FieldErrors, names};

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

pub(super) fn check(container: &Field<'_>, errors: &mut FieldErrors) {
    for name in ["postStart", "preStop"] {
        let hook = container.at(&["lifecycle", name]);
        if hook.is_set() {
            handler(&hook, errors);
        }
    }
    for name in PROBES {
        let probe = container.field(name);
        if !probe.is_set() {
            continue;
        }
        handler(&probe, errors);
        for number in NUMBERS {
            errors.not_negative(&probe.field(number));
        }
        let threshold = probe.field("successThreshold");
        // 0 becomes the default, which is 1.
        if *name != "readinessProbe"
            && threshold.int().is_some_and(|number| !matches!(number, 0 | 1))
        {
            errors.invalid(&threshold, "must be 1");
        }
    }
}

/// An init container that is not a sidecar has neither probes nor lifecycle hooks.
pub(super) fn forbid(container: &Field<'_>, errors: &mut FieldErrors) {
    for name in ["lifecycle"].iter().chain(PROBES) {
        let field = container.field(name);
        if field.is_set() {
            errors.forbidden(&field, ONLY_SIDECARS);
        }
    }
}

fn handler(at: &Field<'_>, errors: &mut FieldErrors) {
    let handlers: Vec<_> =
        HANDLERS.iter().map(|name| at.field(name)).filter(Field::is_set).collect();
    for second in handlers.iter().skip(1) {
        errors.forbidden(second, "may not specify more than 1 handler type");
    }
    if handlers.is_empty() {
        errors.required(at, "must specify a handler type");
    }
    let command = at.at(&["exec", "command"]);
    if at.field("exec").is_set() && command.items().next().is_none() {
        errors.required(&command, "");
    }
    errors.one_of(&at.at(&["httpGet", "scheme"]), &["HTTP", "HTTPS"]);
    for name in ["httpGet", "tcpSocket", "grpc"] {
        if at.field(name).is_set() {
            port(&at.field(name).field("port"), errors);
        }
    }
}

fn port(at: &Field<'_>, errors: &mut FieldErrors) {
    match at.int() {
        Some(_) => errors.in_range(at, 1, 65_535),
        None if at.is_set() => errors.checked(at, names::port_name),
        None => errors.invalid_as(at, "0", "must be between 1 and 65535, inclusive"),
    }
}
