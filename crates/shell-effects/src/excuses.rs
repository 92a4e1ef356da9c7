//! Excuses that do not hold: behind its `||` a script says that the work was done before, and nothing tells whether that is
//! why the command failed. Either its error messages are thrown away, or it is a migration, which does not fail for that.

use crate::{
    analysis::{Action, Analysis, HiddenBy, Invocation, Propagation},
    catalogue::Verdict,
    command_line::operands,
};

/// How many commands behind one are searched for one that needs what it makes.
const WINDOW: usize = 100;

/// Programs and subcommands that bring a database to the latest version of its schema, and record what they have done.
const MIGRATES: [(&str, &str); 9] = [
    ("alembic", "upgrade"),
    ("atlas", "migrate"),
    ("dbmate", "up"),
    ("diesel", "migration"),
    ("flask", "db"),
    ("flyway", "migrate"),
    ("goose", "up"),
    ("liquibase", "update"),
    ("migrate", "up"),
];

/// Parts of the name of a subcommand that say the same: `artisan migrate`, `rails db:migrate`, `typeorm migration:run`.
const MIGRATION: &str = "migrat";

/// Clients of databases that go through the statements of a file.
const CLIENTS: [&str; 4] = ["mariadb", "mysql", "psql", "sqlcmd"];

/// What a command leaves undone whose failure is excused so.
pub(crate) fn hollow(analysis: &Analysis, index: usize) -> Option<&Action> {
    let own = &analysis.invocations[index];
    let is_hidden =
        matches!(own.propagation, Propagation::Expected | Propagation::Hidden(HiddenBy::OrMessage));
    let works = |action: &&Action| action.changes_state && !action.is_removal();
    let mut actions = own.actions.iter().filter(works);
    let is_blind = |action: &&Action| {
        action.verdict == Verdict::FailsWhenRepeated
            && action.changes_more_than_files()
            && !action.is_request()
            && own.drops_errors
            && !is_named_later(analysis, index, action)
    };
    let migrates = migrates(own);
    actions.find(|action| migrates || is_blind(action)).filter(|_| own.excused && is_hidden)
}

/// Whether a command is a migration, or goes through a file of statements.
fn migrates(own: &Invocation) -> bool {
    let (program, values) = (own.program_name(), own.values());
    let subcommands: Vec<_> = operands(&values).take(3).collect();
    // `migrate` cannot go on after a failure, and does nothing where there is nothing to do.
    let may_repeat = |one: &Action| {
        matches!(one.verdict, Verdict::CannotRetry | Verdict::Depends | Verdict::Idempotent)
    };
    let is_migration =
        MIGRATES.iter().any(|(name, word)| program == *name && values.contains(word))
            || subcommands.iter().any(|word| word.contains(MIGRATION) && !word.contains('/'));
    let goes_on = |one: &Action| one.verdict == Verdict::Depends || one.hidden.is_some();
    let runs_file = CLIENTS.contains(&program) && own.actions.iter().any(goes_on);
    is_migration && own.actions.iter().any(may_repeat) || runs_file
}

/// Whether a later command names what the action makes: it fails, or is reported itself, where that is not there.
fn is_named_later(analysis: &Analysis, index: usize, action: &Action) -> bool {
    let own = &analysis.invocations[index];
    let values = own.values();
    let is_subcommand = |word: &&str| action.subcommands.split(' ').any(|one| one == *word);
    let made: Vec<_> = operands(&values).filter(|word| !is_subcommand(word)).collect();
    let is_unknown = made.iter().any(|word| word.contains('$'));
    let names = |word: &str| {
        made.iter().any(|made| {
            let rest = word.rsplit_once(made);
            rest.is_some_and(|(before, after)| {
                let ends = |text: &str, at_end: bool| {
                    let c = if at_end { text.chars().last() } else { text.chars().next() };
                    !c.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_')
                };
                ends(before, true) && ends(after, false)
            })
        })
    };
    let mut later = analysis.invocations[index + 1..].iter().take(WINDOW);
    later.any(|one| {
        let is_same = one.program_name() == own.program_name();
        let makes = one.actions.iter().any(|one| one.key == action.key);
        is_unknown && is_same && !makes || one.words.iter().skip(1).any(|word| names(&word.value))
    })
}
