//! Applies fixes: as often as there is something to fix, and never one that does not hold.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use similar::TextDiff;
use yaml_spans::Edit;

use crate::{
    check::check,
    diagnostic::{Diagnostic, Fix},
    discover::Request,
    finding::Applicability,
    redact::Secrets,
    results::Report,
    settings::Settings,
};

/// Fixes can make room for further fixes; more rounds than this mean that two rules disagree.
const MOST_ROUNDS: usize = 10;

/// What fixing came to.
#[derive(Debug)]
pub struct Repaired {
    pub changed: BTreeMap<PathBuf, Changed>,
    /// Fixes applied.
    pub fixed: usize,
    /// The findings that are left.
    pub report: Report,
}

/// A file before and after.
#[derive(Debug)]
pub struct Changed {
    pub before: String,
    pub after: String,
}

/// Applies all fixes that are at least as safe as `allowed`, in memory.
pub fn repair(request: &Request, settings: &Settings, allowed: Applicability) -> Repaired {
    let settings = &Settings {
        // Those in templates are never safe.
        mends_templates: allowed <= Applicability::Unsafe,
        ..settings.clone()
    };
    let mut request = request.clone();
    let mut changed: BTreeMap<PathBuf, Changed> = BTreeMap::new();
    let mut fixed = 0;
    let mut report = check(&request, settings);
    for _ in 0..MOST_ROUNDS {
        let round = one_round(&report.findings, allowed);
        if round.is_empty() {
            break;
        }
        for (path, (before, after, fixes)) in round {
            fixed += fixes;
            request.texts.insert(path.clone(), after.clone().into_bytes());
            let first = || Changed { before, after: String::new() };
            changed.entry(path).or_insert_with(first).after = after;
        }
        report = check(&request, settings);
    }
    changed.retain(|_, file| file.before != file.after);
    Repaired { changed, fixed, report }
}

/// The texts that one round of fixes makes, with the number of fixes in each.
fn one_round(
    findings: &[Diagnostic],
    allowed: Applicability,
) -> BTreeMap<PathBuf, (String, String, usize)> {
    let mut by_file: BTreeMap<&str, Vec<&Fix>> = BTreeMap::new();
    for finding in findings {
        let fix = finding.fixes.iter().find(|fix| fix.applicability >= allowed);
        if let Some(fix) = fix.filter(|fix| fix.source.editable) {
            by_file.entry(&fix.source.path).or_default().push(fix);
        }
    }
    let mut round = BTreeMap::new();
    for (path, fixes) in by_file {
        let chosen = compatible(&fixes);
        let edits: Vec<Edit> = chosen.iter().flat_map(|fix| fix.edits.clone()).collect();
        let before = &fixes[0].source.text;
        if let Some(after) = Edit::apply(before, &edits).filter(|after| after != before) {
            round.insert(PathBuf::from(path), (before.clone(), after, chosen.len()));
        }
    }
    round
}

/// The fixes that do not touch each other, earlier ones first; the others wait for the next round.
fn compatible<'a>(fixes: &[&'a Fix]) -> Vec<&'a Fix> {
    let mut taken: Vec<&Edit> = Vec::new();
    let mut chosen = Vec::new();
    for fix in fixes {
        let touches = |edit: &Edit| {
            taken
                .iter()
                .any(|other| edit.span.start <= other.span.end && other.span.start <= edit.span.end)
        };
        if !fix.edits.iter().any(touches) {
            taken.extend(&fix.edits);
            chosen.push(*fix);
        }
    }
    chosen
}

impl Repaired {
    /// A unified diff of everything that changed, secrets masked.
    pub fn diff(&self) -> String {
        let mut out = String::new();
        for (path, file) in &self.changed {
            let shown = crate::discover::shown(path);
            let masked = |text: &str| Secrets::find(text).blank(text);
            let (before, after) = (masked(&file.before), masked(&file.after));
            let diff = TextDiff::from_lines(&before, &after);
            let (old, new) = (format!("a/{shown}"), format!("b/{shown}"));
            out += &diff.unified_diff().context_radius(3).header(&old, &new).to_string();
        }
        out
    }
}

/// Replaces a file whole or not at all; a link stays a link, permissions stay.
///
/// # Errors
/// What the file system says; the old file is untouched then.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = path.with_file_name(format!(".{name}.joblint-{}", std::process::id()));
    let written = (|| {
        let mut file = fs::File::create(&part)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Ok(old) = fs::metadata(&path) {
            fs::set_permissions(&part, old.permissions())?;
        }
        fs::rename(&part, &path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}
