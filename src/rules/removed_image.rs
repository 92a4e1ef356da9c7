use job_lifecycle::kubernetes::is_placeholder;
use yaml_spans::{Edit, Node, Span};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding},
    images::{Image, Removed},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "removed-image",
    include_str!("../../rules/removed-image.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    // Whoever forbids to pull an image brings it to the nodes.
    let is_brought = |container: &&Node| {
        container.get("imagePullPolicy").and_then(Node::as_str) == Some("Never")
    };
    let containers = job.all_containers().filter(|container| !is_brought(container));
    for node in containers.filter_map(|container| container.get("image")) {
        let image = node.as_str().unwrap_or_default();
        // The layers of a digest may be in an image that is still there.
        let is_open = is_placeholder(image) || image.contains('@');
        let Some(removed) = Removed::of(Image::of(image)).filter(|_| !is_open) else { continue };
        let message =
            format!("{} never starts: image `{image}` is gone from Docker Hub", job.title());
        let help = format!(
            "Use an image that somebody maintains; `{}` has the same ones, without updates",
            removed.copies
        );
        let written = job.source.slice(node.span).find(&format!("{}/", removed.owner));
        let edit = written.filter(|_| job.source.can_be_edited()).map(|at| {
            let start = node.span.start as usize + at;
            let span = Span::new(start, start + removed.owner.len());
            Edit { span, text: removed.copies.to_owned() }
        });
        let label = format!("removed on {}", removed.date);
        let finding = Finding::new(node.span, label).message(message).help(help);
        let title = format!("take it from `{}`", removed.copies);
        found.push(finding.fix_if(title, Applicability::Unsafe, edit));
    }
}
