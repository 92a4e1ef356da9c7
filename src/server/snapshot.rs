//! What one run over the open files found, in the terms of the protocol.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use lsp_types::{Range, TextEdit};
use yaml_spans::{Location, Source};

use super::{
    documents::Documents,
    position::{Encoding, Lines},
    scene::Scene,
};
use crate::{
    diagnostic::{Diagnostic, Fix, chosen_fixes},
    discover::normal,
    finding::{Applicability, Severity},
    progress::Progress,
    report::{self, RedactedReport},
    results::Report,
    rules::Rule,
    settings,
};

/// The most related places of a mark.
const MOST_RELATED: usize = 20;

/// Texts to check.
#[derive(Debug, Default)]
pub(super) struct Task {
    /// Grows with every change.
    pub(super) generation: u64,
    pub(super) documents: Documents,
    /// The folders that the editor works in, absolute.
    pub(super) folders: Vec<PathBuf>,
    pub(super) encoding: Encoding,
    /// Stopped once newer texts have come.
    pub(super) progress: Arc<Progress>,
}

/// The findings of a run.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// That of the texts.
    pub(super) generation: u64,
    /// The texts.
    pub(super) documents: Documents,
    /// Whether a complete one follows.
    pub(super) is_draft: bool,
    pub(super) findings: Vec<Found>,
    /// The places where the findings show, by absolute path.
    pub(super) marks: BTreeMap<PathBuf, Vec<Mark>>,
    /// The edits of all safe fixes, by absolute path.
    pub(super) safe_fixes: BTreeMap<PathBuf, Vec<TextEdit>>,
    /// What stopped a part of the run.
    pub(super) log: Vec<String>,
    /// What the units are made of.
    pub(super) scenes: Vec<Arc<Scene>>,
    /// The policies and rules of the user, as rules.
    pub(super) own_rules: Vec<&'static Rule>,
}

/// A finding.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Absent for a problem of the settings.
    pub(super) rule: Option<&'static Rule>,
    pub(super) severity: Severity,
}

/// What a mark is about, whatever its text: its file, its first line, its rule.
pub(super) type MarkKey = (PathBuf, u32, Option<&'static str>);

/// A place where a finding shows.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// Index of the finding.
    pub(super) finding: usize,
    pub(super) range: Range,
    pub(super) message: String,
    pub(super) related: Vec<Place>,
    pub(super) fixes: Vec<Repair>,
}

/// A place in a file and what is to say about it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) range: Range,
    pub(super) text: String,
}

/// A fix that an editor can apply.
#[derive(Clone, Debug)]
pub(super) struct Repair {
    pub(super) title: String,
    pub(super) is_safe: bool,
    pub(super) path: PathBuf,
    pub(super) edits: Vec<TextEdit>,
}

impl Snapshot {
    /// What is found so far.
    pub(super) fn draft(&self) -> Self {
        Self {
            generation: self.generation,
            documents: self.documents.clone(),
            is_draft: true,
            findings: self.findings.clone(),
            marks: self.marks.clone(),
            log: self.log.clone(),
            own_rules: self.own_rules.clone(),
            ..Self::default()
        }
    }

    /// What a mark is about.
    pub(super) fn key(&self, path: &Path, mark: &Mark) -> MarkKey {
        let rule = self.findings[mark.finding].rule.map(|rule| rule.id);
        (path.to_owned(), mark.range.start.line, rule)
    }

    /// Adds the findings of a run in a folder.
    pub(super) fn add(&mut self, folder: &Path, report: Report, encoding: Encoding) {
        // Fixes write what the file holds; everything that is shown has no secrets.
        let originals = report.findings.clone();
        let mut places = Places { folder, encoding, lines: HashMap::new() };
        for fix in chosen_fixes(&originals, Applicability::Safe).into_iter().flatten() {
            let (path, edits) = places.edits(fix);
            let all = self.safe_fixes.entry(path).or_default();
            edits.into_iter().for_each(|edit| {
                if !all.contains(&edit) {
                    all.push(edit);
                }
            });
        }
        let redacted = RedactedReport::new(report);
        for (original, shown) in originals.iter().zip(&redacted.findings) {
            let number = self.findings.len();
            self.findings.push(Found { rule: Some(shown.rule), severity: shown.severity });
            for (path, mark) in places.marks(original, shown, number) {
                self.mark(path, mark);
            }
        }
        self.log.extend(redacted.errors.iter().cloned());
        self.own_rules.extend(&redacted.own_rules);
    }

    /// Adds the problems of a settings file, whose texts have no secrets.
    pub(super) fn add_problem(
        &mut self,
        folder: &Path,
        problem: &settings::Problem,
        encoding: Encoding,
    ) {
        let mut places = Places { folder, encoding, lines: HashMap::new() };
        let message = match &problem.help {
            Some(help) => format!("{}\nhelp: {help}", problem.reason),
            None => problem.reason.clone(),
        };
        let Place { path, range, .. } = places.place(&problem.location, "");
        let finding = self.findings.len();
        self.findings.push(Found { rule: None, severity: Severity::Error });
        self.mark(path, Mark { finding, range, message, related: Vec::new(), fixes: Vec::new() });
    }

    /// Adds a mark, unless another run has found the same.
    fn mark(&mut self, path: PathBuf, mark: Mark) {
        let id = |mark: &Mark| self.findings[mark.finding].rule.map(|rule| rule.id);
        let marks = self.marks.entry(path).or_default();
        let is_same = |own: &Mark| {
            (own.range, &own.message, id(own)) == (mark.range, &mark.message, id(&mark))
        };
        if !marks.iter().any(is_same) {
            marks.push(mark);
        }
    }
}

/// Finds the places of findings.
struct Places<'a> {
    folder: &'a Path,
    encoding: Encoding,
    lines: HashMap<*const Source, Lines<'a>>,
}

impl<'a> Places<'a> {
    fn lines(&mut self, source: &'a Arc<Source>) -> &Lines<'a> {
        let encoding = self.encoding;
        self.lines.entry(Arc::as_ptr(source)).or_insert_with(|| Lines::new(&source.text, encoding))
    }

    fn place(&mut self, at: &'a Location, text: &str) -> Place {
        let range = self.lines(&at.source).range(at.span);
        let path = normal(&self.folder.join(&at.source.path));
        Place { path, range, text: text.to_owned() }
    }

    fn edits(&mut self, fix: &'a Fix) -> (PathBuf, Vec<TextEdit>) {
        let path = normal(&self.folder.join(&fix.source.path));
        let lines = self.lines(&fix.source);
        let edit =
            |edit: &yaml_spans::Edit| TextEdit::new(lines.range(edit.span), edit.text.clone());
        (path, fix.edits.iter().map(edit).collect())
    }

    /// The fixes that an editor can apply, with the titles that may be shown.
    fn repairs(&mut self, rule: &Rule, fixes: &'a [Fix], shown: &[Fix]) -> Vec<Repair> {
        let mut repairs = Vec::new();
        for (index, fix) in fixes.iter().enumerate() {
            if fix.applicability == Applicability::Display || !fix.source.editable {
                continue;
            }
            let title = match shown.get(index) {
                Some(shown) => format!("{}: {}", rule.id, shown.title),
                None => format!("{}: fix it", rule.id),
            };
            let is_safe = fix.applicability == Applicability::Safe;
            let (path, edits) = self.edits(fix);
            repairs.push(Repair { title, is_safe, path, edits });
        }
        repairs
    }

    /// The marks of a finding: at its primary location, at the first label in every other file, and at the other
    /// objects with the same cause. `shown` has the same places, and texts without secrets.
    fn marks(
        &mut self,
        original: &'a Diagnostic,
        shown: &Diagnostic,
        finding: usize,
    ) -> Vec<(PathBuf, Mark)> {
        let label = if shown.label.is_empty() { headline(shown) } else { shown.label.clone() };
        let primary = self.place(&original.location, &label);
        let fixes = self.repairs(shown.rule, &original.fixes, &shown.fixes);
        let mut all = vec![(primary, whole(shown), fixes.clone())];
        let mut related = Vec::new();
        for ((at, _), (_, text)) in original.secondary.iter().zip(&shown.secondary) {
            if text.is_empty() {
                continue;
            }
            let place = self.place(at, text);
            match all.iter().any(|(known, ..)| known.path == place.path) {
                true => related.push(place),
                false => {
                    let message = format!("{}\n{text}", headline(shown));
                    all.push((place, message, fixes.clone()));
                }
            }
        }
        for (one, own) in original.also.iter().zip(&shown.also) {
            let place =
                self.place(&one.location, &format!("also {}", report::titled(&own.workload)));
            if !all
                .iter()
                .any(|(known, ..)| (&known.path, known.range) == (&place.path, place.range))
            {
                let fixes = self.repairs(shown.rule, &one.fixes, &shown.fixes);
                all.push((place, whole(shown), fixes));
            }
        }
        let places: Vec<Place> =
            all.iter().map(|(place, ..)| place.clone()).chain(related).collect();
        let mark = |(own, (place, message, fixes)): (usize, (Place, String, Vec<Repair>))| {
            let others = places.iter().enumerate().filter(|(index, _)| *index != own);
            let others = others.map(|(_, place)| place).filter(|place| !place.text.is_empty());
            let related = others.take(MOST_RELATED).cloned().collect();
            (place.path, Mark { finding, range: place.range, message, related, fixes })
        };
        all.into_iter().enumerate().map(mark).collect()
    }
}

/// The headline with the value sets in which the finding occurs.
fn headline(finding: &Diagnostic) -> String {
    match finding.message.contains(&finding.note) {
        true => finding.message.clone(),
        false => format!("{} ({})", finding.message, finding.note),
    }
}

/// The headline, the label and the help.
fn whole(finding: &Diagnostic) -> String {
    let mut text = headline(finding);
    if !text.contains(&finding.label) {
        text = format!("{text}\n{}", finding.label);
    }
    if !finding.help.is_empty() {
        text = format!("{text}\nhelp: {}", finding.help);
    }
    text
}
