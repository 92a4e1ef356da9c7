//! Every fix of the catalogue in every form in which a document can be written or produced: it makes what it makes on
//! the rule's page, or it is withheld for a known reason.

mod emit;
mod exceptions;
mod forms;
mod generated;

use std::collections::BTreeSet;

use joblint::rules::{self, Example, Rule};
use rayon::prelude::*;
use serde_json::Value as Json;

use super::{
    rules::{cleaned, fixed, run},
    support::{Files, objects, on_own_threads},
};
use exceptions::EXCEPTIONS;
use forms::Form;

pub use forms::FORMS;

/// What becomes of the findings of an example in a form.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// All are fixed as on the page.
    Fixed,
    /// Some or all have no fix.
    Withheld,
    /// The rule finds nothing.
    Silent,
    /// The fix makes something else than the page shows, or loses the form.
    Other(String),
}

#[test]
fn every_fix_holds_in_every_form() {
    let cases: Vec<_> = rules::all().iter().flat_map(|rule| fixable(rule)).collect();
    let outcomes: Vec<_> = on_own_threads(|| cases.par_iter().flat_map_iter(outcomes).collect());
    let mut used = BTreeSet::new();
    let mut failures = Vec::new();
    for (name, outcome) in &outcomes {
        let known = EXCEPTIONS.iter().position(|exception| exception.covers(name, outcome));
        used.extend(known);
        if known.is_none() && *outcome != Outcome::Fixed {
            failures.push(format!("{} / {} / {}: {outcome:?}", name.0, name.1, name.2));
        }
    }
    let idle = EXCEPTIONS.iter().enumerate().filter(|(index, _)| !used.contains(index));
    failures.extend(idle.map(|(_, exception)| format!("occurs no longer: {exception:?}")));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let fixed = outcomes.iter().filter(|(_, outcome)| *outcome == Outcome::Fixed).count();
    println!("{fixed} of {} fixed", outcomes.len());
    assert!(cases.len() > 60 && fixed > 1500, "{} examples, {fixed} fixed", cases.len());
}

/// A rule and an example of its page with a fix: the files with the flaw, and without.
type Case = (&'static Rule, Example, Files, Files);

fn fixable(rule: &'static Rule) -> Vec<Case> {
    let case = |example: Example| {
        let (bad, good) = example.bad.as_ref().zip(example.good.as_ref())?;
        let (bad, good) = (cleaned(bad).0, cleaned(good).0);
        let is_fixed = example.base.is_none() && fixed(rule, &bad, &run(&bad, &example)).is_some();
        is_fixed.then_some((rule, example, bad, good))
    };
    rule.examples().into_iter().filter_map(case).collect()
}

/// Rule, example and form.
type Name = (&'static str, String, &'static str);

fn outcomes((rule, example, bad, good): &Case) -> Vec<(Name, Outcome)> {
    let of = |form: &'static Form| {
        let (bad, good) = form.of(bad).zip(form.of(good))?;
        let outcome = outcome(rule, example, form, &bad, &good);
        Some(((rule.id, example.name.clone(), form.name), outcome))
    };
    FORMS.iter().filter_map(of).collect()
}

fn outcome(rule: &Rule, example: &Example, form: &Form, bad: &Files, good: &Files) -> Outcome {
    let report = run(bad, example);
    let own: Vec<_> = report.findings.iter().filter(|finding| finding.rule.id == rule.id).collect();
    let Some(after) = fixed(rule, bad, &report) else {
        return if own.is_empty() { Outcome::Silent } else { Outcome::Withheld };
    };
    let written: String =
        after.iter().map(|(path, text)| format!("\n--- {path}\n{text}")).collect();
    let is_kept = |((_, before), (_, after)): (&(String, String), &(String, String))| {
        before == after || (form.is_kept)(before, after)
    };
    let (made, expected) = (objects(&after).map(in_lines), objects(good).map(in_lines));
    match () {
        () if !bad.iter().zip(&after).all(is_kept) => {
            Outcome::Other(format!("another form: {written}"))
        }
        () if made == expected => Outcome::Fixed,
        () if own.iter().any(|finding| finding.fixes.is_empty()) => Outcome::Withheld,
        () => Outcome::Other(written),
    }
}

/// Values in which a first statement of a script ends with a line break. A script that is written in one line has `;`.
fn in_lines(mut values: Vec<Json>) -> Vec<Json> {
    fn each(value: &mut Json) {
        match value {
            Json::String(text) => {
                for option in ["set -e", "set -o pipefail"] {
                    *text = text.replace(&format!("{option}; "), &format!("{option}\n"));
                }
            }
            Json::Array(items) => items.iter_mut().for_each(each),
            Json::Object(entries) => entries.values_mut().for_each(each),
            _ => {}
        }
    }
    values.iter_mut().for_each(each);
    values
}
