//! Origins, tested by perturbation: when one text changes, every changed value of the output names it.

use std::collections::BTreeMap;

use kustomize_build::{Built, Origin};

use crate::cases::{Case, cases};

/// The values of the output by their text around them: the line number and the text.
fn values(built: &Built) -> BTreeMap<(usize, usize), (String, &Origin)> {
    let mut values = BTreeMap::new();
    for value in built.values() {
        let before = &built.print()[..value.span.start as usize];
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let text = built.print()[value.span.range()].to_owned();
        values.insert((line, column), (text, &value.origin));
    }
    values
}

/// The scalars that a case's output names, as file, start and end: the texts to change.
fn inputs(built: &Built) -> Vec<(String, usize, usize)> {
    let values = built.values().iter().filter(|value| !value.is_key);
    let parts = values.flat_map(|value| value.origin.parts());
    let mut inputs: Vec<_> = parts
        .map(|part| {
            let span = part.at.span.range();
            (part.at.source.path.trim_start_matches('/').to_owned(), span.start, span.end)
        })
        .collect();
    inputs.sort();
    inputs.dedup();
    inputs
}

/// The case with one more letter at the end of a text.
fn changed(case: &Case, (path, start, end): &(String, usize, usize)) -> Option<Case> {
    let mut files = case.files.clone();
    let (_, text) = files.iter_mut().find(|(name, _)| name == path)?;
    let written = text.get(*start..*end)?;
    let is_word = written.len() > 1
        && written.chars().all(|c| c.is_ascii_alphanumeric() || "-./:".contains(c))
        && written.ends_with(|c: char| c.is_ascii_alphabetic());
    // Kinds decide what a field means: a control dependency, which is not traced.
    let before = text[..*start].trim_end_matches(['"', '\'', ' ']);
    let decides = ["kind:", "apiVersion:", "apiGroup:"].iter().any(|key| before.ends_with(key));
    (is_word && !decides).then(|| text.insert(*end, 'q'))?;
    Some(Case { name: case.name.clone(), folder: case.folder.clone(), files })
}

/// Names that decide what a selector or an ambiguous reference finds: control dependencies, which are not traced.
const DECIDING: [(&str, &str); 2] = [("dangling-reference", "settings"), ("replacements", "web")];

#[test]
fn every_changed_value_names_the_text_that_changed() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for case in cases() {
        let Ok(before) = case.build() else { continue };
        for input in inputs(&before) {
            let Some(other) = changed(&case, &input) else { continue };
            let Ok(after) = other.build() else { continue };
            let (old, new) = (values(&before), values(&after));
            // Where lines move, values cannot be paired.
            if !old.keys().eq(new.keys()) {
                continue;
            }
            for (place, (text, origin)) in &old {
                if new[place].0 == *text {
                    continue;
                }
                compared += 1;
                if is_deciding(&case, &input) {
                    continue;
                }
                let names = origin.parts().iter().any(|part| {
                    let span = part.at.span.range();
                    part.at.source.path.trim_start_matches('/') == input.0
                        && span.start <= input.1
                        && input.2 <= span.end
                });
                if !names {
                    wrong.push(format!(
                        "{}: {:?} at {place:?} changes with {input:?}",
                        case.name, text
                    ));
                }
            }
        }
    }
    assert!(compared > 500, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_value_of_a_patch_points_into_the_patch() {
    let cases = cases();
    let case = cases.iter().find(|case| case.name == "merge-patch").unwrap();
    let built = case.build().unwrap();
    let at = built.print().find("sidecar").unwrap();
    let part = &built.origin_at(at).unwrap().parts()[0];
    assert_eq!(part.at.source.path, "/p.yaml");
    assert_eq!(part.field, kustomize_build::Field::Patches);
    let path: Vec<_> = part.path().iter().map(|at| at.source.slice(at.span)).collect();
    assert_eq!(path, ["p.yaml"]);
}

fn is_deciding(case: &Case, (path, start, end): &(String, usize, usize)) -> bool {
    let file = case.files.iter().find(|(name, _)| name == path);
    let text = file.and_then(|(_, text)| text.get(*start..*end)).unwrap_or_default();
    DECIDING.contains(&(case.name.as_str(), text))
}
