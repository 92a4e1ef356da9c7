//! Walks a script in the order in which it runs, and carries along what becomes of a failure.

use super::{
    analysis::{Analysis, Fate, Guard, Hide, Invocation, Setting, Wait},
    ast::{Command, CommandKind, Connector, For, ForHead, If, List, Loop, Pipeline, Statement},
    catalogue::Catalogue,
    guard,
    shell::Shell,
    text::{Place, Text},
    wait,
};

/// Functions calling functions and scripts inside scripts deeper than this are not followed.
const MAX_DEPTH: u32 = 24;

/// A script that calls its functions over and over is followed up to this many calls and commands.
const MAX_CALLS: u32 = 5_000;

/// The walk over everything an argument list may run.
pub(super) struct Walk<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) setting: &'a Setting,
    /// Where the elements of [`Setting::files`] start.
    pub(super) first_file: usize,
    pub(super) found: Vec<Invocation>,
    pub(super) waits: Vec<Wait>,
    pub(super) unknown: Vec<Place>,
    depth: u32,
    calls: u32,
}

/// What holds where a command stands.
#[derive(Clone)]
pub(super) struct Flow {
    /// What becomes of its failure, `set -e` aside.
    pub(super) fate: Fate,
    /// What becomes of the failure of the whole shell.
    pub(super) exit: Fate,
    /// `set -e` has no effect here: a condition.
    pub(super) ignored: bool,
    /// It is the condition of an `if` or a loop.
    pub(super) asked: bool,
    /// In a loop that nothing but success ends.
    pub(super) retried: bool,
    /// `timeout` runs it.
    pub(super) bounded: bool,
    /// The script tests what it prints.
    pub(super) tested: bool,
    /// Something else reads what it prints.
    pub(super) captured: bool,
    /// What the command before it in a pipeline prints.
    pub(super) stdin: Option<Text>,
}

impl Flow {
    pub(super) fn top() -> Self {
        Self {
            fate: Fate::Fatal,
            exit: Fate::Fatal,
            ignored: false,
            asked: false,
            retried: false,
            bounded: false,
            tested: false,
            captured: false,
            stdin: None,
        }
    }

    pub(super) fn with(&self, fate: Fate) -> Self {
        Self { fate, ..self.clone() }
    }

    /// The commands of a condition: their failure is an answer.
    pub(super) fn condition(&self, fate: Fate) -> Self {
        Self { fate, ignored: true, asked: true, stdin: None, ..self.clone() }
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(catalogue: &'a Catalogue, setting: &'a Setting, first_file: usize) -> Self {
        let (found, waits, unknown) = (Vec::new(), Vec::new(), Vec::new());
        Self { catalogue, setting, first_file, found, waits, unknown, depth: 0, calls: 0 }
    }

    pub(super) fn finish(mut self) -> Analysis {
        self.waits.sort_by_key(|wait| (wait.place, !wait.unbounded));
        self.waits.dedup_by_key(|wait| wait.place);
        self.unknown.sort();
        self.unknown.dedup();
        Analysis {
            invocations: super::effects::settle(self.found),
            waits: self.waits,
            unknown: self.unknown,
        }
    }

    /// Runs `inner` one level deeper, unless that is too deep.
    pub(super) fn deeper(&mut self, inner: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH && self.calls < MAX_CALLS {
            self.calls += 1;
            self.depth += 1;
            inner(self);
            self.depth -= 1;
        }
    }

    pub(super) fn list<'t>(&mut self, shell: &mut Shell<'t>, list: &'t List, flow: &Flow) {
        for (index, statement) in list.statements.iter().enumerate() {
            let rest = &list.statements[index + 1..];
            let fate = if rest.is_empty() { flow.fate } else { shell.fate_before(rest, flow) };
            self.statement(shell, statement, &flow.with(fate));
            if rest.first().is_some_and(|next| shell.written(next.span).contains("$?")) {
                shell.status = guard::of_pipeline(self, shell, &statement.first, true).kind;
            }
            if shell.leaves(statement) {
                return;
            }
        }
    }

    fn statement<'t>(&mut self, shell: &mut Shell<'t>, statement: &'t Statement, flow: &Flow) {
        let mut flow = flow.clone();
        if statement.background {
            // `wait` alone succeeds whatever the commands did.
            let mut lines = shell.source.value.split([';', '\n', '&', '(']).map(str::trim);
            let waits = lines.any(|line| line.starts_with("wait ") && line.len() > 5);
            flow.fate = if waits { Fate::Handled } else { Fate::Hidden(Hide::Background) };
            flow.ignored = true;
        }
        let guards = shell.guards.len();
        let count = statement.rest.len() + 1;
        let leaves = count > 1 && shell.leaves_successfully(statement.pipeline(count - 1));
        for index in 0..count {
            let pipeline = statement.pipeline(index);
            let fate = shell.fate_in_statement(statement, index, &flow);
            let ignored = flow.ignored || index + 1 < count;
            let asked = flow.asked && count == 1;
            self.pipeline(shell, pipeline, &Flow { ignored, asked, ..flow.with(fate) });
            let and = statement.rest.get(index).is_some_and(|(next, _)| *next == Connector::And);
            shell.guards.push(guard::of_pipeline(self, shell, pipeline, and != leaves));
        }
        if leaves {
            // `done_before && exit 0`: what follows runs only if it was not.
            shell.guards.pop();
        } else {
            shell.guards.truncate(guards);
        }
        let [command] = statement.first.commands.as_slice() else { return };
        match &command.kind {
            CommandKind::If(clause) => self.left_by(shell, clause, false),
            // `for name in $(list); do if … ; then exit; fi; done`
            CommandKind::For(clause) => {
                let commands = clause.body.statements.iter().flat_map(|one| &one.first.commands);
                for command in commands {
                    if let CommandKind::If(inner) = &command.kind {
                        self.left_by(shell, inner, true);
                    }
                }
            }
            _ => {}
        }
    }

    /// What follows runs only where no branch has left; what follows a loop, only where none has left the
    /// script.
    fn left_by(&mut self, shell: &mut Shell<'_>, clause: &If, in_loop: bool) {
        for (condition, body) in &clause.branches {
            let left = if in_loop { shell.list_exits(body) } else { shell.list_leaves(body) };
            let guard = left.then(|| guard::of_list(self, shell, condition, false)).flatten();
            shell.guards.extend(guard);
        }
    }

    fn pipeline<'t>(&mut self, shell: &mut Shell<'t>, pipeline: &'t Pipeline, flow: &Flow) {
        let errexit = shell.errexit && !flow.ignored;
        let fate = match (pipeline.negated, errexit) {
            (true, _) if flow.asked => flow.fate,
            (true, _) => Fate::Handled,
            (false, true) => flow.exit,
            (false, false) => flow.fate,
        };
        let mut stdin = flow.stdin.clone();
        let last = pipeline.commands.len() - 1;
        for (index, command) in pipeline.commands.iter().enumerate() {
            let hidden = Fate::Hidden(Hide::Pipe { pipefail: shell.knows_pipefail });
            let seen = index == last || shell.pipefail || flow.tested || fate == Fate::Handled;
            let fate = if seen { fate } else { hidden };
            let captured = flow.captured || index < last;
            let flow = Flow { stdin: stdin.take(), captured, ..flow.with(fate) };
            stdin = if index < last { shell.printed(command) } else { None };
            let guards = shell.guards.len();
            if index > 0 && guard::takes_given(shell, command) {
                let (kind, place) = (
                    guard::of_commands(self, shell, &pipeline.commands[..index]),
                    shell.place(pipeline.span),
                );
                shell.guards.push(Guard { kind, place });
            }
            self.command(shell, command, &flow);
            shell.guards.truncate(guards);
        }
    }

    fn command<'t>(&mut self, shell: &mut Shell<'t>, command: &'t Command, flow: &Flow) {
        let stdin = shell.input(self, command).or_else(|| flow.stdin.clone());
        let flow = Flow { stdin, ..flow.clone() };
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(shell, command, simple, &flow),
            CommandKind::Group(list) => self.list(shell, list, &flow),
            CommandKind::Subshell(list) => {
                let mut inner = shell.clone();
                self.list(&mut inner, list, &Flow { exit: flow.fate, ..flow.clone() });
            }
            CommandKind::If(clause) => self.if_clause(shell, command, clause, &flow),
            CommandKind::Loop(clause) => self.loop_clause(shell, command, clause, &flow),
            CommandKind::For(clause) => self.for_clause(shell, command, clause, &flow),
            CommandKind::Case(clause) => {
                let guards = shell.guards.len();
                let kind = guard::of_word(self, shell, &clause.subject);
                let place = shell.place(clause.subject.span);
                shell.guards.push(Guard { kind, place });
                self.words(shell, std::slice::from_ref(&clause.subject), &flow);
                for (_, body) in &clause.arms {
                    self.list(shell, body, &flow);
                }
                shell.guards.truncate(guards);
            }
            CommandKind::Function(function) => shell.define(function),
            CommandKind::Test(words) => self.words(shell, words, &flow),
            CommandKind::Arithmetic => {}
            CommandKind::Unknown => self.unknown.push(shell.place(command.span)),
        }
    }

    fn if_clause<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        clause: &'t If,
        flow: &Flow,
    ) {
        let guards = shell.guards.len();
        for (index, (condition, body)) in clause.branches.iter().enumerate() {
            let fate = shell.fate_of_condition(clause, index, command.span, flow);
            self.list(shell, condition, &flow.condition(fate));
            let inner = shell.guards.len();
            shell.guards.extend(guard::of_list(self, shell, condition, true));
            self.list(shell, body, flow);
            shell.guards.truncate(inner);
            shell.guards.extend(guard::of_list(self, shell, condition, false));
        }
        if let Some(otherwise) = &clause.otherwise {
            self.list(shell, otherwise, flow);
        }
        shell.guards.truncate(guards);
    }

    fn loop_clause<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        clause: &'t Loop,
        flow: &Flow,
    ) {
        let unbounded = !flow.bounded && wait::is_unbounded(shell, command, clause);
        if wait::is_wait(shell, clause) {
            self.waits.push(Wait { place: shell.place(command.span), unbounded });
        }
        let again = match unbounded {
            true => Fate::Retried,
            false => shell.fate_of_tries(&clause.body, flow),
        };
        self.list(shell, &clause.condition, &flow.condition(again));
        let guards = shell.guards.len();
        shell.guards.extend(guard::of_list(self, shell, &clause.condition, !clause.until));
        // `until [ $? -eq 0 ]`: the condition looks at what the body ends with.
        let looked_at = shell.written(wait::span_of(&clause.condition)).contains("$?");
        let fate = if looked_at { again } else { Fate::Hidden(Hide::Loop) };
        let body = Flow { retried: unbounded, ..flow.with(fate) };
        self.list(shell, &clause.body, &body);
        shell.guards.truncate(guards);
    }

    fn for_clause<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        clause: &'t For,
        flow: &Flow,
    ) {
        match &clause.head {
            ForHead::Words(words) | ForHead::Select(words) => {
                let kind = guard::of_words(self, shell, words);
                shell.assign_loop_variable(clause, kind);
                self.words(shell, words, flow);
            }
            ForHead::Arithmetic(test)
                if test.text(&shell.source.value).trim_matches([';', ' ']).is_empty() =>
            {
                self.waits
                    .push(Wait { place: shell.place(command.span), unbounded: !flow.bounded });
            }
            ForHead::Arithmetic(_) => {}
        }
        let guards = shell.guards.len();
        let body = Flow { retried: false, ..flow.with(Fate::Hidden(Hide::Loop)) };
        self.list(shell, &clause.body, &body);
        shell.guards.truncate(guards);
    }
}

impl Statement {
    /// The pipelines in order.
    pub(super) fn pipeline(&self, index: usize) -> &Pipeline {
        index.checked_sub(1).map_or(&self.first, |at| &self.rest[at].1)
    }

    /// The index of the pipeline that runs when the one at `index` fails.
    pub(super) fn fallback(&self, index: usize) -> Option<usize> {
        let or =
            self.rest[index..].iter().position(|(connector, _)| *connector == Connector::Or)?;
        Some(index + or + 1)
    }
}
