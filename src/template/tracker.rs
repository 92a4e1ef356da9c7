//! The provenance state of a running execution.

use std::sync::Arc;

use super::{Text, Value};
use crate::provenance::{FileId, Input, InputSet, Inputs, Place, Position, Provenance, Taint};

/// What is being executed, under which conditions, and the tables that record it.
///
/// Kept apart from the executor so that functions can borrow it next to a value or a builder.
#[derive(Debug)]
pub struct Tracker {
    provenance: Provenance,
    on: bool,
    /// The conditions under which templates are executed at all.
    around: InputSet,
    state: State,
}

/// Where execution is.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// The conditions around the node being executed.
    control: InputSet,
    /// Inputs of the template text itself, where it came from a value (`tpl`).
    source: InputSet,
    /// The action or call being executed.
    position: Position,
    /// The call that led to the template being executed.
    caller: Option<Place>,
    /// The place of `position`, once somebody needed it.
    here: Option<Place>,
}

const START: State = State {
    control: InputSet::EMPTY,
    source: InputSet::EMPTY,
    position: Position { file: FileId(0), start: 0, end: 0 },
    caller: None,
    here: None,
};

impl Tracker {
    pub(super) fn new(provenance: Provenance, on: bool) -> Self {
        Self { provenance, on, around: InputSet::EMPTY, state: START }
    }

    /// States the inputs that decided that the templates executed from now on are executed.
    pub fn execute_under(&mut self, control: InputSet) {
        self.around = control;
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

    /// What everything printed now depends on, whatever it is.
    pub(super) fn ambient(&self) -> Taint {
        Taint { data: self.state.source, control: self.state.control }
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
    pub(super) fn enter_template(&mut self, is_executed: bool) -> State {
        let caller = (self.on && !is_executed).then(|| self.here());
        let outer = self.state;
        let start = State { control: self.around, ..START };
        self.state = State { caller, here: None, ..if is_executed { start } else { outer } };
        outer
    }

    /// Counts the inputs of a text for all that the templates in it print. Where the text was made of
    /// several, which of them is behind what is not told apart.
    pub(super) fn enter_text(&mut self, text: &Value) -> State {
        let outer = self.state;
        let observed = text.observed(self);
        let runs = text.as_text().and_then(Text::spans).map_or(&[][..], |spans| spans.runs());
        let is_mixed = runs.windows(2).any(|pair| pair[0].taint != pair[1].taint);
        let inputs = &mut self.provenance.inputs;
        let mut source = inputs.flatten(observed);
        if is_mixed {
            source = inputs.union(source, InputSet::APPROXIMATE);
        }
        self.state.source = inputs.union(self.state.source, source);
        outer
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
        self.provenance.places.add_text(name, text)
    }

    pub(super) fn into_provenance(self) -> Provenance {
        self.provenance
    }
}
