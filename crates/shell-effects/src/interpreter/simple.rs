//! Simple commands: assignments, builtins, functions, wrappers, and finally the program.

use super::{
    Interpreter,
    files::{is_foreign, manifests, unpacks_here, works_on_directory, written_files},
    first_line::{interpreter_of, shebang},
};
use crate::{
    analysis::{Action, GuardKind, HiddenBy, Invocation, Propagation, Variable},
    ast::{
        Command, CommandKind, List, Part, PartKind, Redirect, RedirectOperator, Simple, Span, Word,
        only_statement,
    },
    catalogue::Effect,
    command_line::{operands, program_name},
    context::{Context, Status},
    deletions, downloads, effects, guard,
    ordinary_failures::runs_without_input,
    parse::{certain_error, parse},
    shell::{Shell, Unsure},
    text::{ElementSpan, Text},
    wrapper::{self, Inner},
};

/// How many wrappers around one command are followed.
const MAX_WRAPPERS: usize = 16;

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
        let hidden = Propagation::Hidden(HiddenBy::Substitution { piped: false });
        let propagation = if simple.words.is_empty() { context.propagation } else { hidden };
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
        let kept = keeps_output(shell, simple);
        // `until $(curl … > /dev/null)`: the substitution is empty, so its exit status is that of the command.
        let silent = prints_nothing(shell, simple);
        let propagation = match (kept, silent) {
            _ if context.only_reported => Propagation::Hidden(HiddenBy::Reported),
            (true, _) => Propagation::Handled,
            (false, true) => context.propagation,
            (false, false) => hidden,
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
        if simple.words.is_empty() {
            for assignment in &simple.assignments {
                let kind = guard::of_words(shell, &assignment.values);
                shell.assign(assignment, kind);
            }
            return;
        }
        if silent {
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

    /// Removes the wrappers of a command line, and follows or records what it runs.
    fn invoke(
        &mut self,
        shell: &mut Shell<'_>,
        mut words: Vec<Text>,
        redirects: &[Redirect],
        context: &Context,
    ) {
        let mut context = context.clone();
        for _ in 0..MAX_WRAPPERS {
            let Some(first) = words.first() else { return };
            let name = program_name(&first.value);
            context.bounded |= matches!(name, "timeout" | "gtimeout");
            if name == "exec" {
                context.propagation = context.exit;
            }
            if matches!(name, "kubectl" | "oc") {
                context.target = deletions::executed_in(&words).or(context.target);
            }
            context.takes_input_as_operands |= name == "xargs" && runs_without_input(&words);
            // `command -v` looks a program up.
            let looks_up =
                name == "command" && words.get(1).is_some_and(|word| word.value.starts_with('-'));
            let known = self.inputs.catalogue.knows(name);
            match if looks_up { Inner::None } else { wrapper::inner(&words, known) } {
                Inner::Words(inner) => words = inner,
                Inner::Script { text, flags, shell: name } => {
                    return self.script(shell, &text, &flags, &name, &context);
                }
                Inner::File { path, flags, shell: name } => {
                    let Some(text) = shell.file(&path.value) else { break };
                    return self.script(shell, &text, &flags, &name, &context);
                }
                Inner::Stdin { flags, shell: name } => {
                    let Some(text) = context.stdin.take() else { break };
                    return self.script(shell, &text, &flags, &name, &context);
                }
                Inner::None => break,
            }
        }
        let program = words.first().filter(|word| !is_foreign(&word.value));
        let text = program.and_then(|word| shell.file(&word.value));
        if let Some(text) = text.filter(|text| is_shell(&text.value)) {
            // The options of its first line count only here.
            let (name, flags) = interpreter_of(&text.value);
            return self.script(shell, &text, flags, name, &context);
        }
        self.record(shell, words, redirects, &context);
    }

    fn script(
        &mut self,
        outer: &Shell<'_>,
        text: &Text,
        flags: &str,
        name: &str,
        context: &Context,
    ) {
        let script = parse(&text.value);
        let mut shell = Shell::new(self.inputs, text, &script, name);
        shell.names_bash = shebang(&text.value).contains("bash");
        shell.inherit(outer, name == "eval");
        shell.set_options(flags.split_whitespace());
        let unknown = script.unknown.iter().map(|span| text.location_of(span.range()));
        self.unknown.extend(unknown);
        // What a script starts in turn may be put together as it runs.
        let error = certain_error(&script, &text.value, name).filter(|_| self.depth == 0);
        self.errors.extend(error.map(|error| (text.location_of(error.span().range()), error)));
        if self.depth == 0 && matches!(name, "sh" | "dash") {
            let pipefail = shell.sets_pipefail_first(&script.body);
            self.pipefails.extend(pipefail.map(|span| text.location_of(span.range())));
            let array = shell.first_array(&script.body);
            self.arrays.extend(array.map(|span| text.location_of(span.range())));
        }
        let context = Context {
            exit: context.propagation,
            returned: context.propagation,
            ignores_errexit: false,
            is_condition: false,
            subshell: None,
            runs_out: false,
            kept_as: Vec::new(),
            variable: None,
            ..context.clone()
        };
        self.nested(|interpreter| interpreter.list(&mut shell, &script.body, &context));
    }

    fn record(
        &mut self,
        shell: &mut Shell<'_>,
        words: Vec<Text>,
        redirects: &[Redirect],
        context: &Context,
    ) {
        let mut judgement = effects::judge(shell, &words, redirects, context);
        judgement.actions.iter_mut().for_each(|action| action.endless &= !context.detached);
        let kind = guard::of_program(shell, &words).max(context.input);
        for path in written_files(&words) {
            shell.record_file_kind(path, kind);
        }
        let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
        // `fetch … FILE; if [ -f FILE ]`
        if kind == GuardKind::Query && !guard::looks_at_files(&values) {
            let is_path = |word: &&str| word.contains(['.', '/']);
            operands(&values).filter(is_path).for_each(|path| shell.record_file_kind(path, kind));
        }
        shell.record_generated_files(&values, redirects);
        shell.record_copy(&values);
        let is_file = |action: &Action| action.changes_state && action.effect == Effect::Files;
        let is_relative = operands(&values).any(|word| !word.starts_with(['/', '$']));
        let changes_files = is_relative && judgement.actions.iter().any(is_file);
        if changes_files || unpacks_here(&values) {
            let is_wide = works_on_directory(&values);
            let unsure = shell.unsure.take_if(|unsure| unsure.may_be_absent || is_wide);
            self.found.extend(unsure.map(Unsure::into_invocation));
        }
        let download =
            downloads::target(&values).filter(|path| !shell.uses.is_file_tested(path, 0));
        let keeps_download = download.is_some_and(|path| shell.inputs.container.outlives_pod(path));
        let downloads = match download {
            Some(path) => vec![path.to_owned()],
            None if downloads::is_printed(&values) => context.kept_as.clone(),
            None => Vec::new(),
        };
        let reads = |redirect: &&Redirect| redirect.operator == RedirectOperator::Read;
        let inputs = redirects.iter().filter(reads);
        let outputs = redirects.iter().filter(|redirect| redirect.writes_output());
        self.found.push(Invocation {
            location: location_of(&words),
            downloads,
            keeps_download,
            variable: context.variable.clone(),
            inputs: inputs.map(|one| shell.source.word(&one.target).value).collect(),
            outputs: outputs.map(|one| shell.source.word(&one.target).value).collect(),
            propagation: context.propagation,
            guards: shell.guards.clone(),
            recognised: judgement.recognised,
            actions: judgement.actions,
            answer_decides: context.answer_decides,
            insists: context.insists.map(|span| shell.location(span)),
            target: context.target.clone(),
            never_succeeds: context.never_succeeds,
            manifests: manifests(shell, &values, context),
            skipped: context.skipped,
            warned: context.warned,
            status_kept: context.status_kept,
            excused: context.excused,
            drops_errors: shell.drops_all_errors(redirects),
            hidden_at: context.hider_outside(location_of(&words)),
            decides: context
                .decides
                .filter(|_| !redirects.iter().any(|one| shell.drops_errors(one))),
            takes_input_as_operands: context.takes_input_as_operands,
            stops_at_answer: context.stops_at_answer,
            is_for_item: context.is_for_item,
            ignores_errexit: context.ignores_errexit,
            words,
        });
    }
}

impl Unsure {
    /// The `cd` as a command whose failure leaves the work in the directory undone.
    fn into_invocation(self) -> Invocation {
        let location = self.words.get(1).unwrap_or(&self.words[0]).location;
        Invocation {
            location: location_of(&self.words),
            propagation: self.propagation,
            guards: Vec::new(),
            recognised: true,
            actions: vec![Action { minor: self.is_mount, ..effects::enters_directory(location) }],
            answer_decides: false,
            insists: None,
            target: None,
            downloads: Vec::new(),
            keeps_download: false,
            variable: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            never_succeeds: false,
            manifests: Vec::new(),
            skipped: None,
            warned: false,
            status_kept: false,
            excused: false,
            drops_errors: false,
            hidden_at: None,
            decides: None,
            takes_input_as_operands: false,
            stops_at_answer: false,
            is_for_item: false,
            ignores_errexit: false,
            words: self.words,
        }
    }
}

/// Whether the first line of a script names a shell or no interpreter.
fn is_shell(text: &str) -> bool {
    let line = shebang(text);
    line.is_empty() || line.contains("sh")
}

/// From the first word to the last.
fn location_of(words: &[Text]) -> ElementSpan {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return ElementSpan::empty();
    };
    let (first, last) = (first.location, last.location);
    if first.element != last.element || last.span.end < first.span.start {
        return first;
    }
    ElementSpan { span: Span { start: first.span.start, end: last.span.end }, ..first }
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
