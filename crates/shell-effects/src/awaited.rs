//! Loops and tests that ask for the result of earlier work, and let the script fail unless it is the one that is wanted.

use crate::{
    ast::{Command, CommandKind, If, List, Loop, Pipeline, Statement},
    context::Context,
    shell::{Shell, gives_up},
    wait,
};

/// How many statements behind a loop, or in it, are searched for what decides.
const WINDOW: usize = 20;

/// Tests that hold while the answer is not the one that is wanted.
const NOT_YET: [&str; 5] = ["!=", "-ne ", "-lt ", "-z ", "! "];

/// What tests nothing outside of the shell.
const BUILTINS: [&str; 9] = [":", "[", "false", "getopts", "let", "read", "shift", "test", "true"];

impl<'t> Shell<'t> {
    /// Whether a statement is a loop behind which the script fails, unless an answer in it was the one that is wanted:
    /// `for …; do state=$(query); if [ "$state" = ready ]; then exit 0; fi; sleep 5; done; exit 1`.
    pub(crate) fn insists(
        &self,
        statement: &Statement,
        rest: &[Statement],
        context: &Context,
    ) -> bool {
        let [command] = statement.first.commands.as_slice() else { return false };
        let (body, only_wanted) = match &command.kind {
            CommandKind::Loop(clause) => (&clause.body, self.only_wanted_ends(command, clause)),
            CommandKind::For(clause) => (&clause.body, false),
            _ => return false,
        };
        let text = self.written(command.span);
        let is_noticed = |text: &str| match text.contains("return ") {
            true => context.returned.is_noticed(),
            false => context.exit.is_noticed(),
        };
        let succeeds = || self.wanted(body).iter().any(|name| *name != "break");
        statement.rest.is_empty()
            && !statement.background
            && (self.failure_at(rest).is_some_and(is_noticed) && succeeds()
                || self.test_of(text, rest).is_some_and(is_noticed)
                || only_wanted && is_noticed(text))
    }

    /// Whether the script fails unless the test of a branch is told what it wants:
    /// `if [ "$(query)" != ready ]; then exit 1; fi`.
    pub(crate) fn fails_unless_told(&self, clause: &If, index: usize) -> bool {
        let (condition, body) = &clause.branches[index];
        let [statement] = condition.statements.as_slice() else { return false };
        let is_test = match statement.first.commands.as_slice() {
            [Command { kind: CommandKind::Test(_), .. }] => true,
            _ => matches!(self.only_simple(&statement.first), Some(("[" | "test", _))),
        };
        let text = self.written(condition.span());
        let unwanted = match NOT_YET.iter().any(|test| text.contains(test)) {
            true => Some(body),
            false => clause.otherwise.as_ref().filter(|_| clause.branches.len() == 1),
        };
        let fails = |list: &List| gives_up(self.written(list.span()));
        is_test && statement.rest.is_empty() && unwanted.is_some_and(fails)
    }

    /// The statement that ends the script or function with a failure, if those before it only print.
    pub(crate) fn failure_at(&self, rest: &[Statement]) -> Option<&'t str> {
        let prints = |one: &&Statement| one.rest.is_empty() && self.prints(&one.first);
        let last = rest.iter().find(|one| !prints(one)).filter(|last| last.rest.is_empty())?;
        let (name, simple) = self.only_simple(&last.first)?;
        let status = self.written(simple.words.get(1)?.span).parse();
        let fails = matches!(name, "exit" | "return") && status.is_ok_and(|code: u8| code > 0);
        fails.then(|| self.written(last.span))
    }

    /// The test behind a loop that asks for a variable which the loop assigns, and gives up.
    fn test_of(&self, text: &str, rest: &[Statement]) -> Option<&'t str> {
        let names: Vec<_> = assigned(text).take(WINDOW).collect();
        let is_test = |one: &Statement| match one.first.commands.as_slice() {
            [Command { kind: CommandKind::If(_), .. }] => true,
            [Command { kind: CommandKind::Test(_), .. }] => !one.rest.is_empty(),
            _ => {
                let name = self.only_simple(&one.first).map(|(name, _)| name);
                matches!(name, Some("[" | "test")) && !one.rest.is_empty()
            }
        };
        let tests = rest.iter().take(WINDOW).filter(|one| is_test(one));
        tests
            .map(|one| self.written(one.span))
            .find(|own| gives_up(own) && names.iter().any(|name| uses(own, name)))
    }

    /// Whether only the wanted answer ends a loop without a failure.
    fn only_wanted_ends(&self, command: &Command, clause: &Loop) -> bool {
        let condition = self.written(clause.condition.span());
        let body = self.written(clause.body.span());
        let ends = words(body).filter(|word| *word == "break").count()
            + body.matches("exit 0").count()
            + body.matches("return 0").count();
        if wait::is_always(condition, clause.until) {
            return ends > 0 && self.wanted(&clause.body).len() == ends;
        }
        let is_not_yet = NOT_YET.iter().any(|test| condition.contains(test));
        let mut asked = assigned(body).take(WINDOW).filter(|name| uses(condition, name));
        ends == 0
            && !wait::counts(self, condition, self.written(command.span))
            && (self.asks_each_turn(clause)
                || match is_not_yet != clause.until {
                    true => asked.next().is_some(),
                    false => asked.any(|name| self.is_raised_only_when_wanted(&clause.body, name)),
                })
    }

    /// Whether the condition of a loop holds until an answer that its body asks for again is the one that is wanted:
    /// `while [ "$ready" != 2 ]; do restart; ready=$(count_ready); done`.
    pub(crate) fn goes_on_until_wanted(&self, command: &Command, clause: &Loop) -> bool {
        let condition = self.written(clause.condition.span());
        !wait::is_always(condition, clause.until)
            && !self.asks_each_turn(clause)
            && self.only_wanted_ends(command, clause)
    }

    /// Whether a program decides in each turn of a loop: `until kubectl get secret shop; do …; done`.
    pub(crate) fn asks_each_turn(&self, clause: &Loop) -> bool {
        self.negation_of_program(clause).is_some()
    }

    /// Whether a loop ends where a program fails: `while kubectl get pod shop; do sleep 5; done`.
    pub(crate) fn goes_on_while_found(&self, clause: &Loop) -> bool {
        self.negation_of_program(clause).is_some_and(|negated| negated == clause.until)
    }

    /// Whether the condition of a loop is a program with a `!`; `None` if it is something else.
    fn negation_of_program(&self, clause: &Loop) -> Option<bool> {
        let [statement] = clause.condition.statements.as_slice() else { return None };
        let (name, _) = self.only_simple(&statement.first)?;
        let is_program = statement.rest.is_empty() && !BUILTINS.contains(&name);
        is_program.then_some(statement.first.negated)
    }

    /// Whether a body assigns a variable only where an answer is the one that is wanted:
    /// `if [ "$state" = ready ]; then done=true; fi`.
    fn is_raised_only_when_wanted(&self, body: &List, name: &str) -> bool {
        let mut places = Vec::new();
        self.assignments_of(body, name, (false, self.written(body.span())), &mut places);
        let number = assigned(self.written(body.span())).filter(|own| *own == name).count();
        number > 0 && places.len() == number && places.iter().all(|is_wanted| *is_wanted)
    }

    /// Whether each assignment of a variable in a list is where an answer is the one that is wanted. `whole` is the text of the loop
    /// around the list.
    fn assignments_of(
        &self,
        list: &List,
        name: &str,
        (is_wanted, whole): (bool, &str),
        places: &mut Vec<bool>,
    ) {
        let tests = |list: &List| self.is_wanted(self.written(list.span()), whole);
        for statement in &list.statements {
            let own = statement.assignment().filter(|own| self.written(own.name) == name);
            places.extend(own.map(|_| is_wanted));
            for command in &statement.first.commands {
                let mut inside = |list: &List, is_wanted: bool| {
                    self.assignments_of(list, name, (is_wanted, whole), places);
                };
                match &command.kind {
                    CommandKind::If(clause) => {
                        for (test, branch) in &clause.branches {
                            inside(branch, is_wanted || tests(test));
                        }
                        clause.otherwise.iter().for_each(|list| inside(list, is_wanted));
                    }
                    CommandKind::For(clause) => inside(&clause.body, is_wanted),
                    CommandKind::Loop(clause) => inside(&clause.body, is_wanted),
                    CommandKind::Group(list) => inside(list, is_wanted),
                    _ => {}
                }
            }
        }
    }

    /// Whether a test asks for what is wanted, and does not count turns.
    fn is_wanted(&self, test: &str, whole: &str) -> bool {
        !NOT_YET.iter().any(|not| test.contains(not)) && !wait::counts(self, test, whole)
    }

    /// The builtins with which a body leaves the loop or the script where an answer is the one that is wanted.
    fn wanted(&self, body: &List) -> Vec<&'t str> {
        let whole = self.written(body.span());
        let is_wanted = |test: &str| self.is_wanted(test, whole);
        let mut ends = Vec::new();
        for statement in body.statements.iter().take(WINDOW) {
            match statement.first.commands.as_slice() {
                [Command { kind: CommandKind::If(clause), .. }] => {
                    let branches = clause.branches.iter();
                    let own = branches.filter(|(test, _)| is_wanted(self.written(test.span())));
                    ends.extend(own.filter_map(|(_, list)| self.end_of(list)));
                }
                [Command { kind: CommandKind::Case(clause), .. }] => {
                    let is_any = |word| self.written(word) == "*";
                    let arms = clause.arms.iter();
                    let own = arms.filter(|(words, _)| !words.iter().any(|word| is_any(word.span)));
                    ends.extend(own.filter_map(|(_, list)| self.end_of(list)));
                }
                // What leaves the script or function leaves the loop around this one too.
                [Command { kind: CommandKind::For(clause), .. }] => {
                    ends.extend(
                        self.wanted(&clause.body).into_iter().filter(|end| *end != "break"),
                    );
                }
                _ if is_wanted(self.written(statement.first.span)) => {
                    let last = statement.rest.last();
                    ends.extend(last.and_then(|(_, pipeline)| self.end_in(pipeline)));
                }
                _ => {}
            }
        }
        ends
    }

    fn end_of(&self, list: &List) -> Option<&'t str> {
        let last = list.statements.last().filter(|last| last.rest.is_empty())?;
        self.end_in(&last.first)
    }

    fn end_in(&self, pipeline: &Pipeline) -> Option<&'t str> {
        let (name, _) = self.only_simple(pipeline)?;
        let ends = matches!(name, "break" | "exit" | "return");
        (ends && self.leaves_successfully(pipeline)).then_some(name)
    }
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}

/// The variables that a text assigns.
fn assigned(text: &str) -> impl Iterator<Item = &str> {
    let before = text.match_indices('=').map(|(at, _)| &text[..at]);
    before.filter_map(|before| words(before).next_back()).filter(|name| !name.is_empty())
}

/// Whether a text expands the variable.
fn uses(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text[at + name.len()..].chars().next();
        let ends = !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        ends && text[..at].ends_with(['$', '{'])
    })
}
