//! Names that the API server refuses because that of the chart, or a value, is part of them: the cause is one line of
//! `Chart.yaml` or of the values.

use std::collections::BTreeSet;

use yaml_spans::{self as yaml, Location};

use crate::{
    diagnostic::Diagnostic,
    rules::{invalid_job, invalid_name},
    unit::Rendering,
};

/// The input that prints the name of a chart.
const INPUT: &str = "Chart.Name";

/// Moves the findings about names to the `name` of the chart where only that is wrong with them, one for each object.
pub(crate) fn blame<V>(found: &mut Vec<(Diagnostic, V)>, rendering: &Rendering) {
    let name = rendering.chart.name();
    let Some(wrong) = name.chars().find(|c| !is_allowed(*c)) else { return };
    let Some(at) = place(rendering) else { return };
    let mut by_name = BTreeSet::new();
    // The name of an object comes before what else repeats that of the chart.
    for rule in [&invalid_name::RULE, &invalid_job::RULE] {
        found.retain_mut(|(finding, _)| {
            if *finding.rule != *rule || !is_of_chart(finding, name) {
                return true;
            }
            let printed = std::mem::replace(&mut finding.location, at.clone());
            finding.secondary.insert(0, (printed, "the templates print it here".to_owned()));
            finding.label =
                format!("the templates make names of this, in which `{wrong}` is not allowed");
            finding.help =
                "Call the chart by a name of lower case letters, digits and `-`".to_owned();
            by_name.insert(format!("{:?}", finding.workload))
        });
    }
}

/// Leaves out of a unit's findings what repeats in other words that the name of the chart, or a value in the name of the
/// object, is refused.
pub(crate) fn without_repeated(found: &mut Vec<Diagnostic>) {
    let is_of_chart = |one: &Diagnostic| one.location.source.path.ends_with("Chart.yaml");
    let says = |one: &Diagnostic| *one.rule == invalid_name::RULE && is_of_chart(one);
    if found.iter().any(says) {
        found.retain(|one| *one.rule != invalid_job::RULE || !is_of_chart(one));
    }
    let is_of_name = |one: &Diagnostic| *one.rule == invalid_name::RULE && !one.hidden;
    let names: Vec<_> = found.iter().filter(|one| is_of_name(one)).cloned().collect();
    let repeats = |one: &Diagnostic| names.iter().any(|name| is_same_value(name, one));
    found.retain(|one| *one.rule != invalid_job::RULE || !repeats(one));
}

/// True for a refused text of an object that is made of a value, as its name is.
fn is_same_value(name: &Diagnostic, other: &Diagnostic) -> bool {
    let is_of_name = |input: &String| input.starts_with("Values.") && name.inputs.contains(input);
    let text = refused(other);
    name.workload == other.workload
        && !other.inputs.is_empty()
        && other.inputs.iter().all(is_of_name)
        && refused(name).zip(text).is_some_and(|(name, text)| name.contains(text))
}

/// The text that the API server refuses.
fn refused(finding: &Diagnostic) -> Option<&str> {
    let raised = finding.raised_at.first()?;
    Some(raised.source.slice(raised.span).trim_matches(['"', '\'']))
}

/// True for a refused text that prints the name of the chart and is valid without it.
fn is_of_chart(finding: &Diagnostic, name: &str) -> bool {
    let Some(text) = refused(finding) else { return false };
    let is_printed = finding.inputs.iter().any(|input| input == INPUT) && text.contains(name);
    is_printed && text.replace(name, "a").chars().all(is_allowed)
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.')
}

/// Where the chart states its name.
fn place(rendering: &Rendering) -> Option<Location> {
    let source = rendering.chart.chart_yaml.clone();
    let document = yaml::parse(&source.text).into_iter().next()?.ok()?;
    let span = document.root.get("name")?.span;
    Some(Location { source, span })
}
