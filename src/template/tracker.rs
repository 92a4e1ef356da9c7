//! The provenance state of a running execution.

use crate::provenance::{Input, InputSet, Inputs, Place, Position, Provenance, Taint};

/// What is being executed, under which conditions, and the tables that record it.
///
/// Kept apart from the executor so that functions can borrow it next to a value or a builder.
#[derive(Debug)]
pub struct Tracker {
    provenance: Provenance,
    on: bool,
    /// The conditions around the node being executed.
    pub(super) control: InputSet,
    /// Inputs of the template text itself, where it came from a value (`tpl`).
    pub(super) source: InputSet,
    /// The action or call being executed.
    pub(super) position: Position,
    /// The call that led to the template being executed.
    pub(super) caller: Option<Place>,
    here: Option<Place>,
}

impl Tracker {
    pub(super) fn new(provenance: Provenance, on: bool, start: Position) -> Self {
        let (control, source) = (InputSet::EMPTY, InputSet::EMPTY);
        Self { provenance, on, control, source, position: start, caller: None, here: None }
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
        self.control
    }

    /// The action being executed.
    pub fn here(&mut self) -> Place {
        if let Some(place) = self.here {
            return place;
        }
        let place = self.provenance.places.add(self.position, self.caller, false);
        self.here = Some(place);
        place
    }

    /// Both taints together; nothing when provenance is off.
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

    /// Enters an action; returns what [`Self::leave`] needs to get back.
    pub(super) fn enter(&mut self, position: Position) -> (Position, Option<Place>) {
        (std::mem::replace(&mut self.position, position), self.here.take())
    }

    pub(super) fn leave(&mut self, (position, here): (Position, Option<Place>)) {
        self.position = position;
        self.here = here;
    }

    pub(super) fn place(&mut self, position: Position, verbatim: bool) -> Option<Place> {
        self.on.then(|| self.provenance.places.add(position, self.caller, verbatim))
    }

    pub(super) fn into_provenance(self) -> Provenance {
        self.provenance
    }
}
