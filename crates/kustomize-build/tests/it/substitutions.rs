//! Variables of a Flux Kustomization, as `testdata/substitutions.go.txt` recorded them with Flux's own code.

use std::{fs, path::Path, sync::Arc};

use kustomize_build::{Built, Error, Field, Memory, Options, Order, Reason, Variable, Variables};
use yaml_spans::{Location, Source, Span};

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

#[test]
fn builds_are_those_of_flux() {
    let mut wrong = Vec::new();
    let mut cases = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "txt") {
            continue;
        }
        cases += 1;
        let text = fs::read_to_string(&path).unwrap();
        let head = &text[..text.find("-- ").unwrap()];
        let own = variables(head, '\n');
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
    assert!(cases >= 8);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each text is a line of a ConfigMap's value.
#[test]
fn expressions_are_those_of_envsubst() {
    let table = fs::read_to_string(folder().join("expressions.tsv")).unwrap();
    let (head, lines) = table.split_once('\n').unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in lines.lines() {
        let (text, expected) = line.split_once('\t').unwrap();
        // Printed as YAML, which is what Flux substitutes in, these are other texts.
        if text.contains('\\') || text.contains('"') {
            continue;
        }
        count += 1;
        let case = format!(
            "-- kustomization.yaml --\nresources: [a.yaml]\n-- a.yaml --\napiVersion: v1\nkind: ConfigMap\n\
             metadata: {{name: a}}\ndata:\n  a: |\n    first\n    <{text}>\n"
        );
        let seen = match build(&case, Some(variables(head, ' '))) {
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
