//! Findings about fields that values leave empty: with a value, they stand at a wrong place.

use job_lifecycle::{Object, kubernetes::schema};
use yaml_spans::{Entry, Node, Span};

use super::{Run, views};
use crate::{
    chart,
    dedupe::Findings,
    deployers,
    finding::{Finding, Severity},
    fix::Allowance,
    placeholders,
    policy::Policy,
    resolve,
    results::Report,
    rules::{Rule, misplaced_field, unknown_field},
    unit::{Loaded, Unit},
    verify,
    words::joined,
};

/// Adds what is wrong with the places of fields that the values leave empty. Nothing else is known of a made-up value.
pub(super) fn add(
    (unit, all): (&Unit, &[Loaded]),
    (run, policy): (&Run<'_>, &Policy),
    findings: &mut Findings,
    report: &mut Report,
) {
    let is_of_places =
        |rule: &&Rule| [misplaced_field::RULE.id, unknown_field::RULE.id].contains(&rule.id);
    let rules: Vec<_> = run.visible.iter().copied().filter(is_of_places).collect();
    for loaded in all.iter().flat_map(|view| &view.filled) {
        let deployers = deployers::of_view(unit, loaded, run.settings);
        let view = views::view(unit, (loaded, true), &deployers, run, policy);
        let view = verify::View { active: &rules, ..view };
        let Some(context) = &view.context else { continue };
        for mut one in views::raised(&view, &[], unit, run, report) {
            if placeholders::is_artefact(&one, loaded, context) {
                continue;
            }
            let Some(finding) = of_filled(&one.finding, one.object) else { continue };
            one.finding = finding;
            let found = resolve::resolve(one, context, run.settings, &Allowance::default());
            findings.add_new(found);
        }
    }
}

/// The finding, if all that it is about appears with a value only.
fn of_filled(finding: &Finding, object: &Object) -> Option<Finding> {
    let spans = std::iter::once(finding.span).chain(finding.secondary.iter().map(|one| one.span));
    let mut values = spans.map(|span| filling(object, span)).collect::<Option<Vec<_>>>()?;
    values.dedup();
    let verb = if values.len() == 1 { "is" } else { "are" };
    let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
    let message = finding.message.as_ref()?;
    let finding = Finding { fixes: Vec::new(), ..finding.clone() };
    let message = format!("once {} {verb} set, {message}", joined(&values));
    Some(finding.message(message).severity(Severity::Warning))
}

/// The value below `Values` whose entry is the whole content of the field with this key, and without which there is no such
/// field.
fn filling(object: &Object, key: Span) -> Option<String> {
    let entry = entry_of(&object.root, key)?;
    let origin = object.source.origin.as_ref()?;
    let is_known = schema::field_names().any(|name| name == &*entry.key);
    if !is_known || !chart::is_entry(&entry.value) || origin.literal(key).is_none() {
        return None;
    }
    let deciding = origin.decided(key);
    let printed = origin.written(entry.value.span).inputs;
    let value = deciding.iter().find(|input| {
        let below = |one: &String| one.strip_prefix(&**input).is_some_and(is_below);
        !printed.is_empty() && printed.iter().all(below)
    })?;
    value.strip_prefix("Values.").map(str::to_owned)
}

/// Whether the rest of a path leads to the same value, or into it.
fn is_below(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['.', '['])
}

fn entry_of(node: &Node, key: Span) -> Option<&Entry> {
    let below = node.items().iter().find_map(|item| entry_of(item, key));
    below.or_else(|| {
        let own = node.entries().iter().find(|entry| entry.key_span == key);
        own.or_else(|| node.entries().iter().find_map(|entry| entry_of(&entry.value, key)))
    })
}
