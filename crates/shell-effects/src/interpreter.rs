//! Interprets a command line without running it: follows scripts in execution order and records every command with
//! its guards and how its failure propagates. Lists and pipelines are here.

mod clauses;
mod files;
mod first_line;
mod invoke;
mod simple;

use crate::{
    analysis::{
        Analysis, BrokenQuote, Decides, FalseSuccess, Guard, GuardKind, HiddenBy, Invocation,
        LostContinuation, Pipefail, Propagation, SucceedsBy, Wait,
    },
    ast::{Command, CommandKind, Connector, If, List, Pipeline, Statement, SyntaxError},
    catalogue::Catalogue,
    container::Container,
    context::{Context, Status},
    effects, guard,
    shell::{Inputs, Shell, gives_up},
    text::{ElementSpan, Text},
};

/// How deep nested functions and scripts are followed.
const MAX_DEPTH: u32 = 24;

/// How many function calls, substitutions and scripts are followed in total.
const MAX_CALLS: u32 = 5_000;

/// Analyses a command line: the elements of `command` followed by those of `args`.
pub fn analyse(catalogue: &Catalogue, argv: &[&str], container: &Container) -> Analysis {
    let words: Vec<_> = argv.iter().enumerate().map(|(at, word)| Text::element(at, word)).collect();
    let inputs = Inputs { catalogue, container, first_file: argv.len() };
    let mut interpreter = Interpreter::new(inputs);
    interpreter.start(words);
    interpreter.finish()
}

/// Analyses a script as if it were run by `sh -c`; in locations it is element 2.
pub fn analyse_script(catalogue: &Catalogue, script: &str, container: &Container) -> Analysis {
    analyse(catalogue, &["sh", "-c", script], container)
}

/// Follows everything a command line may run.
struct Interpreter<'a> {
    inputs: Inputs<'a>,
    found: Vec<Invocation>,
    waits: Vec<Wait>,
    false_successes: Vec<FalseSuccess>,
    lost_continuations: Vec<LostContinuation>,
    unknown: Vec<ElementSpan>,
    errors: Vec<(ElementSpan, SyntaxError)>,
    pipefails: Vec<ElementSpan>,
    arrays: Vec<ElementSpan>,
    bad_substitutions: Vec<ElementSpan>,
    broken_quotes: Vec<(ElementSpan, BrokenQuote)>,
    depth: u32,
    calls: u32,
}

impl<'a> Interpreter<'a> {
    fn new(inputs: Inputs<'a>) -> Self {
        Self {
            inputs,
            found: Vec::new(),
            waits: Vec::new(),
            false_successes: Vec::new(),
            lost_continuations: Vec::new(),
            unknown: Vec::new(),
            errors: Vec::new(),
            pipefails: Vec::new(),
            arrays: Vec::new(),
            bad_substitutions: Vec::new(),
            broken_quotes: Vec::new(),
            depth: 0,
            calls: 0,
        }
    }

    fn finish(mut self) -> Analysis {
        self.waits.sort_by_key(|wait| (wait.location, !wait.unbounded));
        self.waits.dedup_by_key(|wait| wait.location);
        self.unknown.sort();
        self.unknown.dedup();
        self.false_successes.sort();
        self.false_successes.dedup();
        self.lost_continuations.sort();
        self.lost_continuations.dedup();
        Analysis {
            lost_continuations: self.lost_continuations,
            invocations: effects::resolve(self.found, self.inputs.container),
            waits: self.waits,
            false_successes: self.false_successes,
            unknown: self.unknown,
            errors: self.errors,
            pipefails: self.pipefails,
            arrays: self.arrays,
            bad_substitutions: self.bad_substitutions,
            broken_quotes: self.broken_quotes,
        }
    }

    /// Runs `inner` one level deeper, unless a limit is reached.
    fn nested(&mut self, inner: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH && self.calls < MAX_CALLS {
            self.calls += 1;
            self.depth += 1;
            inner(self);
            self.depth -= 1;
        }
    }

    fn list<'t>(&mut self, shell: &mut Shell<'t>, list: &'t List, context: &Context) {
        let end = shell.length_without_end(list);
        let is_last = context.is_last || shell.exits(&list.statements[end..]);
        let exit_variable = shell.exit_variable(list);
        let mut status_kept = context.status_kept;
        for (index, statement) in list.statements.iter().enumerate() {
            let (before, rest) = (&list.statements[..index], &list.statements[index + 1..]);
            if shell.exits_after_error(before, statement)
                && context.exit == Propagation::Fatal
                && !shell.guards.is_empty()
            {
                let location = shell.location(statement.span);
                self.false_successes.push(FalseSuccess { location, by: SucceedsBy::BareExit });
            }
            if let (Some(last), Some(word)) = (before.last(), shell.cut_off(statement)) {
                let (location, before) = (shell.location(word), shell.location(last.span));
                self.lost_continuations.push(LostContinuation { location, before });
            }
            let is_awaited = shell.effect_is_awaited(before, statement, rest, context);
            let (propagation, status) = match rest {
                [] => (context.propagation, context.status),
                // `out=$(create); status=$?`: the script goes on, and looks at both.
                [next, ..] if shell.output_is_tested(statement) && shell.asks_for_status(next) => {
                    (Propagation::Handled, Status::None)
                }
                [next, ..] if shell.output_is_looked_for(statement, next) => {
                    (Propagation::Handled, Status::None)
                }
                rest if shell.is_checked_later(statement, rest) || is_awaited => {
                    (Propagation::Handled, Status::None)
                }
                [next, ..] => {
                    (shell.propagation_before(rest, context), shell.status_asked_by(next))
                }
            };
            let only_reported = shell.reports_status(statement, rest, context);
            let fails_if_full =
                shell.empty_is_good(statement, rest, context).then_some(Decides::Failure);
            let never_succeeds = shell.certainly_fails_after(statement, rest, context);
            let insists = context
                .insists
                .or_else(|| shell.insists(statement, rest, context).then_some(statement.span));
            let context = match statement.background {
                // A shell of its own, which `set -e` ends as it does the script.
                true => {
                    let propagation = shell.propagation_in_background(rest, context);
                    let inner = context.in_subshell(statement.span, propagation);
                    let detached = context.detached || !shell.waits_for(statement, rest);
                    Context { is_last: false, detached, ..inner }
                }
                false => {
                    let skips = context.is_last && shell.skips_work_after(statement, rest);
                    let is_last = is_last && index + 1 >= end || skips;
                    Context { is_last, ..context.with(propagation) }
                }
            };
            let skipped = rest.first().and_then(|next| shell.skipped_by_status(next));
            let skipped = skipped.map(|span| shell.location(span)).or(context.skipped);
            let is_sought =
                rest.first().is_some_and(|next| shell.output_is_looked_for(statement, next));
            let tested = context.tested || is_sought || is_awaited;
            let status = if statement.background { Status::None } else { status };
            let decided = (status == Status::Last).then(|| shell.decided_by_status(rest)).flatten();
            let gives_up_on_status = decided.is_some_and(|span| gives_up(shell.written(span)));
            let decided = decided.map(|span| Decides::Branches(shell.location(span)));
            let decides = decided.or(fails_if_full).or(context.decides);
            let answered = context.is_last && shell.is_answered(statement, rest);
            // With `set -e` the failure ends the shell, and what hides it is around that.
            let goes_on = propagation == Propagation::Hidden(HiddenBy::LaterCommand)
                && !rest.is_empty()
                && (!shell.errexit || context.ignores_errexit);
            let hider = goes_on.then(|| shell.location(statement.span)).or(context.hider);
            let is_for_item = context.is_called_for_item
                || context.item.is_some_and(|item| shell.mentions(statement, shell.written(item)));
            let context = Context {
                is_for_item,
                gives_up_on_status,
                status_kept,
                hider,
                only_reported,
                insists,
                skipped,
                tested,
                status,
                decides,
                answered,
                never_succeeds,
                warned: context.warned || shell.warns_about_status(rest),
                ..context
            };
            self.statement(shell, statement, &context);
            status_kept |= exit_variable.is_some_and(|name| shell.keeps_status(statement, name));
            if rest.first().is_some_and(|next| shell.written(next.span).contains("$?")) {
                shell.status = guard::of_pipeline(shell, &statement.first, true).kind;
            }
            if shell.leaves(statement) {
                return;
            }
        }
    }

    fn statement<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        statement: &'t Statement,
        context: &Context,
    ) {
        let guards = shell.guards.len();
        let count = statement.rest.len() + 1;
        let leaves = count > 1 && shell.leaves_successfully(statement.pipeline(count - 1));
        for index in 0..count {
            let pipeline = statement.pipeline(index);
            let propagation = shell.propagation_in_statement(statement, index, context);
            let hides = statement.fallback(index).is_some()
                && matches!(
                    propagation,
                    Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage)
                );
            let own = hides.then(|| shell.location(statement.span));
            let context = Context {
                ignores_errexit: context.ignores_errexit || index + 1 < count,
                is_condition: context.is_condition && count == 1,
                status: statement.fallback(index).map_or(context.status, |_| Status::None),
                is_last: context.is_last && count == 1,
                hider: own.or(context.hider),
                excused: context.excused || shell.says_done(statement, index),
                warned: context.warned || hides && shell.warns(&statement.rest[index..]),
                ..context.with(propagation)
            };
            self.pipeline(shell, pipeline, &context);
            guard_next(shell, statement, index, guards, leaves);
        }
        if leaves {
            // `is_done && exit 0` guards everything after it.
            shell.guards.pop();
        } else {
            shell.guards.truncate(guards);
        }
        let [command] = statement.first.commands.as_slice() else { return };
        match &command.kind {
            CommandKind::If(clause) => guard_rest(shell, clause, false),
            // `for name in $(list); do if …; then exit; fi; done`
            CommandKind::For(clause) => {
                let commands = clause.body.statements.iter().flat_map(|one| &one.first.commands);
                for command in commands {
                    if let CommandKind::If(inner) = &command.kind {
                        guard_rest(shell, inner, true);
                    }
                }
            }
            _ => {}
        }
    }

    fn pipeline<'t>(&mut self, shell: &mut Shell<'t>, pipeline: &'t Pipeline, context: &Context) {
        let errexit = shell.errexit && !context.ignores_errexit;
        let propagation = match (pipeline.negated, errexit) {
            (true, _) if context.is_condition => context.propagation,
            (true, _) => Propagation::Handled,
            // `if …; then create && echo created; fi`: `set -e` ends the script at the commands in it, and not at its own
            // status.
            (false, true) if pipeline.is_compound() => context.propagation,
            (false, true) => context.exit,
            (false, false) => context.propagation,
        };
        let propagation = shell.trapped(propagation, pipeline, context);
        let pipefail = shell.why_unchecked();
        let hidden = Propagation::Hidden(match context.status {
            Status::Last => HiddenBy::PipeStatus { pipefail },
            // `export key=$(create | filter)`: with `pipefail` the status is lost as well.
            _ if pipefail == Pipefail::Unset && context.is_in_arguments() => {
                HiddenBy::Substitution { piped: true }
            }
            _ => HiddenBy::Pipe { pipefail },
        });
        let tested = context.tested || shell.writes_tested_file(pipeline);
        let propagation = match propagation {
            // The script looks at what the command has written.
            Propagation::Hidden(_) if tested && !context.tested => Propagation::Handled,
            propagation => propagation,
        };
        let context = &Context { tested, ..context.clone() };
        let last = pipeline.commands.len() - 1;
        let is_looked_at = match (propagation, context.status) {
            (_, Status::Each) | (Propagation::Expected, _) => true,
            // `create | grep created; if [ $? -ne 0 ]`
            (_, Status::Last) => shell.wants_an_answer(&pipeline.commands[last]),
            (Propagation::Handled, _) => true,
            // `create | grep created` under `set -e`, or as the last command.
            (propagation, _) => {
                propagation.is_noticed() && shell.ends_with_test(pipeline.commands.as_slice())
            }
        };
        // What looks at the answer takes an empty one for good.
        let is_looked_at = is_looked_at && context.decides != Some(Decides::Failure);
        let tested = tested && context.decides != Some(Decides::Failure);
        let checks_all = shell.pipefail || tested || is_looked_at;
        let mut stdin = context.stdin.clone();
        let mut input = context.input;
        let mut before_kind = GuardKind::default();
        let mut renamed = None;
        let decides = |at: usize| {
            (at == last || checks_all)
                && propagation.is_noticed()
                && shell.wants_an_answer(&pipeline.commands[at])
        };
        let decider = (0..=last).rev().find(|at| decides(*at));
        let taker = pipeline.commands.iter().rposition(|command| !shell.only_shows(command));
        for (index, command) in pipeline.commands.iter().enumerate() {
            let propagation = if index == last || checks_all { propagation } else { hidden };
            let captured = context.captured || taker.is_some_and(|taker| index < taker);
            let answer_decides =
                context.answer_decides || decider.is_some_and(|decider| index < decider);
            if let Some(before) = index.checked_sub(1) {
                before_kind = guard::of_command(shell, &pipeline.commands[before]).max(before_kind);
                input = input.max(before_kind);
                renamed = shell.renamed_by(&pipeline.commands[before]).or(renamed);
            }
            let stdin_of = stdin.take();
            let reads_file = match index {
                0 => context.reads_file,
                _ => shell.prints_file(&pipeline.commands[..index]),
            };
            let reads_log = match index {
                0 => context.reads_log,
                _ => shell.prints_log(&pipeline.commands[..index]),
            };
            let context = Context {
                stops_at_answer: context.stops_at_answer && index == last,
                stdin: stdin_of,
                renamed: renamed.clone().into_iter().collect(),
                input,
                reads_log,
                reads_file,
                answer_decides,
                captured,
                ..context.with(propagation)
            };
            let in_shell = last == 0 || index == last && shell.ends_pipes_itself();
            let context = match in_shell {
                true => context,
                false => {
                    Context { is_last: false, ..context.in_subshell(command.span, propagation) }
                }
            };
            stdin = if index < last { shell.printed(command) } else { None };
            let guards = shell.guards.len();
            if index > 0 && guard::runs_per_item(shell, command) {
                let location = shell.location(pipeline.span);
                let guard = Guard { kind: before_kind, location, holds: true, of_loop: false };
                shell.guards.push(guard);
            }
            self.command(shell, command, &context);
            shell.guards.truncate(guards);
        }
    }

    fn command<'t>(&mut self, shell: &mut Shell<'t>, command: &'t Command, context: &Context) {
        let stdin = shell.redirected_input(command).or_else(|| context.stdin.clone());
        let input = guard::of_input(shell, command).unwrap_or(context.input);
        let reads_file = context.reads_file || shell.reads_file(command);
        let context = Context { stdin, input, reads_file, ..context.clone() };
        self.compound(shell, command, &context);
        for redirect in command.redirects.iter().filter(|one| one.writes_output()) {
            let path = shell.source.word(&redirect.target).value;
            let kind = guard::of_command(shell, command);
            shell.record_file_kind(&path, kind.max(context.input));
        }
    }

    fn compound<'t>(&mut self, shell: &mut Shell<'t>, command: &'t Command, context: &Context) {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(shell, command, simple, context),
            CommandKind::Group(list) => self.list(shell, list, context),
            CommandKind::Subshell(list) => {
                let mut inner = shell.clone();
                let context = context.in_subshell(command.span, context.propagation);
                self.list(&mut inner, list, &context);
            }
            CommandKind::If(clause) => self.if_clause(shell, command, clause, context),
            CommandKind::Loop(clause) => self.loop_clause(shell, command, clause, context),
            CommandKind::For(clause) => self.for_clause(shell, command, clause, context),
            CommandKind::Case(clause) => {
                let guards = shell.guards.len();
                let kind = guard::of_word(shell, &clause.subject);
                let location = shell.location(clause.subject.span);
                shell.guards.push(Guard { kind, location, holds: true, of_loop: false });
                self.words(shell, std::slice::from_ref(&clause.subject), context);
                for (_, body) in &clause.arms {
                    self.list(shell, body, context);
                }
                shell.guards.truncate(guards);
            }
            CommandKind::Function(function) => shell.define(function),
            CommandKind::Test(words) => {
                let answer_decides = context.answer_decides || context.propagation.is_noticed();
                self.words(shell, words, &Context { answer_decides, ..context.clone() });
            }
            CommandKind::Arithmetic => {}
            CommandKind::Unknown => self.unknown.push(shell.location(command.span)),
        }
    }
}

/// Guards what stands behind the pipeline at `index` of a list with the outcome of that pipeline. `outer` is the number of guards around
/// the list; `leaves` says that it ends the script.
fn guard_next(shell: &mut Shell<'_>, list: &Statement, index: usize, outer: usize, leaves: bool) {
    let before = index.checked_sub(1).map(|before| list.rest[before].0);
    let next = list.rest.get(index).map(|(next, _)| *next);
    match (before, next) {
        // `A && B || C`, the short form of `if A; then B; else C; fi`.
        (Some(Connector::And), Some(Connector::Or)) => {
            shell.guards.truncate(outer);
            shell.guards.push(guard::of_pipeline(shell, &list.first, leaves));
        }
        // `A || B && C`: one of them has succeeded, nobody knows which.
        (Some(Connector::Or), Some(Connector::And)) => shell.guards.truncate(outer),
        _ => {
            let succeeds = (next == Some(Connector::And)) != leaves;
            shell.guards.push(guard::of_pipeline(shell, list.pipeline(index), succeeds));
        }
    }
}

/// Adds the guards of what follows an `if` that may leave. After a loop, only leaving the script counts.
fn guard_rest(shell: &mut Shell<'_>, clause: &If, in_loop: bool) {
    for (condition, body) in &clause.branches {
        let leaves = shell.may_leave(body, in_loop, 0);
        let guard = leaves.then(|| guard::of_list(shell, condition, false)).flatten();
        shell.guards.extend(guard);
    }
}
