use job_lifecycle::workload::Kind;

use super::{Check, Rule};
use crate::{finding::Finding, words::shown_name, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "unpinned-image",
    include_str!("../../rules/unpinned-image.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let runs_once = job.kind == Kind::Job && job.applying().next().is_some();
    if !runs_once || job.object.name().is_none() || job.has_varying_name() {
        return;
    }
    for image in job.all_containers().filter_map(|container| container.get("image")) {
        let written = image.as_str().unwrap_or_default();
        let Some(moving) = moving(written) else { continue };
        let name = shown_name(job.object);
        let label =
            format!("{moving}: `{name}` is not run again for a new image, but a retry may use it");
        let short = written.rsplit('/').next().unwrap_or(written);
        let message = format!("a retry of {} may pull a different `{short}`", job.title());
        found.push(Finding::new(image.span, label).message(message));
    }
}

/// Why the reference may resolve to another image later.
fn moving(image: &str) -> Option<&'static str> {
    // A placeholder such as `$(TAG)`, `${TAG}`, `<image>` or `{{ image }}`, or a digest.
    if image.is_empty() || image.contains(['$', '<', '{', '@', ' ']) {
        return None;
    }
    let last = image.rsplit('/').next().unwrap_or(image);
    match last.split_once(':') {
        None => Some("no tag means `latest`"),
        Some((_, "latest")) => Some("`latest` moves"),
        Some(_) => None,
    }
}
