//! What a delete hook leaves undone.

use shell_effects::{HiddenBy, HiddenFailure, Invocation};

use super::is_unset;
use crate::command::Command;

/// Programs that change something outside of the cluster.
const OUTSIDE: [&str; 14] = [
    "aws",
    "az",
    "doctl",
    "eksctl",
    "gcloud",
    "gsutil",
    "linode-cli",
    "mc",
    "pulumi",
    "rclone",
    "restic",
    "s3cmd",
    "terraform",
    "tofu",
];

/// Whether what a delete hook leaves undone outlasts the release, and its author has not said that it may: a backup, or a
/// change outside of the cluster. What is in the cluster goes with the release.
pub(super) fn outlasts(hidden: &HiddenFailure, command: &Command<'_>) -> bool {
    let mut invocations = command.analysis.invocations.iter();
    let program = invocations.find(|one| one.holds(hidden.location)).map(Invocation::program_name);
    let is_outside = program.is_some_and(|name| OUTSIDE.contains(&name)) && hidden.is_remote;
    let is_unsaid =
        is_unset(hidden.by) || matches!(hidden.by, HiddenBy::Pipe { .. } | HiddenBy::Client(_));
    is_unsaid && (hidden.is_dump || is_outside)
}
