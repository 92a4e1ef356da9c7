//! Programs that the script is for, and whose failure nothing notices: `/app/import; echo done`, `java -jar
//! import.jar; java -jar index.jar`, `curl -f -o tool URL; ls`. The catalogue does not know what they do, but the script
//! does nothing else that matters.

use crate::{
    analysis::{Action, Analysis, HiddenBy, Invocation, Propagation},
    catalogue::{Catalogue, Effect, Verdict},
    command_line::{has_flag, operands, program_name},
    downloads, reports,
};

/// Interpreters that take the file of a program as their first operand.
const INTERPRETERS: [&str; 12] = [
    "bash", "dotnet", "go", "java", "node", "php", "python", "python3", "ruby", "sh", "ts-node",
    "tsx",
];

/// Endings of files that a program is in.
const PROGRAMS: [&str; 12] =
    [".dll", ".go", ".jar", ".js", ".mjs", ".php", ".pl", ".py", ".rb", ".sh", ".ts", "artisan"];

/// Programs that run what a project defines under a name, and parts of the name that say that it changes something.
const RUNNERS: [&str; 3] = ["npm", "pnpm", "yarn"];
const CHANGES: [&str; 4] = ["import", "migrat", "seed", "sync"];

/// Parts of a name or argument that say that a program only asks, or waits.
const ASKS: [&str; 9] =
    ["check", "health", "help", "log", "ping", "status", "test", "version", "wait"];

/// The programs, each with what hides its failure, and whether another one decides that may need what it does.
pub(crate) fn all(analysis: &Analysis) -> Vec<(&Invocation, HiddenBy, bool)> {
    if !analysis.waits.is_empty() || !analysis.unknown.is_empty() {
        return Vec::new();
    }
    let all = analysis.invocations.iter().enumerate();
    let is_minor =
        |one: &Invocation| !one.actions.is_empty() && one.actions.iter().all(|own| own.minor);
    let work = all.filter(|(index, one)| {
        may_change(one) && !is_minor(one) && !reports::is_report(analysis, *index)
    });
    let work: Vec<_> = work.map(|(_, one)| one).collect();
    if work.is_empty() {
        return unseen_downloads(analysis);
    }
    if !work.iter().all(|one| is_program(one)) {
        return Vec::new();
    }
    let feeds = |index: usize, one: &Invocation| {
        work[index + 1..].iter().any(|other| shares_operand(one, other))
    };
    let may_show = work.iter().any(|one| one.propagation.is_noticed());
    let own = work.iter().enumerate().filter(|(index, one)| !feeds(*index, one));
    let all = own.filter_map(|(_, one)| Some((*one, unseen(one)?, may_show)));
    // Who writes a message for the failure of one of several programs may do without that one.
    all.filter(|(_, by, may_show)| !may_show || *by == HiddenBy::LaterCommand).collect()
}

fn may_change(one: &Invocation) -> bool {
    let mut actions = one.actions.iter();
    !one.recognised || actions.any(|own| own.changes_state || own.verdict == Verdict::Depends)
}

/// What hides the failure of a command that runs in any case: what follows it, or a branch that only says so.
fn unseen(one: &Invocation) -> Option<HiddenBy> {
    match one.propagation {
        Propagation::Hidden(
            by @ (HiddenBy::Branch
            | HiddenBy::LaterCommand
            | HiddenBy::Loop
            | HiddenBy::OrMessage
            | HiddenBy::Reported
            | HiddenBy::SubshellExit
            | HiddenBy::Trap),
        ) if one.guards.is_empty() && !one.never_succeeds => Some(by),
        _ => None,
    }
}

/// Whether a command runs a program from a file, or one of a project, for more than an answer.
fn is_program(one: &Invocation) -> bool {
    let words: Vec<_> = one.words.iter().map(|word| word.value.as_str()).collect();
    let is_known = one.words.first().is_some_and(|word| !word.computed);
    // `go run ./cmd/import`
    let takes_run = one.program_name() == "go";
    let file = match INTERPRETERS.contains(&one.program_name()) {
        true => operands(&words).find(|word| !(takes_run && *word == "run")),
        false => words.first().copied().filter(|_| !one.recognised || is_open(one)),
    };
    let is_file = |file: &str| {
        file.starts_with(['/', '.']) && file.contains('/')
            || PROGRAMS.iter().any(|end| file.ends_with(end))
    };
    let has =
        |parts: &[&str]| words.iter().any(|word| parts.iter().any(|part| word.contains(part)));
    let is_run = RUNNERS.contains(&one.program_name()) && words.get(1) == Some(&"run");
    let asks = |word: &&str| {
        let said = said_by(word, file == Some(*word));
        ASKS.iter().any(|part| said.contains(part))
    };
    let is_work = file.is_some_and(is_file) || is_module(one) || is_run && has(&CHANGES);
    is_known && is_work && !words.iter().any(asks) && !file.is_some_and(is_of_container)
}

/// Whether a script is called like a program that prepares the container: `/usr/local/bin/adduser.sh`.
fn is_of_container(file: &str) -> bool {
    let stem = program_name(file).trim_end_matches(".sh");
    let known = Catalogue::built_in().command(&[stem]);
    known.is_some_and(|found| found.entry.effect == Effect::Container)
}

/// Whether a command is a module of a package, of `python -m shop.seed`.
fn is_module(one: &Invocation) -> bool {
    let name = one.words.first().map_or("", |word| word.value.as_str());
    let is_part = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    !one.recognised
        && name.contains('.')
        && name.split('.').all(is_part)
        && !name.starts_with("http.")
}

/// What a word tells about the work of a program: nothing, if it is the path of a file that the program is given.
fn said_by(word: &str, is_program: bool) -> &str {
    match word.contains('/') && !word.contains("://") && !is_program {
        true if word.starts_with('-') => word.split('=').next().unwrap_or_default(),
        true => "",
        false => word,
    }
}

/// Whether what a command does depends on the application: `manage.py sync_orders`.
fn is_open(one: &Invocation) -> bool {
    let is_open = |own: &Action| own.verdict == Verdict::Depends && !own.changes_state;
    !one.actions.is_empty() && one.actions.iter().all(is_open)
}

/// Whether two commands name the same file or variable, so that one may need what the other makes.
fn shares_operand(one: &Invocation, other: &Invocation) -> bool {
    let named = |one: &'_ Invocation| {
        let words = one.words.iter().skip(1).map(|word| word.value.clone());
        words.filter(|word| word.contains(['/', '$', '.'])).collect::<Vec<_>>()
    };
    let program = |word: &str| PROGRAMS.iter().any(|end| word.ends_with(end));
    let own = named(one);
    named(other).iter().any(|word| !program(word) && own.contains(word))
}

/// Downloads that are to fail where the server says so, of a script that does nothing else and whose last command looks for
/// none of the files.
fn unseen_downloads(analysis: &Analysis) -> Vec<(&Invocation, HiddenBy, bool)> {
    let Some(last) = analysis.invocations.last() else { return Vec::new() };
    let is_lost = |one: &&Invocation| {
        let words: Vec<_> = one.words.iter().map(|word| word.value.as_str()).collect();
        let fails = one.program_name() == "wget"
            || ["-f", "--fail", "--fail-with-body"].iter().any(|flag| has_flag(&words, flag));
        let target = downloads::target(&words).and_then(|file| file.rsplit('/').next());
        let is_looked_for = |name: &str| last.words.iter().any(|word| word.value.contains(name));
        fails && target.is_some_and(|name| !is_looked_for(name))
    };
    let all = analysis.invocations.iter().filter(is_lost);
    all.filter_map(|one| Some((one, unseen(one)?, false))).collect()
}
