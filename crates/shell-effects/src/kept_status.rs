//! Failures that a variable or a file keeps: `deploy || failed=1`, `if ! deploy; then failed=$((failed + 1)); fi`,
//! `deploy || echo "$app" >> failed`.

use crate::{
    analysis::{HiddenBy, Propagation},
    ast::{CommandKind, List, PartKind, Pipeline, Span, Statement},
    context::Context,
    shell::Shell,
    text::start_of,
};

/// How many of the last statements of a list are looked at.
const WINDOW: usize = 8;

/// How many bytes behind a command are searched for a test of a file.
const MOST_BYTES: usize = 16 << 10;

/// What stands around a file name.
const QUOTES: [char; 2] = ['"', '\''];

/// Programs whose answer tells whether a file holds something.
const ASKS: [&str; 2] = ["grep -q", "wc -"];

/// How deep functions are followed.
const MAX_DEPTH: u32 = 2;

impl<'t> Shell<'t> {
    /// The variable that a pipeline assigns, if it does nothing else and cannot fail.
    pub(crate) fn kept_in(&self, pipeline: &Pipeline) -> Option<&'t str> {
        let [command] = pipeline.commands.as_slice() else { return None };
        match &command.kind {
            CommandKind::Simple(simple) if simple.words.is_empty() => {
                let [assignment] = simple.assignments.as_slice() else { return None };
                let parts = || assignment.values.iter().flat_map(|word| &word.parts);
                // `count=$(expr $count + 1)` counts, other programs may fail.
                let runs = parts().any(|part| match &part.kind {
                    PartKind::Command(list) => !self.written(list.span()).starts_with("expr "),
                    PartKind::Process(_) => true,
                    _ => false,
                });
                Some(self.written(assignment.name)).filter(|_| !runs)
            }
            CommandKind::Arithmetic => {
                let text = self.written(command.span).trim_start_matches(['(', ' ']);
                let name = text.trim_start_matches('+');
                let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let (name, after) = name.split_at(name.find(|c| !is_letter(c))?);
                let after = after.trim_start();
                let adds = text.starts_with("++") || after.starts_with(['+', '=']);
                // `((n++))` fails as long as `n` was 0, and a comparison if it does not hold.
                let fails =
                    after.starts_with("++") && self.errexit || after.contains(['<', '>', '?']);
                let compares = after.contains("==");
                (adds && !fails && !compares && !name.is_empty()).then_some(name)
            }
            _ => None,
        }
    }

    /// The variable with whose value a list exits: `…; exit "${status:-0}"`.
    pub(crate) fn exit_variable(&self, list: &List) -> Option<&'t str> {
        let last = self.written(list.statements.last()?.span);
        let value = last.strip_prefix("exit ")?.trim().trim_matches('"').strip_prefix('$')?;
        let name = value.trim_start_matches('{').split([':', '}']).next()?;
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (!name.is_empty() && name.chars().all(is_letter)).then_some(name)
    }

    /// Whether a statement keeps the status of a command in a variable: `status=$?`, `deploy || status=1`.
    pub(crate) fn keeps_status(&self, statement: &Statement, name: &str) -> bool {
        let text = self.written(statement.span);
        text == format!("{name}=$?") || text.contains(&format!("|| {name}="))
    }

    /// How a failure propagates that the variable keeps.
    pub(crate) fn propagation_of_kept(&self, name: &str, context: &Context) -> Propagation {
        let is_read = self.uses.is_read_in(name, 0..usize::MAX);
        match context.subshell {
            _ if !is_read => Propagation::Hidden(HiddenBy::Unread),
            Some(scope) if !self.uses.is_read_in(name, scope.range()) => {
                Propagation::Hidden(HiddenBy::Subshell)
            }
            _ => Propagation::Handled,
        }
    }

    /// How a failure propagates after which the list runs, if its last commands only print and keep it in variables.
    pub(crate) fn propagation_kept_by(
        &self,
        list: &List,
        context: &Context,
        depth: u32,
    ) -> Option<Propagation> {
        let mut found = None;
        for (index, statement) in list.statements.iter().rev().take(WINDOW).enumerate() {
            if !statement.rest.is_empty() {
                return found;
            }
            let pipeline = &statement.first;
            let own = self.kept_in(pipeline).map(|name| self.propagation_of_kept(name, context));
            match own.or_else(|| self.propagation_kept_by_call(pipeline, context, depth)) {
                Some(Propagation::Handled) => return Some(Propagation::Handled),
                Some(hidden) => found = Some(hidden),
                None if self.prints(pipeline) => {}
                // `|| { count_error; return 1; }`
                None if index == 0 && self.returns(pipeline) => {}
                None => return found,
            }
        }
        found
    }

    /// The same for a function that is called.
    fn propagation_kept_by_call(
        &self,
        pipeline: &Pipeline,
        context: &Context,
        depth: u32,
    ) -> Option<Propagation> {
        let (name, _) = self.only_simple(pipeline)?;
        let function = self.functions.get(name).filter(|_| depth < MAX_DEPTH)?;
        let CommandKind::Group(list) = &function.body.kind else { return None };
        self.propagation_kept_by(list, context, depth + 1)
    }

    /// Whether a pipeline writes to a file that the script tests later.
    pub(crate) fn leaves_mark(&self, pipeline: &Pipeline) -> bool {
        let [command] = pipeline.commands.as_slice() else { return false };
        let rest = start_of(&self.source.value[command.span.range().end..], MOST_BYTES);
        let redirects = command.redirects.iter().filter(|one| one.writes_output() || one.appends());
        let touched = match &command.kind {
            CommandKind::Simple(simple) => simple.words.split_first(),
            _ => None,
        };
        let touched = touched.filter(|(program, _)| self.written(program.span) == "touch");
        let touched = touched.into_iter().flat_map(|(_, files)| files.iter().map(|one| one.span));
        let files = redirects.map(|one| one.target.span).chain(touched);
        files.map(|file| self.written(file).trim_matches(QUOTES)).any(|file| {
            let named = rest.match_indices(file).filter(|_| file.len() > 1);
            named.map(|(at, _)| rest[..at].trim_end_matches(QUOTES)).any(|before| {
                let line = before.rsplit(['\n', ';']).next().unwrap_or_default().trim_end();
                let is_test = ["-e", "-f", "-s"].iter().any(|test| line.ends_with(test));
                is_test || ASKS.iter().any(|asks| line.contains(asks))
            })
        })
    }

    /// Whether a pipeline keeps that the command before its `&&` has succeeded, and the script tests that later: `dump && ok=1`,
    /// `dump && touch /tmp/ok`.
    pub(crate) fn marks_success(&self, pipeline: &Pipeline) -> bool {
        let is_tested = |name: &str| {
            let after = pipeline.span.end as usize;
            self.uses.is_tested(name) && self.uses.is_read_in(name, after..usize::MAX)
        };
        self.kept_in(pipeline).is_some_and(is_tested) || self.leaves_mark(pipeline)
    }

    /// The variable that `while read -r NAME` takes an item into.
    pub(crate) fn read_in(&self, condition: &List) -> Option<Span> {
        let [statement] = condition.statements.as_slice() else { return None };
        let (name, simple) = self.only_simple(&statement.first)?;
        let last = simple.words.last().filter(|_| name == "read" && simple.words.len() > 1)?;
        (!self.written(last.span).starts_with('-')).then_some(last.span)
    }

    fn returns(&self, pipeline: &Pipeline) -> bool {
        self.only_simple(pipeline).is_some_and(|(name, _)| name == "return")
    }

    /// Whether every command of the list only prints or assigns a variable.
    pub(crate) fn only_reports(&self, list: &List) -> bool {
        list.statements.iter().all(|statement| {
            let pipeline = &statement.first;
            statement.rest.is_empty() && (self.prints(pipeline) || self.kept_in(pipeline).is_some())
        })
    }
}
