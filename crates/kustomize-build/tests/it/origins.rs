//! Origins, tested by perturbation: when one text changes, every changed value of the output names it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use kustomize_build::{Built, Disk, FILE_NAMES, Files, Options, Origin, Workspace};

use crate::cases::{Case, cases};

/// The values of the output by their text around them: the line number and the text.
pub(crate) fn values(built: &Built) -> BTreeMap<(usize, usize), (String, &Origin)> {
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

/// A text, as file, start and end.
type Input = (String, usize, usize);

/// The scalars that an output names, as file, start and end: the texts to change.
fn inputs(built: &Built) -> Vec<Input> {
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

/// A text with one more letter at the end of one of its words.
fn changed(text: &str, (_, start, end): &Input) -> Option<String> {
    let written = text.get(*start..*end)?;
    let is_word = written.len() > 1
        && written.chars().all(|c| c.is_ascii_alphanumeric() || "-./:".contains(c))
        && written.ends_with(|c: char| c.is_ascii_alphabetic());
    // Kinds decide what a field means: a control dependency, which is not traced.
    let before = text[..*start].trim_end_matches(['"', '\'', ' ']);
    let decides = ["kind:", "apiVersion:", "apiGroup:"].iter().any(|key| before.ends_with(key));
    let mut text = text.to_owned();
    (is_word && !decides).then(|| text.insert(*end, 'q'))?;
    Some(text)
}

/// What a perturbation found.
#[derive(Debug, Default)]
struct Figures {
    builds: usize,
    /// Values that change with an input.
    changed: usize,
    /// Inputs that some value names.
    inputs: usize,
    /// Those with which a value changes that names them.
    effective: usize,
    /// Changed values that do not name the input.
    wrong: Vec<String>,
}

impl Figures {
    /// Changes some inputs of a build, one at a time, and compares each value. `again` builds with another text for a file.
    fn add(
        &mut self,
        name: &str,
        before: &Built,
        inputs: &[Input],
        again: impl Fn(&str, String) -> Option<Built>,
    ) {
        let old = values(before);
        for input in inputs {
            let mut sources = before.sources().iter();
            let source = sources.find(|source| source.path.trim_start_matches('/') == input.0);
            let Some(source) = source else { continue };
            let Some(text) = changed(&source.text, input) else { continue };
            let Some(after) = again(&source.path, text) else { continue };
            let new = values(&after);
            // Where lines move, values cannot be paired.
            if !old.keys().eq(new.keys()) {
                continue;
            }
            (self.builds, self.inputs) = (self.builds + 1, self.inputs + 1);
            let mut is_effective = false;
            for (place, (text, origin)) in &old {
                if new[place].0 == *text {
                    continue;
                }
                self.changed += 1;
                if names(origin, input) {
                    is_effective = true;
                    continue;
                }
                self.wrong.push(format!("{name}: {text:?} at {place:?} changes with {input:?}"));
            }
            self.effective += usize::from(is_effective);
        }
    }
}

fn names(origin: &Origin, (path, start, end): &Input) -> bool {
    origin.parts().iter().any(|part| {
        let span = part.at.span.range();
        let is_file = part.at.source.path.trim_start_matches('/') == path;
        is_file && span.start <= *start && *end <= span.end
    })
}

/// Names that decide what a selector or an ambiguous reference finds: control dependencies, which are not traced.
const DECIDING: [(&str, &str); 2] = [("dangling-reference", "settings"), ("replacements", "web")];

#[test]
fn every_changed_value_names_the_text_that_changed() {
    let mut figures = Figures::default();
    for case in cases() {
        let Ok(before) = case.build() else { continue };
        let mut inputs = inputs(&before);
        inputs.retain(|input| !is_deciding(&case, input));
        figures.add(&case.name, &before, &inputs, |path, text| {
            let mut files = case.files.clone();
            let path = path.trim_start_matches('/');
            files.iter_mut().find(|(name, _)| name == path)?.1 = text;
            Case { name: case.name.clone(), folder: case.folder.clone(), files }.build().ok()
        });
    }
    let Figures { changed, wrong, .. } = figures;
    assert!(changed > 500, "{changed}");
    assert!(wrong.is_empty(), "{} of {changed}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The files of the disk, one of them with another text.
struct Edited<'d> {
    disk: &'d Disk,
    path: PathBuf,
    text: Vec<u8>,
}

impl Files for Edited<'_> {
    fn resolve(&self, path: &Path) -> io::Result<(PathBuf, bool)> {
        self.disk.resolve(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.path { Ok(self.text.clone()) } else { self.disk.read(path) }
    }
}

/// The folders with a kustomization below a folder.
pub(crate) fn kustomizations(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    if FILE_NAMES.iter().any(|name| folder.join(name).is_file()) {
        found.push(folder.to_owned());
    }
    let below = paths.iter().filter(|path| path.is_dir() && !path.is_symlink());
    below.for_each(|path| kustomizations(path, found));
}

/// Evenly chosen items.
fn some<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    let step = all.len().div_ceil(most.max(1)).max(1);
    all.iter().step_by(step).cloned().collect()
}

/// Prints the figures of the kustomizations below the folder `JOBLINT_KUSTOMIZATIONS`. `JOBLINT_KUSTOMIZATIONS_LIMIT` is the most of
/// them, `JOBLINT_KUSTOMIZATIONS_INPUTS` the most inputs of each that are changed.
#[test]
#[ignore = "needs kustomizations: set JOBLINT_KUSTOMIZATIONS"]
#[allow(clippy::print_stdout)]
fn perturbation_of_other_kustomizations() {
    let number = |name: &str, default: usize| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let root = std::env::var("JOBLINT_KUSTOMIZATIONS").expect("JOBLINT_KUSTOMIZATIONS is a folder");
    let root = fs::canonicalize(root).expect("the folder is there");
    let mut folders = Vec::new();
    kustomizations(&root, &mut folders);
    let (mut figures, mut built) = (Figures::default(), 0);
    let chosen = some(&folders, number("JOBLINT_KUSTOMIZATIONS_LIMIT", 200));
    for folder in &chosen {
        let disk = Disk::around(folder);
        let build = |files: &dyn Files| {
            Workspace::new(files).build(folder, folder, &Options::default()).ok()
        };
        let Some(before) = build(&disk) else { continue };
        built += 1;
        let inputs = some(&inputs(&before), number("JOBLINT_KUSTOMIZATIONS_INPUTS", 25));
        figures.add(&folder.display().to_string(), &before, &inputs, |path, text| {
            build(&Edited { disk: &disk, path: path.into(), text: text.into_bytes() })
        });
    }
    for line in &figures.wrong {
        println!("{line}");
    }
    let Figures { builds, changed, inputs, effective, wrong } = &figures;
    let named = changed - wrong.len();
    println!("{built} of {} built, {builds} builds with a change", chosen.len());
    println!("{named} of {changed} changed values name the input");
    println!("{effective} of {inputs} inputs change a value that names them");
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

fn is_deciding(case: &Case, (path, start, end): &Input) -> bool {
    let file = case.files.iter().find(|(name, _)| name == path);
    let text = file.and_then(|(_, text)| text.get(*start..*end)).unwrap_or_default();
    DECIDING.contains(&(case.name.as_str(), text))
}
