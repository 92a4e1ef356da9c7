//! Simple commands: assignments, substitutions, builtins and functions.

use super::Interpreter;
use crate::{
    analysis::{HiddenBy, Propagation, Variable},
    ast::{Command, CommandKind, List, Part, PartKind, Simple, Span, Word, only_statement},
    context::{Context, Status},
    guard,
    parse::parse,
    shell::{Shell, Unsure},
    text::Text,
};

/// How the failure of a command substitution among arguments propagates.
const LOST: Propagation = Propagation::Hidden(HiddenBy::Substitution { piped: false });

impl Interpreter<'_> {
    /// Starts with a command line that no shell parses.
    pub(super) fn start(&mut self, words: Vec<Text>) {
        let empty = Text::element(0, "");
        let script = parse("");
        let mut shell = Shell::new(self.inputs, &empty, &script, "");
        shell.directory = self.inputs.container.working_directory.clone();
        self.invoke(&mut shell, words, &[], &Context::top());
    }

    pub(super) fn simple<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        simple: &'t Simple,
        context: &Context,
    ) {
        self.assigned_values(shell, simple, context);
        // `until $(curl … > /dev/null)`: the substitution is empty, so its exit status is that of the command.
        let silent = prints_nothing(shell, simple);
        self.arguments(shell, command, simple, silent, context);
        if simple.words.is_empty() {
            for assignment in &simple.assignments {
                let kind = guard::of_words(shell, &assignment.values);
                shell.assign(assignment, kind);
            }
        }
        if simple.words.is_empty() || silent {
            return;
        }
        let choices = shell.indexed_commands(&simple.words[0]);
        for chosen in &choices {
            let mut words: Vec<_> = chosen.of_variable().words().collect();
            simple.words[1..].iter().for_each(|word| shell.expand(word, false, &mut words));
            self.nested(|one| one.invoke(shell, words, &command.redirects, context));
        }
        if !choices.is_empty() {
            return;
        }
        let mut words = Vec::with_capacity(simple.words.len());
        for (index, word) in simple.words.iter().enumerate() {
            shell.expand(word, index == 0, &mut words);
        }
        shell.record_written_file(command);
        if !self.builtin(shell, simple, &words, context) {
            self.invoke(shell, words, &command.redirects, context);
        }
    }

    /// Follows the substitutions in the values of assignments, whose status counts if there is no command.
    fn assigned_values<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        simple: &'t Simple,
        context: &Context,
    ) {
        let propagation = if simple.words.is_empty() { context.propagation } else { LOST };
        let stops_at_answer = simple.words.is_empty() && context.propagation.goes_on();
        for assignment in &simple.assignments {
            let is_tested = shell.uses.is_tested(shell.written(assignment.name));
            let tested = is_tested && !context.only_reported;
            let propagation = match propagation {
                _ if context.only_reported => Propagation::Hidden(HiddenBy::Reported),
                Propagation::Hidden(_) if tested => Propagation::Handled,
                propagation => propagation,
            };
            let answer_decides = context.answer_decides || context.insists.is_some() && is_tested;
            let keeps = simple.words.is_empty() && !is_tested;
            let kept = only_output(&assignment.values).filter(|_| keeps);
            let name = shell.written(assignment.name);
            let names = |span| {
                vec![format!("${name}"), format!("${{{name}}}"), shell.written(span).to_owned()]
            };
            let kept_as = kept.map(names).unwrap_or_default();
            let value = assignment.values.first().map(|word| shell.source.word(word).value);
            let variable = value.map(|value| Variable { name: name.to_owned(), value });
            let context = context.with(propagation);
            let context =
                Context { tested, answer_decides, kept_as, variable, stops_at_answer, ..context };
            self.words(shell, &assignment.values, &context);
        }
    }

    /// Follows the substitutions among the words of a command; `silent` if it is one that prints nothing.
    fn arguments<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        simple: &'t Simple,
        silent: bool,
        context: &Context,
    ) {
        let propagation = match (keeps_output(shell, simple), silent) {
            _ if context.only_reported => Propagation::Hidden(HiddenBy::Reported),
            (true, _) => Propagation::Handled,
            (false, true) => context.propagation,
            (false, false) => LOST,
        };
        let is_tested = shell.declared(simple).any(|name| shell.uses.is_tested(name));
        let tested = is_tested && !context.only_reported;
        let answer_decides = context.answer_decides
            || context.insists.is_some() && is_tested
            || context.propagation.is_noticed() && shell.wants_an_answer(command);
        let inner =
            Context { tested, answer_decides, status: Status::None, ..context.with(propagation) };
        let inner = Context { kept_as: Vec::new(), variable: None, ..inner };
        for word in &simple.words {
            let variable = shell.declared_by(simple, word);
            let own = variable.map(|own| Context { variable: Some(own), ..inner.clone() });
            self.words(shell, std::slice::from_ref(word), own.as_ref().unwrap_or(&inner));
        }
    }

    /// Follows the substitutions in words.
    pub(super) fn words<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        words: &'t [Word],
        context: &Context,
    ) {
        for part in words.iter().flat_map(|word| &word.parts) {
            match &part.kind {
                PartKind::Command(list) | PartKind::Process(list) => {
                    self.substitution(shell, part, list, context);
                }
                PartKind::Parameter { operand: Some(word), .. } => {
                    let is_of_bash = shell.written(word.span).starts_with(['[', '^', ',']);
                    if self.depth == 1 && is_of_bash && shell.is_plain_sh() {
                        self.bad_substitutions.push(shell.source.location_of(part.span.range()));
                    }
                    self.words(shell, std::slice::from_ref(word), context);
                }
                PartKind::Array(words) => self.words(shell, words, context),
                _ => {}
            }
        }
    }

    fn substitution<'t>(
        &mut self,
        shell: &Shell<'t>,
        part: &'t Part,
        list: &'t List,
        context: &Context,
    ) {
        // Kubernetes replaces `$(NAME)` with an environment variable.
        let inside = shell.written(part.span).trim_start_matches("$(").trim_end_matches(')');
        let reference = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        if inside.bytes().all(reference) {
            return;
        }
        let mut inner = shell.clone();
        let context = Context {
            stdin: None,
            reads_file: false,
            captured: true,
            is_last: false,
            ..context.in_subshell(part.span, context.propagation)
        };
        self.nested(|interpreter| interpreter.list(&mut inner, list, &context));
    }

    /// Executes a builtin or function. Returns false if the command is neither, or if the catalogue has to judge it
    /// too.
    fn builtin<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        simple: &'t Simple,
        words: &[Text],
        context: &Context,
    ) -> bool {
        let Some(first) = words.first() else { return true };
        let operand = words.get(1).map(|word| word.value.as_str());
        match first.value.as_str() {
            "set" => shell.set_options(words[1..].iter().map(|word| word.value.as_str())),
            "shift" => {
                let count = operand.and_then(|count| count.parse().ok()).unwrap_or(1);
                shell.arguments.drain(..count.min(shell.arguments.len()));
            }
            "cd" | "pushd" => {
                shell.directory = shell.path(operand.unwrap_or("$HOME"));
                let propagation = context.propagation;
                let container = self.inputs.container;
                let kept = |path: &str| container.outlives_pod(path);
                let directory = shell.directory.as_deref().filter(|path| kept(path));
                let is_hidden = matches!(propagation, Propagation::Hidden(_));
                shell.unsure = directory.filter(|_| is_hidden).map(|path| {
                    // A volume may lack a directory below the place where it is mounted.
                    let above = path.trim_end_matches('/').rsplit_once('/');
                    let may_be_absent = kept(above.map_or("", |(above, _)| above));
                    let is_mount = container.is_mount(path);
                    Unsure { words: words.to_vec(), propagation, may_be_absent, is_mount }
                });
            }
            name if Shell::is_declarer(name) => {
                for word in &simple.words[1..] {
                    let kind = guard::of_word(shell, word);
                    shell.declare(word, kind);
                }
            }
            "trap" => {
                let span = simple.words[0].span;
                let is_meant = shell.says_expected(span, span.end);
                shell.set_trap(&words[1..], is_meant);
            }
            "exit" | "return" | "break" | "continue" | "wait" | "unset" => {}
            "exec" if words.len() == 1 => {}
            "source" | "." => return self.source(shell, operand, context),
            "read" => {
                shell.read(words, context.stdin.as_ref(), context.input);
                return false;
            }
            name => match shell.functions.get(name) {
                Some(function) => {
                    let function = *function;
                    self.call(shell, &function.body, words, context);
                }
                None => return false,
            },
        }
        true
    }

    fn source(&mut self, shell: &mut Shell<'_>, path: Option<&str>, context: &Context) -> bool {
        let Some(text) = path.and_then(|path| shell.file(path)) else { return false };
        self.script(shell, &text, "", "eval", context);
        true
    }

    fn call<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        body: &'t Command,
        words: &[Text],
        context: &Context,
    ) {
        let arguments = std::mem::replace(&mut shell.arguments, words[1..].to_vec());
        let guards = shell.guards.len();
        let traps = shell.succeeds_by_trap;
        shell.succeeds_by_trap &= shell.errtrace;
        // What it reads is elsewhere in the script.
        let context = Context {
            returned: context.propagation,
            subshell: None,
            runs_out: false,
            kept_as: Vec::new(),
            variable: None,
            is_called_for_item: context.is_for_item,
            ..context.clone()
        };
        self.nested(|interpreter| match &body.kind {
            CommandKind::Group(list) => interpreter.list(shell, list, &context),
            CommandKind::Subshell(list) => interpreter.list(&mut shell.clone(), list, &context),
            _ => {}
        });
        shell.guards.truncate(guards);
        shell.succeeds_by_trap |= traps;
        shell.arguments = arguments;
    }
}

/// The substitution of which a value consists, if it runs one command.
fn only_output(values: &[Word]) -> Option<Span> {
    let (statement, span) = only_statement(values)?;
    (statement.rest.is_empty() && statement.first.commands.len() == 1).then_some(span)
}

/// Whether the output of a substitution is assigned to a variable that the script uses later.
fn keeps_output(shell: &Shell<'_>, simple: &Simple) -> bool {
    let end = simple.words.last().map_or(0, |word| word.span.end as usize);
    shell.declared(simple).any(|name| shell.uses.is_used_after(name, end))
}

/// Whether the command is a substitution whose output is discarded.
fn prints_nothing(shell: &Shell<'_>, simple: &Simple) -> bool {
    let [word] = simple.words.as_slice() else { return false };
    let substitution =
        matches!(word.parts.as_slice(), [part] if matches!(part.kind, PartKind::Command(_)));
    substitution && shell.written(word.span).contains("/dev/null")
}
