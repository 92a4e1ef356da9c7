//! The sets of inputs that one execution meets.

use super::{InputSet, Inputs};

/// The sets that came up since they were last taken, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct MetSets {
    is_on: bool,
    /// Counts how often they were taken.
    turn: u32,
    /// The turn in which the set of each input, and each union, came up last.
    of_inputs: Vec<u32>,
    of_unions: Vec<u32>,
    sets: Vec<InputSet>,
}

impl MetSets {
    #[inline]
    pub(super) fn meet(&mut self, set: InputSet) {
        if self.is_on {
            self.add(set);
        }
    }

    fn add(&mut self, set: InputSet) {
        let Some((is_input, at)) = set.place() else { return };
        let turns = if is_input { &mut self.of_inputs } else { &mut self.of_unions };
        if turns.len() <= at {
            turns.resize(at + 1, 0);
        }
        if turns[at] != self.turn {
            turns[at] = self.turn;
            self.sets.push(set);
        }
    }
}

impl Inputs {
    /// Keeps the sets that come up from now on for [`Self::take_met`].
    pub(crate) fn start_meeting(&mut self) {
        let met = &mut self.unions.met;
        met.is_on = true;
        met.turn += 1;
        met.sets.clear();
    }

    /// The sets that came up since [`Self::start_meeting`]: what was done since depends on no other input.
    pub(crate) fn take_met(&mut self) -> Vec<InputSet> {
        let met = &mut self.unions.met;
        met.is_on = false;
        std::mem::take(&mut met.sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::Taint;

    #[test]
    fn each_set_is_met_once_in_each_turn() {
        let mut inputs = Inputs::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| InputSet::of(inputs.root(name)));
        inputs.union(a, b);
        inputs.start_meeting();
        let ab = inputs.union(a, b);
        inputs.union(b, a);
        assert_eq!(inputs.take_met(), [ab]);
        inputs.start_meeting();
        let taint = Taint { data: a, control: c };
        inputs.join(taint, Taint::NONE);
        inputs.join(taint, taint);
        inputs.union(a, b);
        assert_eq!(inputs.take_met(), [a, c, ab]);
        inputs.union(b, c);
        inputs.start_meeting();
        assert_eq!(inputs.take_met(), [], "nothing is met between two turns");
    }
}
