//! Applies fixes in memory, in rounds, until no applicable fix is left.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use similar::TextDiff;
use yaml_spans::{Edit, Source};

use crate::{
    check::check,
    diagnostic::{Diagnostic, Fix, chosen_fixes},
    discover::{self, Request},
    finding::Applicability,
    report,
    results::Report,
    settings::Settings,
};

/// One round of fixes can enable the next; more rounds than this mean that two rules contradict each other.
const MAX_ROUNDS: usize = 10;

/// The result of applying fixes.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    /// The changed files by path.
    pub(crate) files: BTreeMap<PathBuf, FileChange>,
    /// The findings that are left.
    pub(crate) report: Report,
}

/// The text of a file before and after the fixes.
#[derive(Debug)]
pub(crate) struct FileChange {
    pub(crate) before: String,
    pub(crate) after: String,
    /// The number of applied fixes.
    pub(crate) fixes: usize,
    /// The number of ignores in added comments.
    pub(crate) ignores: usize,
}

/// Applies all fixes that are at least as safe as `allowed`. No file is written.
pub(crate) fn fix(request: &Request, settings: &Settings, allowed: Applicability) -> Fixed {
    let mut request = request.clone();
    let mut files: BTreeMap<PathBuf, FileChange> = BTreeMap::new();
    let mut report = check(&request, settings);
    for _ in 0..MAX_ROUNDS {
        let round = one_round(&report.findings, allowed);
        if round.is_empty() {
            break;
        }
        for (path, (before, after, fixes)) in round {
            request.texts.insert(path.clone(), after.clone().into_bytes());
            let first = || FileChange { before, after: String::new(), fixes: 0, ignores: 0 };
            let file = files.entry(path).or_insert_with(first);
            file.after = after;
            file.fixes += fixes;
        }
        report = check(&request, settings);
    }
    files.retain(|_, file| file.before != file.after);
    Fixed { files, report }
}

/// The texts before and after one round of fixes, with the number of fixes in each file.
fn one_round(
    findings: &[Diagnostic],
    allowed: Applicability,
) -> BTreeMap<PathBuf, (String, String, usize)> {
    let mut by_file: BTreeMap<&str, Vec<&Fix>> = BTreeMap::new();
    for fix in chosen_fixes(findings, allowed).into_iter().flatten() {
        by_file.entry(&fix.source.path).or_default().push(fix);
    }
    let mut round = BTreeMap::new();
    for (path, fixes) in by_file {
        let edits: Vec<Edit> = fixes.iter().flat_map(|fix| fix.edits.clone()).collect();
        let before = &fixes[0].source.text;
        if let Some(after) = Edit::apply(before, &edits).filter(|after| after != before) {
            round.insert(PathBuf::from(path), (before.clone(), after, fixes.len()));
        }
    }
    round
}

impl Fixed {
    /// A unified diff of all changes, with masked secrets. No line of it can be a workflow command.
    pub(crate) fn diff(self) -> String {
        let (mut out, mut redactor) = (String::new(), self.report.redactor);
        let text = |text: String| Arc::new(Source::read_only("", text));
        let files = self.files.into_iter();
        let files: Vec<_> =
            files.map(|(path, file)| (path, text(file.before), text(file.after))).collect();
        for (_, before, after) in &files {
            redactor.of(before);
            redactor.of(after);
        }
        let mut redactor = redactor.with_values(self.report.secrets);
        let root = patch_root(files.iter().map(|(path, ..)| &**path));
        for (path, before, after) in &files {
            let shown = report::one_line(&discover::shown(&below(path, &root))).into_owned();
            let (before, after) = (redactor.of(before), redactor.of(after));
            let diff = TextDiff::from_lines(&before.source.text, &after.source.text);
            let (old, new) = (format!("a/{shown}"), format!("b/{shown}"));
            out += &diff.unified_diff().context_radius(3).header(&old, &new).to_string();
        }
        report::safe(&out)
    }
}

/// The folder that the paths of a patch are relative to: the working directory if all files are below it, else their
/// repository, else the root of the file system.
fn patch_root<'a>(paths: impl Iterator<Item = &'a Path>) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let paths: Vec<_> = paths.map(discover::absolute).collect();
    let holds_all = |root: &Path| paths.iter().all(|path| path.starts_with(root));
    if holds_all(&here) {
        return here;
    }
    let above = paths.first().into_iter().flat_map(|path| path.ancestors().skip(1));
    let mut repositories = above.filter(|folder| folder.join(".git").exists());
    repositories.find(|root| holds_all(root)).unwrap_or(Path::new("/")).to_owned()
}

/// The path as a patch names it. On Windows a path of another drive keeps it.
fn below(path: &Path, root: &Path) -> PathBuf {
    let path = discover::absolute(path);
    path.strip_prefix(root).map(Path::to_owned).unwrap_or(path)
}
