use job_lifecycle::kubernetes::api_versions;

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding, Severity},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "removed-api-version",
    include_str!("../../rules/removed-api-version.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let (kind, version) = (job.object.kind(), job.object.api_version());
    let Some(node) = job.object.root.get("apiVersion") else { return };
    let Some(served) = api_versions::find(kind, version) else {
        let label = format!("no Kubernetes serves `{kind}` in `{version}`");
        let message =
            format!("{} cannot be created: no Kubernetes serves `{version}`", job.title());
        let finding = Finding::new(node.span, label).message(message);
        found.push(finding.help("use `batch/v1`"));
        return;
    };
    let target = job.context.kubernetes;
    if let Some(since) = served.since.filter(|since| *since > target) {
        let label =
            format!("`{kind}` is in `{version}` since Kubernetes {since}, the target is {target}");
        let message = format!(
            "{} cannot be created: Kubernetes {target} does not serve `{version}` yet",
            job.title()
        );
        let finding = Finding::new(node.span, label).message(message);
        found.push(finding.help("use `batch/v1beta1`"));
    }
    let Some(removed) = served.removed.filter(|removed| *removed <= target) else { return };
    let message =
        format!("{} cannot be created: Kubernetes {removed} removed `{version}`", job.title());
    // While nobody says which version the cluster has, the manifest may be for an older one.
    let severity =
        if job.context.policy.states_kubernetes { Severity::Error } else { Severity::Warning };
    let label = format!("removed in Kubernetes {removed}");
    let finding = Finding::new(node.span, label).message(message).severity(severity);
    let is_old = job.context.is_of_old_cluster() || is_of_openshift_3(job);
    let finding = if is_old { finding.pedantic() } else { finding };
    if served.kind == "ScheduledJob" {
        found.push(finding.help("make it a `CronJob` of `batch/v1`"));
        return;
    }
    let applicability =
        if served.same_fields { Applicability::Safe } else { Applicability::Unsafe };
    let finding = finding.help("use `batch/v1`");
    let edit = fix::replace_string(job.source, node, "batch/v1");
    let edit = Some(edit).filter(|_| job.source.can_be_edited());
    found.push(finding.fix_if("use `batch/v1`", applicability, edit));
}

/// Whether an image of the file is in the registry of OpenShift 3, unless it is said which version the cluster has: its last
/// version has Kubernetes 1.11, and OpenShift 4 calls its registry `image-registry.openshift-image-registry.svc`
/// (<https://docs.openshift.com/container-platform/3.11/install_config/registry/index.html>).
fn is_of_openshift_3(job: &Subject<'_>) -> bool {
    !job.context.policy.states_kubernetes && job.source.text.contains("docker-registry.default.svc")
}
