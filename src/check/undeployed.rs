//! Findings about what nothing in the repository deploys, or names: notes count them.

use std::{collections::BTreeMap, path::Path};

use super::Run;
use crate::{
    diagnostic::Diagnostic,
    discover::{self, absolute},
    results::Report,
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
    run: &Run<'_>,
    report: &mut Report,
) -> Vec<Diagnostic> {
    let is_shown = |one: &Diagnostic| one.is_gap || run.settings.shows_pedantic(one.rule);
    let (findings, unnamed): (Vec<_>, Vec<_>) = findings
        .into_iter()
        .partition(|one| one.hidden || is_shown(one) || !is_unnamed(one, unit, run));
    for one in unnamed {
        *report.unnamed.entry(one.location.source.path.to_string()).or_default() += 1;
    }
    let (shown, apart): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|one| !one.is_undeployed || is_shown(one));
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

/// Whether a finding is about a plain manifest that the repository names nowhere. The user did not ask for it.
fn is_unnamed(finding: &Diagnostic, unit: &Unit, run: &Run<'_>) -> bool {
    let path = &*finding.location.source.path;
    let is_asked_for = || {
        let mut folders = run.named.iter().filter(|folder| path.starts_with(&***folder));
        folders.any(|folder| !absolute(Path::new(folder)).join(".git").exists())
    };
    let file = unit.files.iter().find(|file| file.shown == path && !file.named);
    unit.kind == UnitKind::Plain
        && unit.deployments.is_empty()
        && file.is_some_and(|file| !is_asked_for() && run.mentions.pass_over(&file.path, unit))
}

/// The folder of a unit that a finding is about.
fn folder(finding: &Diagnostic, unit: &Unit) -> String {
    let path = &finding.location.source.path;
    let is_above =
        |folder: &&String| path.strip_prefix(&***folder).is_some_and(|rest| rest.starts_with('/'));
    let own = unit.undeployed.iter().find(is_above).or(unit.undeployed.first());
    own.cloned().unwrap_or_else(|| discover::shown(&unit.root))
}

/// What to say of what nothing deploys.
pub(super) fn note(undeployed: &BTreeMap<String, usize>) -> Option<String> {
    let (findings, named) = shown(undeployed)?;
    let folders = count(undeployed.len(), "folder");
    Some(format!(
        "{findings} in {folders} that no GitOps object here deploys, unlike those beside them ({named}): `--pedantic` shows \
         them"
    ))
}

/// What to say of what nothing names.
pub(super) fn note_of_unnamed(unnamed: &BTreeMap<String, usize>) -> Option<String> {
    let (findings, named) = shown(unnamed)?;
    let files = count(unnamed.len(), "manifest");
    Some(format!(
        "{findings} in {files} that nothing in this repository names ({named}): `--pedantic` shows them"
    ))
}

/// How many findings there are, and the first places.
fn shown(all: &BTreeMap<String, usize>) -> Option<(String, String)> {
    let named: Vec<_> = all.keys().take(MOST).map(String::as_str).collect();
    let more = match all.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let findings = count(all.values().sum(), "finding");
    (!named.is_empty()).then(|| (findings, named.join(", ") + &more))
}
