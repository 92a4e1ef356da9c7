//! Objects that a script makes and removes, or removes and makes again: the next run finds what this one found.

use crate::{analysis::Invocation, catalogue::Verdict, changed_objects};

/// How many commands beside one are searched for the one that undoes it.
const WINDOW: usize = 200;

/// Excuses commands that another one of the script undoes.
pub(super) fn excuse(invocations: &mut [Invocation]) {
    let changed: Vec<_> = invocations.iter().map(changed_objects::changed_by).collect();
    let undoes = |at: usize, of: usize| {
        let own = changed[of].iter().filter(|own| !own.name.is_empty());
        let is_undone = |own: &changed_objects::ChangedObject| {
            changed[at]
                .iter()
                .any(|other| other.name == own.name && other.is_removed != own.is_removed)
        };
        let mut own = own.peekable();
        own.peek().is_some() && own.all(is_undone)
    };
    for index in (0..invocations.len()).filter(|index| !changed[*index].is_empty()) {
        let end = invocations.len().min(index + WINDOW);
        let is_later =
            (index + 1..end).any(|at| undoes(at, index) && !invocations[at].detects_rerun());
        let is_earlier = (index.saturating_sub(WINDOW)..index).any(|at| undoes(at, index));
        for action in &mut invocations[index].actions {
            match (action.verdict, action.removes) {
                (Verdict::FailsWhenRepeated, true) if is_later || is_earlier => {
                    action.verdict = Verdict::Idempotent;
                }
                (Verdict::FailsWhenRepeated, false) if is_later => action.after_failure = true,
                _ => {}
            }
        }
    }
}
