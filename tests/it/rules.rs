//! The examples on every rule's page: the marked findings are reported, and fixes produce the good version byte for
//! byte.

use std::{collections::BTreeSet, fs, path::Path};

use joblint::{
    check::{check_all, check_unit},
    discover::Request,
    examples::{self, Mark},
    load,
    results::Report,
    rules::{self, Example, Rule},
    settings::Settings,
    unit::{File, Unit, UnitKind},
    upgrade::compare_files,
};
use yaml_spans::Edit;

use super::support::{assert_golden, file, inside, plain, tree};

pub(super) fn run(files: &[(String, String)], example: &Example) -> Report {
    run_as(files, example, true)
}

fn run_as(files: &[(String, String)], example: &Example, pedantic: bool) -> Report {
    let decides = |(path, text): &(String, String)| {
        ["fleet.yaml", "kustomization.yaml"].iter().any(|name| path.ends_with(name))
            || load::is_gitops(text.as_bytes())
            || text.contains("AdmissionPolicy")
    };
    if files.len() > 1 && files.iter().any(decides) {
        return run_tree(files, example, pedantic);
    }
    let files: Vec<_> = files.iter().map(|(path, text)| file(path, text.clone())).collect();
    let settings = with_deployers(example, pedantic);
    if let Some(base) = &example.base {
        let old = deployed(base).0;
        let below = |(path, text): &(String, String)| File {
            path: path.trim_start_matches("deployed/").into(),
            ..file(path, text.clone())
        };
        return compare_files(old.iter().map(below).collect(), files, &settings);
    }
    let is_chart = files.iter().any(|file: &File| file.shown == "Chart.yaml");
    let kind = if is_chart { UnitKind::Chart } else { UnitKind::Plain };
    check_unit(&Unit { kind, ..plain(files) }, &settings)
}

pub(super) fn with_deployers(example: &Example, pedantic: bool) -> Settings {
    let deployers = example.deployer.iter().map(|text| text.parse().expect("a deployer")).collect();
    Settings { deployers, pedantic, ..settings(example) }
}

/// The deployed version, in its own folder.
fn deployed(base: &rules::Files) -> (Vec<(String, String)>, Vec<Mark>) {
    let (mut files, mut marks) = cleaned(base);
    let below = |path: &mut String| *path = format!("deployed/{path}");
    files.iter_mut().for_each(|(path, _)| below(path));
    marks.iter_mut().for_each(|mark| below(&mut mark.path));
    (files, marks)
}

/// Checks a tree in which GitOps objects deploy the other files.
fn run_tree(files: &[(String, String)], example: &Example, pedantic: bool) -> Report {
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = tree(&files);
    let request = Request { paths: vec![folder.path().to_owned()], ..Request::default() };
    check_all(&request, &with_deployers(example, pedantic))
}

fn settings(example: &Example) -> Settings {
    let Some(text) = &example.settings else { return Settings::default() };
    let folder = tree(&[(".joblint.yaml", text)]);
    Settings::read(&folder.path().join(".joblint.yaml")).expect("valid settings")
}

fn found(rule: &Rule, report: &Report) -> Vec<Mark> {
    examples::reported(rule.id, report, &|path| Some(inside(path).to_owned()))
}

pub(super) fn cleaned(files: &rules::Files) -> (Vec<(String, String)>, Vec<Mark>) {
    examples::unmarked(files)
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

pub(super) fn fixed(
    rule: &Rule,
    files: &[(String, String)],
    report: &Report,
) -> Option<Vec<(String, String)>> {
    let findings: Vec<_> =
        report.findings.iter().filter(|f| f.rule.id == rule.id && !f.fixes.is_empty()).collect();
    if findings.is_empty() {
        return None;
    }
    let fixed = files.iter().map(|(path, text)| {
        let fixes = findings.iter().filter_map(|finding| finding.fixes.first());
        let fixes: Vec<_> = fixes.filter(|fix| inside(&fix.source.path) == path).collect();
        let mut edits: Vec<Edit> = Vec::new();
        for edit in fixes.iter().flat_map(|fix| &fix.edits) {
            // Findings may have one fix in common.
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
        // Helm drops the byte order mark of a chart's file.
        let is_dropped = fixes.iter().any(|fix| !fix.source.text.starts_with(BYTE_ORDER_MARK));
        let (mark, rest) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if is_dropped => (BYTE_ORDER_MARK, rest),
            _ => ("", &**text),
        };
        let after = Edit::apply(rest, &edits).expect("edits inside the text that do not overlap");
        (path.clone(), mark.to_owned() + &after)
    });
    Some(fixed.collect())
}

#[test]
fn examples_hold() {
    let mut failures = Vec::new();
    for rule in rules::all() {
        for example in &rule.examples() {
            check_example(rule, example, &mut failures);
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn check_example(rule: &Rule, example: &Example, failures: &mut Vec<String>) {
    let mut fail = |text: String| failures.push(format!("{} / {}: {text}", rule.id, example.name));
    let good = example.good.as_ref().map(|files| cleaned(files).0);
    if let Some(bad) = &example.bad {
        let (files, mut expected) = cleaned(bad);
        expected.extend(example.base.iter().flat_map(|base| deployed(base).1));
        let report = run(&files, example);
        let mut actual = found(rule, &report);
        for (mark, seen) in expected.iter().zip(actual.iter_mut()) {
            if mark.width.is_none() {
                seen.width = None;
            }
        }
        expected.sort();
        actual.sort();
        // A mark without a width matches any width.
        let open = |marks: &[Mark]| -> Vec<_> {
            marks.iter().map(|m| (m.path.clone(), m.line, m.column, m.text.clone())).collect()
        };
        let same = open(&expected) == open(&actual)
            && expected
                .iter()
                .zip(&actual)
                .all(|(a, b)| a.width.is_none() || b.width.is_none() || a.width == b.width);
        if !same {
            fail(format!("expected {expected:#?}\nfound {actual:#?}"));
        }
        if let (Some(good), Some(fixed)) = (&good, fixed(rule, &files, &report))
            && *good != fixed
        {
            fail(format!("the fix makes\n{fixed:#?}\ninstead of\n{good:#?}"));
        }
    }
    if let Some(good) = good {
        let marks = found(rule, &run(&good, example));
        if !marks.is_empty() {
            fail(format!("the good version is not silent: {marks:#?}"));
        }
    }
}

#[test]
fn pedantic_examples_need_the_flag() {
    for rule in rules::all() {
        let examples = rule.examples();
        let pedantic = examples.iter().filter(|example| example.pedantic);
        for (example, bad) in pedantic.filter_map(|example| Some((example, example.bad.as_ref()?)))
        {
            let report = run_as(&cleaned(bad).0, example, false);
            let shown: Vec<_> =
                report.findings.iter().filter(|f| f.rule.id == rule.id && !f.hidden).collect();
            assert!(shown.is_empty(), "{} / {}: shown without --pedantic", rule.id, example.name);
        }
    }
}

/// Files in `src/rules` that are not rules.
const SHARED: [&str; 4] = ["following", "meta", "own", "rejected"];

#[test]
fn pages_are_complete() {
    let registered: BTreeSet<_> = rules::all().iter().map(|rule| rule.id).collect();
    assert!(rules::all().is_sorted_by_key(|rule| rule.id), "the registry is in order");
    for rule in rules::all() {
        let meta = rule.meta();
        assert_eq!(meta.id, rule.id);
        assert!(
            meta.summary.chars().count() <= 60 && !meta.summary.ends_with('.'),
            "{}: summary",
            rule.id
        );
        let has = |which: fn(&Example) -> bool| rule.examples().iter().any(which);
        assert!(has(|e| e.bad.is_some()), "{}: no bad example", rule.id);
        assert!(has(|e| e.bad.is_some() && e.good.is_some()), "{}: no good example", rule.id);
        assert!(has(|e| e.bad.is_none() && e.good.is_some()), "{}: no near miss", rule.id);
        assert_eq!(
            has_fix(rule),
            meta.fix.is_some(),
            "{}: `fix` says what its examples show",
            rule.id
        );
        assert_eq!(
            meta.fix.is_some(),
            meta.fix_safety.is_some(),
            "{}: `fix` goes with `fix-safety`",
            rule.id
        );
    }
    let ids = |folder: &str, ending: &str| -> BTreeSet<String> {
        let files =
            fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("the folder");
        let names =
            files.map(|file| file.expect("an entry").file_name().into_string().expect("a name"));
        names.filter_map(|name| name.strip_suffix(ending).map(|id| id.replace('_', "-"))).collect()
    };
    let pages: BTreeSet<_> = registered.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(ids("rules", ".yaml"), pages, "a page per rule and no other");
    let mut files = ids("src/rules", ".rs");
    files.retain(|file| !SHARED.contains(&file.as_str()));
    assert_eq!(files, pages, "a file per rule and no other");
}

fn has_fix(rule: &Rule) -> bool {
    let examples = rule.examples();
    let bad = examples.iter().filter_map(|example| Some((example, example.bad.as_ref()?)));
    bad.into_iter().any(|(example, files)| {
        let (files, _) = cleaned(files);
        fixed(rule, &files, &run(&files, example)).is_some()
    })
}

/// What other rules report about each rule's bad examples. Two rules that report the same cause are a flaw, so each
/// new line in `testdata/rules/overlaps.txt` needs a reason.
#[test]
fn overlaps_between_rules_are_known() {
    let mut lines = String::new();
    for rule in rules::all() {
        for example in &rule.examples() {
            let Some(bad) = &example.bad else { continue };
            let report = run_as(&cleaned(bad).0, example, example.pedantic);
            let others = report.findings.iter().map(|finding| finding.rule).filter(|other| {
                other.id != rule.id && other.meta().persona == rules::Persona::Regular
            });
            let others: BTreeSet<_> = others.map(|other| other.id).collect();
            if !others.is_empty() {
                let others: Vec<_> = others.into_iter().collect();
                lines += &format!("{} / {}: {}\n", rule.id, example.name, others.join(", "));
            }
        }
    }
    assert_golden("testdata/rules/overlaps.txt", &lines);
}
