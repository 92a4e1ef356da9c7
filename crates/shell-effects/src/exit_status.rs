//! How the failure of a command propagates, by the commands around and after it.

mod cut_off;
mod fallback;

use fallback::NOTHING;

use crate::{
    analysis::{HiddenBy, Propagation},
    ast::{Command, CommandKind, Connector, If, List, Pipeline, Span, Statement},
    context::{Context, Status},
    shell::{Shell, gives_up},
};

/// How many statements after a command are searched for a check of what it did.
const WINDOW: usize = 100;

/// Whether one of the words of the text is the name.
fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || "\"'`$()|;".contains(c)).any(|word| word == name)
}

impl<'t> Shell<'t> {
    /// How the failure of a statement propagates that is followed by `rest`.
    pub(crate) fn propagation_before(&self, rest: &[Statement], context: &Context) -> Propagation {
        let hidden = context.hidden_without_errexit(match context.propagation {
            Propagation::Hidden(HiddenBy::Loop) => HiddenBy::Loop,
            _ => HiddenBy::LaterCommand,
        });
        let Some(next) = rest.first() else { return context.propagation };
        if self.is_cut_off(next) || rest.last().is_some_and(|last| self.ends_cut_off(last)) {
            return Propagation::Handled;
        }
        let text = self.written(next.span);
        match self.only_simple(&next.first) {
            Some((name @ ("exit" | "return"), simple)) => {
                let left = if name == "exit" { context.exit } else { context.returned };
                match simple.words.get(1).map(|word| self.written(word.span)) {
                    None => left,
                    Some(status) if status.contains("$?") => left,
                    Some(status) if status.contains("PIPESTATUS") => left,
                    Some("0") if self.says_expected(next.span, next.span.end) => {
                        Propagation::Expected
                    }
                    Some("0") => Propagation::Hidden(HiddenBy::ExitZero),
                    Some(_) => hidden,
                }
            }
            _ if text.contains("$?") || text.contains("PIPESTATUS") => {
                self.propagation_of_status(next, text, rest, context)
            }
            _ if self.tolerates_failure => Propagation::Handled,
            // `create; true`
            Some((name, _)) if NOTHING.contains(&name) && self.shares_line(next) => {
                match self.says_expected(next.span, next.span.end) {
                    true => Propagation::Expected,
                    false => Propagation::Hidden(HiddenBy::OrTrue),
                }
            }
            _ => hidden,
        }
    }

    /// Whether the script later asks the same program about what a statement did, and fails if the answer is wrong:
    /// `registry add app; …; found=$(registry list app); if [ -z "$found" ]; then exit 1; fi`.
    pub(crate) fn is_checked_later(&self, statement: &Statement, rest: &[Statement]) -> bool {
        let Some((program, simple)) = self.only_simple(&statement.first) else { return false };
        let mut operands = simple.words.iter().skip(1).map(|word| self.written(word.span));
        let Some(about) = operands.find(|word| !word.starts_with('-') && word.len() > 2) else {
            return false;
        };
        let asks = |text: &str| text.contains("$(") && names(text, program) && names(text, about);
        let answer = |one: &Statement| {
            let Some(Command { kind: CommandKind::Simple(simple), .. }) =
                one.first.commands.first()
            else {
                return None;
            };
            let is_answer = simple.words.is_empty() && asks(self.written(one.span));
            simple.assignments.first().filter(|_| is_answer).map(|one| self.written(one.name))
        };
        let mut answers = Vec::new();
        rest.iter().take(WINDOW).any(|one| {
            answers.extend(answer(one));
            let [Command { kind: CommandKind::If(clause), .. }] = one.first.commands.as_slice()
            else {
                return false;
            };
            clause.branches.iter().any(|(condition, body)| {
                let tested = self.written(condition.span());
                let is_about = |name: &&str| {
                    tested.contains(&format!("${name}")) || tested.contains(&format!("${{{name}}}"))
                };
                answers.iter().any(is_about) && gives_up(self.written(body.span()))
            })
        })
    }

    /// Whether a statement reads the exit status of the one before it.
    pub(crate) fn asks_for_status(&self, statement: &Statement) -> bool {
        self.written(statement.span).contains("$?")
    }

    /// Which status of the pipeline before it a statement reads, other than to end with that of the last command.
    pub(crate) fn status_asked_by(&self, statement: &Statement) -> Status {
        let text = self.written(statement.span);
        let leaves = ["exit", "return"].iter().any(|word| text.starts_with(word));
        match self.asks_for_status(statement) && !leaves {
            _ if text.contains("PIPESTATUS") => Status::Each,
            true => Status::Last,
            false => Status::None,
        }
    }

    /// Whether a statement keeps what a command prints, and the script tests that.
    pub(crate) fn output_is_tested(&self, statement: &Statement) -> bool {
        let [Command { kind: CommandKind::Simple(simple), .. }] =
            statement.first.commands.as_slice()
        else {
            return false;
        };
        let mut names = simple.assignments.iter().map(|one| self.written(one.name));
        statement.rest.is_empty()
            && simple.words.is_empty()
            && names.any(|name| self.uses.is_tested(name))
    }

    /// How the failure of one pipeline of a statement propagates.
    pub(crate) fn propagation_in_statement(
        &self,
        statement: &Statement,
        index: usize,
        context: &Context,
    ) -> Propagation {
        if let Some((Connector::And, next)) = statement.rest.get(index)
            && self.leaves_successfully(next)
        {
            if self.breaks(next) && context.retried {
                return Propagation::Retried;
            }
            // `create && exit 0; exit 1`, `for …; do create && break; done; … exit 1`
            if self.fails_after(statement.span) {
                return context.exit;
            }
            if context.runs_out {
                return Propagation::Hidden(HiddenBy::Exhausted);
            }
            if !self.breaks(next) {
                return Propagation::Handled;
            }
        }
        let Some(fallback) = statement.fallback(index) else {
            if let Some((Connector::And, next)) = statement.rest.get(index)
                && self.marks_success(next)
            {
                return Propagation::Handled;
            }
            let hidden = index < statement.rest.len() && self.errexit && !context.ignores_errexit;
            // `continue` goes on with the next item of a list.
            let next = statement.rest.get(index).and_then(|(_, next)| self.only_simple(next));
            let is_try = next.is_some_and(|(name, _)| name == "break");
            return match context.propagation {
                Propagation::Hidden(HiddenBy::Loop) if hidden && is_try => {
                    Propagation::Hidden(HiddenBy::Exhausted)
                }
                Propagation::Hidden(HiddenBy::LaterCommand | HiddenBy::Loop) if hidden => {
                    Propagation::Hidden(HiddenBy::AndList)
                }
                propagation => propagation,
            };
        };
        let fallback = statement.pipeline(fallback);
        match self.propagation_of_fallback(fallback, context, 0) {
            Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage)
                if self.says_expected(statement.span, fallback.span.start) =>
            {
                Propagation::Expected
            }
            // `out=$(create 2>&1 || true)`: what it prints tells.
            Propagation::Hidden(_) if context.tested => Propagation::Handled,
            propagation => propagation,
        }
    }

    /// Whether the pipeline only ends a loop or an iteration.
    fn breaks(&self, pipeline: &Pipeline) -> bool {
        self.only_simple(pipeline).is_some_and(|(name, _)| matches!(name, "break" | "continue"))
    }

    /// Whether the script may still fail after the statement, for example when every iteration of a loop failed.
    pub(crate) fn fails_after(&self, span: Span) -> bool {
        self.uses.gives_up_after(span.end as usize)
    }

    /// How a failure propagates whose exit status the next statement reads.
    fn propagation_of_status(
        &self,
        next: &Statement,
        text: &'t str,
        rest: &[Statement],
        context: &Context,
    ) -> Propagation {
        let saved = text.strip_suffix("=$?").filter(|name| !name.contains([' ', '=']));
        if let Some(name) = saved {
            let passed_on = self.uses.exits_with(name, next.span.end as usize);
            return match passed_on {
                true => context.exit,
                false if self.is_only_reported(name, &rest[1..]) => {
                    Propagation::Hidden(HiddenBy::Reported)
                }
                false => self.propagation_of_kept(name, context),
            };
        }
        let failed = self.branches_of_status(next).and_then(|branches| branches.failed);
        failed
            .map_or(Propagation::Handled, |list| self.propagation_at_end(list, next.span, context))
    }

    /// How the failure of the condition of a branch propagates: `if ! create; then exit 1; fi`,
    /// `if create; then …; else exit 1; fi`, `if create; then exit 0; fi; … exit 1`.
    pub(crate) fn propagation_of_condition(
        &self,
        clause: &If,
        index: usize,
        span: Span,
        context: &Context,
    ) -> Propagation {
        let (condition, body) = &clause.branches[index];
        let [statement] = condition.statements.as_slice() else { return Propagation::Handled };
        if !statement.rest.is_empty() {
            return Propagation::Handled;
        }
        if statement.first.negated {
            return self.propagation_at_end(body, span, context);
        }
        let otherwise = clause.otherwise.as_ref().filter(|_| clause.branches.len() == 1);
        let is_harmless = otherwise.is_none_or(|list| self.only_passes_time(list));
        match otherwise {
            _ if context.runs_out && self.list_leaves(body) && is_harmless => {
                Propagation::Hidden(HiddenBy::Exhausted)
            }
            Some(otherwise) => self.propagation_at_end(otherwise, span, context),
            None if self.list_leaves(body) && self.fails_after(span) => context.exit,
            None => Propagation::Handled,
        }
    }

    /// How the failure of the condition of a bounded loop propagates: the script fails if the body gives up.
    /// If the loop `runs_out`, nothing else looks at it.
    pub(crate) fn propagation_of_retries(
        &self,
        body: &List,
        runs_out: bool,
        context: &Context,
    ) -> Propagation {
        if gives_up(self.written(body.span())) {
            context.exit
        } else if runs_out {
            Propagation::Hidden(HiddenBy::Exhausted)
        } else {
            Propagation::Handled
        }
    }

    /// How a failure propagates that runs the branch `list` of the compound command at `span`: hidden if the branch
    /// exits with 0, or if it only prints and nothing after it can fail the script.
    fn propagation_at_end(&self, list: &List, span: Span, context: &Context) -> Propagation {
        match self.propagation_of_branch(list, span, context) {
            Propagation::Hidden(HiddenBy::Branch)
                if self.says_expected(span, list.span().start) =>
            {
                Propagation::Expected
            }
            propagation => propagation,
        }
    }

    fn propagation_of_branch(&self, list: &List, span: Span, context: &Context) -> Propagation {
        let last = list.statements.last().filter(|last| last.rest.is_empty());
        let Some(last) = last else { return Propagation::Handled };
        let in_loop = matches!(
            context.propagation,
            Propagation::Hidden(HiddenBy::Loop | HiddenBy::Condition)
                | Propagation::Retried
                | Propagation::Handled
        );
        match self.propagation_kept_by(list, context, 0) {
            Some(Propagation::Hidden(HiddenBy::Unread)) if self.only_reports(list) => {
                return Propagation::Hidden(HiddenBy::Branch);
            }
            Some(propagation) => return propagation,
            None => {}
        }
        match self.propagation_of_fallback(&last.first, context, 0) {
            propagation @ (Propagation::Fatal
            | Propagation::Retried
            | Propagation::Hidden(HiddenBy::SubshellExit)) => propagation,
            Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage)
                if self.list_exits(list) =>
            {
                Propagation::Hidden(HiddenBy::Branch)
            }
            Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage)
                if !in_loop && self.only_prints(list) && !self.fails_after(span) =>
            {
                Propagation::Hidden(HiddenBy::Branch)
            }
            _ => Propagation::Handled,
        }
    }

    /// How the failure of a background command propagates that is followed by `rest`. `wait` without a process id
    /// succeeds whatever the commands did.
    pub(crate) fn propagation_in_background(
        &self,
        rest: &[Statement],
        context: &Context,
    ) -> Propagation {
        let waits = |statement: &Statement| {
            let simple = self.only_simple(&statement.first);
            statement.rest.is_empty()
                && simple.is_some_and(|(name, simple)| name == "wait" && simple.words.len() > 1)
        };
        match rest.iter().position(waits) {
            Some(_) if self.errexit && !context.ignores_errexit => context.exit,
            Some(at) => self.propagation_before(&rest[at + 1..], context),
            None if self.uses.waits_for_process => Propagation::Handled,
            None => Propagation::Hidden(HiddenBy::Background),
        }
    }
}
