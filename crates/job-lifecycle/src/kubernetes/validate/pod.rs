//! `ValidatePodTemplateSpec`: the pod template of a Job.

use super::{Field, FieldErrors, container, labels, metadata, names, security, volume};

pub(super) fn template(at: &Field<'_>, errors: &mut FieldErrors) {
    metadata(&at.field("metadata"), at, errors);
    let pod = at.field("spec");
    spec(&pod, errors);
    if pod.field("ephemeralContainers").items().next().is_some() {
        let field = pod.field("ephemeralContainers");
        errors.forbidden(&field, "ephemeral containers not allowed in pod template");
    }
}

fn spec(pod: &Field<'_>, errors: &mut FieldErrors) {
    volume::check(&pod.field("volumes"), errors);
    container::check(pod, errors);
    security::pod(&pod.field("securityContext"), errors);
    let policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    errors.one_of(&pod.field("dnsPolicy"), &policies);
    errors.one_of(&pod.field("preemptionPolicy"), &["PreemptLowerPriority", "Never"]);
    labels(&pod.field("nodeSelector"), &pod.field("nodeSelector"), errors);
    for name in ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"] {
        let field = pod.field(name);
        if !field.is_empty() {
            errors.checked(&field, names::dns_subdomain);
        }
    }
    for name in ["hostname", "subdomain"] {
        let field = pod.field(name);
        if !field.is_empty() {
            errors.checked(&field, names::dns_label);
        }
    }
    errors.in_range(&pod.field("activeDeadlineSeconds"), 1, i32::MAX.into());
    pod.field("tolerations").items().for_each(|toleration| tolerates(&toleration, errors));
}

fn tolerates(at: &Field<'_>, errors: &mut FieldErrors) {
    let [key, operator, value] = ["key", "operator", "value"].map(|name| at.field(name));
    if !key.is_empty() {
        errors.checked(&key, names::label_key);
    }
    if key.is_empty() && operator.text() != Some("Exists") && !operator.is_placeholder() {
        let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        errors.invalid(&operator, detail);
    }
    let effect = at.field("effect");
    let seconds = at.field("tolerationSeconds").is_set();
    if seconds && effect.text() != Some("NoExecute") && !effect.is_placeholder() {
        errors.invalid(&effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    match operator.text().unwrap_or_default() {
        "Exists" if !value.is_empty() => errors
            .invalid(&value.named_as(&operator), "value must be empty when `operator` is 'Exists'"),
        "Equal" | "" if !operator.is_placeholder() => {
            errors.checked(&value.named_as(&operator), names::label_value);
        }
        "Equal" | "" | "Exists" | "Lt" | "Gt" => {}
        _ => errors.unsupported(&operator, &["Equal", "Exists"]),
    }
    errors.one_of(&effect, &["NoSchedule", "PreferNoSchedule", "NoExecute"]);
}
