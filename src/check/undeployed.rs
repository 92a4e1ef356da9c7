//! Findings about what nothing in the repository deploys: a note counts them.

use std::collections::BTreeMap;

use crate::{
    diagnostic::Diagnostic,
    discover,
    results::Report,
    settings::Settings,
    unit::{Loaded, Unit, UnitKind},
    words::count,
};

/// The most folders that the note names.
const MOST: usize = 3;

/// Whether nothing deploys what a view of a unit holds.
pub(super) fn is_undeployed(unit: &Unit, view: &Loaded) -> bool {
    match &view.overlay {
        Some(overlay) => unit.undeployed.contains(&overlay.folder),
        None => unit.kind != UnitKind::Overlay && !unit.undeployed.is_empty(),
    }
}

/// Takes such findings out unless the settings ask for them, and counts those that are not about something deployed too.
/// What was not read or rendered there stays: it is no finding either.
pub(super) fn set_apart(
    findings: Vec<Diagnostic>,
    unit: &Unit,
    settings: &Settings,
    report: &mut Report,
) -> Vec<Diagnostic> {
    let is_shown =
        |one: &Diagnostic| !one.is_undeployed || one.is_gap || settings.shows_pedantic(one.rule);
    let (shown, apart): (Vec<_>, Vec<_>) = findings.into_iter().partition(is_shown);
    let is_same = |a: &Diagnostic, b: &Diagnostic| {
        a.rule.id == b.rule.id && a.location.sort_key() == b.location.sort_key()
    };
    for one in apart.iter().filter(|one| !one.hidden) {
        if !shown.iter().any(|other| !other.hidden && is_same(one, other)) {
            *report.undeployed.entry(folder(one, unit)).or_default() += 1;
        }
    }
    shown
}

/// The folder of a unit that a finding is about.
fn folder(finding: &Diagnostic, unit: &Unit) -> String {
    let path = &finding.location.source.path;
    let is_above =
        |folder: &&String| path.strip_prefix(&***folder).is_some_and(|rest| rest.starts_with('/'));
    let own = unit.undeployed.iter().find(is_above).or(unit.undeployed.first());
    own.cloned().unwrap_or_else(|| discover::shown(&unit.root))
}

/// What to say of them.
pub(super) fn note(undeployed: &BTreeMap<String, usize>) -> Option<String> {
    let findings: usize = undeployed.values().sum();
    let named: Vec<_> = undeployed.keys().take(MOST).map(String::as_str).collect();
    let more = match undeployed.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (findings, folders) = (count(findings, "finding"), count(undeployed.len(), "folder"));
    (!named.is_empty()).then(|| {
        format!(
            "{findings} in {folders} that no GitOps object here deploys, unlike those beside them ({}{more}): \
             `--pedantic` shows them",
            named.join(", ")
        )
    })
}
