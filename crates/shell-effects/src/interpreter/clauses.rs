//! Interprets `if`, `while`, `until`, `for` and `select`.

use super::Interpreter;
use crate::{
    analysis::{
        Action, Decides, FalseSuccess, Guard, HiddenBy, Invocation, Propagation, SucceedsBy, Turn,
        Wait,
    },
    ast::{Command, For, ForHead, If, Loop},
    context::{Context, Status},
    guard,
    shell::Shell,
    wait,
};

impl Interpreter<'_> {
    pub(super) fn if_clause<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        clause: &'t If,
        context: &Context,
    ) {
        let guards = shell.guards.len();
        for (index, (condition, body)) in clause.branches.iter().enumerate() {
            let propagation = shell.propagation_of_condition(clause, index, command.span, context);
            let skipped = shell.skipped_by_condition(clause, index);
            let skipped = skipped.map(|span| shell.location(span)).or(context.skipped);
            let answer_decides = context.answer_decides || shell.fails_unless_told(clause, index);
            let warned = context.warned || shell.warns_after_condition(clause, index);
            let asked =
                Context { skipped, answer_decides, warned, ..context.condition(propagation) };
            self.list(shell, condition, &asked);
            let inner = shell.guards.len();
            shell.guards.extend(guard::of_list(shell, condition, true));
            // What comes before `break` is done once: no further turn asks for it.
            let insists = context.insists.filter(|_| !shell.list_ends_loop(body));
            self.list(shell, body, &Context { insists, ..context.clone() });
            shell.guards.truncate(inner);
            shell.guards.extend(guard::of_list(shell, condition, false));
        }
        if let Some(otherwise) = &clause.otherwise {
            self.list(shell, otherwise, context);
        }
        shell.guards.truncate(guards);
    }

    pub(super) fn loop_clause<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        clause: &'t Loop,
        context: &Context,
    ) {
        if wait::never_runs(shell, clause) {
            return self.list(shell, &clause.condition, &context.condition(Propagation::Handled));
        }
        let unbounded = !context.bounded && wait::is_unbounded(shell, command, clause);
        let is_endless = unbounded && !context.detached;
        let never_ends = is_endless && shell.never_ends(clause);
        let is_never_left = is_endless && shell.is_never_left(clause);
        let before = self.found.len();
        let runs_out = context.is_last && shell.wait_runs_out(command, clause);
        let retries = match unbounded {
            true => Propagation::Retried,
            false => shell.propagation_of_retries(&clause.body, runs_out, context),
        };
        let insists = context.insists.is_some() && shell.asks_each_turn(clause);
        let answer_decides = context.answer_decides || insists;
        let asked = Context { answer_decides, ..context.condition(retries) };
        self.list(shell, &clause.condition, &asked);
        let guards = shell.guards.len();
        let guard = guard::of_list(shell, &clause.condition, !clause.until);
        shell.guards.extend(guard.map(|guard| Guard { of_loop: true, ..guard }));
        let done_again =
            context.done_again || unbounded && shell.goes_on_until_wanted(command, clause);
        // `until [ $? -eq 0 ]` tests the last command of the body.
        let tests_body = shell.written(clause.condition.span()).contains("$?");
        let propagation = match tests_body {
            true => retries,
            false if done_again => Propagation::Retried,
            false => context.hidden_without_errexit(HiddenBy::Loop),
        };
        // A pipe would lose what the loop remembers.
        let item = shell.read_in(&clause.condition).filter(|_| context.subshell.is_none());
        let body = Context {
            item: item.or(context.item),
            retried: unbounded,
            done_again,
            is_last: false,
            status: Status::None,
            never_succeeds: context.never_succeeds || is_never_left,
            runs_out,
            ..context.with(propagation)
        };
        let asked = self.found.len();
        self.list(shell, &clause.body, &body);
        shell.guards.truncate(guards);
        let changes = |one: &Invocation| one.actions.iter().any(Action::changes_more_than_files);
        let works_off = || {
            let changed = self.found[asked..].iter().filter(|one| changes(one));
            wait::works_off(shell, clause, changed.map(|one| one.location))
        };
        if wait::is_wait(shell, clause) && !never_ends && !works_off() {
            let end = if wait::decides_in_body(shell, clause) { self.found.len() } else { asked };
            let asked = &self.found[before..end];
            self.waits.push(Wait {
                location: shell.location(command.span),
                unbounded: is_endless,
                idles: wait::idles_forever(shell, clause),
                is_never_left,
                turn: Turn::of(shell, command, clause, asked),
            });
        }
        let asks = shell.asks(&clause.condition, clause.until, command);
        if runs_out && (asks || shell.leaves_when_ready(&clause.body, command)) {
            self.runs_out(shell, command, context);
        }
    }

    pub(super) fn for_clause<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        clause: &'t For,
        context: &Context,
    ) {
        let mut commands = Vec::new();
        match &clause.head {
            ForHead::Words(words) | ForHead::Select(words) => {
                commands = shell.command_lines(words);
                let kind = guard::of_words(shell, words);
                shell.assign_loop_variable(clause.variable, words, kind);
                self.words(shell, words, &of_list(shell, clause, context));
            }
            ForHead::Arithmetic(test)
                if test.text(&shell.source.value).trim_matches([';', ' ']).is_empty() =>
            {
                let location = shell.location(command.span);
                let idles = wait::only_idles(shell, &clause.body);
                let unbounded = !context.bounded && !context.detached;
                self.waits.push(Wait {
                    location,
                    unbounded,
                    idles,
                    is_never_left: false,
                    turn: Turn::default(),
                });
            }
            ForHead::Arithmetic(_) => {}
        }
        let guards = shell.guards.len();
        let runs_out = context.is_last && shell.tries_run_out(command, clause);
        // The status of the loop is that of its last turn.
        let propagation = match shell.runs_once(clause) {
            true => context.propagation,
            false => context.hidden_without_errexit(HiddenBy::Loop),
        };
        let body = Context {
            retried: false,
            is_last: false,
            status: Status::None,
            runs_out,
            item: Some(clause.variable),
            ..context.with(propagation)
        };
        match commands.as_slice() {
            [] => self.list(shell, &clause.body, &body),
            commands => {
                for command in commands {
                    shell.assign_command(clause.variable, command);
                    self.nested(|interpreter| interpreter.list(shell, &clause.body, &body));
                }
            }
        }
        shell.guards.truncate(guards);
        if runs_out && shell.leaves_when_ready(&clause.body, command) {
            self.runs_out(shell, command, context);
        }
    }

    /// Records a wait that ends the script with 0 once it runs out.
    fn runs_out(&mut self, shell: &Shell<'_>, command: &Command, context: &Context) {
        // A script that has only asked until here, or removed something, may say that the answer does not matter.
        let writes = |one: &Invocation| {
            let mut actions = one.actions.iter();
            !one.recognised || actions.any(|own| own.changes_state && !own.minor)
        };
        let is_answer = context.answered && !self.found.iter().any(writes);
        if context.exit == Propagation::Fatal && !is_answer {
            let location = shell.location(command.span);
            self.false_successes.push(FalseSuccess { location, by: SucceedsBy::Exhausted });
        }
    }
}

/// The context of what prints the items of a loop, whose status is lost.
fn of_list(shell: &Shell<'_>, clause: &For, context: &Context) -> Context {
    let body = clause.body.span();
    let is_prepared = shell.tolerates_failure || context.retried || shell.fails_after(body);
    let decides = (!is_prepared).then(|| Decides::Turns(shell.location(body)));
    let propagation = match context.propagation {
        propagation if context.tested => propagation,
        // `for …; do …; done || true`
        Propagation::Hidden(by @ (HiddenBy::OrTrue | HiddenBy::OrMessage)) => {
            Propagation::Hidden(by)
        }
        Propagation::Expected => Propagation::Expected,
        _ => Propagation::Hidden(HiddenBy::Substitution { piped: false }),
    };
    Context { decides, ..context.with(propagation) }
}
