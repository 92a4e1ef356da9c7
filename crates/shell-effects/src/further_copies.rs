//! Copies beside what a script keeps in any case: `tar -cf /backup/a …; cp /backup/a /backup/latest || true`.

use crate::{
    analysis::{Analysis, Invocation},
    command_line::operands,
};

/// Whether a `cp` copies a file that the script has made before, or one from a folder and to a folder between which it has
/// copied another, and fails where that one could not be written.
pub(crate) fn is_further_copy(analysis: &Analysis, index: usize) -> bool {
    let Some((sources, target)) = copied(&analysis.invocations[index]) else { return false };
    let before = analysis.invocations[..index].iter();
    before.filter(|one| one.propagation.is_noticed() && one.guards.is_empty()).any(|one| {
        let objects = || one.actions.iter().flat_map(|action| &action.objects);
        let makes = |source: &&str| objects().any(|object| object == source);
        let goes_along = || {
            copied(one).is_some_and(|(others, to)| {
                folder(to) == folder(target)
                    && others
                        .iter()
                        .any(|from| sources.iter().all(|own| folder(own) == folder(from)))
            })
        };
        sources.iter().all(makes) || goes_along()
    })
}

/// What a `cp` copies, and where to.
fn copied(one: &Invocation) -> Option<(Vec<&str>, &str)> {
    let words: Vec<_> = one.words.iter().map(|word| word.value.as_str()).collect();
    let mut named: Vec<_> = operands(&words).collect();
    let target = named.pop().filter(|_| one.program_name() == "cp" && !named.is_empty())?;
    Some((named, target))
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
