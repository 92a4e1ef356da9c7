//! Commands without which the script fails.

use crate::analysis::{Analysis, Invocation};

/// How many commands behind one are searched for one that needs what it makes.
pub(crate) const WINDOW: usize = 100;

impl Analysis {
    /// The commands soon after the invocation at `index` that run whenever it does, and without which the script fails.
    pub(crate) fn decided_behind(&self, index: usize) -> impl Iterator<Item = &Invocation> {
        self.decided_after(index).map(|(_, one)| one)
    }

    /// The same, with their indexes.
    pub(crate) fn decided_after(&self, index: usize) -> impl Iterator<Item = (usize, &Invocation)> {
        let own = &self.invocations[index];
        let later = self.invocations.iter().enumerate().skip(index + 1).take(WINDOW);
        later.filter(|(_, one)| {
            let mut guards = one.guards.iter();
            one.propagation.is_noticed()
                // A list of thousands of commands has as many guards.
                && one.guards.len() <= own.guards.len()
                && guards.all(|guard| own.guards.contains(guard))
        })
    }
}

/// Programs that need nothing of what one before them makes.
pub(crate) const PASSES: [&str; 5] = ["date", "echo", "printf", "true", ":"];

/// Whether the client of a command stops at an error.
pub(crate) fn fails_by_itself(one: &Invocation) -> bool {
    one.actions.iter().all(|action| action.hidden.is_none())
}
