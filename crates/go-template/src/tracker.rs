//! The provenance state of a running execution.

use std::sync::Arc;

use crate::provenance::{
    FileId, Input, InputSet, Inputs, Position, PositionId, Positions, Provenance, SpanMap, Taint,
};

/// The action being executed, the conditions around it, and the tables that record both.
///
/// Separate from the executor so that functions can borrow it next to a value or a builder.
#[derive(Debug)]
pub struct Tracker {
    provenance: Provenance,
    on: bool,
    /// The conditions under which templates are executed at all.
    around: InputSet,
    /// The texts being executed, innermost last.
    running_texts: Vec<RunningText>,
    /// Hashes of the file names and of the texts built at run time, for [`Self::site`].
    file_names: Vec<u64>,
    text_hashes: Vec<u64>,
    /// Values that walks have visited since [`Self::take_visited`].
    visited: u64,
    /// Bytes added to the tables since [`Self::take_recorded`].
    recorded: usize,
    state: State,
}

/// A text being executed.
#[derive(Debug)]
struct RunningText {
    file: FileId,
    /// The origins of its parts, if they have different inputs.
    mixed: Option<Arc<SpanMap>>,
}

/// The point that execution has reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State {
    /// The conditions around the node being executed.
    control: InputSet,
    /// Inputs of the template text itself, where it came from a value and all of it has the same.
    source: InputSet,
    /// The text being executed, as an index into `Tracker::running_texts`.
    text: Option<usize>,
    /// The action or call being executed.
    position: Position,
    /// The call that led to the template being executed.
    caller: Option<PositionId>,
    /// A hash of the calls and loop iterations that lead here.
    path: u64,
    /// The id of `position`, assigned on demand.
    here: Option<PositionId>,
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
    pub(crate) fn new(provenance: Provenance, on: bool) -> Self {
        let text_hashes = provenance.positions.texts().map(hash).collect();
        Self {
            provenance,
            on,
            around: InputSet::EMPTY,
            running_texts: Vec::new(),
            file_names: Vec::new(),
            text_hashes,
            visited: 0,
            recorded: 0,
            state: START,
        }
    }

    /// Counts values that a walk over a nested value visits.
    pub(crate) fn visit(&mut self, values: u64) {
        self.visited += values;
    }

    /// The values visited since the last call.
    pub(crate) fn take_visited(&mut self) -> u64 {
        std::mem::take(&mut self.visited)
    }

    /// The bytes recorded since the last call.
    pub(crate) fn take_recorded(&mut self) -> usize {
        std::mem::take(&mut self.recorded)
    }

    /// Sets the inputs that decided whether the templates executed from now on are executed at all.
    pub fn execute_under(&mut self, control: InputSet) {
        self.around = control;
    }

    /// Sets the names of the files, indexed by [`FileId`], that [`Self::site`] hashes.
    pub fn name_files<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.file_names = names.map(|name| hash(name.as_bytes())).collect();
    }

    /// A hash of the action being executed and of the calls and loop iterations that lead to it. Every
    /// render that reaches the action the same way gets the same hash, whatever it does elsewhere.
    pub fn site(&self) -> u64 {
        let State { position: Position { file, start, .. }, path, .. } = self.state;
        let (hashes, index) = match file.0.checked_sub(FileId::DYNAMIC) {
            Some(index) => (&self.text_hashes, index),
            None => (&self.file_names, file.0),
        };
        let source = hashes.get(index as usize).copied().unwrap_or(file.0.into());
        mix(mix(path, source), start.into())
    }

    /// Whether provenance is recorded at all.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The inputs and the sets of them.
    pub fn inputs(&mut self) -> &mut Inputs {
        &mut self.provenance.inputs
    }

    /// The inputs of the `if`, `with` and `range` around the action being executed, in all templates
    /// that lead to it.
    pub fn control(&self) -> InputSet {
        self.state.control
    }

    /// The union of both taints.
    pub fn join(&mut self, a: Taint, b: Taint) -> Taint {
        self.provenance.inputs.join(a, b)
    }

    /// `taint` as a decision: all its inputs become control.
    pub fn decide(&mut self, taint: Taint) -> Taint {
        Taint::control(self.provenance.inputs.flatten(taint))
    }

    /// The input `key` below `parent`.
    pub fn child(&mut self, parent: Input, key: &str) -> Input {
        self.provenance.inputs.child(parent, key)
    }

    /// The action being executed.
    pub(crate) fn here(&mut self) -> PositionId {
        let State { position, caller, here, .. } = self.state;
        if let Some(here) = here {
            return here;
        }
        let here = self.provenance.positions.add(position, caller, false);
        self.recorded += Positions::ENTRY_SIZE;
        self.state.here = Some(here);
        here
    }

    /// The inputs behind everything printed now, independent of the position in the text being
    /// executed.
    pub(crate) fn around(&self) -> Taint {
        Taint { data: self.state.source, control: self.state.control }
    }

    /// The inputs behind everything that the current action prints, independent of the value.
    pub(crate) fn ambient(&mut self) -> Taint {
        let source = self.source_taint(self.state.position);
        self.join(self.around(), source)
    }

    /// The inputs of the template text at `position`, if its parts have different inputs.
    pub(crate) fn source_taint(&mut self, position: Position) -> Taint {
        let Self { provenance, running_texts, state, .. } = self;
        let Some(spans) = state.text.and_then(|index| running_texts[index].mixed.as_ref()) else {
            return Taint::NONE;
        };
        let parts = spans.parts(position.start as usize..position.end as usize);
        parts.fold(Taint::NONE, |taint, (_, part)| provenance.inputs.join(taint, part))
    }

    /// The origins of the text being executed, if its parts have different inputs.
    pub(crate) fn mixed_source(&self) -> Option<Arc<SpanMap>> {
        self.running_texts[self.state.text?].mixed.clone()
    }

    /// Adds what a tested value depends on to the conditions; returns the added inputs.
    pub(crate) fn add_condition(&mut self, tested: Taint) -> InputSet {
        if !self.on {
            return InputSet::EMPTY;
        }
        let inputs = &mut self.provenance.inputs;
        let condition = inputs.flatten(tested);
        self.state.control = inputs.union(self.state.control, condition);
        condition
    }

    /// Returns to the conditions `control`; returns those in force before.
    pub(crate) fn replace_control(&mut self, control: InputSet) -> InputSet {
        std::mem::replace(&mut self.state.control, control)
    }

    /// Enters a template: one that the embedder executes, or one that the current action calls.
    /// Returns the state for [`Self::restore`].
    pub(crate) fn enter_template(&mut self, file: FileId, is_outermost: bool) -> State {
        let outer = self.state;
        if is_outermost {
            self.state = State { control: self.around, ..START };
            return outer;
        }
        let path = self.site();
        let caller = self.on.then(|| self.here());
        let Taint { data: source, control } = self.ambient();
        let text = self.running_texts.iter().rposition(|text| text.file == file);
        self.state = State { caller, here: None, source, control, text, path, ..outer };
        outer
    }

    /// Enters iteration `turn` of a loop whose own path is `path`.
    pub(crate) fn enter_turn(&mut self, path: u64, turn: u64) {
        self.state.path = mix(path, turn);
    }

    pub(crate) fn path(&self) -> u64 {
        self.state.path
    }

    /// Enters a text that a template built; `whole` is the taint of the text as a value, `spans` are
    /// the origins of its parts. Everything the text prints depends on its inputs. If its parts have
    /// different inputs, each counts for what it prints, and all of them decide how the text is read.
    pub(crate) fn enter_text(
        &mut self,
        file: FileId,
        whole: Taint,
        spans: Option<Arc<SpanMap>>,
    ) -> State {
        let outer = self.state;
        if !self.on {
            return outer;
        }
        let mut taint = self.ambient();
        taint = self.join(taint, whole);
        let runs = spans.as_deref().map_or(&[][..], SpanMap::runs);
        let is_mixed = runs.windows(2).any(|pair| pair[0].taint != pair[1].taint);
        let mut inner = match &spans {
            Some(spans) => spans.summary(&mut self.provenance.inputs),
            None => Taint::NONE,
        };
        if is_mixed {
            inner = self.decide(inner);
        }
        let Taint { data: source, control } = self.join(taint, inner);
        self.running_texts.push(RunningText { file, mixed: spans.filter(|_| is_mixed) });
        self.state = State { source, control, text: None, ..outer };
        outer
    }

    pub(crate) fn leave_text(&mut self, outer: State) {
        if self.on {
            self.running_texts.pop();
        }
        self.state = outer;
    }

    /// Enters an action.
    pub(crate) fn enter(&mut self, position: Position) -> State {
        let outer = self.state;
        self.state = State { position, here: None, ..outer };
        outer
    }

    pub(crate) fn restore(&mut self, state: State) {
        self.state = state;
    }

    /// Leaves an action; keeps what it did to the conditions.
    pub(crate) fn leave(&mut self, state: State) {
        self.state = State { control: self.state.control, ..state };
    }

    /// An id for a position in the template being executed; none with provenance switched off.
    pub(crate) fn add_position(
        &mut self,
        position: Position,
        verbatim: bool,
    ) -> Option<PositionId> {
        self.on.then(|| {
            self.recorded += Positions::ENTRY_SIZE;
            self.provenance.positions.add(position, self.state.caller, verbatim)
        })
    }

    pub(crate) fn add_text(&mut self, name: &str, text: Arc<[u8]>) -> FileId {
        self.text_hashes.push(hash(&text));
        self.provenance.positions.add_text(name, text)
    }

    pub(crate) fn into_provenance(self) -> Provenance {
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

/// One step of an FNV hash over 64-bit words.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}
