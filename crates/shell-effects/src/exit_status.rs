//! What becomes of a failure: whether the Job learns of it, by what stands around and after a command.

use super::{
    analysis::{Fate, Hide},
    ast::{Command, CommandKind, Connector, If, List, Pipeline, Span, Statement},
    flow::Flow,
    shell::Shell,
    wait,
};

/// Programs after `||` that only say something, so that the status is lost.
const SAY: [&str; 8] = ["true", ":", "echo", "printf", "log", "warn", "info", "logger"];

/// Whether the text holds an end of the script that is a failure.
fn gives_up(text: &str) -> bool {
    ["exit 1", "exit 2", "return 1", "exit $"].iter().any(|end| text.contains(end))
}

impl Shell<'_> {
    /// What becomes of the failure of a statement that `rest` follows.
    pub(super) fn fate_before(&self, rest: &[Statement], flow: &Flow) -> Fate {
        let hidden = match flow.fate {
            Fate::Hidden(Hide::Loop) => Hide::Loop,
            _ => Hide::LaterCommand,
        };
        let Some(next) = rest.first() else { return flow.fate };
        let text = self.written(next.span);
        match self.only(&next.first) {
            Some(("exit" | "return", simple)) => match simple.words.get(1) {
                None => flow.exit,
                Some(word) if self.written(word.span).contains("$?") => flow.exit,
                Some(word) if self.written(word.span) == "0" => Fate::Hidden(Hide::ExitZero),
                Some(_) => Fate::Hidden(hidden),
            },
            _ if text.contains("$?") || text.contains("PIPESTATUS") => {
                self.fate_of_status(next, text, flow)
            }
            _ => Fate::Hidden(hidden),
        }
    }

    /// What becomes of the failure of one pipeline of a statement.
    pub(super) fn fate_in_statement(
        &self,
        statement: &Statement,
        index: usize,
        flow: &Flow,
    ) -> Fate {
        if let Some((Connector::And, next)) = statement.rest.get(index)
            && self.leaves_successfully(next)
        {
            if self.breaks(next) && flow.retried {
                return Fate::Retried;
            }
            // `create && exit 0; exit 1`, `for …; do create && break; done; … exit 1`
            if self.fails_after(statement.span) {
                return flow.exit;
            }
            if !self.breaks(next) {
                return Fate::Handled;
            }
        }
        let Some(fallback) = statement.fallback(index) else {
            let hidden = index < statement.rest.len() && self.errexit && !flow.ignored;
            return match flow.fate {
                Fate::Hidden(Hide::LaterCommand) if hidden => Fate::Hidden(Hide::AndList),
                fate => fate,
            };
        };
        self.fate_of_fallback(statement.pipeline(fallback), flow, 0)
    }

    /// Whether the pipeline only ends a loop.
    fn breaks(&self, pipeline: &Pipeline) -> bool {
        self.only(pipeline).is_some_and(|(name, _)| matches!(name, "break" | "continue"))
    }

    /// Whether the script may still fail after the statement, as it does when all turns of a loop failed.
    fn fails_after(&self, span: Span) -> bool {
        let rest = self.source.value.get(span.end as usize..).unwrap_or_default();
        gives_up(rest) || rest.contains("false")
    }

    /// What becomes of a failure whose status the next statement looks at.
    fn fate_of_status(&self, next: &Statement, text: &str, flow: &Flow) -> Fate {
        let kept = text.strip_suffix("=$?").filter(|name| !name.contains([' ', '=']));
        if let Some(name) = kept {
            let rest = self.source.value.get(next.span.end as usize..).unwrap_or_default();
            let ends =
                [format!("exit ${name}"), format!("exit ${{{name}}}"), format!("exit \"${name}\"")];
            let passed_on = ends.iter().any(|end| rest.contains(end.as_str()));
            return if passed_on { flow.exit } else { Fate::Handled };
        }
        let [Command { kind: CommandKind::If(clause), .. }] = next.first.commands.as_slice() else {
            return Fate::Handled;
        };
        let [(condition, body)] = clause.branches.as_slice() else { return Fate::Handled };
        let condition = self.written(wait::span_of(condition));
        let zero = ["-eq 0", "= 0", "== 0"].iter().any(|test| condition.contains(test));
        let failed = ["-ne 0", "!= 0", "-gt 0", "> 0"].iter().any(|test| condition.contains(test));
        match (&clause.otherwise, zero && !failed) {
            (Some(otherwise), true) => self.fate_of_end(otherwise, flow),
            (_, false) if failed => self.fate_of_end(body, flow),
            _ => Fate::Handled,
        }
    }

    /// What becomes of the failure of the condition of a branch: `if ! create; then exit 1; fi`,
    /// `if create; then …; else exit 1; fi`, `if create; then exit 0; fi; … exit 1`.
    pub(super) fn fate_of_condition(
        &self,
        clause: &If,
        index: usize,
        span: Span,
        flow: &Flow,
    ) -> Fate {
        let (condition, body) = &clause.branches[index];
        let [statement] = condition.statements.as_slice() else { return Fate::Handled };
        if !statement.rest.is_empty() {
            return Fate::Handled;
        }
        if statement.first.negated {
            return self.fate_of_end(body, flow);
        }
        match clause.otherwise.as_ref().filter(|_| clause.branches.len() == 1) {
            Some(otherwise) => self.fate_of_end(otherwise, flow),
            None if self.list_leaves(body) && self.fails_after(span) => flow.exit,
            None => Fate::Handled,
        }
    }

    /// What becomes of the failure of the condition of a loop that is not endless: when the body gives up,
    /// the script fails.
    pub(super) fn fate_of_tries(&self, body: &List, flow: &Flow) -> Fate {
        let text = self.written(wait::span_of(body));
        if gives_up(text) { flow.exit } else { Fate::Handled }
    }

    /// Fatal where the list ends with a failure of the script.
    fn fate_of_end(&self, list: &List, flow: &Flow) -> Fate {
        let last = list.statements.last().filter(|last| last.rest.is_empty());
        let fate = last.map(|last| self.fate_of_fallback(&last.first, flow, 0));
        fate.filter(|fate| matches!(fate, Fate::Fatal | Fate::Retried)).unwrap_or(Fate::Handled)
    }

    fn fate_of_fallback(&self, pipeline: &Pipeline, flow: &Flow, depth: u32) -> Fate {
        let list = match pipeline.commands.as_slice() {
            [Command { kind: CommandKind::Group(list) | CommandKind::Subshell(list), .. }] => list,
            _ => return self.fate_of_simple_fallback(pipeline, flow, depth),
        };
        match list.statements.last() {
            Some(last) if last.rest.is_empty() && depth < 8 => {
                self.fate_of_fallback(&last.first, flow, depth + 1)
            }
            _ => Fate::Handled,
        }
    }

    fn fate_of_simple_fallback(&self, pipeline: &Pipeline, flow: &Flow, depth: u32) -> Fate {
        let Some((name, simple)) = self.only(pipeline) else { return Fate::Handled };
        let status = simple.words.get(1).map(|word| self.written(word.span));
        let function = self.functions.get(name).filter(|_| depth < 8);
        match (name, function) {
            ("exit" | "return", _) if status == Some("0") => Fate::Hidden(Hide::OrTrue),
            ("exit", _) => flow.exit,
            ("return" | "false", _) => flow.fate,
            (name, None) if SAY.contains(&name) => Fate::Hidden(Hide::OrTrue),
            (_, Some(function)) => {
                let list = match &function.body.kind {
                    CommandKind::Group(list) | CommandKind::Subshell(list) => list,
                    _ => return Fate::Handled,
                };
                let last = list.statements.last();
                last.map_or(Fate::Handled, |last| {
                    self.fate_of_fallback(&last.first, flow, depth + 1)
                })
            }
            _ => Fate::Handled,
        }
    }
}
