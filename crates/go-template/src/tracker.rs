//! The provenance state of a running execution.

use std::sync::Arc;

use super::{Text, Value};
use crate::provenance::{
    FileId, Input, InputSet, Inputs, Place, Position, Provenance, SpanMap, Taint,
};

/// What is being executed, under which conditions, and the tables that record it.
///
/// Kept apart from the executor so that functions can borrow it next to a value or a builder.
#[derive(Debug)]
pub struct Tracker {
    provenance: Provenance,
    on: bool,
    /// The conditions under which templates are executed at all.
    around: InputSet,
    /// The texts being executed, innermost last.
    sources: Vec<Source>,
    /// What stands for the files in [`Self::site`], and for the texts made at run time.
    names: Vec<u64>,
    texts: Vec<u64>,
    state: State,
}

/// A text being executed.
#[derive(Debug)]
struct Source {
    file: FileId,
    /// The text, where its parts have inputs of their own.
    mixed: Option<Text>,
}

/// Where execution is.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The conditions around the node being executed.
    control: InputSet,
    /// Inputs of the template text itself, where it came from a value (`tpl`) and all of it from the same.
    source: InputSet,
    /// The text being executed, by its place in `Tracker::sources`.
    text: Option<usize>,
    /// The action or call being executed.
    position: Position,
    /// The call that led to the template being executed.
    caller: Option<Place>,
    /// Stands for all calls and turns of loops on the way to it.
    path: u64,
    /// The place of `position`, once somebody needed it.
    here: Option<Place>,
}

const START: State = State {
    control: InputSet::EMPTY,
    source: InputSet::EMPTY,
    text: None,
    position: Position { file: FileId(0), start: 0, end: 0 },
    caller: None,
    path: 0,
    here: None,
};

impl Tracker {
    pub(super) fn new(provenance: Provenance, on: bool) -> Self {
        let (sources, names, texts) = (Vec::new(), Vec::new(), Vec::new());
        Self { provenance, on, around: InputSet::EMPTY, sources, names, texts, state: START }
    }

    /// States the inputs that decided that the templates executed from now on are executed.
    pub fn execute_under(&mut self, control: InputSet) {
        self.around = control;
    }

    /// States the names of the files, by [`FileId`]: see [`Self::site`].
    pub fn name_files<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.names = names.map(|name| hash(name.as_bytes())).collect();
    }

    /// Stands for the action being executed and the calls and turns of loops that led there: the same in
    /// every render that comes there the same way, whatever it does elsewhere.
    pub fn site(&self) -> u64 {
        let State { position: Position { file, start, .. }, path, .. } = self.state;
        let (known, index) = match file.0.checked_sub(FileId::DYNAMIC) {
            Some(index) => (&self.texts, index),
            None => (&self.names, file.0),
        };
        let name = known.get(index as usize).copied().unwrap_or(file.0.into());
        mix(mix(path, name), start.into())
    }

    /// Whether provenance is recorded at all.
    pub fn is_on(&self) -> bool {
        self.on
    }

    pub fn inputs(&mut self) -> &mut Inputs {
        &mut self.provenance.inputs
    }

    /// The inputs of the `if`, `with` and `range` around the action being executed, in all
    /// templates on the way to it.
    pub fn control(&self) -> InputSet {
        self.state.control
    }

    /// The action being executed.
    pub fn here(&mut self) -> Place {
        let State { position, caller, here, .. } = &mut self.state;
        *here.get_or_insert_with(|| self.provenance.places.add(*position, *caller, false))
    }

    /// Both taints together.
    pub fn join(&mut self, a: Taint, b: Taint) -> Taint {
        self.provenance.inputs.join(a, b)
    }

    /// `taint` as a decision: all its inputs become control.
    pub fn decide(&mut self, taint: Taint) -> Taint {
        Taint { data: InputSet::EMPTY, control: self.provenance.inputs.flatten(taint) }
    }

    /// The input `key` below `parent`.
    pub fn child(&mut self, parent: Input, key: &str) -> Input {
        self.provenance.inputs.child(parent, key)
    }

    /// What everything printed now depends on, wherever in the text being executed it stands.
    pub(super) fn around(&self) -> Taint {
        Taint { data: self.state.source, control: self.state.control }
    }

    /// What everything that the current action prints depends on, whatever it is.
    pub(super) fn ambient(&mut self) -> Taint {
        let written = self.written(self.state.position);
        self.join(self.around(), written)
    }

    /// The inputs of the template text at `position` itself, where its parts have inputs of their own.
    pub(super) fn written(&mut self, position: Position) -> Taint {
        let Self { provenance, sources, state, .. } = self;
        let Some(text) = state.text.and_then(|number| sources[number].mixed.as_ref()) else {
            return Taint::NONE;
        };
        let range = position.start as usize..position.end as usize;
        let parts = text.spans().into_iter().flat_map(|spans| spans.parts(range.clone()));
        parts.fold(Taint::NONE, |taint, (_, part)| provenance.inputs.join(taint, part))
    }

    /// The text being executed, where its parts have inputs of their own.
    pub(super) fn mixed_text(&self) -> Option<Text> {
        self.sources[self.state.text?].mixed.clone()
    }

    /// Adds a tested value to the conditions; returns what it contributes.
    pub(super) fn condition(&mut self, value: &Value) -> InputSet {
        if !self.on {
            return InputSet::EMPTY;
        }
        let observed = value.observed(self);
        let inputs = &mut self.provenance.inputs;
        let condition = inputs.flatten(observed);
        self.state.control = inputs.union(self.state.control, condition);
        condition
    }

    /// Goes back to the conditions `control`; returns those in force.
    pub(super) fn replace_control(&mut self, control: InputSet) -> InputSet {
        std::mem::replace(&mut self.state.control, control)
    }

    /// Enters the template that the current action calls, or an executed one; returns what
    /// [`Self::restore`] needs.
    pub(super) fn enter_template(&mut self, file: FileId, is_executed: bool) -> State {
        let outer = self.state;
        if is_executed {
            self.state = State { control: self.around, ..START };
            return outer;
        }
        let path = self.site();
        let caller = self.on.then(|| self.here());
        let Taint { data: source, control } = self.ambient();
        let text = self.sources.iter().rposition(|source| source.file == file);
        self.state = State { caller, here: None, source, control, text, path, ..outer };
        outer
    }

    /// Enters a turn of a loop in the template being executed, whose own path is `path`.
    pub(super) fn enter_turn(&mut self, path: u64, turn: u64) {
        self.state.path = mix(path, turn);
    }

    pub(super) fn path(&self) -> u64 {
        self.state.path
    }

    /// Counts the inputs of a text for all that the templates in it print. Where its parts have inputs
    /// of their own, these count for what is made there, and all of them decide how the text is read.
    pub(super) fn enter_text(&mut self, file: FileId, value: &Value) -> State {
        let outer = self.state;
        if !self.on {
            return outer;
        }
        let mut taint = self.ambient();
        taint = self.join(taint, value.taint());
        let text = value.as_text();
        let runs = text.and_then(Text::spans).map_or(&[][..], SpanMap::runs);
        let is_mixed = runs.windows(2).any(|pair| pair[0].taint != pair[1].taint);
        let mut inner = text.map_or(Taint::NONE, |text| text.inner_taint(self));
        if is_mixed {
            inner = self.decide(inner);
        }
        let Taint { data: source, control } = self.join(taint, inner);
        self.sources.push(Source { file, mixed: text.filter(|_| is_mixed).cloned() });
        self.state = State { source, control, text: None, ..outer };
        outer
    }

    pub(super) fn leave_text(&mut self, outer: State) {
        if self.on {
            self.sources.pop();
        }
        self.state = outer;
    }

    /// Enters an action.
    pub(super) fn enter(&mut self, position: Position) -> State {
        let outer = self.state;
        self.state = State { position, here: None, ..outer };
        outer
    }

    pub(super) fn restore(&mut self, state: State) {
        self.state = state;
    }

    /// Leaves an action; what it did to the conditions stays.
    pub(super) fn leave(&mut self, state: State) {
        self.state = State { control: self.state.control, ..state };
    }

    pub(super) fn place(&mut self, position: Position, verbatim: bool) -> Option<Place> {
        self.on.then(|| self.provenance.places.add(position, self.state.caller, verbatim))
    }

    pub(super) fn add_text(&mut self, name: &str, text: Arc<[u8]>) -> FileId {
        self.texts.push(hash(&text));
        self.provenance.places.add_text(name, text)
    }

    pub(super) fn into_provenance(self) -> Provenance {
        self.provenance
    }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash, u64::from_le_bytes(word))
    })
}

/// A step of the FNV hash, by words.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}
