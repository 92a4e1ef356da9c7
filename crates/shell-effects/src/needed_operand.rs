//! Variables without which what follows fails, whichever branch it takes: `id=$(create); if …; then wait "$id" || exit 1; else
//! show "$id" || exit 1; fi`.

use crate::{
    analysis::{Analysis, Guard, Invocation, Variable},
    decided::fails_by_itself,
    text::ElementSpan,
};

/// How many commands behind one are searched for those that take its variable.
const WINDOW: usize = 100;

/// Programs that do not fail where an operand is empty.
const PASSES: [&str; 9] = ["[", "[[", "cat", "date", "echo", "export", "printf", "test", "true"];

/// Whether commands that decide take the variable which keeps what the invocation at `index` prints as an operand, one in each
/// branch: without it the script fails.
pub(crate) fn is_taken_everywhere(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let Some(variable) = &own.variable else { return false };
    let later = analysis.invocations[index + 1..].iter().take(WINDOW);
    let takes = later.filter(|one| decides(one) && takes(one, variable));
    let paths: Vec<_> = takes.map(|one| conditions(one, own)).collect();
    let is_loop = |path: &Vec<&Guard>| path.iter().any(|guard| guard.of_loop);
    let paths: Vec<_> = paths.into_iter().filter(|path| !is_loop(path)).collect();
    covers(&paths.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn decides(one: &Invocation) -> bool {
    one.propagation.is_noticed() && fails_by_itself(one) && !PASSES.contains(&one.program_name())
}

/// Whether a word of the command is the variable, and no value of an option.
fn takes(one: &Invocation, Variable { name, value }: &Variable) -> bool {
    let forms = [format!("${name}"), format!("${{{name}}}"), value.clone()];
    let is_operand = |pair: &[&str]| {
        let is_value = pair[0].starts_with('-') && !pair[0].contains('=');
        !is_value && forms.iter().any(|own| pair[1] == own)
    };
    one.values().windows(2).any(is_operand)
}

/// The conditions under which a command runs besides those of an earlier one.
fn conditions<'a>(one: &'a Invocation, earlier: &Invocation) -> Vec<&'a Guard> {
    one.guards.iter().filter(|guard| !earlier.guards.contains(guard)).collect()
}

/// Whether one of the paths is taken, however the conditions turn out.
fn covers(paths: &[&[&Guard]]) -> bool {
    let mut seen: Vec<ElementSpan> = Vec::new();
    for path in paths {
        let Some(first) = path.first() else { return true };
        if seen.contains(&first.location) {
            continue;
        }
        seen.push(first.location);
        let behind = |holds: bool| {
            let own = paths.iter().filter(|path| {
                path.first().is_some_and(|it| it.location == first.location && it.holds == holds)
            });
            own.map(|path| &path[1..]).collect::<Vec<_>>()
        };
        if covers(&behind(true)) && covers(&behind(false)) {
            return true;
        }
    }
    false
}
