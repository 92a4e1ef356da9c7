//! Requests that tell a server how the work before them went: `pg_dump …; curl -X POST $URL -d '{"status": "done"}'`.

use crate::{
    analysis::{Action, Analysis, Invocation},
    dumps::is_dump,
    effects::http,
};

/// Keys of a body that hold the outcome of something.
const OUTCOMES: [&str; 6] = ["event:", "outcome:", "result:", "state:", "status:", "success:"];

/// Whether an invocation sends the outcome of other work, which comes before it, and nothing depends on its answer.
pub(crate) fn is_report(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let words: Vec<_> = own.words.iter().map(|word| word.value.as_str()).collect();
    let (before, after) = (&analysis.invocations[..index], &analysis.invocations[index + 1..]);
    let is_kept = own.variable.is_some() || own.answer_decides || !own.downloads.is_empty();
    let changes = |one: &Invocation| one.actions.iter().any(Action::changes_more_than_files);
    let is_work = |(at, one): (usize, &Invocation)| {
        let is_request = one.actions.iter().any(Action::is_request);
        !is_request && (changes(one) || is_dump(one, before.get(at + 1)))
    };
    let only_ends = |one: &Invocation| {
        !changes(one) || one.actions.iter().all(|action| action.minor) || is_same(one, own)
    };
    http::sends_key(&words, &OUTCOMES)
        && !is_kept
        && before.iter().enumerate().any(is_work)
        && after.iter().all(only_ends)
}

/// Whether two commands send to the same address: one branch says that it went well, the other that it did not.
fn is_same(one: &Invocation, other: &Invocation) -> bool {
    let address = |one: &Invocation| {
        let mut words = one.words.iter().map(|word| word.value.clone());
        words.find(|word| word.contains("://") || word.starts_with('$'))
    };
    one.program_name() == other.program_name() && address(one) == address(other)
}
