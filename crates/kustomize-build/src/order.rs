//! The order of the output.

use std::cmp::Ordering;

use crate::{
    error::{Error, Reason, Result},
    id::{Gvk, Id},
    options::Order,
    resources::Resources,
    types::SortOptions,
};

const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];
const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// What field specs are sorted by.
pub(crate) fn key(gvk: &Gvk) -> (i32, String) {
    (rank(&gvk.kind, &FIRST, &LAST), gvk.sort_key())
}

fn rank(kind: &str, first: &[&str], last: &[&str]) -> i32 {
    if let Some(index) = last.iter().rposition(|other| *other == kind) {
        return index as i32 + 1;
    }
    let index = first.iter().rposition(|other| *other == kind);
    index.map_or(0, |index| index as i32 - first.len() as i32)
}

/// Sorts the resources as `sortOptions` or the build's option says.
pub(crate) fn sort(
    resources: &mut Resources,
    options: Option<&SortOptions>,
    default: Order,
) -> Result<()> {
    let fail = |message: String, options: &SortOptions| {
        Err(Error::new(Reason::Kustomization, message).at(options.order.at.clone()))
    };
    match options {
        None if default == Order::Fifo => Ok(()),
        None => {
            sort_by(resources, &FIRST, &LAST);
            Ok(())
        }
        Some(options) if &*options.order == "legacy" => {
            let Some(legacy) = &options.legacy else {
                sort_by(resources, &FIRST, &LAST);
                return Ok(());
            };
            let first: Vec<&str> = legacy.first.iter().map(|kind| &**kind).collect();
            let last: Vec<&str> = legacy.last.iter().map(|kind| &**kind).collect();
            sort_by(resources, &first, &last);
            Ok(())
        }
        Some(options) if &*options.order != "fifo" => {
            fail("the field 'sortOptions.order' must be one of [fifo, legacy]".into(), options)
        }
        Some(options) if options.legacy.is_some() => fail(
            "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'"
                .into(),
            options,
        ),
        Some(_) => Ok(()),
    }
}

fn sort_by(resources: &mut Resources, first: &[&str], last: &[&str]) {
    let mut keyed: Vec<_> = std::mem::take(&mut resources.list)
        .into_iter()
        .map(|resource| (resource.id(), resource))
        .collect();
    keyed.sort_by(|(a, _), (b, _)| compare(a, b, first, last));
    resources.list = keyed.into_iter().map(|(_, resource)| resource).collect();
}

fn compare(a: &Id, b: &Id, first: &[&str], last: &[&str]) -> Ordering {
    if a.gvk == b.gvk {
        return id_key(a).cmp(&id_key(b));
    }
    let ranks = (rank(&a.gvk.kind, first, last), rank(&b.gvk.kind, first, last));
    ranks.0.cmp(&ranks.1).then_with(|| {
        let order = a.gvk.sort_key().cmp(&b.gvk.sort_key());
        let are_namespaces = a.gvk.kind == "Namespace" && b.gvk.kind == "Namespace";
        let is_core = a.gvk.group.is_empty() || b.gvk.group.is_empty();
        if are_namespaces && is_core { order.reverse() } else { order }
    })
}

fn id_key(id: &Id) -> String {
    let or = |text: &str, none: &str| if text.is_empty() { none.into() } else { text.to_owned() };
    format!("{}|{}|{}", id.gvk, or(&id.namespace, "~X"), or(&id.name, "~N"))
}
