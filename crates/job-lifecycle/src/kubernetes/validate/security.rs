//! Security contexts of pods and containers.

use super::{Causes, Place};

const SECCOMP: &[&str] = &["Localhost", "RuntimeDefault", "Unconfined"];
const WITHOUT_LOCALHOST: &str = "can only be set when seccomp type is Localhost";
const CONTRADICTION: &str =
    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";

pub(super) fn pod(at: &Place<'_>, causes: &mut Causes) {
    ids(at, &["fsGroup", "runAsUser", "runAsGroup"], causes);
    for group in at.field("supplementalGroups").items() {
        causes.in_range(&group, 0, i32::MAX.into());
    }
    causes.exactly_one_of(&at.field("fsGroupChangePolicy"), &["Always", "OnRootMismatch"]);
    seccomp(&at.field("seccompProfile"), causes);
}

pub(super) fn container(at: &Place<'_>, causes: &mut Causes) {
    ids(at, &["runAsUser", "runAsGroup"], causes);
    seccomp(&at.field("seccompProfile"), causes);
    let escalation = at.field("allowPrivilegeEscalation");
    let refused = escalation.node().is_some_and(|node| node.as_bool() == Some(false));
    if refused && at.field("privileged").is_true() {
        // The server prints the whole context under its internal names.
        causes.invalid_whole(&escalation.named_as(at), CONTRADICTION);
    }
}

fn ids(at: &Place<'_>, names: &[&str], causes: &mut Causes) {
    for name in names {
        causes.in_range(&at.field(name), 0, i32::MAX.into());
    }
}

fn seccomp(at: &Place<'_>, causes: &mut Causes) {
    let (kind, profile) = (at.field("type"), at.field("localhostProfile"));
    if !at.is_set() || kind.is_placeholder() {
        return;
    }
    if kind.is_empty() {
        causes.required(&kind, "type is required when seccompProfile is set");
    }
    causes.one_of(&kind, SECCOMP);
    match (kind.text() == Some("Localhost"), profile.is_set()) {
        (true, false) => causes.required(&profile, "must be set when seccomp type is Localhost"),
        (false, true) => causes.invalid_whole(&profile, WITHOUT_LOCALHOST),
        _ => {}
    }
}
