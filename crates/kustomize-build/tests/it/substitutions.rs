//! Variables of a Flux Kustomization, as `testdata/substitutions.go.txt` recorded them with Flux's own code.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use kustomize_build::{Built, Error, Field, Memory, Options, Order, Reason, Variable, Variables};
use yaml_spans::{Location, Source, Span};

use crate::origins::values;

/// Cases that fail in other words: those of a YAML library.
const OTHER_WORDS: &[&str] = &["bad-yaml"];

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/substitutions")
}

/// Variables from lines `NAME=value`.
fn variables(text: &str, between: char) -> Variables {
    let source = Arc::new(Source::new("flux.yaml", text));
    let known = text.split(between).filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let start = value.as_ptr() as usize - text.as_ptr() as usize;
        let at = Location { source: source.clone(), span: Span::new(start, start + value.len()) };
        Some((name.into(), Variable { value: Some(value.into()), at }))
    });
    Variables { known: known.collect(), is_complete: true, is_strict: true }
}

fn build(text: &str, variables: Option<Variables>) -> Result<Built, Error> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let header = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --\n"));
        match (header, files.last_mut()) {
            (Some(path), _) => files.push((path, String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    let memory: Memory = files.into_iter().collect();
    let options = Options { variables, order: Order::Fifo, ..Options::default() };
    Built::from_files(&memory, Path::new("/"), &options)
}

/// The builds that Flux recorded: path, files, and variables.
fn recorded() -> Vec<(PathBuf, String, Variables)> {
    let paths = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let cases = paths.filter(|path| path.extension().is_some_and(|end| end == "txt"));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let own = variables(&text[..text.find("-- ").unwrap()], '\n');
        (path, text, own)
    };
    cases.map(read).collect()
}

/// The variables of the table of expressions, and each of them as a line of a ConfigMap's value with what it becomes.
fn expressions() -> (Variables, Vec<(String, String, String)>) {
    let table = fs::read_to_string(folder().join("expressions.tsv")).unwrap();
    let (head, lines) = table.split_once('\n').unwrap();
    let case = |line: &str| {
        let (text, expected) = line.split_once('\t').unwrap();
        let case = format!(
            "-- kustomization.yaml --\nresources: [a.yaml]\n-- a.yaml --\napiVersion: v1\nkind: ConfigMap\n\
             metadata: {{name: a}}\ndata:\n  a: |\n    first\n    <{text}>\n"
        );
        // Printed as YAML, which is what Flux substitutes in, these are other texts.
        let is_same = !text.contains('\\') && !text.contains('"');
        is_same.then(|| (text.to_owned(), case, expected.to_owned()))
    };
    (variables(head, ' '), lines.lines().filter_map(case).collect())
}

#[test]
fn builds_are_those_of_flux() {
    let mut wrong = Vec::new();
    let cases = recorded();
    assert!(cases.len() >= 8);
    for (path, text, own) in cases {
        let built = build(&text, Some(own).filter(|own| !own.known.is_empty()));
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let expected = |end| fs::read_to_string(path.with_extension(end)).ok();
        match (built, expected("yaml"), expected("error")) {
            (Ok(built), Some(expected), None) if built.print() == expected => {}
            (Err(_), None, Some(_)) if OTHER_WORDS.contains(&&*name) => {}
            (Err(error), None, Some(expected)) if error.message == expected.trim_end() => {
                assert!(error.at.is_some(), "{name}: no location");
            }
            (built, expected, error) => {
                let built = built.map(|built| built.print().to_owned());
                wrong.push(format!("{name}: {built:#?}\nexpected {expected:#?} {error:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each text is a line of a ConfigMap's value.
#[test]
fn expressions_are_those_of_envsubst() {
    let (own, cases) = expressions();
    let (mut wrong, count) = (Vec::new(), cases.len());
    for (text, case, expected) in cases {
        let seen = match build(&case, Some(own.clone())) {
            Ok(built) => {
                let (_, value) = built.print().split_once('<').unwrap();
                value.split_once(">\n").unwrap().0.to_owned()
            }
            Err(error) => {
                let start =
                    "post build failed for 'a': envsubst error: variable substitution failed: ";
                format!("error: {}", error.message.strip_prefix(start).unwrap())
            }
        };
        if seen != expected {
            wrong.push(format!("{text}: {seen:?}, expected {expected:?}"));
        }
    }
    assert!(count >= 90, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Perturbation: with one more letter in a variable, every value that changes names it.
#[test]
fn every_value_that_changes_names_the_variable() {
    let (of_table, expressions) = expressions();
    let mut cases: Vec<_> = recorded().into_iter().map(|(_, text, own)| (text, own)).collect();
    cases.extend(expressions.into_iter().map(|(_, case, _)| (case, of_table.clone())));
    cases.push((JOB.to_owned(), variables("TAG=1.2.0\nOTHER=o", '\n')));
    let (mut changed, mut wrong) = (0, Vec::new());
    for (text, own) in &cases {
        let Ok(before) = build(text, Some(own.clone())) else { continue };
        for (name, variable) in &own.known {
            let mut later = own.clone();
            let value = format!("{}q", variable.value.as_deref().unwrap());
            later.known.get_mut(name).unwrap().value = Some(value.into());
            let Ok(after) = build(text, Some(later)) else { continue };
            let (old, new) = (values(&before), values(&after));
            for (place, (value, origin)) in &old {
                if new.get(place).is_none_or(|(other, _)| other == value) {
                    continue;
                }
                changed += 1;
                if !origin.parts().iter().any(|part| part.at.span == variable.at.span) {
                    wrong.push(format!("{value} changes with {name}:\n{text}"));
                }
            }
        }
    }
    assert!(changed > 70, "{changed}");
    assert!(wrong.is_empty(), "{} of {changed}:\n{}", wrong.len(), wrong.join("\n"));
}

const JOB: &str = "\
-- kustomization.yaml --
resources: [job.yaml]
-- job.yaml --
apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec: {image: 'shop/a:${TAG}', other: '${OTHER}', default: '${OTHER:-x}', both: '${OTHER:-${TAG}}'}
";

#[test]
fn a_value_comes_from_its_text_and_from_the_variable() {
    let built = build(JOB, Some(variables("TAG=1.2.0\nOTHER=o", '\n'))).unwrap();
    let texts = |value: &str| {
        let origin = built.origin_at(built.print().find(value).unwrap()).unwrap();
        let part = |part: &kustomize_build::Part| {
            (part.at.source.slice(part.at.span).to_owned(), part.field)
        };
        origin.parts().iter().map(part).collect::<Vec<_>>()
    };
    let image =
        [("'shop/a:${TAG}'".to_owned(), Field::Resources), ("1.2.0".to_owned(), Field::Substitute)];
    assert_eq!(texts("shop/a:1.2.0"), image);
    assert_eq!(texts("Job"), [("Job".to_owned(), Field::Resources)]);
}

/// What is set elsewhere stays as it is written, also where a default stands.
#[test]
fn unknown_variables_stay() {
    let own = Variables { is_complete: false, ..variables("TAG=1", '\n') };
    let built = build(JOB, Some(own)).unwrap();
    let expected =
        "  both: ${OTHER:-${TAG}}\n  default: ${OTHER:-x}\n  image: shop/a:1\n  other: ${OTHER}\n";
    assert!(built.print().ends_with(expected), "{}", built.print());
    let own = Variables { is_strict: false, ..variables("TAG=1", '\n') };
    let built = build(JOB, Some(own)).unwrap();
    let expected = "  both: 1\n  default: x\n  image: shop/a:1\n  other: ${OTHER}\n";
    assert!(built.print().ends_with(expected), "{}", built.print());
}

#[test]
fn products_of_texts_and_values_are_limited() {
    let case = |text: &str| {
        format!(
            "-- kustomization.yaml --\nresources: [a.yaml]\n-- a.yaml --\napiVersion: v1\nkind: ConfigMap\n\
             metadata: {{name: a}}\ndata: {{a: '{text}'}}\n"
        )
    };
    let long = format!("A={}", "a".repeat(1 << 16));
    for text in [
        "${A}".repeat(4000),
        "${A%%*b*b*b}".to_owned(),
        format!("${{A//a/{}}}", "b".repeat(1 << 16)),
        format!("{}{}", "${A:-".repeat(100_000), "}".repeat(100_000)),
    ] {
        let error = build(&case(&text), Some(variables(&long, '\n'))).unwrap_err();
        assert_eq!(error.reason, Reason::Limit, "{error}");
    }
}

/// A variable of a Secret is set, so a default does not count.
#[test]
fn values_that_are_not_known_stay() {
    let mut own = variables("TAG=1\nOTHER=2", '\n');
    own.known.get_mut("OTHER").unwrap().value = None;
    let built = build(JOB, Some(own)).unwrap();
    let expected =
        "  both: ${OTHER:-${TAG}}\n  default: ${OTHER:-x}\n  image: shop/a:1\n  other: ${OTHER}\n";
    assert!(built.print().ends_with(expected), "{}", built.print());
    let before = built.before_substitution().unwrap();
    assert!(before.print().ends_with(&expected.replace("shop/a:1", "shop/a:${TAG}")));
}

/// A partial build leaves the resource as it is and says why.
#[test]
fn a_failed_substitution_leaves_the_resource() {
    let bad = JOB.replace("${OTHER:-x}", "${OTHER[@]}");
    let mut files = bad.split("-- ").skip(1).map(|part| part.split_once(" --\n").unwrap());
    let memory: Memory = files.by_ref().collect();
    let options = Options {
        variables: Some(variables("TAG=1\nOTHER=2", '\n')),
        is_partial: true,
        ..Options::default()
    };
    let built = Built::from_files(&memory, Path::new("/"), &options).unwrap();
    assert!(built.print().contains("image: shop/a:${TAG}"));
    let [error] = built.unsubstituted() else { panic!("{:?}", built.unsubstituted()) };
    let at = error.at.as_ref().unwrap();
    assert_eq!(at.source.slice(at.span), "'${OTHER[@]}'");
}
