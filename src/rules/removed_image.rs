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
    let images = containers.filter_map(|container| container.get("image"));
    let gone: Vec<_> = images.filter_map(|node| Some((node, removed(node)?))).collect();
    let Some(((first, removed), others)) = gone.split_first() else { return };
    let image = first.as_str().unwrap_or_default();
    let message = format!("{} never starts: image `{image}` is gone from Docker Hub", job.title());
    const HELP: &str = "Use an image that somebody maintains";
    let help = match gone.iter().all(|(node, one)| has_copy(node, one)) {
        true => format!("{HELP}; `{}` has the same ones, without updates", removed.copies),
        false => HELP.to_owned(),
    };
    let label = |removed: &Removed| format!("removed on {}", removed.date);
    let finding = Finding::new(first.span, label(removed)).message(message).help(help);
    let finding =
        others.iter().fold(finding, |finding, (node, one)| finding.label(node.span, label(one)));
    let title = format!("take it from `{}`", removed.copies);
    let edits = gone.iter().map(|(node, one)| copied(job, node, one)).collect::<Option<_>>();
    found.push(match edits.filter(|_| job.source.can_be_edited()) {
        Some(edits) => finding.fix_all(title, Applicability::Unsafe, edits),
        None => finding,
    });
}

/// What has removed an image; `None` for one that is filled in, or has a digest, whose layers may be in an image that is still
/// there.
fn removed(image: &Node) -> Option<&'static Removed> {
    let image = image.as_str().filter(|image| !is_placeholder(image) && !image.contains('@'))?;
    Removed::of(Image::of(image))
}

/// Whether an image is among the copies.
fn has_copy(image: &Node, removed: &Removed) -> bool {
    image.as_str().is_some_and(|image| removed.has_copy(Image::of(image).tag))
}

/// The edit that takes an image from the copies, if it is among them.
fn copied(job: &Subject<'_>, image: &Node, removed: &Removed) -> Option<Edit> {
    if !has_copy(image, removed) {
        return None;
    }
    let at = job.source.slice(image.span).find(&format!("{}/", removed.owner))?;
    let start = image.span.start as usize + at;
    let span = Span::new(start, start + removed.owner.len());
    Some(Edit { span, text: removed.copies.to_owned() })
}
