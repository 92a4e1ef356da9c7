use job_lifecycle::workload::references_of;

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "config-map-not-found",
    include_str!("../../rules/config-map-not-found.yaml"),
    Check::Workload(check),
);

/// What a controller makes: in each namespace (`RootCACertPublisher` of Kubernetes, the service CA of OpenShift), and Rook.
const MADE: [&str; 3] = ["kube-root-ca.crt", "openshift-service-ca.crt", "rook-ceph-mon-endpoints"];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(names) = job.context.names.filter(|_| !job.context.from_chart()) else { return };
    let missing = references_of(job.pod).into_iter().find(|one| {
        one.kind == "ConfigMap"
            && !one.is_optional
            && is_name(one.name)
            && !MADE.contains(&one.name)
            && !job.context.objects.iter().any(|object| object.name() == Some(one.name))
            && !job
                .context
                .generated
                .iter()
                .any(|own| own.plain_names.iter().any(|it| it == one.name))
            && names.lack_config_map(one.name)
    });
    found.extend(missing.map(|one| {
        let label = "nothing in this repository makes it or names it elsewhere";
        let message = format!("{} never starts: there is no ConfigMap `{}`", job.title(), one.name);
        Finding::new(one.span, label).message(message)
    }));
}

/// Whether nobody fills in a part of the name.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_part)
}
