//! What `helm template` printed into a file of the repository, such as an example beside its chart: its flaws are those
//! of the template.

use super::{cause::nameless, group::Member};
use crate::diagnostic::Diagnostic;

/// How Helm names the template above what it prints.
const SOURCE: &str = "# Source: ";

/// A group of findings about one cause, and those about what it prints elsewhere.
pub(super) type Family = (Vec<Member>, Vec<Member>);

/// The groups, each with those about printed copies of its templates.
pub(super) fn families(groups: Vec<Vec<Member>>) -> Vec<Family> {
    let split = |group: Vec<Member>| -> Family {
        group.into_iter().partition(|one| template(&one.finding).is_none())
    };
    let numbered = groups.into_iter().map(split).enumerate();
    let (printed, mut families): (Vec<_>, Vec<(usize, Family)>) =
        numbered.partition(|(_, (own, _))| own.is_empty());
    for (at, (_, group)) in printed {
        let prints = |(_, (own, _)): &&mut (usize, Family)| {
            group.iter().all(|copy| own.iter().any(|one| is_printed_by(copy, one)))
        };
        match families.iter_mut().find(prints) {
            Some((_, (_, copies))) => copies.extend(group),
            None => families.push((at, (group, Vec::new()))),
        }
    }
    families.sort_by_key(|(at, _)| *at);
    families.into_iter().map(|(_, family)| family).collect()
}

/// Whether a finding of a chart is about the template that prints the other one, and says the same.
fn is_printed_by(copy: &Member, one: &Member) -> bool {
    let (copy, one) = (&copy.finding, &one.finding);
    let is_same = one.rule == copy.rule
        && one.severity >= copy.severity
        && !one.value_sets.is_empty()
        && nameless(one) == nameless(copy);
    is_same && template(copy).is_some_and(|template| is_about(one, &template, copy))
}

/// The template that Helm names above the place of a finding: `shop/templates/job.yaml`.
fn template(finding: &Diagnostic) -> Option<String> {
    let at = &finding.location;
    let before = at.source.text.get(..at.span.start as usize)?;
    let document = before.rsplit("\n---").next()?;
    let mut lines = document.lines();
    let template = lines.find_map(|line| line.strip_prefix(SOURCE))?.trim();
    template.contains("/templates/").then(|| template.to_owned())
}

/// Whether a finding of a chart is about a template, given as Helm names it, of the chart around a file or of that name.
fn is_about(finding: &Diagnostic, template: &str, copy: &Diagnostic) -> bool {
    let Some((name, inside)) = template.split_once('/') else { return false };
    let raised = finding.raised_at.iter().map(|at| &at.source.path);
    let mut paths = raised.chain([&finding.location.source.path]);
    paths.any(|path| {
        let Some(chart) = path.strip_suffix(inside) else { return false };
        let (chart, is_here) = (chart.trim_end_matches('/'), chart.is_empty());
        let is_below = |rest: &str| is_here || rest.starts_with('/');
        let is_around = copy.location.source.path.strip_prefix(chart).is_some_and(is_below);
        (is_here || path.len() > chart.len() + inside.len())
            && (is_around || chart.rsplit('/').next() == Some(name))
    })
}
