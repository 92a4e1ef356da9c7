//! Commands and scripts as they are run: wrappers, what these start, and finally the program.

use super::{
    Interpreter,
    files::{is_foreign, manifests, unpacks_here, works_on_directory, written_files},
    first_line::{interpreter_of, shebang},
};
use crate::{
    analysis::{Action, GuardKind, Invocation},
    ast::{Redirect, RedirectOperator, Span},
    catalogue::Effect,
    command_line::{operands, program_name},
    context::Context,
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
    /// Removes the wrappers of a command line, and follows or records what it runs.
    pub(super) fn invoke(
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

    pub(super) fn script(
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
        self.broken_quotes.extend(effects::client::broken_quotes(shell, &words, context));
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
            gives_up_on_status: context.gives_up_on_status,
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
            is_taken: context.captured,
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
            gives_up_on_status: false,
            status_kept: false,
            excused: false,
            drops_errors: false,
            hidden_at: None,
            decides: None,
            takes_input_as_operands: false,
            stops_at_answer: false,
            is_for_item: false,
            ignores_errexit: false,
            is_taken: false,
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
