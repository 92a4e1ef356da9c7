//! Finds the values that flow as data into the images of workloads, and into anything else of them.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use go_template::provenance::{InputSet, Step};
use helm_render::{Override, Rendered, values::GLOBAL};
use yaml_spans::{Node, Value};

use super::{
    next::{self, Role},
    predict::RenderedWorkload,
};

/// How the scalar values of a chart flow into its workloads; the values are indexes of a list.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// The values that are a versioned part of an image.
    pub(super) images: HashMap<usize, Role>,
    /// All values that are part of the text of a workload.
    pub(super) data: HashSet<usize>,
}

impl Flows {
    /// Traces the workloads of a render to the `leaves` of its values.
    pub(super) fn of(
        rendered: &Rendered,
        works: &[RenderedWorkload<'_>],
        leaves: &[Override],
    ) -> Self {
        let index = leaves.iter().enumerate().map(|(at, leaf)| (&*leaf.path, at)).collect();
        let mut tracer =
            Tracer { rendered, leaves, index, sets: HashMap::new(), flows: Self::default() };
        for work in works {
            tracer.data(work);
            tracer.images(work, work.root);
        }
        tracer.flows
    }
}

struct Tracer<'a> {
    rendered: &'a Rendered,
    leaves: &'a [Override],
    index: HashMap<&'a [Step], usize>,
    /// The leaves of each set of inputs.
    sets: HashMap<InputSet, Sources>,
    flows: Flows,
}

/// The leaves behind a text.
#[derive(Clone, Debug, Default)]
struct Sources {
    exact: Vec<usize>,
    /// Those of a collection that flowed as a whole: any of its leaves may be behind the text.
    possible: Vec<usize>,
}

impl Tracer<'_> {
    fn data(&mut self, work: &RenderedWorkload<'_>) {
        let spans = &self.rendered.files[work.file].spans;
        let range = work.in_file(work.root.span).range();
        for span in spans.trace(&self.rendered.provenance, range) {
            let Sources { exact, possible } = self.sources(span.data);
            self.flows.data.extend(exact.into_iter().chain(possible));
        }
    }

    /// Traces the images below a node: the scalars at `image`, and at `image.reference` of a volume.
    fn images(&mut self, work: &RenderedWorkload<'_>, node: &Node) {
        match &node.value {
            Value::Map(map) => {
                for entry in &map.entries {
                    let image = entry.value.get("reference").unwrap_or(&entry.value);
                    match image.as_str() {
                        Some(_) if &*entry.key == "image" => self.image(work, image),
                        _ => self.images(work, &entry.value),
                    }
                }
            }
            Value::Seq(items) => items.iter().for_each(|item| self.images(work, item)),
            _ => {}
        }
    }

    fn image(&mut self, work: &RenderedWorkload<'_>, image: &Node) {
        let made = &self.rendered.files[work.file];
        let own = work.in_file(image.span).range();
        let Some(text) = made.text.get(own.clone()) else { return };
        let image = Image::of(text.trim_matches(['"', '\'']));
        let skipped = text.len() - text.trim_start_matches(['"', '\'']).len();
        for span in made.spans.trace(&self.rendered.provenance, own.clone()) {
            let at = |offset: usize| offset.saturating_sub(own.start + skipped);
            let range = at(span.range.start)..at(span.range.end).min(image.text.len());
            if range.is_empty() {
                continue;
            }
            let Sources { exact, possible } = self.sources(span.data);
            let is_sole = exact.len() == 1 && possible.is_empty();
            let whole = 0..image.text.len();
            let exact = exact.into_iter().map(|leaf| (leaf, &range));
            for (leaf, part) in exact.chain(possible.into_iter().map(|leaf| (leaf, &whole))) {
                let text = next::text(&self.leaves[leaf].value);
                if let Some(role) = text.and_then(|text| image.role(&text, part, is_sole)) {
                    self.flows.images.entry(leaf).or_insert(role);
                }
            }
        }
    }

    fn sources(&mut self, set: InputSet) -> Sources {
        if let Some(known) = self.sets.get(&set) {
            return known.clone();
        }
        let inputs = &self.rendered.provenance.inputs;
        let mut found = Sources::default();
        for member in inputs.members(set) {
            self.add(&inputs.steps(member), &mut found);
        }
        self.sets.insert(set, found.clone());
        found
    }

    /// Adds the leaves at or below an input.
    fn add(&self, steps: &[&Step], found: &mut Sources) {
        let path: Vec<Step> = match steps.split_first() {
            Some((Step::Key(root), rest)) if &**root == "Values" => {
                rest.iter().map(|step| (*step).clone()).collect()
            }
            Some((Step::Key(root), [])) if &**root == "anything" => Vec::new(),
            _ => return,
        };
        if matches!(path.last(), Some(Step::Keys)) {
            return;
        }
        let path = self.shared(&path);
        match self.index.get(path) {
            Some(leaf) => found.exact.push(*leaf),
            None => {
                let below = |leaf: &usize| self.leaves[*leaf].path.starts_with(path);
                found.possible.extend((0..self.leaves.len()).filter(below));
            }
        }
    }

    /// The path in the parent chart of a `global` value that a sub-chart inherits.
    fn shared<'p>(&self, path: &'p [Step]) -> &'p [Step] {
        let is_global = |step: &Step| matches!(step, Step::Key(key) if &**key == GLOBAL);
        let above = path.iter().skip(1).position(is_global).map(|at| &path[at + 1..]);
        above.filter(|above| self.index.contains_key(above)).unwrap_or(path)
    }
}

/// An image reference, as rendered.
struct Image<'t> {
    text: &'t str,
    tag: Range<usize>,
    digest: Range<usize>,
}

impl<'t> Image<'t> {
    fn of(text: &'t str) -> Self {
        let at = text.find('@');
        let name = at.unwrap_or(text.len());
        let colon = text[..name].rfind(':').filter(|colon| !text[*colon..name].contains('/'));
        Self {
            text,
            tag: colon.map_or(name, |colon| colon + 1)..name,
            digest: at.map_or(text.len(), |at| at + 1)..text.len(),
        }
    }

    /// What a value is to the part `range` of this image; `None` for a part that stays the same in the next
    /// release. `is_sole`: no other value is behind that part.
    fn role(&self, value: &str, range: &Range<usize>, is_sole: bool) -> Option<Role> {
        let value = value.trim();
        if value.is_empty() {
            return None;
        }
        let meets = |part: &Range<usize>| range.start < part.end && part.start < range.end;
        let within = |part: &Range<usize>| part.start <= range.start && range.end <= part.end;
        let is_one_word = !value.contains(char::is_whitespace) && !value.contains("{{");
        match (meets(&self.tag), meets(&self.digest)) {
            (false, false) => (is_one_word && is_sole).then(|| next::versioned_name(value))?,
            _ if !is_one_word => self.inside(value),
            (_, true) if within(&self.digest) => Some(Role::Digest),
            _ if next::is_digest(value) => {
                (is_sole || self.text.contains(value)).then_some(Role::Digest)
            }
            _ if next::reference(value).is_some() => {
                (is_sole || self.text.ends_with(value)).then_some(Role::Reference)
            }
            (true, _) if within(&self.tag) => Some(Role::Tag),
            _ if self.text[self.tag.clone()] == *value => Some(Role::Tag),
            _ if self.text[self.digest.clone()] == *value => Some(Role::Digest),
            // A part of the tag, or the only input of a helper that makes the whole reference.
            _ => (is_sole && !value.contains('/') && self.text[self.tag.clone()].contains(value))
                .then_some(Role::Tag),
        }
    }

    /// The reference inside a longer text, such as a template or manifest that `tpl` executes.
    fn inside(&self, value: &str) -> Option<Role> {
        let literal = match value.rfind("}}") {
            Some(at) if !value.contains(self.text) => &value[at + 2..],
            _ => self.text,
        };
        let (before, version) = next::reference(literal)?;
        let is_own = value.contains(literal) && self.text.ends_with(literal);
        let to = format!("{before}{}", next::next_of(version));
        is_own.then(|| Role::Inside { from: literal.into(), to: to.into() })
    }
}
