//! Interned inputs and interned sets of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashSet};

/// One thing a render reads: `Values.image.tag`, `Chart.Version`, `random`, …
///
/// Inputs form trees: every input is a root or a [`Step`] below another input. An id is only
/// meaningful together with the [`Inputs`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Input(u32);

impl Input {
    /// Marks a set whose inputs are complete but coarser than they could be, for example after a
    /// function that gives up telling its arguments apart. Never listed by [`Inputs::members`].
    pub const APPROXIMATE: Self = Self(0);
    /// Stands for every input; used when a render exceeds the budget for sets.
    pub const ANY: Self = Self(1);
}

/// A set of inputs. Copying and comparing are free; equal ids mean equal sets, but equal sets may
/// have different ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InputSet(u32);

impl InputSet {
    pub const EMPTY: Self = Self(0);
    /// The set for which [`Inputs::covers`] always holds.
    pub const ANY: Self = Self::of(Input::ANY);
    /// The set that only says "this is imprecise"; to be joined with the inputs known.
    pub const APPROXIMATE: Self = Self::of(Input::APPROXIMATE);

    /// Top bit: the rest is an input. Otherwise 0 is empty, n is union number n - 1.
    const SINGLE: u32 = 1 << 31;

    /// The set of one input.
    pub const fn of(input: Input) -> Self {
        Self(input.0 | Self::SINGLE)
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    const fn single(self) -> Option<Input> {
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
    pub const NONE: Self = Self { data: InputSet::EMPTY, control: InputSet::EMPTY };

    /// Data flow from one input.
    pub const fn of(input: Input) -> Self {
        Self { data: InputSet::of(input), control: InputSet::EMPTY }
    }

    pub const fn is_none(self) -> bool {
        self.data.is_empty() && self.control.is_empty()
    }
}

/// How an input is reached from its parent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Key(Arc<str>),
    Index(u32),
    /// Not a value below the parent, but which keys or how many items the parent has.
    Keys,
}

/// A [`Step`] to look for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepRef<'a> {
    Key(&'a str),
    Index(u32),
    Keys,
}

impl StepRef<'_> {
    fn to_owned(self) -> Step {
        match self {
            Self::Key(key) => Step::Key(key.into()),
            Self::Index(index) => Step::Index(index),
            Self::Keys => Step::Keys,
        }
    }
}

impl Step {
    fn as_ref(&self) -> StepRef<'_> {
        match self {
            Self::Key(key) => StepRef::Key(key),
            Self::Index(index) => StepRef::Index(*index),
            Self::Keys => StepRef::Keys,
        }
    }
}

#[derive(Debug)]
struct Node {
    parent: Option<Input>,
    step: Step,
    /// Next node with the same hash in `Inputs::index`.
    next: Option<Input>,
}

/// The table of inputs and input sets of one render.
///
/// Sets are a graph of unions, memoised by operands: a union costs one hash lookup, whatever the
/// size of its operands, and members are only listed when somebody asks.
#[derive(Debug)]
pub struct Inputs {
    nodes: Vec<Node>,
    index: HashMap<u64, Input>,
    unions: Vec<(InputSet, InputSet)>,
    memo: HashMap<(u32, u32), InputSet>,
}

/// Unions kept before sets degrade to [`InputSet::ANY`]: some 100 MB.
const MAX_UNIONS: usize = 1 << 22;

impl Default for Inputs {
    fn default() -> Self {
        Self::new()
    }
}

impl Inputs {
    pub fn new() -> Self {
        let mut inputs = Self {
            nodes: Vec::new(),
            index: HashMap::default(),
            unions: Vec::new(),
            memo: HashMap::default(),
        };
        inputs.root("approximate");
        inputs.root("anything");
        inputs
    }

    /// The root input called `name`. The names are the embedder's: `Values`, `Chart`, `random`, …
    pub fn root(&mut self, name: &str) -> Input {
        self.intern(None, StepRef::Key(name))
    }

    /// The input at `key` of a mapping.
    pub fn child(&mut self, parent: Input, key: &str) -> Input {
        self.intern(Some(parent), StepRef::Key(key))
    }

    /// The input at `index` of a sequence.
    pub fn item(&mut self, parent: Input, index: usize) -> Input {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        self.intern(Some(parent), StepRef::Index(index))
    }

    /// The input that stands for which keys a mapping has, or how many items a sequence has: what
    /// tests, loops and lookups that find nothing depend on. Its path is that of `container`.
    pub fn keys(&mut self, container: Input) -> Input {
        self.intern(Some(container), StepRef::Keys)
    }

    /// The parent of an input and the step from there; a root has no parent.
    pub fn step(&self, input: Input) -> (Option<Input>, &Step) {
        let node = &self.nodes[input.0 as usize];
        (node.parent, &node.step)
    }

    /// The root an input hangs from.
    pub fn root_of(&self, mut input: Input) -> Input {
        while let (Some(parent), _) = self.step(input) {
            input = parent;
        }
        input
    }

    /// The steps from the root (included, as a key) to the input.
    pub fn steps(&self, input: Input) -> Vec<&Step> {
        let mut steps = Vec::new();
        let mut next = Some(input);
        while let Some(input) = next {
            let (parent, step) = self.step(input);
            steps.push(step);
            next = parent;
        }
        steps.reverse();
        steps
    }

    /// The input as people write it: `Values.jobs[0].annotations["helm.sh/hook"]`.
    pub fn path(&self, input: Input) -> String {
        let mut path = String::new();
        for step in self.steps(input) {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) if is_plain(key) => {
                    path.push('.');
                    path.push_str(key);
                }
                Step::Key(key) => write!(path, "[{key:?}]").expect("writing to a String"),
                Step::Index(index) => write!(path, "[{index}]").expect("writing to a String"),
                Step::Keys => {}
            }
        }
        path
    }

    /// Both sets together.
    pub fn union(&mut self, a: InputSet, b: InputSet) -> InputSet {
        if a == b || b.is_empty() || self.joins(a, b) {
            return a;
        }
        if a.is_empty() || self.joins(b, a) {
            return b;
        }
        let key = (a.0.min(b.0), a.0.max(b.0));
        if let Some(&set) = self.memo.get(&key) {
            return set;
        }
        if self.unions.len() >= MAX_UNIONS {
            return InputSet::ANY;
        }
        self.unions.push((a, b));
        let set = InputSet(self.unions.len() as u32);
        self.memo.insert(key, set);
        set
    }

    /// Data with data, control with control.
    pub fn join(&mut self, a: Taint, b: Taint) -> Taint {
        if a == b || b.is_none() {
            return a;
        }
        Taint { data: self.union(a.data, b.data), control: self.union(a.control, b.control) }
    }

    /// All of `taint` as one set: what a decision based on the tainted value depends on.
    pub fn flatten(&mut self, taint: Taint) -> InputSet {
        self.union(taint.data, taint.control)
    }

    /// The inputs in the set, in the order they were first seen, without [`Input::APPROXIMATE`].
    pub fn members(&self, set: InputSet) -> Vec<Input> {
        let mut members = self.collect(set);
        members.remove(&Input::APPROXIMATE);
        members.into_iter().collect()
    }

    /// Whether the set is coarser than it could be.
    pub fn is_approximate(&self, set: InputSet) -> bool {
        let members = self.collect(set);
        members.contains(&Input::APPROXIMATE) || members.contains(&Input::ANY)
    }

    /// Whether a change of `input` is announced by `set`: the set names it, something above it, or
    /// something below it; or the keys of its parent.
    pub fn covers(&self, set: InputSet, input: Input) -> bool {
        self.is_among(&self.collect(set), input)
    }

    /// Keeps the inputs that `set` covers.
    pub fn retain_covered(&self, set: InputSet, inputs: &mut Vec<Input>) {
        let members = self.collect(set);
        inputs.retain(|input| self.is_among(&members, *input));
    }

    fn is_among(&self, members: &BTreeSet<Input>, input: Input) -> bool {
        let parent = self.step(input).0;
        members.iter().any(|&member| match self.step(member) {
            _ if member == Input::ANY || self.is_within(member, input) => true,
            (container, Step::Keys) => container == parent,
            _ => self.is_within(input, member),
        })
    }

    /// Whether `input` is `ancestor` or hangs below it.
    pub fn is_within(&self, input: Input, ancestor: Input) -> bool {
        let mut next = Some(input);
        while let Some(input) = next {
            if input == ancestor {
                return true;
            }
            next = self.step(input).0;
        }
        false
    }

    /// Whether `b` was an operand of the union `a`: saves a new union when a loop adds the same
    /// input again and again.
    fn joins(&self, a: InputSet, b: InputSet) -> bool {
        if a.is_empty() || a.single().is_some() {
            return false;
        }
        let (left, right) = self.unions[a.0 as usize - 1];
        left == b || right == b
    }

    fn collect(&self, set: InputSet) -> BTreeSet<Input> {
        let mut members = BTreeSet::new();
        let mut seen = HashSet::<u32>::default();
        let mut pending = vec![set];
        while let Some(set) = pending.pop() {
            if let Some(input) = set.single() {
                members.insert(input);
            } else if !set.is_empty() && seen.insert(set.0) {
                let (left, right) = self.unions[set.0 as usize - 1];
                pending.extend([right, left]);
            }
        }
        members
    }

    fn intern(&mut self, parent: Option<Input>, step: StepRef<'_>) -> Input {
        let hash = hash_step(self.index.hasher(), parent, step);
        let head = self.index.get(&hash).copied();
        let mut next = head;
        while let Some(input) = next {
            let node = &self.nodes[input.0 as usize];
            if node.parent == parent && node.step.as_ref() == step {
                return input;
            }
            next = node.next;
        }
        let input = Input(self.nodes.len() as u32);
        self.nodes.push(Node { parent, step: step.to_owned(), next: head });
        self.index.insert(hash, input);
        input
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn hash_step(hashes: &RandomState, parent: Option<Input>, step: StepRef<'_>) -> u64 {
    let mut hasher = hashes.build_hasher();
    hasher.write_u32(parent.map_or(u32::MAX, |input| input.0));
    match step {
        StepRef::Key(key) => hasher.write(key.as_bytes()),
        StepRef::Index(index) => hasher.write_u32(index),
        StepRef::Keys => hasher.write_u64(u64::MAX),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_interned_and_print_as_paths() {
        let mut inputs = Inputs::new();
        let values = inputs.root("Values");
        let jobs = inputs.child(values, "jobs");
        let first = inputs.item(jobs, 0);
        let hook = inputs.child(first, "helm.sh/hook");
        assert_eq!(inputs.child(first, "helm.sh/hook"), hook);
        assert_eq!(inputs.path(hook), r#"Values.jobs[0]["helm.sh/hook"]"#);
        assert_eq!(inputs.root_of(hook), values);
    }

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
    fn a_set_covers_what_is_above_and_below_its_members() {
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
    fn keys_cover_the_entries_but_not_what_is_inside_them() {
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
