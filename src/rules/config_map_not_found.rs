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

/// Kinds that a repository which holds a Job makes as a rule, besides ConfigMaps.
const KEPT: [&str; 2] = ["PersistentVolumeClaim", "ServiceAccount"];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(names) = job.context.names.filter(|_| !job.context.from_chart()) else { return };
    let all = references_of(job.pod);
    // Who makes none of what the pod needs here makes it elsewhere.
    let is_lacking = |name: &str| {
        job.context.objects.iter().all(|object| object.name() != Some(name))
            && names.are_alone(name)
    };
    let mut kept = all.iter().filter(|one| KEPT.contains(&one.kind)).peekable();
    let is_elsewhere = kept.peek().is_some() && kept.all(|one| is_lacking(one.name));
    let missing = all.into_iter().filter(|_| !is_elsewhere).find(|one| {
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
