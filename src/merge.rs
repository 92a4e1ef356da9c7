//! The same finding under several sets of values is one finding.

use std::{collections::HashMap, sync::Arc};

use crate::{finding::Located, read::Loaded};

/// The findings of a unit, each place and rule once.
#[derive(Default)]
pub struct Findings {
    all: Vec<Located>,
    by_place: HashMap<(&'static str, String, u32, u32), usize>,
}

impl Findings {
    /// Adds a finding of one view of the unit.
    pub fn add(&mut self, mut finding: Located, loaded: &Loaded) {
        let Some(rendering) = &loaded.rendering else { return self.all.push(finding) };
        let values = rendering.values.clone();
        let (path, start, end) = finding.location.sort_key();
        let key = (finding.rule.id, path.to_owned(), start, end);
        match self.by_place.get(&key) {
            Some(&index) => self.all[index].absorb(finding, values),
            None => {
                finding.value_sets.push(values);
                self.by_place.insert(key, self.all.len());
                self.all.push(finding);
            }
        }
    }

    /// All of them; the message names the sets of values where it does not hold for each of `sets`.
    pub fn merged(mut self, sets: usize) -> Vec<Located> {
        for finding in &mut self.all {
            match &finding.value_sets[..] {
                [] => {}
                own if own.len() == sets => {}
                [only] => finding.message.push_str(&format!(" (with {only})")),
                own => {
                    finding.message.push_str(&format!(" (in {} of {sets} value sets)", own.len()));
                }
            }
        }
        self.all
    }
}

impl Located {
    /// Takes in the same finding of another set of values: the worse of both.
    fn absorb(&mut self, other: Located, values: Arc<str>) {
        let worse = other.severity > self.severity;
        if (self.hidden && !other.hidden) || (self.hidden == other.hidden && worse) {
            let sets = std::mem::take(&mut self.value_sets);
            let raised = std::mem::take(&mut self.raised);
            *self = Located { value_sets: sets, ..other };
            self.raised.extend(raised);
        } else {
            self.raised.extend(other.raised);
        }
        if !self.value_sets.contains(&values) {
            self.value_sets.push(values);
        }
    }
}
