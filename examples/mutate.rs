//! Checks mutated manifests and shell scripts and reports every panic: `mutate SEED COUNT [PATH…]`.
//!
//! PATHs are manifests, files of labelled scripts (`*.sh`) or folders of them; without any it takes the
//! project's own test data. The same seed gives the same cases. What panics is written to the temporary folder, and the exit status is 1.

use std::{
    env, fs,
    io::{self, Write},
    panic,
    path::{Path, PathBuf},
    process::ExitCode,
};

use joblint::{
    check::check_unit,
    script::{Catalogue, Setting, analyse_script},
    settings::Settings,
    unit::{File, Unit, UnitKind},
};

/// Longer files make slow cases and find nothing more.
const LONGEST: u64 = 8 << 10;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u64>().ok());
    let (Some(seed), Some(count)) = (number(0), number(1)) else {
        let _ = writeln!(io::stderr(), "usage: mutate SEED COUNT [PATH…]");
        return ExitCode::from(2);
    };
    let own =
        ["testdata", "rules"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let given: Vec<PathBuf> = arguments[2..].iter().map(PathBuf::from).collect();
    let mut texts = Vec::new();
    for path in if given.is_empty() { &own[..] } else { &given } {
        collect(path, &mut texts);
    }
    if texts.is_empty() {
        let _ = writeln!(io::stderr(), "mutate: no manifests found");
        return ExitCode::from(2);
    }
    texts.sort();
    let panics = run(seed, count, &texts);
    let _ = writeln!(io::stdout(), "{count} cases of {} texts, {panics} panics", texts.len());
    ExitCode::from(u8::from(panics > 0))
}

/// A manifest or a script, and the bytes of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Manifest,
    Script,
}

type Text = (Kind, Vec<u8>);

fn collect(path: &Path, texts: &mut Vec<Text>) {
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|entry| collect(&entry.path(), texts));
        return;
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let data = fs::symlink_metadata(path).ok().filter(|data| data.is_file());
    let small = data.as_ref().is_some_and(|data| data.len() <= LONGEST);
    if small && ["yaml", "yml", "json", "tpl"].contains(&ending) {
        texts.extend(fs::read(path).ok().map(|bytes| (Kind::Manifest, bytes)));
    } else if data.is_some() && ending == "sh" {
        let text = fs::read_to_string(path).unwrap_or_default();
        // A label stands above each script.
        let scripts = text.split("#: ").filter_map(|one| Some(one.split_once('\n')?.1));
        texts.extend(scripts.map(|script| (Kind::Script, script.into())));
    }
}

fn run(seed: u64, count: u64, texts: &[Text]) -> usize {
    panic::set_hook(Box::new(|_| {}));
    let settings = Settings { pedantic: true, ..Settings::default() };
    let mut panics = 0;
    for case in 0..count {
        let mut random = Random::new(seed, case);
        let (kind, text) = mutate(texts, &mut random);
        let checked = panic::catch_unwind(|| match kind {
            Kind::Manifest => drop(check_unit(&unit(&text), &settings)),
            Kind::Script => analyse(&String::from_utf8_lossy(&text)),
        });
        if let Err(cause) = checked {
            panics += 1;
            let path = env::temp_dir().join(format!("mutate-{seed}-{case}.yaml"));
            let _ = fs::write(&path, &text);
            let _ = writeln!(io::stdout(), "{}: {}", path.display(), words(&*cause));
        }
    }
    panics
}

/// Every place that the analysis names lies in the script.
fn analyse(script: &str) {
    let analysis = analyse_script(Catalogue::built_in(), script, &Setting::default());
    let waits = analysis.waits.iter().map(|wait| wait.place);
    let found = analysis.invocations.iter();
    let acts = found.clone().flat_map(|one| one.acts.iter().map(|act| act.place));
    for place in found.map(|one| one.place).chain(waits).chain(acts).chain(analysis.unknown.clone())
    {
        assert!(place.element != 2 || script.get(place.span.range()).is_some(), "{place:?}");
    }
}

fn words(cause: &(dyn std::any::Any + Send)) -> &str {
    let owned = cause.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("a panic without words")
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

/// Pieces that mean something to YAML, to Kubernetes or to a template.
const TOKENS: &[&str] = &[
    "\t",
    " ",
    "\n",
    "\r\n",
    ":",
    ": ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "#",
    " #",
    "&a ",
    "*a",
    "<<: ",
    "<<: *a\n",
    "!!str ",
    "!!binary ",
    "!",
    "|",
    "|\n",
    ">-\n",
    "|2\n",
    "\\",
    "\\u",
    "\\ud800",
    "~",
    "%",
    "@",
    "---\n",
    "--- ",
    "...\n",
    "\u{FEFF}",
    "\u{85}",
    "\u{2028}",
    "é",
    "\u{1}",
    "\0",
    "0x1F",
    "1e3",
    ".inf",
    "yes",
    "null",
    "{{",
    "}}",
    "{{- if .Values.a }}",
    "kind: Job\n",
    "apiVersion: batch/v1\n",
    "metadata:\n",
    "spec:\n",
    "template:\n",
    "containers:\n",
    "helm.sh/hook: pre-install",
    "argocd.argoproj.io/hook: Sync",
    "restartPolicy: Always",
    "-9223372036854775808",
    "18446744073709551615",
    "schedule: \"* * * * *\"",
    "$(",
    "<<EOF\n",
    "${",
    "`",
    "&&",
    "||",
    ";;",
    "do ",
    "done\n",
    "case x in ",
    "psql -c \"",
];

/// One to four changes of one text.
fn mutate(texts: &[Text], random: &mut Random) -> Text {
    let (kind, mut text) = texts[random.below(texts.len())].clone();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(24)).min(text.len());
        match random.below(8) {
            0 if at < text.len() => text[at] ^= 1 << random.below(8),
            1 | 2 => insert(&mut text, at, TOKENS[random.below(TOKENS.len())].as_bytes()),
            3 => drop(text.drain(at..end)),
            4 => {
                let piece = text[at..end].to_vec();
                let place = random.below(text.len() + 1);
                insert(&mut text, place, &piece);
            }
            5 => {
                let (start, end) = line(&text, at);
                let piece = text[start..end].to_vec();
                insert(&mut text, start, &piece);
            }
            6 => {
                let (start, end) = line(&text, at);
                drop(text.drain(start..end));
            }
            _ => {
                let (_, other) = &texts[random.below(texts.len())];
                text.truncate(at);
                text.extend(&other[random.below(other.len() + 1)..]);
            }
        }
    }
    (kind, text)
}

fn insert(text: &mut Vec<u8>, at: usize, piece: &[u8]) {
    drop(text.splice(at..at, piece.iter().copied()));
}

/// The line around an offset, with its line break.
fn line(text: &[u8], at: usize) -> (usize, usize) {
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |found| found + 1);
    let end = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |n| at + n + 1);
    (start, end)
}

/// Xorshift: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn new(seed: u64, case: u64) -> Self {
        let mixed =
            (seed ^ case.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD134_2543_DE82_EF95);
        let mut random = Self(mixed | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Less than `limit`, which is not 0.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }
}
