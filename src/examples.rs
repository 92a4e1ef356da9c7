//! The examples of rules as tests: the findings that comments mark are those that are reported.

use std::{fs, io, path::Path, path::PathBuf};

use yaml_spans::Location;

use crate::{
    check::check_all,
    discover::Request,
    policy::OwnRule,
    results::Report,
    rules::{Example, Files, Rule},
    settings::{Settings, file},
};

/// A label of a finding, as a comment marks it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The first column, from 1.
    pub column: usize,
    /// How many characters are marked; unknown for `# <- text`.
    pub width: Option<usize>,
    /// The text.
    pub text: String,
}

impl Mark {
    /// Whether a reported label is the one that is marked.
    fn is_met_by(&self, other: &Self) -> bool {
        let width = self.width.or(other.width);
        Self { width, ..self.clone() } == Self { width: other.width.or(width), ..other.clone() }
    }
}

/// The texts of an example without the comments that mark findings, and the marks.
pub fn unmarked(files: &Files) -> (Vec<(String, String)>, Vec<Mark>) {
    let (mut texts, mut marks) = (Vec::new(), Vec::new());
    for (path, text) in files.each() {
        let (mut clean, mut line) = (String::new(), 0);
        for raw in text.split_inclusive('\n') {
            match mark(raw) {
                Some((column, width, text)) => {
                    let path = path.to_owned();
                    marks.push(Mark { path, line, column, width, text });
                }
                None => {
                    clean.push_str(raw);
                    line += 1;
                }
            }
        }
        texts.push((path.to_owned(), clean));
    }
    (texts, marks)
}

/// `# ^^^ text` or `# <- text`.
fn mark(line: &str) -> Option<(usize, Option<usize>, String)> {
    let comment = line.trim_start().strip_prefix('#')?;
    let hash = line.len() - line.trim_start().len() + 1;
    let rest = comment.trim_start();
    let gap = comment.len() - rest.len();
    if let Some(label) = rest.strip_prefix("<- ") {
        return Some((hash, None, label.trim().to_owned()));
    }
    let width = rest.bytes().take_while(|byte| *byte == b'^').count();
    (width > 0).then(|| (hash + 1 + gap, Some(width), rest[width..].trim().to_owned()))
}

/// The labels of the findings of a rule. `inside` gives a path as examples have it, and `None` for other files.
pub fn reported(rule: &str, report: &Report, inside: &dyn Fn(&str) -> Option<String>) -> Vec<Mark> {
    let findings = report.findings.iter().filter(|finding| finding.rule.id == rule);
    let labels = findings.flat_map(|finding| {
        let others = finding.secondary.iter().map(|(location, label)| (location, label));
        std::iter::once((&finding.location, &finding.label)).chain(others)
    });
    labels.filter_map(|(at, label)| reported_at(at, label, inside)).collect()
}

fn reported_at(
    at: &Location,
    label: &str,
    inside: &dyn Fn(&str) -> Option<String>,
) -> Option<Mark> {
    let (start, end) = (at.start(), at.end());
    let line = at.source.line_text(start.line);
    let end = if end.line == start.line { end.column } else { line.chars().count() + 1 };
    Some(Mark {
        path: inside(&at.source.path)?,
        line: start.line,
        column: start.column,
        width: Some(end - start.column),
        text: label.to_owned(),
    })
}

/// What differs between the marks of an example and what is reported; empty if they are the same.
fn differences(mut expected: Vec<Mark>, mut reported: Vec<Mark>) -> Vec<String> {
    expected.sort();
    reported.sort();
    let shown = |mark: &Mark| format!("{}:{}:{}: {}", mark.path, mark.line, mark.column, mark.text);
    let is_met = |mark: &&Mark| !reported.iter().any(|one| mark.is_met_by(one));
    let missing =
        expected.iter().filter(is_met).map(|mark| format!("not reported: {}", shown(mark)));
    let is_marked = |one: &&Mark| !expected.iter().any(|mark| mark.is_met_by(one));
    let more = reported.iter().filter(is_marked).map(|mark| format!("not marked: {}", shown(mark)));
    missing.chain(more).collect()
}

/// What does not hold in an example of a rule of the user; empty if all holds.
///
/// # Errors
/// The files of the example cannot be written.
pub(crate) fn check(
    rule: &'static Rule,
    own: &OwnRule,
    example: &Example,
) -> io::Result<Vec<String>> {
    if example.base.is_some() {
        return Ok(vec!["`base` is for rules about two versions".to_owned()]);
    }
    let mut wrong = Vec::new();
    if let Some(bad) = &example.bad {
        let (files, expected) = unmarked(bad);
        if expected.is_empty() {
            wrong.push("`bad` marks nothing".to_owned());
        }
        match run(rule, own, example, &files)? {
            Ok(reported) => wrong.extend(differences(expected, reported)),
            Err(reason) => wrong.push(reason),
        }
    }
    if let Some(good) = &example.good {
        match run(rule, own, example, &unmarked(good).0)? {
            Ok(reported) => wrong.extend(differences(Vec::new(), reported)),
            Err(reason) => wrong.push(reason),
        }
    }
    if example.bad.is_none() && example.good.is_none() {
        wrong.push("it has neither `bad` nor `good`".to_owned());
    }
    Ok(wrong)
}

/// The labels that a rule reports about some files, or why they cannot be checked.
fn run(
    rule: &'static Rule,
    own: &OwnRule,
    example: &Example,
    files: &[(String, String)],
) -> io::Result<Result<Vec<Mark>, String>> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    for (path, text) in files {
        let Some(path) = below(&root, path) else {
            return Ok(Err(format!("`{path}` is no path inside of the example")));
        };
        fs::create_dir_all(path.parent().unwrap_or(&root))?;
        fs::write(path, text)?;
    }
    let settings = match settings(rule, own, example, &root)? {
        Ok(settings) => settings,
        Err(reason) => return Ok(Err(reason)),
    };
    let request = Request { paths: vec![root.clone()], ..Request::default() };
    let report = check_all(&request, &settings);
    let inside = |path: &str| {
        let path = Path::new(path).strip_prefix(&root).ok()?;
        Some(path.to_string_lossy().replace('\\', "/"))
    };
    Ok(Ok(reported(rule.id, &report, &inside)))
}

/// A path of an example in its folder.
fn below(root: &Path, path: &str) -> Option<PathBuf> {
    let is_plain = |part| matches!(part, std::path::Component::Normal(_));
    let path = Path::new(path);
    path.components().all(is_plain).then(|| root.join(path))
}

/// The settings of an example, with the rule only.
fn settings(
    rule: &'static Rule,
    own: &OwnRule,
    example: &Example,
    root: &Path,
) -> io::Result<Result<Settings, String>> {
    let mut settings = Settings::default();
    if let Some(text) = &example.settings {
        let path = root.join(file::NAME);
        fs::write(&path, text)?;
        match Settings::read(&path) {
            Ok(own) => settings = own,
            Err(error) => return Ok(Err(format!("its settings are wrong: {error}"))),
        }
    }
    for text in &example.deployer {
        match text.parse() {
            Ok(deployer) => settings.deployers.push(deployer),
            Err(error) => return Ok(Err(format!("`{text}` is no deployer: {error}"))),
        }
    }
    if example.deployer.is_empty() && settings.deployers.is_empty() {
        settings
            .deployers
            .extend(own.deployers.iter().copied().map(job_lifecycle::Deployer::stated));
    }
    settings.policies = vec![PathBuf::from(&own.object.source.path)];
    settings.select = Some(vec![rule.id.to_owned()]);
    settings.pedantic |= example.pedantic;
    Ok(Ok(settings))
}
