//! `ValidatePodTemplateSpec`: what a Job's pods must have.

use super::{Causes, Place, container, labels, metadata, names, security, volume};

pub(super) fn template(at: &Place<'_>, causes: &mut Causes) {
    metadata(&at.field("metadata"), at, causes);
    let pod = at.field("spec");
    spec(&pod, causes);
    if pod.field("ephemeralContainers").items().next().is_some() {
        let place = pod.field("ephemeralContainers");
        causes.forbidden(&place, "ephemeral containers not allowed in pod template");
    }
}

fn spec(pod: &Place<'_>, causes: &mut Causes) {
    volume::check(&pod.field("volumes"), causes);
    container::check(pod, causes);
    security::pod(&pod.field("securityContext"), causes);
    let policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    causes.one_of(&pod.field("dnsPolicy"), &policies);
    causes.one_of(&pod.field("preemptionPolicy"), &["PreemptLowerPriority", "Never"]);
    labels(&pod.field("nodeSelector"), &pod.field("nodeSelector"), causes);
    for name in ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"] {
        let place = pod.field(name);
        if !place.is_empty() {
            causes.checked(&place, names::dns_subdomain);
        }
    }
    for name in ["hostname", "subdomain"] {
        let place = pod.field(name);
        if !place.is_empty() {
            causes.checked(&place, names::dns_label);
        }
    }
    causes.in_range(&pod.field("activeDeadlineSeconds"), 1, i32::MAX.into());
    pod.field("tolerations").items().for_each(|toleration| tolerates(&toleration, causes));
}

fn tolerates(at: &Place<'_>, causes: &mut Causes) {
    let [key, operator, value] = ["key", "operator", "value"].map(|name| at.field(name));
    if !key.is_empty() {
        causes.checked(&key, names::label_key);
    }
    if key.is_empty() && operator.text() != Some("Exists") && !operator.is_placeholder() {
        let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        causes.invalid(&operator, detail);
    }
    let effect = at.field("effect");
    let seconds = at.field("tolerationSeconds").is_set();
    if seconds && effect.text() != Some("NoExecute") && !effect.is_placeholder() {
        causes.invalid(&effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    match operator.text().unwrap_or_default() {
        "Exists" if !value.is_empty() => causes
            .invalid(&value.named_as(&operator), "value must be empty when `operator` is 'Exists'"),
        "Equal" | "" if !operator.is_placeholder() => {
            causes.checked(&value.named_as(&operator), names::label_value);
        }
        "Equal" | "" | "Exists" | "Lt" | "Gt" => {}
        _ => causes.unsupported(&operator, &["Equal", "Exists"]),
    }
    causes.one_of(&effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"]);
}
