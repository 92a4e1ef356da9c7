use job_lifecycle::workload::is_work;
use kustomize_build::IdlePatch;

use super::{Check, Rule};
use crate::unit::Loaded;

pub(crate) static RULE: Rule = Rule::new(
    "patch-matches-nothing",
    include_str!("../../rules/patch-matches-nothing.yaml"),
    Check::Run,
);

/// Kinds that a patch may change for the sake of a Job: Jobs, and what their pods need.
const OF_JOBS: [&str; 10] = [
    "",
    "ConfigMap",
    "CronJob",
    "Job",
    "Namespace",
    "PersistentVolumeClaim",
    "Role",
    "RoleBinding",
    "Secret",
    "ServiceAccount",
];

/// True for a patch of what no Job needs, and for one of what the kustomization can be made to list.
pub(crate) fn is_pedantic(patch: &IdlePatch) -> bool {
    let has_pattern = patch.kind.contains(|c: char| !c.is_ascii_alphanumeric());
    !has_pattern && !OF_JOBS.contains(&&*patch.kind) || is_switched_off(patch)
}

/// True where a kustomization neither has a Job, a CronJob or a hook nor a patch of such.
pub(crate) fn is_without_work(loaded: &Loaded) -> bool {
    let is_of_work = |patch: &IdlePatch| matches!(&*patch.kind, "CronJob" | "Job");
    let mut objects = loaded.objects.iter();
    !objects.any(|object| is_work(object) || object.is_annotated_hook())
        && !loaded.idle.iter().any(is_of_work)
}

/// True if an entry that is commented out in the same file has the name of the target: `# - apps/shop.yaml`.
fn is_switched_off(patch: &IdlePatch) -> bool {
    let source = &patch.at.source;
    let name = source.slice(patch.at.span).trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let comments = source.text.lines().filter_map(|line| line.trim().strip_prefix('#'));
    let mut entries = comments.filter_map(|text| text.trim().strip_prefix("- "));
    !name.is_empty()
        && name.chars().all(is_name)
        && entries.any(|entry| entry.split(['/', ' ']).any(|part| part.starts_with(name)))
}

/// What a patch does that selects nothing, with what may have been meant.
pub(crate) fn label(patch: &IdlePatch) -> String {
    if let Some((group, version)) = &patch.split_group {
        return format!("selects nothing: the group is `{group}`, and `{version}` the version");
    }
    let Some((kind, name)) = &patch.nearest else {
        return "selects nothing: kustomize ignores this patch".to_owned();
    };
    let nearest = format!("selects nothing: the only {kind} is called `{name}`");
    match name.contains("${") {
        true => format!("{nearest}, which Flux replaces after the patches"),
        false => nearest,
    }
}
