//! Checks mutated manifests.

use std::{
    env, fs,
    io::{self, Write},
    panic,
    path::{Path, PathBuf},
};

use joblint::{
    check::check_unit,
    settings::Settings,
    unit::{File, Unit, UnitKind},
};

use crate::{
    attempt,
    text::{Random, TOKENS, mutate},
};

/// Longer files make slow cases and find nothing more.
const LONGEST: u64 = 8 << 10;

/// Checks `count` cases; how many failed, or nothing when there is no manifest.
pub fn run(seed: u64, count: u64, paths: &[PathBuf]) -> Option<usize> {
    let mut texts = Vec::new();
    paths.iter().for_each(|path| collect(path, &mut texts));
    texts.sort();
    if texts.is_empty() {
        return None;
    }
    panic::set_hook(Box::new(|_| {}));
    let settings = Settings { pedantic: true, ..Settings::default() };
    let mut failures = 0;
    for case in 0..count {
        let mut random = Random::new(seed, case);
        let text = random.one_of(&texts).clone();
        let text = mutate(text, &texts, TOKENS, &mut random);
        let check = || drop(check_unit(&unit(&text), &settings));
        if let Some(problem) = attempt(case, panic::AssertUnwindSafe(check)) {
            failures += 1;
            let path = env::temp_dir().join(format!("mutate-{seed}-{case}.yaml"));
            let _ = fs::write(&path, &text);
            let _ = writeln!(io::stdout(), "{}: {problem}", path.display());
        }
    }
    Some(failures)
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
    Unit { kind: UnitKind::Plain, root: "".into(), files: vec![file], together: true }
}
