//! A property of fixes: whichever of them are applied together, their findings are gone, and only what they name is
//! different in what is rendered. What a fix may change is written down in `named`.

mod named;

use std::{collections::BTreeSet, path::Path};

use joblint::{
    check::{check_all, check_unit},
    diagnostic::{Diagnostic, Fix},
    discover::Request,
    load,
    rules::{self, Rule},
    settings::Settings,
    unit::{File, Unit, UnitKind},
};
use rayon::prelude::*;
use serde_json::Value as Json;
use yaml_spans::{Edit, Span};

use super::{
    fix_forms::FORMS,
    rules::{cleaned, with_deployers},
    support::{Files, file, inside, objects, on_own_threads, plain, tree},
};

/// The most fixes that are applied together.
const MOST: usize = 3;

fn unit(files: &Files) -> Unit {
    let files: Vec<File> = files.iter().map(|(path, text)| file(path, text.clone())).collect();
    let is_chart = files.iter().any(|file| file.shown == "Chart.yaml");
    let kind = if is_chart { UnitKind::Chart } else { UnitKind::Plain };
    Unit { kind, ..plain(files) }
}

fn findings(files: &Files, settings: &Settings) -> Vec<Diagnostic> {
    if !files.iter().any(|(path, _)| path.ends_with("kustomization.yaml")) {
        return check_unit(&unit(files), settings).findings;
    }
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = tree(&files);
    let request = Request { paths: vec![folder.path().to_owned()], ..Request::default() };
    check_all(&request, settings).findings
}

/// The rule of a finding, what it asks for, and the object that it is about, but for its name: a fix may change that.
fn subject(finding: &Diagnostic) -> (&'static str, String, String, String) {
    let kind = finding.workload.as_ref().map(|one| one.kind.clone()).unwrap_or_default();
    let path = inside(&finding.location.source.path).to_owned();
    (finding.rule.id, finding.help.clone(), path, kind)
}

fn applied(files: &Files, fixes: &[&Fix]) -> Files {
    let edited = |(path, text): &(String, String)| {
        let own = fixes.iter().filter(|fix| inside(&fix.source.path) == path);
        let edits: Vec<_> = own.flat_map(|fix| fix.edits.clone()).collect();
        (path.clone(), Edit::apply(text, &edits).expect("edits that do not overlap"))
    };
    files.iter().map(edited).collect()
}

/// True when fixes can be applied together: no edit touches one of another.
fn are_apart(fixes: &[&Fix]) -> bool {
    let touch = |a: &Fix, b: &Fix| {
        let near = |x: &Edit, y: &Edit| x.span.start <= y.span.end && y.span.start <= x.span.end;
        a.source.path == b.source.path && a.edits.iter().any(|x| b.edits.iter().any(|y| near(x, y)))
    };
    (0..fixes.len()).all(|at| fixes[..at].iter().all(|other| !touch(fixes[at], other)))
}

/// The paths at which two lists of documents differ.
fn differing(a: &Json, b: &Json, path: &str, found: &mut BTreeSet<String>) {
    let null = Json::Null;
    match (a, b) {
        (Json::Object(x), Json::Object(y)) => {
            let keys: BTreeSet<_> = x.keys().chain(y.keys()).collect();
            for key in keys {
                let (x, y) = (x.get(key).unwrap_or(&null), y.get(key).unwrap_or(&null));
                differing(x, y, &format!("{path}/{key}"), found);
            }
        }
        (Json::Array(x), Json::Array(y)) if x.len() == y.len() => {
            for (index, (x, y)) in x.iter().zip(y).enumerate() {
                differing(x, y, &format!("{path}/{index}"), found);
            }
        }
        // What is new in a mapping that was not there.
        (Json::Null, Json::Object(y)) if !y.is_empty() => {
            for (key, y) in y {
                differing(&null, y, &format!("{path}/{key}"), found);
            }
        }
        _ if a != b => _ = found.insert(path.to_owned()),
        _ => {}
    }
}

fn changes(before: &[Json], files: &Files) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let after = objects(files).expect("a chart renders after a fix");
    differing(&Json::from(before), &Json::from(after), "", &mut found);
    found
}

/// True when a fix removes an entry that has a comment, and with it the comment.
fn takes_along(files: &Files, fix: &Fix, comment: &str) -> bool {
    let of_fix = files.iter().find(|(path, _)| inside(&fix.source.path) == path);
    let Some((_, text)) = of_fix else { return false };
    let is_entry = |line: &str| !line.trim().is_empty() && !line.trim().starts_with('#');
    fix.edits.iter().filter(|edit| edit.text.is_empty()).any(|edit| {
        let removed = &text[edit.span.range()];
        removed.contains(comment) && removed.lines().any(is_entry)
    })
}

/// The subsets of up to [`MOST`] of the first `count` numbers.
fn subsets(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for index in 0..count {
        let with = |one: &Vec<usize>| [&one[..], &[index]].concat();
        let longer: Vec<_> = all.iter().filter(|one| one.len() < MOST).map(with).collect();
        all.extend(longer);
    }
    all.retain(|one| !one.is_empty());
    all
}

/// Rules whose fixes change what a comment says: one removes a directive, Flux replaces variables in comments too.
const OF_COMMENTS: [&str; 2] = ["unused-ignore", "substituted-by-flux"];

/// Applies the subsets of the fixes of a unit; returns how many were applied.
fn hold(name: &str, files: &Files, settings: &Settings, failures: &mut Vec<String>) -> usize {
    let found = findings(files, settings);
    hold_for(&found, name, files, settings, failures)
}

fn hold_for(
    found: &[Diagnostic],
    name: &str,
    files: &Files,
    settings: &Settings,
    failures: &mut Vec<String>,
) -> usize {
    let fixable: Vec<_> = found.iter().filter(|finding| !finding.fixes.is_empty()).collect();
    let Some(before) = objects(files) else { return 0 };
    let fix = |index: &usize| &fixable[*index].fixes[0];
    let alone: Vec<_> =
        (0..fixable.len()).map(|at| changes(&before, &applied(files, &[fix(&at)]))).collect();
    for (finding, changed) in fixable.iter().zip(&alone) {
        for path in changed.iter().filter(|path| !named::allows(finding, path, &before)) {
            failures.push(format!("{name}: the fix of {} changes {path}", finding.rule.id));
        }
        let after = applied(files, &[&finding.fixes[0]]);
        let broken = named::unreadable(files, &after);
        failures.extend(
            broken.map(|why| format!("{name}: the fix of {} breaks {why}", finding.rule.id)),
        );
        let lost = named::lost_comment(files, &after);
        let lost = lost.filter(|lost| !takes_along(files, &finding.fixes[0], lost));
        let lost = lost.filter(|_| !OF_COMMENTS.contains(&finding.rule.id));
        failures.extend(
            lost.map(|lost| format!("{name}: the fix of {} loses {lost}", finding.rule.id)),
        );
    }
    let mut done = 0;
    for subset in subsets(fixable.len()) {
        let fixes: Vec<_> = subset.iter().map(fix).collect();
        if !are_apart(&fixes) {
            continue;
        }
        done += 1;
        let after = applied(files, &fixes);
        let named: BTreeSet<_> = subset.iter().flat_map(|at| &alone[*at]).collect();
        for path in changes(&before, &after) {
            if !named.iter().any(|own| path.starts_with(own.as_str())) {
                failures.push(format!("{name}: {subset:?} changes {path}"));
            }
        }
        let left = findings(&after, settings);
        for at in &subset {
            let own = subject(fixable[*at]);
            let count = |all: &[Diagnostic]| all.iter().filter(|one| subject(one) == own).count();
            let fixed = subset.iter().filter(|other| subject(fixable[**other]) == own).count();
            if count(&left) + fixed > count(found) {
                failures.push(format!("{name}: {subset:?} leaves {own:?}"));
            }
        }
    }
    done
}

#[test]
fn any_fixes_together_do_what_each_does_alone() {
    let pedantic = || Settings { pedantic: true, ..Settings::default() };
    let mut cases: Vec<Case> =
        folders().into_iter().map(|(name, files)| (name, files, pedantic())).collect();
    cases.extend(rules::all().iter().flat_map(|rule| examples(rule)));
    let held = |(name, files, settings): &Case| {
        let mut failures = Vec::new();
        (hold(name, files, settings, &mut failures), failures)
    };
    let held: Vec<_> = on_own_threads(|| cases.par_iter().map(held).collect());
    let done: usize = held.iter().map(|(done, _)| done).sum();
    let failures: Vec<_> = held.into_iter().flat_map(|(_, failures)| failures).collect();
    println!("{done} sets of fixes of {} trees", cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(done > 1000, "{done}");
}

#[test]
fn a_doubled_key_and_a_lost_comment_are_seen() {
    let text = "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: report\nspec:\n  # At night.\n  \
                schedule: '0 3 * * *'\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          \
                restartPolicy: Never\n          containers:\n            - name: report\n              \
                image: report:1.0.0\n";
    let files: Files = vec![("report.yaml".to_owned(), text.to_owned())];
    let settings = Settings { pedantic: true, ..Settings::default() };
    let found = findings(&files, &settings);
    let is_fixable = |one: &Diagnostic| one.rule.id == "overlap" && !one.fixes.is_empty();
    let finding = found.iter().find(|one| is_fixable(one)).expect("a finding with a fix");
    let failures = |damage: Option<(&str, &str)>| {
        let mut damaged = finding.clone();
        if let Some((old, new)) = damage {
            let start = text.find(old).unwrap();
            let span = Span::new(start, start + old.len());
            damaged.fixes[0].edits.push(Edit { span, text: new.to_owned() });
        }
        let mut failures = Vec::new();
        hold_for(&[damaged], "report", &files, &settings, &mut failures);
        failures.join("\n")
    };
    assert_eq!(failures(None), "");
    let doubled = failures(Some(("kind: CronJob\n", "kind: CronJob\nkind: CronJob\n")));
    assert!(doubled.contains("the fix of overlap breaks report.yaml"), "{doubled}");
    for damage in [("  # At night.\n", ""), ("# At night.", "#")] {
        let lost = failures(Some(damage));
        assert!(lost.contains("the fix of overlap loses # At night."), "{lost}");
    }
}

/// The name of a tree, its files, and the settings to check them with.
type Case = (String, Files, Settings);

/// The examples of a rule's page as they are, with comments, in a chart, and in a kustomization.
fn examples(rule: &Rule) -> Vec<Case> {
    let mut cases = Vec::new();
    for example in rule.examples().iter().filter(|example| example.base.is_none()) {
        let Some(bad) = &example.bad else { continue };
        let (files, _) = cleaned(bad);
        let decides = |(path, text): &(String, String)| {
            path.ends_with("fleet.yaml") || load::is_gitops(text.as_bytes())
        };
        // The deployers of the others are in their GitOps objects.
        if files.iter().any(decides) {
            continue;
        }
        // What an ignore names may be no finding of a chart or kustomization.
        let is_produced = rule.id != "unused-ignore";
        let produced = FORMS.iter().filter(|form| {
            is_produced && ["template", "kustomization", "comments"].contains(&form.name)
        });
        let produced = produced.filter_map(|form| Some((form.name, form.of(&files)?)));
        for (form, files) in produced.chain([("as it is", files.clone())]) {
            let name = format!("{} / {} / {form}", rule.id, example.name);
            cases.push((name, files, with_deployers(example, true)));
        }
    }
    cases
}

/// The charts and kustomizations of `testdata` without their expected output, and the examples.
fn folders() -> Vec<(String, Files)> {
    let roots = ["testdata/charts", "testdata/kustomizations", "examples/charts"];
    let folders = roots.iter().flat_map(|root| std::fs::read_dir(root).unwrap().flatten());
    let files = |folder: std::fs::DirEntry| {
        let mut files = Files::new();
        add(&folder.path(), &folder.path(), &mut files);
        files.retain(|(path, _)| !path.ends_with("golden") && !path.ends_with("golden.yaml"));
        (folder.path().display().to_string(), files)
    };
    let mut all: Vec<_> = folders.map(files).filter(|(_, files)| !files.is_empty()).collect();
    let manifests = ["migrate.yaml", "hook.yaml", "report.yaml"];
    for name in manifests {
        let text = std::fs::read_to_string(Path::new("examples/manifests").join(name)).unwrap();
        all.push((name.to_owned(), vec![(name.to_owned(), text)]));
    }
    all
}

fn add(root: &Path, folder: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            add(root, &path, files);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            files.push((path.strip_prefix(root).unwrap().display().to_string(), text));
        }
    }
}
