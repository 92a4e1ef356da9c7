//! Checks mutated manifests and analyses mutated scripts.

use std::{
    env, fs, panic,
    path::{Path, PathBuf},
};

use joblint::{
    check::check_unit,
    settings::Settings,
    unit::{Boundary, File, Unit, UnitKind},
};
use shell_effects::{Catalogue, Container, analyse_script};

use super::{
    attempt, outputs,
    text::{Random, TOKENS, mutate},
};

/// Larger files make slow cases and find nothing new.
const LONGEST: u64 = 8 << 10;

/// Checks `count` manifests. Returns the number of failures; `None` without a manifest to start from.
pub fn run(seed: u64, count: u64, paths: &[PathBuf]) -> Option<usize> {
    let mut texts = Vec::new();
    paths.iter().for_each(|path| collect(path, &mut texts));
    let settings = Settings { pedantic: true, ..Settings::default() };
    run_all(seed, count, texts, "yaml", |text, random| {
        outputs::assert_hidden(check_unit(&unit(text), &settings), random);
    })
}

/// Analyses `count` scripts, taken from files of labelled scripts.
pub fn run_scripts(seed: u64, count: u64, paths: &[PathBuf]) -> Option<usize> {
    let files = paths.iter().filter_map(|path| fs::read_dir(path).ok()).flatten().flatten();
    let mut texts = Vec::new();
    for file in files.filter(|file| file.path().extension().is_some_and(|ending| ending == "sh")) {
        let text = fs::read_to_string(file.path()).unwrap_or_default();
        // A label precedes each script.
        let scripts = text.split("#: ").filter_map(|one| Some(one.split_once('\n')?.1));
        texts.extend(scripts.map(|script| script.as_bytes().to_vec()));
    }
    run_all(seed, count, texts, "sh", |text, _| analyse(&String::from_utf8_lossy(text)))
}

fn run_all(
    seed: u64,
    count: u64,
    mut texts: Vec<Vec<u8>>,
    ending: &str,
    case: impl Fn(&[u8], &mut Random),
) -> Option<usize> {
    texts.sort();
    if texts.is_empty() {
        return None;
    }
    panic::set_hook(Box::new(|_| {}));
    let mut failures = 0;
    for number in 0..count {
        let mut random = Random::new(seed, number);
        let text = random.one_of(&texts).clone();
        let text = mutate(text, &texts, TOKENS, &mut random);
        let case = panic::AssertUnwindSafe(|| case(&text, &mut random));
        if let Some(problem) = attempt(number, case) {
            failures += 1;
            let path = env::temp_dir().join(format!("mutate-{seed}-{number}.{ending}"));
            let _ = fs::write(&path, &text);
            println!("{}: {problem}", path.display());
        }
    }
    Some(failures)
}

/// Every location in the analysis of a script lies in the script.
fn analyse(script: &str) {
    let analysis = analyse_script(Catalogue::built_in(), script, &Container::default());
    let waits = analysis.waits.iter().map(|wait| wait.location);
    let found = analysis.invocations.iter();
    let actions = found.clone().flat_map(|one| one.actions.iter().map(|action| action.location));
    for location in
        found.map(|one| one.location).chain(waits).chain(actions).chain(analysis.unknown.clone())
    {
        assert!(
            location.element != 2 || script.get(location.span.range()).is_some(),
            "{location:?}"
        );
    }
}

fn collect(path: &Path, texts: &mut Vec<Vec<u8>>) {
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|entry| collect(&entry.path(), texts));
        return;
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let small =
        fs::symlink_metadata(path).is_ok_and(|data| data.is_file() && data.len() <= LONGEST);
    if small && ["yaml", "yml", "json", "tpl"].contains(&ending) {
        texts.extend(fs::read(path));
    }
}

fn unit(text: &[u8]) -> Unit {
    let file = File {
        path: "mutated.yaml".into(),
        shown: "mutated.yaml".into(),
        named: true,
        text: Some(text.to_vec()),
    };
    Unit::new(UnitKind::Plain, vec![file], Boundary::default())
}
