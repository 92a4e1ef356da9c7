//! The inputs that several sets have in common.

use foldhash::HashMap;

use super::{Input, InputSet, Inputs};

/// Those of some inputs that all sets so far cover: see [`Inputs::covers`]. What is known of a set counts for all that
/// contain it.
#[derive(Debug)]
pub struct CommonInputs {
    chunks: Vec<Chunk>,
}

/// As many inputs as a word has bits.
#[derive(Debug)]
struct Chunk {
    inputs: Vec<Input>,
    /// A bit for each input that is left.
    left: u64,
    /// The inputs that a set covers.
    known: HashMap<InputSet, u64>,
}

impl CommonInputs {
    /// All of these inputs, while no set is known.
    pub fn of(inputs: &[Input]) -> Self {
        let chunk = |inputs: &[Input]| Chunk {
            inputs: inputs.to_vec(),
            left: u64::MAX >> (u64::BITS as usize - inputs.len()),
            known: HashMap::default(),
        };
        Self { chunks: inputs.chunks(u64::BITS as usize).map(chunk).collect() }
    }

    /// Keeps the inputs that `set` covers. Whether any are gone.
    pub fn retain_covered(&mut self, inputs: &Inputs, set: InputSet) -> bool {
        let mut is_less = false;
        for chunk in self.chunks.iter_mut().filter(|chunk| chunk.left != 0) {
            let left = chunk.left & chunk.covered(inputs, set);
            is_less |= std::mem::replace(&mut chunk.left, left) != left;
        }
        is_less
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.left == 0)
    }

    /// Those that are left, in their order.
    pub fn iter(&self) -> impl Iterator<Item = Input> {
        self.chunks.iter().flat_map(|chunk| {
            let is_left = |(at, _): &(usize, &Input)| chunk.left & (1 << at) != 0;
            chunk.inputs.iter().enumerate().filter(is_left).map(|(_, input)| *input)
        })
    }
}

impl Chunk {
    /// The inputs that a set covers, one bit for each.
    fn covered(&mut self, inputs: &Inputs, set: InputSet) -> u64 {
        let mut pending = vec![set];
        while let Some(&set) = pending.last() {
            if self.known.contains_key(&set) {
                pending.pop();
                continue;
            }
            let covered = match inputs.operands(set) {
                None => set.single().map_or(0, |member| self.announced(inputs, member)),
                Some([a, b]) => match (self.known.get(&a), self.known.get(&b)) {
                    (Some(a), Some(b)) => a | b,
                    _ => {
                        pending.extend([a, b]);
                        continue;
                    }
                },
            };
            self.known.insert(set, covered);
        }
        self.known[&set]
    }

    fn announced(&self, inputs: &Inputs, member: Input) -> u64 {
        let is_announced = |(_, input): &(usize, &Input)| inputs.announces(member, **input);
        let bits = self.inputs.iter().enumerate().filter(is_announced).map(|(at, _)| 1 << at);
        bits.fold(0, |all, bit: u64| all | bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_each_set_covers() {
        let mut inputs = Inputs::new();
        let values = inputs.root("Values");
        // More than one word has bits.
        let wanted: Vec<_> = (0..70).map(|at| inputs.child(values, &format!("v{at}"))).collect();
        let keys = inputs.keys(wanted[1]);
        let below = inputs.child(wanted[69], "d");
        let ends = inputs.union(InputSet::of(wanted[0]), InputSet::of(below));
        let all = inputs.union(ends, InputSet::of(keys));
        let mut together = CommonInputs::of(&wanted);
        for set in [InputSet::ANY, InputSet::of(values), all, ends, InputSet::EMPTY] {
            let mut alone = CommonInputs::of(&wanted);
            let is_less = alone.retain_covered(&inputs, set);
            let expected: Vec<_> =
                wanted.iter().filter(|input| inputs.covers(set, **input)).copied().collect();
            assert_eq!(alone.iter().collect::<Vec<_>>(), expected, "{set:?}");
            assert_eq!(is_less, expected.len() < wanted.len(), "{set:?}");
            // Each of these sets covers less than the one before.
            together.retain_covered(&inputs, set);
            assert_eq!(together.iter().collect::<Vec<_>>(), expected, "{set:?}");
            assert_eq!(together.is_empty(), expected.is_empty(), "{set:?}");
        }
    }
}
