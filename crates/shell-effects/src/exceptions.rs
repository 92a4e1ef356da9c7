//! Commands that are left out of a rule which the script follows elsewhere: it ends where others of their kind fail.

use crate::analysis::Analysis;

/// How many commands of a client end the script if they fail where one that does not is an exception.
const HABIT: usize = 2;

/// How many commands behind one are searched for them.
const WINDOW: usize = 100;

/// Whether later commands of the client, which change something too, end the script if they fail.
pub(crate) fn is_exception(analysis: &Analysis, index: usize) -> bool {
    let (own, later) = (&analysis.invocations[index], &analysis.invocations[index + 1..]);
    let ends_script = later.iter().take(WINDOW).filter(|one| {
        let mut actions = one.actions.iter();
        one.propagation.is_noticed()
            && one.program_name() == own.program_name()
            && actions.any(|action| action.changes_state && action.hidden.is_none())
    });
    ends_script.take(HABIT).count() == HABIT
}
