//! Where a script gives up, and ends with 0: an `exit` that takes the status of the message before it, and a wait after
//! whose last try nothing looks whether it succeeded.

use std::collections::HashSet;

use crate::{
    ast::{Command, CommandKind, For, ForHead, List, Loop, Pipeline, Statement, Word},
    guard,
    shell::{Shell, gives_up},
    wait,
};

/// Programs of which a script expects no failure.
const HARMLESS: [&str; 5] = ["true", ":", "sleep", "date", "set"];

/// How many statements of a loop are searched for one that leaves it.
const WINDOW: usize = 100;

/// How a message says that something failed.
const ERRORS: [&str; 15] = [
    "error",
    "fail",
    "fatal",
    "not found",
    "not find",
    "unable",
    "could not",
    "cannot",
    "timeout",
    "timed out",
    "missing",
    "abort",
    "exhausted",
    "attempts reached",
    "retries reached",
];

/// How a message says that a wait has failed.
const GIVES_UP: [&str; 3] = ["gave up", "give up", "giving up"];

/// How a message says that there is nothing to do.
const FINE: [&str; 10] = [
    "skip",
    "nothing",
    "no need",
    "already",
    "ignor",
    "no action",
    "continu",
    "usage",
    "not required",
    "no error",
];

impl Shell<'_> {
    /// Whether a statement is an `exit` without a status, and the statements before it say that something failed.
    pub(crate) fn exits_after_error(&self, before: &[Statement], statement: &Statement) -> bool {
        let Some(("exit", simple)) = self.only_simple(&statement.first) else { return false };
        let prints = |one: &&Statement| one.rest.is_empty() && self.prints(&one.first);
        let mut messages = before.iter().rev().take_while(prints);
        simple.words.len() == 1 && !self.uses.sets_trap && messages.any(|one| self.says_error(one))
    }

    pub(crate) fn says_error(&self, statement: &Statement) -> bool {
        let text = self.written(statement.span).to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        (has(&ERRORS) || has(&[">&2", "/dev/stderr"])) && !has(&FINE)
    }

    /// Whether one of the statements ends the script.
    pub(crate) fn exits(&self, statements: &[Statement]) -> bool {
        let simple = |one: &Statement| self.only_simple(&one.first).map(|(name, _)| name);
        statements.iter().any(|one| simple(one) == Some("exit"))
    }

    /// How many statements of the list are before those that certainly succeed.
    pub(crate) fn length_without_end(&self, list: &List) -> usize {
        let kept = list.statements.iter().rposition(|one| !self.certainly_succeeds(one));
        kept.map_or(0, |last| last + 1)
    }

    /// Whether the list only passes time.
    pub(crate) fn only_passes_time(&self, list: &List) -> bool {
        self.length_without_end(list) == 0
    }

    pub(crate) fn certainly_succeeds(&self, statement: &Statement) -> bool {
        let [command] = statement.first.commands.as_slice() else { return false };
        statement.rest.is_empty()
            && match &command.kind {
                CommandKind::Function(_) => true,
                CommandKind::Simple(simple) => match simple.words.first() {
                    None => self.kept_in(&statement.first).is_some(),
                    Some(word) => match self.written(word.span) {
                        "exit" | "return" => self.leaves_successfully(&statement.first),
                        name if HARMLESS.contains(&name) => true,
                        name => match self.functions.get(name).map(|one| &one.body.kind) {
                            Some(CommandKind::Group(list)) => {
                                list.statements.iter().all(|one| self.prints(&one.first))
                            }
                            Some(_) => false,
                            None => self.prints(&statement.first),
                        },
                    },
                },
                _ => false,
            }
    }

    /// Whether the tries of a `for` loop can run out without a failure: it counts, passes time, and leaves early once
    /// what it asks for is there.
    pub(crate) fn tries_run_out(&self, command: &Command, clause: &For) -> bool {
        let counts = match &clause.head {
            ForHead::Words(words) => words.iter().all(|word| self.is_count(word)),
            ForHead::Arithmetic(test) => self.written(*test).contains(['<', '>']),
            ForHead::Select(_) => false,
        };
        counts && self.can_run_out(command)
    }

    /// As [`Self::tries_run_out`] for `while` and `until`.
    pub(crate) fn wait_runs_out(&self, command: &Command, clause: &Loop) -> bool {
        wait::is_wait(self, clause)
            && wait::has_limit(self, command, clause)
            && self.can_run_out(command)
    }

    /// Whether only a loop that gives up is followed by `rest`, and that says so and exits with 0 on purpose: success
    /// leaves the script.
    pub(crate) fn is_answered(&self, statement: &Statement, rest: &[Statement]) -> bool {
        let [command] = statement.first.commands.as_slice() else { return false };
        let (condition, body) = match &command.kind {
            CommandKind::Loop(clause) => (Some(&clause.condition), &clause.body),
            CommandKind::For(clause) => (None, &clause.body),
            _ => return false,
        };
        let text = self.written(body.span());
        let has = |name: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
        let only_gives_up = !has("break")
            && (has("exit") || has("return"))
            && !condition.is_some_and(|list| self.asks(list, true, command));
        let Some((last, messages)) = rest.split_last() else { return false };
        let ends = self.only_simple(&last.first).is_some_and(|(name, simple)| match name {
            "exit" | "return" => simple.words.len() > 1 && self.leaves_successfully(&last.first),
            name => matches!(name, "true" | ":"),
        });
        let is_fine = |one: &Statement| {
            let text = self.written(one.span).to_lowercase();
            let gives_up = GIVES_UP.iter().any(|words| text.contains(words));
            one.rest.is_empty() && self.prints(&one.first) && !self.says_error(one) && !gives_up
        };
        statement.rest.is_empty()
            && last.rest.is_empty()
            && only_gives_up
            && ends
            && !messages.is_empty()
            && messages.iter().all(is_fine)
    }

    fn can_run_out(&self, command: &Command) -> bool {
        let text = self.written(command.span);
        let fails = |word: &str| {
            let function = self.functions.get(word);
            word == "false" || function.is_some_and(|one| gives_up(self.written(one.body.span)))
        };
        let words = text.split(|c: char| c.is_whitespace() || ";&|(){}".contains(c));
        let words: HashSet<_> = words.collect();
        text.contains("sleep") && !gives_up(text) && !words.into_iter().any(fails)
    }

    fn is_count(&self, word: &Word) -> bool {
        let text = self.written(word.span);
        let digits = |text: &str| {
            text.trim_matches(['{', '}', '.']).bytes().all(|b| b.is_ascii_digit() || b == b'.')
        };
        text.starts_with("$(seq ") || text.starts_with("`seq ") || !text.is_empty() && digits(text)
    }

    /// Whether the body of a loop leaves it, or the script, once something outside the pod answers.
    pub(crate) fn leaves_when_ready(&self, body: &List, whole: &Command) -> bool {
        let leaves = |pipeline| self.leaves_successfully(pipeline) && !self.continues(pipeline);
        body.statements.iter().take(WINDOW).any(|statement| {
            match statement.first.commands.as_slice() {
                [Command { kind: CommandKind::If(clause), .. }] => {
                    clause.branches.iter().any(|(condition, body)| {
                        let last = body.statements.last().filter(|last| last.rest.is_empty());
                        last.is_some_and(|last| leaves(&last.first))
                            && self.asks(condition, true, whole)
                    })
                }
                _ => {
                    statement.rest.last().is_some_and(|(_, last)| leaves(last))
                        && self.pipeline_asks(&statement.first, true, whole)
                }
            }
        })
    }

    /// Whether the condition of a loop, or of a branch in it, asks for something outside the pod. What a counter or
    /// the clock decides asks for nothing, whatever the counter depends on.
    pub(crate) fn asks(&self, condition: &List, success: bool, whole: &Command) -> bool {
        let pipelines = condition.statements.iter().flat_map(|one| {
            std::iter::once(&one.first).chain(one.rest.iter().map(|(_, pipeline)| pipeline))
        });
        pipelines.into_iter().any(|pipeline| self.pipeline_asks(pipeline, success, whole))
    }

    fn pipeline_asks(&self, pipeline: &Pipeline, success: bool, whole: &Command) -> bool {
        let counts = wait::counts(self, self.written(pipeline.span), self.written(whole.span));
        !counts && guard::of_pipeline(self, pipeline, success).kind.asks()
    }

    fn continues(&self, pipeline: &Pipeline) -> bool {
        self.only_simple(pipeline).is_some_and(|(name, _)| name == "continue")
    }
}
