//! Writes ignore comments for findings, in memory: each where the check reads it, and none that changes an object.

mod commented;
mod objects;

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
};

use commented::{Commented, Place, is_template};
use objects::digests;
use yaml_spans::{Location, Source};

use crate::{
    autofix::{FileChange, Fixed},
    check::{grouped, ungrouped},
    diagnostic::Diagnostic,
    discover::Request,
    fix::is_json,
    results::Report,
    rules::{ignore_without_reason, unused_ignore},
    settings::Settings,
    words::count,
};

/// A finding has three places for a comment, and the comments of one round can make those of another unused.
const MAX_ROUNDS: usize = 6;

/// Adds ignore comments for the findings that fixes leave. No file is written.
pub(crate) fn add(fixed: Fixed, request: &Request, settings: &Settings, reason: &str) -> Fixed {
    let mut request = request.clone();
    for (path, file) in &fixed.files {
        request.texts.insert(path.clone(), file.after.clone().into_bytes());
    }
    let plain = request.clone();
    let (files, tried) = (BTreeMap::new(), HashMap::new());
    let mut writer = Writer { request, settings, reason, files, tried };
    let mut report = writer.write();
    if writer.drop_harmful(&plain) {
        report = ungrouped(&writer.request, settings);
    }
    report.notes.extend(writer.left(&report));
    Fixed { files: writer.changes(fixed.files), report: grouped(report) }
}

/// The rule of a finding, and its place in the text without the comments.
type Key = (&'static str, String, u32);

/// The places for the comment of a finding, each with its file.
type Places = [Option<(String, Place)>; 3];

/// What happens to a comment in a round.
enum Step {
    /// The comment of a finding takes its next place.
    Move(Key, Places),
    /// The comment at a place in a file no longer names a rule.
    Drop(String, Place, &'static str),
}

struct Writer<'a> {
    /// What is checked, with the comments.
    request: Request,
    settings: &'a Settings,
    reason: &'a str,
    /// The files with comments, by path.
    files: BTreeMap<String, Commented>,
    /// How many places were tried for each finding.
    tried: HashMap<Key, usize>,
}

impl Writer<'_> {
    /// Writes comments until they cover all findings, or no place is left. Returns the findings that are left.
    fn write(&mut self) -> Report {
        let mut report = ungrouped(&self.request, self.settings);
        for _ in 0..MAX_ROUNDS {
            // The comments that move would move the places of the findings.
            let steps: Vec<_> =
                report.findings.iter().filter_map(|finding| self.step(finding)).collect();
            let moved: Vec<_> = steps.into_iter().map(|step| self.take(step)).collect();
            if !moved.contains(&true) {
                break;
            }
            self.update_texts();
            report = ungrouped(&self.request, self.settings);
        }
        report
    }

    /// What a finding asks for: another place for its comment, or the end of a comment that covers nothing.
    fn step(&mut self, finding: &Diagnostic) -> Option<Step> {
        let Location { source, span } = &finding.location;
        if is_about_ignore(finding) {
            let (place, rule) = self.files.get(&source.path)?.named_at(span.start)?;
            return Some(Step::Drop(source.path.clone(), place, rule));
        }
        let start = self.files.get(&source.path).map(|file| file.original(span.start));
        let key = (finding.rule.id, source.path.clone(), start.unwrap_or(span.start));
        Some(Step::Move(key, self.places(finding)))
    }

    /// Takes a step. Returns whether a text changes.
    fn take(&mut self, step: Step) -> bool {
        let (key, places) = match step {
            Step::Move(key, places) => (key, places),
            Step::Drop(path, place, rule) => {
                let file = self.files.get_mut(&path);
                return file.is_some_and(|file| file.remove(place, rule));
            }
        };
        let tried = self.tried.entry(key.clone()).or_default();
        let mut is_changed = false;
        if let Some((path, place)) = tried.checked_sub(1).and_then(|last| places[last].as_ref()) {
            let file = self.files.get_mut(path);
            is_changed = file.is_some_and(|file| file.remove(*place, key.0));
        }
        while let Some(place) = places.get(*tried) {
            *tried += 1;
            let file = place.as_ref().and_then(|(path, _)| self.files.get_mut(path));
            if file.zip(place.as_ref()).is_some_and(|(file, (_, place))| file.add(*place, key.0)) {
                return true;
            }
        }
        is_changed
    }

    /// The places for the comment of a finding: above its line, beside it, above the object.
    fn places(&mut self, finding: &Diagnostic) -> Places {
        let own = &finding.location;
        let object = finding.named_at.as_ref().unwrap_or(own);
        let line = |file: &Commented| file.line_of(file.original(own.span.start));
        let line = self.file(own).map(line).map(|line| (own.source.path.clone(), line));
        let above_object = self.file(object).and_then(|file| {
            let place = Place::Above(file.object_line(file.original(object.span.start))?);
            Some((object.source.path.clone(), place))
        });
        let place =
            |place: fn(usize) -> Place| line.clone().map(|(path, line)| (path, place(line)));
        [place(Place::Above), place(Place::Beside), above_object]
    }

    /// The file of a location; `None` if it may not be changed, or cannot hold comments.
    fn file(&mut self, at: &Location) -> Option<&Commented> {
        if self.obstacle(&at.source).is_some() {
            return None;
        }
        let new = || Commented::new(at.source.clone(), self.reason);
        Some(self.files.entry(at.source.path.clone()).or_insert_with(new))
    }

    /// Why no comment can be written into a file.
    fn obstacle(&self, source: &Source) -> Option<&'static str> {
        match () {
            () if !source.editable => Some("cannot be changed"),
            () if !self.request.asks_for(&source.path) => Some("is not among the checked paths"),
            () if !is_template(source) && is_json(source) => Some("JSON has no comments"),
            () => None,
        }
    }

    fn update_texts(&mut self) {
        for (path, file) in &self.files {
            let text = file.text().into_bytes();
            self.request.texts.insert(PathBuf::from(path), text);
        }
    }

    /// Drops the comments of each file in which they change an object. Returns whether there was one.
    fn drop_harmful(&mut self, plain: &Request) -> bool {
        if self.files.values().all(|file| file.comments.is_empty()) {
            return false;
        }
        let before = digests(plain, self.settings);
        if digests(&self.request, self.settings) == before {
            return false;
        }
        for (path, file) in &mut self.files {
            let mut alone = plain.clone();
            alone.texts.insert(PathBuf::from(path), file.text().into_bytes());
            if digests(&alone, self.settings) != before {
                file.comments.clear();
            }
        }
        self.update_texts();
        true
    }

    /// Notes for the files in which findings are left, with the reason.
    fn left(&self, report: &Report) -> Vec<String> {
        let mut left: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for finding in report.findings.iter().filter(|finding| !is_about_ignore(finding)) {
            let source = &finding.location.source;
            let why = self.obstacle(source).unwrap_or("no comment covers this place");
            *left.entry((&source.path, why)).or_default() += 1;
        }
        let note = |((path, why), left): (&(&str, &str), &usize)| {
            format!("{path}: {why}: {} not ignored", count(*left, "finding"))
        };
        left.iter().map(note).collect()
    }

    /// The changed files: with the comments, and with the fixes before them.
    fn changes(self, fixed: BTreeMap<PathBuf, FileChange>) -> BTreeMap<PathBuf, FileChange> {
        let mut changes = fixed;
        for (path, file) in self.files.iter().filter(|(_, file)| !file.comments.is_empty()) {
            let before = file.source.text.clone();
            let new = || FileChange { before, after: String::new(), fixes: 0, ignores: 0 };
            let change = changes.entry(PathBuf::from(path)).or_insert_with(new);
            change.after = file.text();
            change.ignores = file.comments.values().map(|rules| rules.len()).sum();
        }
        changes
    }
}

/// True for a finding about an ignore, which no ignore covers.
fn is_about_ignore(finding: &Diagnostic) -> bool {
    [unused_ignore::RULE.id, ignore_without_reason::RULE.id].contains(&finding.rule.id)
}
