//! The analysis against the labelled scripts.

use std::collections::BTreeMap;

use shell_effects::{
    Analysis, Catalogue, Verdict, analyse, destroys_data, endless, failure_hidden, false_successes,
    not_idempotent, unbounded_waits, unrecognised,
};

use crate::scripts::{ANSWERS, Labelled, labelled_scripts};

/// The label that an analysis amounts to: the worst of its hazards.
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

/// The confusion matrix of one yes-or-no question, without true negatives.
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

/// The answers for a set of scripts by label, and the scores.
#[derive(Default)]
struct Outcome {
    table: BTreeMap<(usize, usize), usize>,
    hazard: Score,
    hidden: Score,
    waits: Score,
    succeeds: Score,
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
        let analysis = analyse(Catalogue::built_in(), &argv, &script.container);
        let given = answer(&analysis);
        let position = |name: &str| ANSWERS.iter().position(|answer| *answer == name).unwrap();
        *self.table.entry((position(&script.label), position(given))).or_default() += 1;
        let is_hazard = |name: &str| position(name) >= position("rotates");
        self.hazard.add(is_hazard(&script.label), is_hazard(given));
        let hides = !failure_hidden(&analysis).is_empty();
        let succeeds = !false_successes(&analysis).is_empty();
        let ends = unbounded_waits(&analysis).is_empty() && endless(&analysis).is_empty();
        let agree = self.hidden.add(script.hidden, hides)
            & self.waits.add(script.waits, !ends)
            & self.succeeds.add(script.succeeds, succeeds);
        if !agree || given != script.label {
            let Labelled { location, label, .. } = script;
            self.differences.push(format!(
                "{location}: {label} -> {given}, hidden {} -> {hides}, waits {} -> {}, succeeds {} -> {succeeds}",
                script.hidden, script.waits, !ends, script.succeeds
            ));
        }
    }

    fn print(&self, title: &str) {
        println!("{title}");
        print_table(&self.table);
        println!("{}", self.differences.join("\n"));
        for (name, score) in [
            ("hazard", &self.hazard),
            ("hidden", &self.hidden),
            ("waits", &self.waits),
            ("succeeds", &self.succeeds),
        ] {
            println!("{name}: precision {:.3}, recall {:.3}", score.precision(), score.recall());
        }
    }
}

#[test]
fn labels_agree() {
    let scripts = labelled_scripts();
    assert!(scripts.len() >= 300, "{} labelled scripts", scripts.len());
    for file in ["holdout.sh", "holdout-2.sh", "holdout-3.sh", "holdout-4.sh"] {
        let held_out =
            scripts.iter().filter(|script| script.location.starts_with(&format!("{file}:")));
        Outcome::of(held_out).print(&format!("{file}; the README has the first results"));
    }
    let all = Outcome::of(scripts.iter());
    all.print(&format!("all {} scripts", scripts.len()));
    assert!(all.hazard.precision() >= 0.97 && all.hazard.recall() >= 0.90);
    assert!(all.hidden.precision() >= 0.95 && all.hidden.recall() >= 0.90);
    assert!(all.waits.precision() >= 0.97 && all.waits.recall() >= 0.90);
    assert!(all.succeeds.precision() >= 0.95 && all.succeeds.recall() >= 0.90);
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
            let analysis = analyse(Catalogue::built_in(), &argv, &script.container);
            for hazard in not_idempotent(&analysis) {
                assert!(argv[hazard.location.element].get(hazard.location.span.range()).is_some());
            }
        }
    }
}
