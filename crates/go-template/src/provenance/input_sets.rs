//! Interned sets of inputs.
//!
//! Sets form a graph of unions, memoised by operands: a union costs one hash lookup, whatever the
//! size of its operands, and members are listed only on request.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};

use super::{Input, Inputs, Step, met_sets::MetSets};

/// A set of inputs. Copying and comparing are free; equal ids mean equal sets, but equal sets may
/// have different ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InputSet(u32);

impl InputSet {
    /// No input.
    pub const EMPTY: Self = Self(0);
    /// The set for which [`Inputs::covers`] always holds.
    pub const ANY: Self = Self::of(Input::ANY);
    /// The set that only says "this is imprecise"; join it with the known inputs.
    pub const APPROXIMATE: Self = Self::of(Input::APPROXIMATE);

    /// With the top bit set, the rest is an input. Otherwise 0 is empty and n is union number n - 1.
    const SINGLE: u32 = 1 << 31;

    /// The set of one input.
    pub const fn of(input: Input) -> Self {
        Self(input.0 | Self::SINGLE)
    }

    /// Whether the set is [`Self::EMPTY`].
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The place among the inputs, or among the unions; `None` for [`Self::EMPTY`].
    pub(super) const fn place(self) -> Option<(bool, usize)> {
        match self.single() {
            Some(input) => Some((true, input.0 as usize)),
            None if self.is_empty() => None,
            None => Some((false, self.0 as usize - 1)),
        }
    }

    pub(super) const fn single(self) -> Option<Input> {
        if self.0 & Self::SINGLE == 0 { None } else { Some(Input(self.0 & !Self::SINGLE)) }
    }
}

/// The inputs behind a value or an output range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Taint {
    /// Inputs whose value flowed into the bytes.
    pub data: InputSet,
    /// Inputs that decided whether or which bytes were produced.
    pub control: InputSet,
}

impl Taint {
    /// No input.
    pub const NONE: Self = Self { data: InputSet::EMPTY, control: InputSet::EMPTY };

    /// Data flow from one input.
    pub const fn of(input: Input) -> Self {
        Self { data: InputSet::of(input), control: InputSet::EMPTY }
    }

    /// Control flow from `control`.
    pub(crate) const fn control(control: InputSet) -> Self {
        Self { data: InputSet::EMPTY, control }
    }

    /// Whether both sets are [`InputSet::EMPTY`].
    pub const fn is_none(self) -> bool {
        self.data.is_empty() && self.control.is_empty()
    }
}

/// The unions made so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Unions {
    made: Vec<Union>,
    by_operands: HashMap<(u32, u32), InputSet>,
    pub(super) met: MetSets,
}

#[derive(Clone, Copy, Debug)]
struct Union {
    operands: [InputSet; 2],
    /// Whether a member is [`Input::APPROXIMATE`] or [`Input::ANY`]. Each run of an output is asked.
    is_approximate: bool,
}

/// Unions kept before sets degrade to [`InputSet::ANY`]: about 100 MB.
const MAX_UNIONS: usize = 1 << 22;

impl Unions {
    /// How many sets of several inputs there are.
    pub(super) fn size(&self) -> usize {
        self.made.len()
    }

    fn join(&mut self, a: InputSet, b: InputSet) -> InputSet {
        let set = self.joined(a, b);
        self.met.meet(set);
        set
    }

    fn joined(&mut self, a: InputSet, b: InputSet) -> InputSet {
        if a == b || b.is_empty() || self.is_operand(b, a) {
            return a;
        }
        if a.is_empty() || self.is_operand(a, b) {
            return b;
        }
        let key = (a.0.min(b.0), a.0.max(b.0));
        if let Some(&set) = self.by_operands.get(&key) {
            return set;
        }
        if self.made.len() >= MAX_UNIONS {
            return InputSet::ANY;
        }
        let is_approximate = self.is_approximate(a) || self.is_approximate(b);
        self.made.push(Union { operands: [a, b], is_approximate });
        let set = InputSet(self.made.len() as u32);
        self.by_operands.insert(key, set);
        set
    }

    /// Whether `set` is an operand of `union`. This keeps a loop that adds the same input again and
    /// again from making a new union each time.
    fn is_operand(&self, set: InputSet, union: InputSet) -> bool {
        self.union(union).is_some_and(|union| union.operands.contains(&set))
    }

    fn union(&self, set: InputSet) -> Option<&Union> {
        if set.is_empty() || set.single().is_some() {
            return None;
        }
        self.made.get(set.0 as usize - 1)
    }

    fn is_approximate(&self, set: InputSet) -> bool {
        let single = set.single().is_some_and(|it| it == Input::APPROXIMATE || it == Input::ANY);
        single || self.union(set).is_some_and(|union| union.is_approximate)
    }

    fn members(&self, set: InputSet) -> BTreeSet<Input> {
        let mut members = BTreeSet::new();
        let mut seen = HashSet::<u32>::default();
        let mut pending = vec![set];
        while let Some(set) = pending.pop() {
            if let Some(input) = set.single() {
                members.insert(input);
            } else if let Some(union) = self.union(set)
                && seen.insert(set.0)
            {
                pending.extend(union.operands.iter().rev());
            }
        }
        members
    }
}

impl Inputs {
    /// The union of two sets; [`InputSet::ANY`] once a render has made four million of them.
    pub fn union(&mut self, a: InputSet, b: InputSet) -> InputSet {
        self.unions.join(a, b)
    }

    /// The union of the data sets and the union of the control sets.
    pub fn join(&mut self, a: Taint, b: Taint) -> Taint {
        if a == b || b.is_none() {
            [a.data, a.control].into_iter().for_each(|set| self.unions.met.meet(set));
            return a;
        }
        Taint { data: self.union(a.data, b.data), control: self.union(a.control, b.control) }
    }

    /// Data and control as one set: what a decision based on the tainted value depends on.
    pub fn flatten(&mut self, taint: Taint) -> InputSet {
        self.union(taint.data, taint.control)
    }

    /// Records that a function took a value with this taint for one that nobody set, although it is `false`.
    pub(crate) fn overlook(&mut self, taint: Taint) {
        let set = self.flatten(taint);
        self.overlooked = self.union(self.overlooked, set);
    }

    /// The inputs of all values that are `false` and were taken for unset, in this render or one that it continues.
    pub fn overlooked(&self) -> InputSet {
        self.overlooked
    }

    /// The inputs of the set, oldest first, without [`Input::APPROXIMATE`].
    pub fn members(&self, set: InputSet) -> Vec<Input> {
        let mut members = self.unions.members(set);
        members.remove(&Input::APPROXIMATE);
        members.into_iter().collect()
    }

    /// Whether the set is coarser than it could be.
    pub fn is_approximate(&self, set: InputSet) -> bool {
        self.unions.is_approximate(set)
    }

    /// Whether `set` announces a change of `input`: it names the input, one above it, one below it,
    /// or the keys of its parent.
    pub fn covers(&self, set: InputSet, input: Input) -> bool {
        self.is_announced(&self.unions.members(set), input)
    }

    fn is_announced(&self, members: &BTreeSet<Input>, input: Input) -> bool {
        members.iter().any(|&member| self.announces(member, input))
    }

    /// Whether a predicate holds for a member of a set. `known` is what is known of sets from other calls with the same
    /// predicate.
    pub fn any_member(
        &self,
        set: InputSet,
        known: &mut HashMap<InputSet, bool>,
        mut holds: impl FnMut(Input) -> bool,
    ) -> bool {
        let mut pending = vec![set];
        while let Some(&set) = pending.last() {
            if known.contains_key(&set) {
                pending.pop();
                continue;
            }
            let any = match self.operands(set) {
                None => set.single().is_some_and(&mut holds),
                Some([a, b]) => match (known.get(&a), known.get(&b)) {
                    (Some(true), _) | (_, Some(true)) => true,
                    (Some(false), Some(false)) => false,
                    (None, _) => {
                        pending.push(a);
                        continue;
                    }
                    (_, None) => {
                        pending.push(b);
                        continue;
                    }
                },
            };
            known.insert(set, any);
        }
        known[&set]
    }

    /// The two sets that a set is the union of; `None` if it is empty or one input.
    pub(super) fn operands(&self, set: InputSet) -> Option<[InputSet; 2]> {
        self.unions.union(set).map(|union| union.operands)
    }

    /// Whether one member of a set announces a change of `input`.
    pub(super) fn announces(&self, member: Input, input: Input) -> bool {
        match self.step(member) {
            _ if member == Input::ANY || self.is_within(member, input) => true,
            (container, Step::Keys) => container == self.step(input).0,
            _ => self.is_within(input, member),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_are_memoised_and_list_their_members() {
        let mut inputs = Inputs::new();
        let a = inputs.root("a");
        let b = inputs.root("b");
        let ab = inputs.union(InputSet::of(a), InputSet::of(b));
        assert_eq!(inputs.union(InputSet::of(b), InputSet::of(a)), ab);
        assert_eq!(inputs.union(ab, InputSet::of(a)), ab);
        assert_eq!(inputs.union(InputSet::EMPTY, ab), ab);
        assert_eq!(inputs.members(ab), [a, b]);
        let rough = inputs.union(ab, InputSet::APPROXIMATE);
        assert!(inputs.is_approximate(rough) && !inputs.is_approximate(ab));
        assert_eq!(inputs.members(rough), [a, b]);
    }

    #[test]
    fn a_set_covers_ancestors_and_descendants_of_its_members() {
        let mut inputs = Inputs::new();
        let values = inputs.root("Values");
        let image = inputs.child(values, "image");
        let tag = inputs.child(image, "tag");
        let other = inputs.child(values, "other");
        let set = InputSet::of(image);
        assert!(inputs.covers(set, tag) && inputs.covers(set, values) && inputs.covers(set, image));
        assert!(!inputs.covers(set, other));
        assert!(inputs.covers(InputSet::ANY, other));
    }

    #[test]
    fn keys_cover_the_entries_but_not_their_contents() {
        let mut inputs = Inputs::new();
        let env = inputs.root("env");
        let first = inputs.item(env, 0);
        let name = inputs.child(first, "name");
        let keys = inputs.keys(env);
        let set = InputSet::of(keys);
        assert!(inputs.covers(set, env) && inputs.covers(set, first));
        assert!(!inputs.covers(set, name));
        assert_eq!(inputs.path(keys), "env");
    }
}
