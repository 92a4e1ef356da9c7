//! Interned inputs.

use std::fmt::Write as _;
use std::sync::Arc;

use foldhash::HashMap;

use super::input_sets::{InputSet, Unions};

/// One thing a render reads: `Values.image.tag`, `Chart.Version`, `random`, …
///
/// Inputs form trees: every input is a root or a [`Step`] below another input. An id is only
/// meaningful together with the [`Inputs`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Input(pub(super) u32);

impl Input {
    /// Marks a set whose inputs are complete but coarser than they could be, for example after a
    /// function that does not tell its arguments apart. [`Inputs::members`] never lists it.
    pub const APPROXIMATE: Self = Self(0);
    /// Stands for every input; used when a render exceeds the budget for sets.
    pub const ANY: Self = Self(1);
}

/// How an input is reached from its parent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The entry of a mapping.
    Key(Arc<str>),
    /// The item of a sequence, counted from 0.
    Index(u32),
    /// Not a value below the parent, but which keys or how many items the parent has.
    Keys,
}

#[derive(Clone, Debug)]
struct Node {
    parent: Option<Input>,
    step: Step,
}

/// The table of inputs and input sets of one render.
#[derive(Clone, Debug)]
pub struct Inputs {
    nodes: Vec<Node>,
    by_key: HashMap<Option<Input>, HashMap<Arc<str>, Input>>,
    by_index: HashMap<(Input, u32), Input>,
    keys_of: HashMap<Input, Input>,
    pub(super) unions: Unions,
    pub(super) overlooked: InputSet,
}

impl Default for Inputs {
    fn default() -> Self {
        Self::new()
    }
}

impl Inputs {
    /// How many inputs and sets of several there are.
    pub(super) fn size(&self) -> usize {
        self.nodes.len() + self.unions.size()
    }

    /// A table that holds only [`Input::APPROXIMATE`] and [`Input::ANY`].
    pub fn new() -> Self {
        let mut inputs = Self {
            nodes: Vec::new(),
            by_key: HashMap::default(),
            by_index: HashMap::default(),
            keys_of: HashMap::default(),
            unions: Unions::default(),
            overlooked: InputSet::EMPTY,
        };
        inputs.root("approximate");
        inputs.root("anything");
        inputs
    }

    /// The root input called `name`. The embedder chooses the names: `Values`, `Chart`, `random`, …
    pub fn root(&mut self, name: &str) -> Input {
        self.at_key(None, name)
    }

    /// The input at `key` of a mapping.
    pub fn child(&mut self, parent: Input, key: &str) -> Input {
        self.at_key(Some(parent), key)
    }

    /// The input at `index` of a sequence.
    pub fn item(&mut self, parent: Input, index: usize) -> Input {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let Self { nodes, by_index, .. } = self;
        *by_index
            .entry((parent, index))
            .or_insert_with(|| add(nodes, Some(parent), Step::Index(index)))
    }

    /// The input that stands for which keys a mapping has, or how many items a sequence has: tests,
    /// loops and failed lookups depend on it. Its path is that of `container`.
    pub fn keys(&mut self, container: Input) -> Input {
        let Self { nodes, keys_of, .. } = self;
        *keys_of.entry(container).or_insert_with(|| add(nodes, Some(container), Step::Keys))
    }

    /// The parent of an input and the step from there; a root has no parent.
    pub fn step(&self, input: Input) -> (Option<Input>, &Step) {
        let node = &self.nodes[input.0 as usize];
        (node.parent, &node.step)
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

    /// An input, and all that contain it.
    pub fn with_containers(&self, input: Input) -> impl Iterator<Item = Input> {
        std::iter::successors(Some(input), |input| self.step(*input).0)
    }

    /// Whether `input` is `ancestor` or one of its descendants.
    pub(super) fn is_within(&self, input: Input, ancestor: Input) -> bool {
        self.with_containers(input).any(|one| one == ancestor)
    }

    fn at_key(&mut self, parent: Option<Input>, key: &str) -> Input {
        let children = self.by_key.entry(parent).or_default();
        if let Some(&input) = children.get(key) {
            return input;
        }
        let key: Arc<str> = key.into();
        let input = add(&mut self.nodes, parent, Step::Key(key.clone()));
        children.insert(key, input);
        input
    }
}

fn add(nodes: &mut Vec<Node>, parent: Option<Input>, step: Step) -> Input {
    nodes.push(Node { parent, step });
    Input(nodes.len() as u32 - 1)
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
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
        assert_eq!(inputs.root("Values"), values);
        assert_ne!(inputs.item(jobs, 1), first);
    }
}
