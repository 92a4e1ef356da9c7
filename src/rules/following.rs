//! Findings that follow from others about the same object: one cause, one finding.

use super::{
    Raised, Rule, hook_annotation_without_hook, hook_needs_later_object, hook_on_pod_template,
    install_and_upgrade_merge, invalid_cronjob, invalid_job, kubectl_forbidden, misplaced_field,
    not_idempotent, program_not_in_image, removed_api_version, restart_policy_always,
    selector_set_by_hand, stale_hook_blocks, template_changes_under_fixed_name, ttl_reruns,
    unbounded_wait,
};
use crate::finding::{Finding, Severity};

/// Whether a finding follows from another one about the same object.
type Follows = fn(&Finding, &Finding) -> bool;

/// Rules that say of an object what follows from what another rule says of it, how severe that has to be, and of which of
/// their findings this holds.
static FOLLOWING: [(&Rule, &Rule, Severity, Follows); 12] = [
    // What no server creates has no selector.
    (&selector_set_by_hand::RULE, &removed_api_version::RULE, Severity::Warning, |_, _| true),
    // What the second run of a Job does says more than that its TTL causes one.
    (&ttl_reruns::RULE, &not_idempotent::RULE, Severity::Info, |_, _| true),
    // What never starts runs neither twice nor for ever.
    (&install_and_upgrade_merge::RULE, &hook_needs_later_object::RULE, Severity::Error, |_, _| {
        true
    }),
    (&unbounded_wait::RULE, &hook_needs_later_object::RULE, Severity::Error, |_, _| true),
    // What the image does not have asks for nothing.
    (&kubectl_forbidden::RULE, &program_not_in_image::RULE, Severity::Warning, |_, _| true),
    // Helm gives up on a wait, and what it leaves behind then is the cause.
    (&unbounded_wait::RULE, &stale_hook_blocks::RULE, Severity::Warning, |_, _| true),
    // An upgrade that fails is worse than a Job that is not a hook, and says so.
    (
        &hook_annotation_without_hook::RULE,
        &template_changes_under_fixed_name::RULE,
        Severity::Warning,
        |_, _| true,
    ),
    (
        &hook_on_pod_template::RULE,
        &template_changes_under_fixed_name::RULE,
        Severity::Warning,
        |_, _| true,
    ),
    // What a TTL leaves of such an upgrade says less.
    (
        &template_changes_under_fixed_name::RULE,
        &hook_on_pod_template::RULE,
        Severity::Warning,
        is_info,
    ),
    // The pod has the volume once `volumes` is in its place.
    (&invalid_cronjob::RULE, &misplaced_field::RULE, Severity::Info, lacks_volume),
    (&invalid_job::RULE, &misplaced_field::RULE, Severity::Info, lacks_volume),
    // The same holds for the policy.
    (&restart_policy_always::RULE, &misplaced_field::RULE, Severity::Info, |_, cause| {
        cause.label.starts_with("`restartPolicy`")
    }),
];

/// Leaves what follows from another finding about the same object to `--pedantic`: one cause, one finding.
pub(crate) fn one_per_cause(raised: &mut [Raised<'_>]) {
    for (follows, cause, least, holds) in &FOLLOWING {
        let is_cause = |one: &Raised<'_>| {
            let severity = one.finding.severity.unwrap_or_else(|| one.rule.meta().severity);
            *one.rule == **cause && !one.finding.pedantic && severity >= *least
        };
        let causes: Vec<_> = (0..raised.len()).filter(|at| is_cause(&raised[*at])).collect();
        for at in (0..raised.len()).filter(|_| !causes.is_empty()) {
            let own = &raised[at];
            let is_its_cause = |cause: &usize| {
                let cause = &raised[*cause];
                std::ptr::eq(cause.object, own.object) && holds(&own.finding, &cause.finding)
            };
            if *own.rule == **follows && causes.iter().any(is_its_cause) {
                raised[at].finding.pedantic = true;
            }
        }
    }
}

fn is_info(finding: &Finding, _: &Finding) -> bool {
    finding.severity == Some(Severity::Info)
}

/// Whether a mount names a volume that the pod does not have, as `volumes` is out of its place.
fn lacks_volume(finding: &Finding, cause: &Finding) -> bool {
    let message = finding.message.as_deref().unwrap_or_default();
    message.contains(".volumeMounts[")
        && message.contains("Not found")
        && cause.label.contains("`volumes`")
}
