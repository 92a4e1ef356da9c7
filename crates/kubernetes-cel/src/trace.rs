//! Where values come from: the way from a variable.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::evaluated::{Read, Step};

/// Reads that are kept.
const MOST: usize = 10_000;

/// A place in a variable. Paths share their beginnings.
pub(crate) type Path = Rc<Place>;

#[derive(Debug)]
pub(crate) struct Place {
    parent: Option<Path>,
    step: Step,
    is_present: bool,
}

/// The place of a variable.
pub(crate) fn root(name: &str) -> Path {
    Rc::new(Place { parent: None, step: Step::Field(name.to_owned()), is_present: true })
}

/// A place below another one.
pub(crate) fn below(parent: Option<&Path>, step: Step, is_present: bool) -> Option<Path> {
    parent.map(|parent| Rc::new(Place { parent: Some(parent.clone()), step, is_present }))
}

/// The places that were read, in order. What turns out not to matter is cut out again.
#[derive(Debug, Default)]
pub(crate) struct Reads(Vec<Path>);

impl Reads {
    pub(crate) fn add(&mut self, path: Option<&Path>) {
        if self.0.len() < MOST {
            self.0.extend(path.cloned());
        }
    }

    /// The number of reads so far: what comes after can be cut out.
    pub(crate) fn mark(&self) -> usize {
        self.0.len()
    }

    /// Forgets the reads from a mark on.
    pub(crate) fn forget(&mut self, from: usize) {
        self.0.truncate(from);
    }

    /// Forgets the reads between two marks.
    pub(crate) fn cut(&mut self, from: usize, to: usize) {
        self.0.drain(from..to);
    }

    pub(crate) fn paths(&self) -> &[Path] {
        &self.0
    }

    /// Each read once.
    pub(crate) fn list(&self) -> Vec<Read> {
        let mut seen = BTreeSet::new();
        let reads = self.0.iter().map(|path| read(path));
        reads.filter(|read| seen.insert(read.clone())).collect()
    }
}

fn read(path: &Place) -> Read {
    let mut places = vec![path];
    while let Some(parent) = places.last().and_then(|place| place.parent.as_deref()) {
        places.push(parent);
    }
    let mut places = places.into_iter().rev();
    let root = match places.next().map(|place| &place.step) {
        Some(Step::Field(name)) => name.clone(),
        _ => String::new(),
    };
    let places: Vec<_> = places.collect();
    let present = places.iter().take_while(|place| place.is_present).count();
    Read { root, steps: places.into_iter().map(|place| place.step.clone()).collect(), present }
}
