use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "decimal-file-mode",
    include_str!("../../rules/decimal-file-mode.yaml"),
    Check::Workload(check),
);

/// Decimal numbers that are modes of nobody, and modes in octal. From 512 on the API server refuses the number, which
/// `invalid-job` says.
const MISTAKEN: [i64; 4] = [400, 440, 444, 500];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let volumes = job.pod.get("volumes").map(Node::items);
    for volume in volumes.unwrap_or_default() {
        let mut modes = Vec::new();
        of_volume(volume, &mut modes);
        let name = volume.get("name").and_then(Node::as_str).unwrap_or_default();
        found.extend(modes.split_first().map(|(first, others)| finding(job, name, *first, others)));
    }
}

/// The mistaken modes of the files of a volume.
fn of_volume<'a>(volume: &'a Node, found: &mut Vec<(&'a Node, i64)>) {
    let projected = volume.at(&["projected", "sources"]).map(Node::items).unwrap_or_default();
    let sources = [volume].into_iter().chain(projected).flat_map(|one| {
        ["configMap", "secret", "downwardAPI", "projected"]
            .into_iter()
            .filter_map(|kind| one.get(kind))
    });
    for source in sources {
        let items = source.get("items").map(Node::items).unwrap_or_default();
        let nodes = source
            .get("defaultMode")
            .into_iter()
            .chain(items.iter().filter_map(|one| one.get("mode")));
        found.extend(nodes.filter_map(|node| Some((node, mistaken(node)?))));
    }
}

fn mistaken(node: &Node) -> Option<i64> {
    node.as_int().filter(|number| MISTAKEN.contains(number))
}

fn finding(
    job: &Subject<'_>,
    volume: &str,
    (node, mode): (&Node, i64),
    others: &[(&Node, i64)],
) -> Finding {
    let message = format!(
        "files of volume `{volume}` of {} get mode 0{mode:o}: {mode} is decimal",
        job.title()
    );
    let finding = Finding::new(node.span, format!("decimal: this is 0{mode:o}, and not 0{mode}"));
    // `ssh` refuses a key that its group may write. Of the others, everyone who is to read the file can.
    let is_harmless = mode != 400 && others.iter().all(|(_, mode)| *mode != 400);
    let help = format!("Write `0{mode}`, or `{}` in JSON", octal(mode));
    let finding = finding.message(message).help(help);
    let finding = others.iter().fold(finding, |finding, (node, mode)| {
        finding.label(node.span, format!("this is 0{mode:o}"))
    });
    if is_harmless { finding.severity(Severity::Info).pedantic() } else { finding }
}

/// The number whose octal digits these are.
fn octal(mode: i64) -> i64 {
    i64::from_str_radix(&mode.to_string(), 8).unwrap_or(mode)
}
