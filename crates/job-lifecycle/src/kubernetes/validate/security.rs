//! Security contexts of pods and containers.

use super::{Field, FieldErrors};

const SECCOMP: &[&str] = &["Localhost", "RuntimeDefault", "Unconfined"];
const WITHOUT_LOCALHOST: &str = "can only be set when seccomp type is Localhost";
const CONTRADICTION: &str =
    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";

pub(super) fn pod(at: &Field<'_>, errors: &mut FieldErrors) {
    ids(at, &["fsGroup", "runAsUser", "runAsGroup"], errors);
    for group in at.field("supplementalGroups").items() {
        errors.in_range(&group, 0, i32::MAX.into());
    }
    errors.exactly_one_of(&at.field("fsGroupChangePolicy"), &["Always", "OnRootMismatch"]);
    seccomp(&at.field("seccompProfile"), errors);
}

pub(super) fn container(at: &Field<'_>, errors: &mut FieldErrors) {
    ids(at, &["runAsUser", "runAsGroup"], errors);
    seccomp(&at.field("seccompProfile"), errors);
    let escalation = at.field("allowPrivilegeEscalation");
    let is_denied = escalation.node().is_some_and(|node| node.as_bool() == Some(false));
    if is_denied && at.field("privileged").is_true() {
        // The server prints the whole context with internal field names.
        errors.invalid_whole(&escalation.named_as(at), CONTRADICTION);
    }
}

fn ids(at: &Field<'_>, names: &[&str], errors: &mut FieldErrors) {
    for name in names {
        errors.in_range(&at.field(name), 0, i32::MAX.into());
    }
}

fn seccomp(at: &Field<'_>, errors: &mut FieldErrors) {
    let (kind, profile) = (at.field("type"), at.field("localhostProfile"));
    if !at.is_set() || kind.is_placeholder() {
        return;
    }
    if kind.is_empty() {
        errors.required(&kind, "type is required when seccompProfile is set");
    }
    errors.one_of(&kind, SECCOMP);
    match (kind.text() == Some("Localhost"), profile.is_set()) {
        (true, false) => errors.required(&profile, "must be set when seccomp type is Localhost"),
        (false, true) => errors.invalid_whole(&profile, WITHOUT_LOCALHOST),
        _ => {}
    }
}
