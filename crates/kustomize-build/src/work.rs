//! What a build costs. Copies and products can make a small kustomization arbitrarily expensive.

use crate::{
    error::{Error, Reason, Result},
    node::{Data, Node},
};

/// The most steps of one build: resources that a transformer looks at, values and texts that it copies. A step takes
/// some 100 ns and 10 bytes. Builds without optimisation are some twenty times slower.
const MOST: u64 = if cfg!(debug_assertions) { 2_000_000 } else { 20_000_000 };

/// The steps that a transformer spends on one resource that it looks at.
pub(crate) const LOOK: u64 = 8;

/// The steps that a build has taken.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work(u64);

impl Work {
    /// Counts steps.
    pub(crate) fn spend(&mut self, steps: u64) -> Result<()> {
        self.0 = self.0.saturating_add(steps);
        if self.0 <= MOST {
            return Ok(());
        }
        let message = format!("the build needs more than {} million steps", MOST / 1_000_000);
        Err(Error::new(Reason::Limit, message))
    }

    /// Counts a look at a number of resources.
    pub(crate) fn look(&mut self, resources: usize) -> Result<()> {
        self.spend(LOOK * resources as u64)
    }

    /// Counts a copy of a value.
    pub(crate) fn copy(&mut self, value: &Node) -> Result<()> {
        self.spend(size(value))
    }

    /// Counts the steps of another part of the build.
    pub(crate) fn add(&mut self, other: Self) -> Result<()> {
        self.spend(other.0)
    }
}

/// The steps that stand for the memory and the time of a value.
fn size(value: &Node) -> u64 {
    const NODE: u64 = 20;
    let below = match &value.data {
        Data::Scalar(scalar) => scalar.text.len() as u64 / 4,
        Data::Seq(items) => items.iter().map(size).sum(),
        Data::Map(entries) => entries.iter().map(|entry| size(&entry.value)).sum(),
    };
    NODE + below
}
