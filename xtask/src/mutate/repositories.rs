//! Checks mutated repositories: charts, kustomizations, GitOps objects and settings.

use std::{
    env, fs, panic,
    path::{Path, PathBuf},
};

use job_lifecycle::Event;
use joblint::{
    check,
    discover::Request,
    forecast,
    report::{ForecastFormat, Style, print_forecast},
    settings::Settings,
};

use super::{
    attempt,
    charts::{self, Calls, Files, keep, mutated},
    outputs,
    text::{Random, TOKENS, mutate},
};

/// Where a repository keeps its settings.
const SETTINGS: &str = ".joblint.yaml";
/// The name of a fuzz target, the files that its seeds consist of in their order, and the files beside them.
type Seeds = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

/// The fuzz targets whose seeds are repositories.
const SEEDS: [Seeds; 2] = [
    (
        "overlay",
        &["overlay/kustomization.yaml", "base/kustomization.yaml", "base/job.yaml"],
        &[("overlay/patch.yaml", "kind: Job\nmetadata:\n  name: one\n")],
    ),
    (
        "gitops",
        &["argocd/fuzzed.yaml", "apps/one/fleet.yaml", "apps/two/values.yaml"],
        &[
            (".git/config", "[remote \"origin\"]\n\turl = https://example.com/shop.git\n"),
            ("apps/one/job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: one\n"),
            ("apps/two/Chart.yaml", "apiVersion: v2\nname: two\nversion: 0.1.0\n"),
            (
                "apps/two/templates/a.yaml",
                "apiVersion: batch/v1\nkind: Job\nmetadata: {name: two}\n",
            ),
        ],
    ),
];

/// Checks `count` repositories. Returns the number of failures; `None` without one to start from.
pub fn run(seed: u64, count: u64, paths: &[PathBuf]) -> Option<usize> {
    let mut trees = Vec::new();
    let mut settings = Vec::new();
    for path in paths {
        charts::collect(path, &mut trees);
        collect_cases(path, &mut trees);
        collect_seeds(path, &mut trees);
        collect_texts(&path.join("settings"), &mut settings);
    }
    trees.sort();
    settings.sort();
    let texts: Vec<Vec<u8>> = trees.iter().flatten().map(|(_, text)| text.clone()).collect();
    if texts.is_empty() || settings.is_empty() {
        return None;
    }
    panic::set_hook(Box::new(|_| {}));
    let calls = Calls::new();
    let mut failures = 0;
    for number in 0..count {
        let mut random = Random::new(seed, number);
        let mut files = random.one_of(&trees).clone();
        files = match files.iter().any(|(path, _)| path == "Chart.yaml") {
            true => mutated(files, &texts, &calls, &mut random),
            false => changed(files, &texts, &mut random),
        };
        if random.below(3) == 0 {
            let text = mutate(random.one_of(&settings).clone(), &settings, TOKENS, &mut random);
            files.push((SETTINGS.to_owned(), text));
        }
        let case = panic::AssertUnwindSafe(|| case(&files, &mut random));
        if let Some(problem) = attempt(number, case) {
            failures += 1;
            let folder = env::temp_dir().join(format!("mutate-{seed}-{number}"));
            keep(&folder, &files);
            println!("{}: {problem}", folder.display());
        }
    }
    Some(failures)
}

/// Changes one to three files.
fn changed(mut files: Files, texts: &[Vec<u8>], random: &mut Random) -> Files {
    for _ in 0..=random.below(3) {
        let number = random.below(files.len());
        let text = std::mem::take(&mut files[number].1);
        files[number].1 = mutate(text, texts, TOKENS, random);
    }
    files
}

/// Checks a repository, or forecasts what happens to its Jobs, and prints the result.
fn case(files: &Files, random: &mut Random) {
    let folder = tempfile::tempdir().expect("the temporary folder can be written");
    keep(folder.path(), files);
    let path = folder.path().join(SETTINGS);
    let settings = match path.is_file() {
        true => Settings::read(&path).unwrap_or_default(),
        false => Settings { pedantic: true, ..Settings::default() },
    };
    let request = Request {
        paths: vec![".".into()],
        base: folder.path().to_owned(),
        secrets: outputs::secrets(),
        ..Request::default()
    };
    if random.below(4) == 0 {
        let outlook = forecast::forecast(&request, &settings, &[Event::Install, Event::Upgrade]);
        let text = print_forecast(&outlook, ForecastFormat::Table, &Style::default());
        outputs::assert_clean(&text, "forecast");
    } else {
        outputs::assert_hidden(check::check(&request, &settings), random);
    }
}

/// The trees of a folder of kustomize cases: `-- path --` precedes each file.
fn collect_cases(folder: &Path, trees: &mut Vec<Files>) {
    let mut texts = Vec::new();
    collect_texts(folder, &mut texts);
    for text in texts.iter().filter(|text| text.starts_with(b"# build ")) {
        let text = String::from_utf8_lossy(text);
        let files = text.split("\n-- ").skip(1).filter_map(|file| file.split_once(" --\n"));
        let own = |(path, text): (&str, &str)| (path.to_owned(), text.as_bytes().to_vec());
        trees.push(files.map(own).collect());
    }
}

/// The trees of the seeds of fuzz targets: a NUL byte separates the files.
fn collect_seeds(folder: &Path, trees: &mut Vec<Files>) {
    for (target, names, fixed) in SEEDS {
        let mut texts = Vec::new();
        collect_texts(&folder.join(target), &mut texts);
        let fixed = fixed.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        for text in texts {
            let parts = names.iter().zip(text.split(|byte| *byte == 0));
            let parts = parts.map(|(path, part)| ((*path).to_owned(), part.to_vec()));
            trees.push(fixed.clone().chain(parts).collect());
        }
    }
}

fn collect_texts(folder: &Path, texts: &mut Vec<Vec<u8>>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    texts.extend(entries.filter_map(|entry| fs::read(entry.path()).ok()));
}
