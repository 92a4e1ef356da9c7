//! The analysis against the labelled scripts of `testdata/scripts`.

use std::{collections::BTreeMap, fs, path::Path};

use shell_effects::{
    Analysis, Catalogue, Setting, Verdict, analyse, destroys_data, failure_hidden, not_idempotent,
    unbounded_waits, unrecognised,
};

const ANSWERS: [&str; 6] = ["safe", "unknown", "rotates", "duplicates", "fails", "destroys"];

struct Labelled {
    place: String,
    label: String,
    hidden: bool,
    waits: bool,
    argv: Vec<String>,
    setting: Setting,
}

fn labelled_scripts() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/scripts");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ext| ext == "sh")).collect();
    paths.sort();
    paths.iter().flat_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vec<Labelled> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut scripts: Vec<Labelled> = Vec::new();
    let mut bodies: Vec<(Vec<String>, String)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(words) = line.strip_prefix("#:") {
            let words: Vec<_> = words.split_whitespace().map(str::to_owned).collect();
            scripts.push(labelled(format!("{name}:{}", number + 1), &words));
            bodies.push((words, String::new()));
        } else {
            let (_, body) = bodies.last_mut().expect("a script follows its label");
            body.push_str(line);
            body.push('\n');
        }
    }
    for (script, (words, body)) in scripts.iter_mut().zip(bodies) {
        let shell = if words.iter().any(|word| word == "bash") { "bash" } else { "sh" };
        script.argv = match words.iter().any(|word| word == "argv") {
            true => serde_json::from_str(&body).unwrap(),
            false => vec![shell.to_owned(), "-c".to_owned(), body],
        };
    }
    scripts
}

fn labelled(place: String, words: &[String]) -> Labelled {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let known = ["hidden", "waits", "bash", "argv"];
    for word in &words[1..] {
        assert!(known.contains(&word.as_str()) || word.starts_with("kept="), "{place}: {word}");
    }
    assert!(ANSWERS.contains(&words[0].as_str()), "{place}: {}", words[0]);
    let kept =
        words.iter().filter_map(|word| word.strip_prefix("kept=")).map(str::to_owned).collect();
    let setting = Setting { kept, ..Setting::default() };
    Labelled {
        place,
        label: words[0].clone(),
        hidden: has("hidden"),
        waits: has("waits"),
        argv: Vec::new(),
        setting,
    }
}

fn answer(analysis: &Analysis) -> &'static str {
    if !destroys_data(analysis).is_empty() {
        return "destroys";
    }
    match not_idempotent(analysis).iter().map(|hazard| hazard.verdict).max() {
        Some(Verdict::FailsWhenRepeated) => "fails",
        Some(Verdict::Duplicates) => "duplicates",
        Some(_) => "rotates",
        None if unrecognised(analysis).is_empty() => "safe",
        None => "unknown",
    }
}

/// How often the analysis was right about one yes-or-no question.
#[derive(Default)]
struct Score {
    hits: usize,
    misses: usize,
    false_alarms: usize,
}

impl Score {
    fn add(&mut self, wanted: bool, given: bool) -> bool {
        match (wanted, given) {
            (true, true) => self.hits += 1,
            (true, false) => self.misses += 1,
            (false, true) => self.false_alarms += 1,
            (false, false) => {}
        }
        wanted == given
    }

    fn precision(&self) -> f64 {
        self.hits as f64 / (self.hits + self.false_alarms) as f64
    }

    fn recall(&self) -> f64 {
        self.hits as f64 / (self.hits + self.misses) as f64
    }
}

/// The answers to a set of scripts, by label, and how they agree.
#[derive(Default)]
struct Outcome {
    table: BTreeMap<(usize, usize), usize>,
    hazard: Score,
    hidden: Score,
    waits: Score,
    differences: Vec<String>,
}

impl Outcome {
    fn of<'s>(scripts: impl Iterator<Item = &'s Labelled>) -> Self {
        let mut outcome = Self::default();
        scripts.for_each(|script| outcome.add(script));
        outcome
    }

    fn add(&mut self, script: &Labelled) {
        let argv: Vec<_> = script.argv.iter().map(String::as_str).collect();
        let analysis = analyse(Catalogue::built_in(), &argv, &script.setting);
        let given = answer(&analysis);
        let position = |name: &str| ANSWERS.iter().position(|answer| *answer == name).unwrap();
        *self.table.entry((position(&script.label), position(given))).or_default() += 1;
        let is_hazard = |name: &str| position(name) >= position("rotates");
        self.hazard.add(is_hazard(&script.label), is_hazard(given));
        let hides = !failure_hidden(&analysis).is_empty();
        let ends = unbounded_waits(&analysis).is_empty();
        let agree = self.hidden.add(script.hidden, hides) & self.waits.add(script.waits, !ends);
        if !agree || given != script.label {
            let Labelled { place, label, .. } = script;
            self.differences.push(format!(
                "{place}: {label} -> {given}, hidden {} -> {hides}, waits {} -> {}",
                script.hidden, script.waits, !ends
            ));
        }
    }

    fn print(&self, title: &str) {
        println!("{title}");
        print_table(&self.table);
        println!("{}", self.differences.join("\n"));
        for (name, score) in
            [("hazard", &self.hazard), ("hidden", &self.hidden), ("waits", &self.waits)]
        {
            println!("{name}: precision {:.3}, recall {:.3}", score.precision(), score.recall());
        }
    }
}

#[test]
fn labels_agree() {
    let scripts = labelled_scripts();
    assert!(scripts.len() >= 300, "{} labelled scripts", scripts.len());
    for file in ["holdout.sh", "holdout-2.sh", "holdout-3.sh"] {
        let late = scripts.iter().filter(|script| script.place.starts_with(&format!("{file}:")));
        Outcome::of(late).print(&format!("{file}, for the first answers see the README"));
    }
    let all = Outcome::of(scripts.iter());
    all.print(&format!("all {} scripts", scripts.len()));
    assert!(all.hazard.precision() >= 0.97 && all.hazard.recall() >= 0.90);
    assert!(all.hidden.precision() >= 0.95 && all.hidden.recall() >= 0.90);
    assert!(all.waits.precision() >= 0.97 && all.waits.recall() >= 0.90);
}

fn print_table(table: &BTreeMap<(usize, usize), usize>) {
    println!("{:>12} {}", "label", ANSWERS.map(|answer| format!("{answer:>12}")).join(""));
    for (row, label) in ANSWERS.iter().enumerate() {
        let cells =
            (0..ANSWERS.len()).map(|column| table.get(&(row, column)).copied().unwrap_or(0));
        let cells: Vec<_> = cells.map(|count| format!("{count:>12}")).collect();
        println!("{label:>12} {}", cells.join(""));
    }
}

#[test]
fn any_prefix_is_analysed() {
    for script in labelled_scripts() {
        let Some((body, head)) = script.argv.split_last() else { continue };
        for end in (0..body.len()).step_by(11).filter(|&end| body.is_char_boundary(end)) {
            let argv: Vec<_> = head.iter().map(String::as_str).chain([&body[..end]]).collect();
            let analysis = analyse(Catalogue::built_in(), &argv, &script.setting);
            for hazard in not_idempotent(&analysis) {
                assert!(argv[hazard.place.element].get(hazard.place.span.range()).is_some());
            }
        }
    }
}
