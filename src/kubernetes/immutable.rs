//! The fields of a Job that the API server refuses to change (`ValidateJobSpecUpdate`; facts:
//! kubernetes-jobs §2.2, §2.3, observed on 1.31 to 1.36).

use crate::yaml::Node;

/// Fields below `spec`, as messages of the API server name them.
const FIELDS: &[(&str, &str)] = &[
    ("template", "spec.template"),
    ("selector", "spec.selector"),
    ("completions", "spec.completions"),
    ("completionMode", "spec.completionMode"),
    ("podFailurePolicy", "spec.podFailurePolicy"),
    ("successPolicy", "spec.successPolicy"),
    ("backoffLimitPerIndex", "spec.backoffLimitPerIndex"),
    ("managedBy", "spec.managedBy"),
];

/// Scheduling directives below `spec.template`: those of a suspended Job that has not started may change.
const SCHEDULING: &[&[&str]] = &[
    &["metadata", "labels"],
    &["metadata", "annotations"],
    &["spec", "nodeSelector"],
    &["spec", "tolerations"],
    &["spec", "schedulingGates"],
    &["spec", "affinity", "nodeAffinity"],
];

/// The immutable field of a Job that a change at `path` (mapping keys from the root) touches. The state of
/// the cluster is not known: what a suspended Job may change counts as mutable.
pub fn touched(old: &Node, new: &Node, path: &[&str]) -> Option<&'static str> {
    let ["spec", field, rest @ ..] = path else { return None };
    let (_, shown) = FIELDS.iter().find(|(own, _)| own == field)?;
    let may_change = match *field {
        "completions" => scales(old) && scales(new),
        "template" => is_suspended(old) && is_scheduling(rest),
        _ => false,
    };
    (!may_change).then_some(shown)
}

/// An indexed Job is scaled by `completions` and `parallelism` in tandem.
fn scales(job: &Node) -> bool {
    let spec = |field| job.at(&["spec", field]);
    let is_indexed = spec("completionMode").and_then(Node::as_str) == Some("Indexed");
    is_indexed && spec("completions").and_then(Node::as_int).is_some_and(|count| {
        spec("parallelism").and_then(Node::as_int) == Some(count)
    })
}

fn is_suspended(job: &Node) -> bool {
    job.at(&["spec", "suspend"]).is_some_and(Node::is_true)
}

fn is_scheduling(path: &[&str]) -> bool {
    SCHEDULING.iter().any(|directive| path.starts_with(directive))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(text: &str) -> Node {
        let text = format!("apiVersion: batch/v1\nkind: Job\nspec: {{{text}}}\n");
        crate::yaml::parse(&text).remove(0).expect("YAML").root
    }

    /// Rows of kubernetes-jobs §2.2, all observed.
    #[test]
    fn fields_of_the_spec() {
        let plain = job("");
        let touched = |path: &[&str]| touched(&plain, &plain, path);
        for mutable in [
            "parallelism", "activeDeadlineSeconds", "backoffLimit", "maxFailedIndexes",
            "manualSelector", "ttlSecondsAfterFinished", "suspend", "podReplacementPolicy",
        ] {
            assert_eq!(touched(&["spec", mutable]), None, "{mutable}");
        }
        assert_eq!(touched(&["metadata", "labels", "a"]), None);
        assert_eq!(touched(&["spec", "template", "metadata", "labels"]), Some("spec.template"));
        assert_eq!(touched(&["spec", "completions"]), Some("spec.completions"));
        assert_eq!(touched(&["spec", "managedBy"]), Some("spec.managedBy"));
    }

    /// §2.2, row `completions`.
    #[test]
    fn indexed_jobs_scale_in_tandem() {
        let of = |count, pods| {
            job(&format!("completionMode: Indexed, completions: {count}, parallelism: {pods}"))
        };
        let path = ["spec", "completions"];
        assert_eq!(touched(&of(2, 2), &of(3, 3), &path), None);
        assert_eq!(touched(&of(2, 2), &of(3, 2), &path), Some("spec.completions"));
        let plain = job("completions: 2, parallelism: 2");
        assert_eq!(touched(&plain, &plain, &path), Some("spec.completions"));
    }

    /// §2.3: scheduling directives only, and pod affinity is none of them.
    #[test]
    fn suspended_jobs_take_scheduling_directives() {
        let (suspended, running) = (job("suspend: true"), job("suspend: false"));
        let labels = ["spec", "template", "metadata", "labels", "a"];
        assert_eq!(touched(&suspended, &suspended, &labels), None);
        assert_eq!(touched(&running, &suspended, &labels), Some("spec.template"));
        let affinity = ["spec", "template", "spec", "affinity", "podAffinity"];
        assert_eq!(touched(&suspended, &suspended, &affinity), Some("spec.template"));
        let image = ["spec", "template", "spec", "containers"];
        assert_eq!(touched(&suspended, &suspended, &image), Some("spec.template"));
    }
}
