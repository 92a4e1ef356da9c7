//! Finds rules by words: of their ids, of the errors they predict, and of their pages. Misspelt words count too.

use std::cmp::Reverse;

use job_lifecycle::suggest::nearest;

use crate::rules::{self, Meta, Rule};

/// The most rules to show.
const MOST: usize = 5;

/// Words that say nothing about a rule.
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "cannot", "error", "failed", "for",
    "from", "has", "in", "is", "it", "job", "jobs", "no", "not", "of", "on", "or", "the", "this",
    "to", "was", "with",
];

/// What a match counts, by the part of the page that has the word.
const ID: usize = 8;
const SYMPTOM: usize = 4;
const SUMMARY: usize = 2;
const TEXT: usize = 1;

/// The rules that predict an error, the likeliest first: the error as it is, or with its misspelt words corrected.
pub(super) fn predicting(error: &str) -> Vec<&'static Rule> {
    let predicted = |error: &str| -> Vec<&'static Rule> {
        let all = rules::all().iter().copied();
        let mut found: Vec<_> = all.filter(|rule| rule.meta().predicts(error)).collect();
        // What is reported by default, and the errors, are the likelier causes.
        found.sort_by_key(|rule| (rule.is_pedantic(), Reverse(rule.meta().severity)));
        found
    };
    let found = predicted(error);
    if !found.is_empty() {
        return found;
    }
    let symptoms = rules::all().iter().flat_map(|rule| &rule.meta().symptom);
    let known: Vec<_> = symptoms.flat_map(|symptom| words(symptom)).collect();
    let corrected: Vec<_> = words(error).iter().map(|word| correct(word, &known)).collect();
    predicted(&corrected.join(" "))
}

/// The rules whose pages have the words of a text, the best first.
pub(super) fn matching(text: &str) -> Vec<&'static Rule> {
    let pages: Vec<_> = rules::all().iter().map(|rule| (*rule, Page::new(rule.meta()))).collect();
    let known: Vec<_> = pages.iter().flat_map(|(_, page)| page.words().cloned()).collect();
    let wanted = words(text).into_iter().filter(|word| !COMMON.contains(&word.as_str()));
    let wanted: Vec<_> = wanted.map(|word| correct(&word, &known)).collect();
    let mut scored: Vec<_> =
        pages.iter().map(|(rule, page)| (page.score(&wanted), *rule)).collect();
    let best = scored.iter().map(|(score, _)| *score).max().unwrap_or_default();
    // A word of the id outweighs pages that only mention it.
    scored.retain(|((count, weight), _)| *count > 0 && *count == best.0 && 2 * weight >= best.1);
    scored.sort_by_key(|(score, rule)| (Reverse(*score), rule.id));
    scored.into_iter().take(MOST).map(|(_, rule)| rule).collect()
}

/// The words of a page.
struct Page {
    parts: [(usize, Vec<String>); 4],
}

impl Page {
    fn new(meta: &Meta) -> Self {
        let fix = meta.fix_safety.as_deref().unwrap_or_default();
        let text = format!("{} {} {fix}", meta.why, meta.remedy);
        Self {
            parts: [
                (ID, words(&meta.id)),
                (SYMPTOM, words(&meta.symptom.join(" "))),
                (SUMMARY, words(&meta.summary)),
                (TEXT, words(&text)),
            ],
        }
    }

    fn words(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().flat_map(|(_, words)| words)
    }

    /// How many of the wanted words the page has, and their weights.
    fn score(&self, wanted: &[String]) -> (usize, usize) {
        let weight = |word: &String| {
            let own = self.parts.iter().filter(|(_, words)| words.contains(word));
            own.map(|(weight, _)| weight).sum::<usize>()
        };
        let weights = wanted.iter().map(weight).filter(|weight| *weight > 0);
        (weights.clone().count(), weights.sum())
    }
}

/// The word, or the nearest known one if it is misspelt. Short words are too near to each other.
fn correct(word: &str, known: &[String]) -> String {
    const SHORT: usize = 5;
    if word.len() < SHORT || known.iter().any(|own| own == word) {
        return word.to_owned();
    }
    let long = known.iter().map(String::as_str).filter(|own| own.len() >= SHORT);
    nearest(word, long).unwrap_or(word).to_owned()
}

/// The words in lower case; `DeadlineExceeded` is two.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || after_small && c.is_uppercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("starts with one").extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(rules: &[&Rule]) -> Vec<&'static str> {
        rules.iter().map(|rule| rule.id).collect()
    }

    #[test]
    fn a_word_finds_the_rules_that_are_called_so() {
        let found = ids(&matching("ttl"));
        assert!(found.contains(&"missing-ttl") && found.contains(&"ttl-reruns"), "{found:?}");
        assert!(found.iter().all(|id| id.contains("ttl")), "{found:?}");
        assert_eq!(ids(&matching("Unpined images")), ["unpinned-image"]);
        assert_eq!(ids(&matching("quantum")), [""; 0]);
    }

    #[test]
    fn misspelt_errors_are_understood() {
        let found = ids(&predicting("feild is imutable"));
        assert!(found.contains(&"template-changes-under-fixed-name"), "{found:?}");
        assert_eq!(found, ids(&predicting("field is immutable")));
        let pedantic = found.iter().position(|id| *id == "edit-within-ttl");
        let error = found.iter().position(|id| *id == "template-changes-under-fixed-name");
        assert!(error < pedantic, "{found:?}");
        assert!(ids(&matching("DeadlineExceeded")).contains(&"no-deadline"));
    }
}
