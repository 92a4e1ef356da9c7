//! Loops that go on doing the same thing for ever, and so wait for nothing: `while true; do send; sleep 5; done`.

use crate::{
    analysis::GuardKind,
    ast::{Command, CommandKind, Connector, List, Loop, Pipeline, Statement},
    guard,
    shell::Shell,
    wait,
};

/// Builtins that leave the loop or may end the script.
const LEAVES: [&str; 8] = ["break", "eval", "exec", "exit", "kill", "return", "source", "."];

/// Programs that only compare.
const TESTS: [&str; 6] = ["[", "test", "false", "grep", "egrep", "fgrep"];

/// Longer bodies are taken for ones that end.
const LONGEST: usize = 100;

impl Shell<'_> {
    /// Whether a loop never ends, and its body does something without a look at how it went. What sleeps, prints and
    /// asks whether a service is up only waits.
    pub(crate) fn never_ends(&self, clause: &Loop) -> bool {
        let asks = |one: &Statement| {
            guard::of_pipeline(self, &one.first, true).kind == GuardKind::Readiness
        };
        wait::is_always(self.written(clause.condition.span()), clause.until)
            && self.goes_on(&clause.body, false)
            && !clause.body.statements.iter().all(|one| wait::is_idle(self, one) || asks(one))
    }

    /// Whether nothing in the body of a loop leaves it, whatever its tests tell, except a failure.
    pub(crate) fn is_never_left(&self, clause: &Loop) -> bool {
        let is_end = |c: char| c.is_whitespace() || ";&|(){}`".contains(c);
        let leaves = |word: &str| LEAVES.contains(&word);
        let body = self.written(clause.body.span());
        let may_leave = |text: &str| {
            let words: Vec<_> = text.split(is_end).filter(|word| !word.is_empty()).collect();
            words.iter().enumerate().any(|(at, word)| {
                let status = words.get(at + 1).and_then(|status| status.parse().ok());
                let fails = *word == "exit" && status.is_some_and(|status: u8| status > 0);
                leaves(word) && !fails
            })
        };
        let calls_one = |word: &str| {
            let function = self.functions.get(word).map(|one| self.written(one.body.span));
            function.is_some_and(may_leave)
        };
        wait::is_always(self.written(clause.condition.span()), clause.until)
            && !may_leave(body)
            && !body.split(is_end).any(calls_one)
    }

    /// Whether a list runs to its end, whatever its commands do. The functions that a function calls are not followed.
    fn goes_on(&self, list: &List, in_function: bool) -> bool {
        list.statements.len() <= LONGEST
            && list.statements.iter().all(|one| self.tests_nothing(one, in_function))
    }

    /// Whether a statement looks at no result, except to print that there was none: `send || echo "not sent"`.
    fn tests_nothing(&self, statement: &Statement, in_function: bool) -> bool {
        let ignores = |(connector, pipeline): &(Connector, Pipeline)| {
            *connector == Connector::Or && self.prints(pipeline)
        };
        statement.rest.iter().all(ignores)
            && !statement.first.negated
            && statement.first.commands.iter().all(|one| self.only_acts(one, in_function))
    }

    fn only_acts(&self, command: &Command, in_function: bool) -> bool {
        match &command.kind {
            CommandKind::Simple(simple) => {
                let Some(word) = simple.words.first() else { return true };
                let name = self.written(word.span);
                match self.functions.get(name) {
                    Some(function) => !in_function && self.only_acts(&function.body, true),
                    None => !LEAVES.contains(&name) && !TESTS.contains(&name),
                }
            }
            CommandKind::Group(list) | CommandKind::Subshell(list) => {
                self.goes_on(list, in_function)
            }
            CommandKind::For(clause) => self.goes_on(&clause.body, in_function),
            CommandKind::Arithmetic | CommandKind::Function(_) => true,
            _ => false,
        }
    }
}
