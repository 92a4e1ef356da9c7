//! What one turn of a loop that waits leaves to see: a pause, a line in the log, the reason of a failure.

use crate::{
    analysis::{Invocation, Turn},
    ast::{Command, CommandKind, Connector, List, Loop, Statement},
    catalogue::Verdict,
    effects, sessions,
    shell::Shell,
};

/// Programs that print nothing when what they ask for is not there.
const SILENT: [&str; 9] = [":", "[", "[[", "false", "getent", "pgrep", "test", "true", "which"];

/// Programs that print nothing with one of these options, unless one of the others is there, too.
///
/// Sources: `curl(1)` (`--silent`, `--show-error`), `wget(1)`, `grep(1)`, `pg_isready(1)`, `mysqladmin(1)`.
const QUIET: [(&str, &[&str], &[&str]); 5] = [
    ("curl", &["-s", "--silent"], &["-S", "--show-error"]),
    ("grep", &["-q", "--quiet", "--silent"], &[]),
    ("mysqladmin", &["-s", "--silent"], &[]),
    ("pg_isready", &["-q", "--quiet"], &[]),
    ("wget", &["-q", "--quiet"], &[]),
];

/// Tests of `[` for a file that another container may write.
const FILE_TESTS: [&str; 6] = ["-f", "-e", "-s", "-d", "-r", "-S"];

impl Turn {
    /// What a turn of the loop does; `asked` is what decides whether it goes on.
    pub(crate) fn of(
        shell: &Shell<'_>,
        command: &Command,
        clause: &Loop,
        asked: &[Invocation],
    ) -> Self {
        Self {
            pauses: pauses(shell, clause),
            says_why: says_why(shell, command, clause, asked),
            hides_refusal: hides_refusal(shell, clause, asked),
            asks_localhost: asks_localhost(shell, clause),
            asks_for_file: asks_for_file(shell, clause),
            only_probes: !asked.is_empty() && asked.iter().all(is_probe),
            stopped_clock: looks_at_stopped_clock(shell, command),
            compares_itself: compares_itself(shell, clause),
        }
    }
}

/// Whether each turn that does not end the loop passes time.
fn pauses(shell: &Shell<'_>, clause: &Loop) -> bool {
    let condition = shell.written(clause.condition.span());
    words(condition).any(|word| word == "sleep") || shell.pauses(&clause.body)
}

impl Shell<'_> {
    /// Whether a list sleeps or leaves the loop, whichever way it goes.
    fn pauses(&self, list: &List) -> bool {
        let in_statement = |statement: &Statement| {
            // `ready && break || sleep 5`
            let mut others = statement.rest.iter().filter(|(own, _)| *own == Connector::Or);
            let commands = &statement.first.commands;
            commands.iter().any(|command| self.pauses_in(command, statement.rest.is_empty()))
                || others.any(|(_, other)| {
                    other.commands.iter().any(|command| self.pauses_in(command, false))
                })
        };
        list.statements.iter().any(in_statement)
    }

    fn pauses_in(&self, command: &Command, may_leave: bool) -> bool {
        let sleeps = |text: &str| words(text).any(|word| word == "sleep");
        match &command.kind {
            CommandKind::Simple(simple) => simple.words.first().is_some_and(|word| {
                let name = self.written(word.span);
                let leaves = may_leave && matches!(name, "break" | "exit" | "return");
                leaves || sleeps(self.written(command.span))
            }),
            CommandKind::Group(list) | CommandKind::Subshell(list) => self.pauses(list),
            CommandKind::If(clause) => {
                let ends = clause.otherwise.as_ref().is_some_and(|list| self.pauses(list));
                ends && clause.branches.iter().all(|(_, list)| self.pauses(list))
            }
            CommandKind::Case(clause) => clause.arms.iter().all(|(_, list)| self.pauses(list)),
            CommandKind::For(_) | CommandKind::Loop(_) => sleeps(self.written(command.span)),
            _ => false,
        }
    }
}

/// Whether the log tells what is not there yet: the loop prints something on each turn or before the first, or what it runs
/// does, and no refusal is thrown away.
fn says_why(shell: &Shell<'_>, command: &Command, clause: &Loop, asked: &[Invocation]) -> bool {
    let condition = shell.written(clause.condition.span());
    let before =
        shell.source.value[..command.span.range().start].trim_end_matches([' ', ';', '\n']);
    let before = before.rsplit(['\n', ';']).next().unwrap_or_default();
    let prints = |text: &str| words(text).any(|word| matches!(word, "echo" | "printf"));
    let tells = prints(shell.written(clause.body.span())) || prints(before);
    (tells || prints_answer(condition)) && !hides_refusal(shell, clause, asked)
}

/// Whether an error that would say more than that something is not up is thrown away.
fn hides_refusal(shell: &Shell<'_>, clause: &Loop, asked: &[Invocation]) -> bool {
    // `while [ "$(kubectl get pods 2>/dev/null | wc -l)" != 0 ]`: an empty answer ends the loop.
    let ends_if_refused = !clause.until && super::tested(shell, clause).is_some()
        || shell.goes_on_while_found(clause);
    !ends_if_refused && discards_errors(test(shell, clause)) && !asked.iter().all(is_probe)
}

/// Whether the condition prints on each turn what is not up yet.
fn prints_answer(condition: &str) -> bool {
    let mut all = condition.split_whitespace().skip_while(|word| *word == "!");
    let program = all.next().unwrap_or_default();
    let options: Vec<_> = all.filter(|word| word.starts_with('-')).collect();
    let has = |option: &str| options.iter().any(|one| is_option(one, option));
    let is_taken = condition.contains(['>', '|', '`']) || condition.contains("$(");
    let is_quiet = |(own, quiet, loud): &(&str, &[&str], &[&str])| {
        *own == program && quiet.iter().any(|one| has(one)) && !loud.iter().any(|one| has(one))
    };
    // `nc` prints what happens with `-v` alone.
    let is_silent = SILENT.contains(&program) || program == "nc" && !has("-v");
    !is_taken && !program.is_empty() && !is_silent && !QUIET.iter().any(is_quiet)
}

/// Whether a word is an option: `-s` is in `-fsS`.
fn is_option(word: &str, option: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    match (letters, option.strip_prefix('-').filter(|rest| rest.len() == 1)) {
        (Some(letters), Some(letter)) => letters.contains(letter),
        _ => word == option,
    }
}

/// Whether standard error goes to `/dev/null`.
fn discards_errors(text: &str) -> bool {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let both = compact.contains(">/dev/null") && compact.contains("2>&1");
    both || ["2>/dev/null", "&>/dev/null", ">&/dev/null"].iter().any(|own| compact.contains(own))
}

/// Whether a command asks only whether something is up, so that its error would say no more.
fn is_probe(invocation: &Invocation) -> bool {
    let words: Vec<_> = invocation.words.iter().map(|word| word.value.as_str()).collect();
    let asks = || invocation.actions.iter().all(|one| one.verdict == Verdict::Readiness);
    let signs_in = || sessions::signs_in(invocation) || words.contains(&"credentials");
    let only_passes = ["[", "test", "echo", "printf", "grep", "sleep", "true", "exec", "date"];
    only_passes.contains(&invocation.program_name())
        || effects::is_connection(&words)
        || !invocation.actions.is_empty() && asks() && !signs_in()
}

/// Whether the body decides whether the loop goes on: `while true`.
pub(crate) fn decides_in_body(shell: &Shell<'_>, clause: &Loop) -> bool {
    super::is_always(shell.written(clause.condition.span()), clause.until)
}

/// What decides whether it goes on: the condition, or the body of `while true`.
fn test<'t>(shell: &Shell<'t>, clause: &Loop) -> &'t str {
    let list = if decides_in_body(shell, clause) { &clause.body } else { &clause.condition };
    shell.written(list.span())
}

/// Whether the loop looks at `SECONDS` in a shell for which that is a variable like any other.
fn looks_at_stopped_clock(shell: &Shell<'_>, command: &Command) -> bool {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    shell.is_plain_sh() && shell.written(command.span).split(is_end).any(|name| name == "SECONDS")
}

/// Whether the condition compares the answer to a query with that of the same query, and they have to differ:
/// `while [ "$(redis-cli LASTSAVE)" = "$(redis-cli LASTSAVE)" ]`.
fn compares_itself(shell: &Shell<'_>, clause: &Loop) -> bool {
    let Some((statement, words)) = super::tested(shell, clause) else { return false };
    let [one, operator, other, ..] = words else { return false };
    let [one, other] = [one, other].map(|word| shell.written(word.span).trim_matches('"'));
    let goes_on_if_equal = match shell.written(operator.span) {
        "=" | "==" | "-eq" => !clause.until,
        "!=" | "-ne" | "-gt" | "-lt" => clause.until,
        _ => return false,
    };
    let is_query = one.starts_with("$(") || one.starts_with('`');
    let is_alone = statement.rest.is_empty() && !statement.first.negated;
    one == other && is_query && goes_on_if_equal && is_alone
}

/// Whether the loop asks for a port of the pod itself.
fn asks_localhost(shell: &Shell<'_>, clause: &Loop) -> bool {
    ["localhost", "127.0.0.1"].iter().any(|host| test(shell, clause).contains(host))
}

/// Whether the loop asks for a file.
fn asks_for_file(shell: &Shell<'_>, clause: &Loop) -> bool {
    let test = test(shell, clause);
    test.contains('[') && test.split_whitespace().any(|word| FILE_TESTS.contains(&word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
}
