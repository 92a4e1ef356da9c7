//! Simple commands: assignments, builtins, functions, wrappers, and at last the program that runs.

use super::{
    analysis::{Fate, Hide, Invocation},
    ast::{
        Command, CommandKind, List, Part, PartKind, Redirect, RedirectOperator, Simple, Span, Word,
    },
    effects,
    flow::{Flow, Walk},
    parse::parse,
    pattern::program_name,
    shell::Shell,
    text::{Place, Text},
    wrapper::{self, Inner},
};

/// More wrappers around one command than anybody writes.
const MAX_WRAPPERS: usize = 16;

/// Builtins that assign variables.
const DECLARERS: [&str; 5] = ["export", "local", "readonly", "declare", "typeset"];

impl Walk<'_> {
    /// Starts with a command line that no shell reads.
    pub(super) fn start(&mut self, words: Vec<Text>) {
        let nowhere = Text::element(0, "");
        let script = parse("");
        let mut shell = Shell::new(&nowhere, &script, "");
        shell.directory = self.setting.directory.clone();
        self.invoke(&mut shell, words, &[], &Flow::top());
    }

    pub(super) fn simple<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        command: &'t Command,
        simple: &'t Simple,
        flow: &Flow,
    ) {
        let hidden = Fate::Hidden(Hide::Substitution);
        let fate = if simple.words.is_empty() { flow.fate } else { hidden };
        for assignment in &simple.assignments {
            let tested = shell.uses.tests(shell.written(assignment.name));
            let seen = tested && matches!(fate, Fate::Hidden(_));
            let fate = if seen { Fate::Handled } else { fate };
            self.words(shell, &assignment.values, &Flow { tested, ..flow.with(fate) });
        }
        let kept = shell.keeps_output(simple);
        // `until $(curl … > /dev/null)`: nothing is printed that could run.
        let silent = shell.prints_nothing(simple);
        let fate = match (kept, silent) {
            (true, _) => Fate::Handled,
            (false, true) => flow.fate,
            (false, false) => hidden,
        };
        let tested = shell.declared(simple).any(|name| shell.uses.tests(name));
        self.words(shell, &simple.words, &Flow { tested, ..flow.with(fate) });
        if simple.words.is_empty() {
            for assignment in &simple.assignments {
                shell.assign(self, assignment);
            }
            return;
        }
        if silent {
            return;
        }
        let mut words = Vec::with_capacity(simple.words.len());
        for (index, word) in simple.words.iter().enumerate() {
            shell.expand(word, index == 0, &mut words);
        }
        shell.remember_written(command);
        if !self.builtin(shell, simple, &words, flow) {
            self.invoke(shell, words, &command.redirects, flow);
        }
    }

    /// Walks what is substituted into words.
    pub(super) fn words<'t>(&mut self, shell: &mut Shell<'t>, words: &'t [Word], flow: &Flow) {
        for part in words.iter().flat_map(|word| &word.parts) {
            match &part.kind {
                PartKind::Command(list) | PartKind::Process(list) => {
                    self.substitution(shell, part, list, flow);
                }
                PartKind::Parameter { operand: Some(word), .. } => {
                    self.words(shell, std::slice::from_ref(word), flow);
                }
                PartKind::Array(words) => self.words(shell, words, flow),
                _ => {}
            }
        }
    }

    fn substitution<'t>(&mut self, shell: &Shell<'t>, part: &'t Part, list: &'t List, flow: &Flow) {
        // `$(NAME)` is what Kubernetes replaces by an environment variable.
        let inside = shell.written(part.span).trim_start_matches("$(").trim_end_matches(')');
        let reference = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        if inside.bytes().all(reference) {
            return;
        }
        let mut inner = shell.clone();
        let flow = Flow { exit: flow.fate, stdin: None, captured: true, ..flow.clone() };
        self.deeper(|walk| walk.list(&mut inner, list, &flow));
    }

    /// Does what a builtin does to the shell; false when it is none or is a command of the catalogue too.
    fn builtin<'t>(
        &mut self,
        shell: &mut Shell<'t>,
        simple: &'t Simple,
        words: &[Text],
        flow: &Flow,
    ) -> bool {
        let Some(first) = words.first() else { return true };
        let operand = words.get(1).map(|word| word.value.as_str());
        match first.value.as_str() {
            "set" => shell.set_options(words[1..].iter().map(|word| word.value.as_str())),
            "shift" => {
                let count = operand.and_then(|count| count.parse().ok()).unwrap_or(1);
                shell.arguments.drain(..count.min(shell.arguments.len()));
            }
            "cd" | "pushd" => shell.directory = shell.path(operand.unwrap_or("$HOME")),
            name if DECLARERS.contains(&name) => shell.declare(self, &simple.words[1..]),
            "exit" | "return" | "trap" | "break" | "continue" | "wait" | "unset" => {}
            "exec" if words.len() == 1 => {}
            "source" | "." => return self.source(shell, operand, flow),
            "read" => {
                shell.read(words, flow);
                return false;
            }
            name => match shell.functions.get(name) {
                Some(function) => {
                    let function = *function;
                    self.call(shell, &function.body, words, flow);
                }
                None => return false,
            },
        }
        true
    }

    fn source(&mut self, shell: &mut Shell<'_>, path: Option<&str>, flow: &Flow) -> bool {
        let Some(text) = path.and_then(|path| self.file(shell, path)) else { return false };
        self.script(shell, &text, "", "eval", flow);
        true
    }

    fn call<'t>(&mut self, shell: &mut Shell<'t>, body: &'t Command, words: &[Text], flow: &Flow) {
        let arguments = std::mem::replace(&mut shell.arguments, words[1..].to_vec());
        let guards = shell.guards.len();
        self.deeper(|walk| walk.function(shell, body, flow));
        shell.guards.truncate(guards);
        shell.arguments = arguments;
    }

    fn function<'t>(&mut self, shell: &mut Shell<'t>, body: &'t Command, flow: &Flow) {
        match &body.kind {
            CommandKind::Group(list) => self.list(shell, list, flow),
            CommandKind::Subshell(list) => self.list(&mut shell.clone(), list, flow),
            _ => {}
        }
    }

    /// Follows a command line through its wrappers and records what runs.
    pub(super) fn invoke(
        &mut self,
        shell: &mut Shell<'_>,
        mut words: Vec<Text>,
        redirects: &[Redirect],
        flow: &Flow,
    ) {
        let mut flow = flow.clone();
        for _ in 0..MAX_WRAPPERS {
            let Some(first) = words.first() else { return };
            let name = program_name(&first.value);
            flow.bounded |= matches!(name, "timeout" | "gtimeout");
            if name == "exec" {
                flow.fate = flow.exit;
            }
            let asks =
                name == "command" && words.get(1).is_some_and(|word| word.value.starts_with('-'));
            let known = asks || self.catalogue.knows(name);
            match if asks { Inner::None } else { wrapper::inner(&words, known) } {
                Inner::Words(inner) => words = inner,
                Inner::Script { text, flags, shell: name } => {
                    return self.script(shell, &text, &flags, &name, &flow);
                }
                Inner::File { path, flags, shell: name } => {
                    let Some(text) = self.file(shell, &path.value) else { break };
                    return self.script(shell, &text, &flags, &name, &flow);
                }
                Inner::Stdin { flags, shell: name } => {
                    let Some(text) = flow.stdin.take() else { break };
                    return self.script(shell, &text, &flags, &name, &flow);
                }
                Inner::None => break,
            }
        }
        let program = words.first().filter(|word| !is_foreign(&word.value));
        let text = program.and_then(|word| self.file(shell, &word.value));
        if let Some(text) = text.filter(|text| is_shell(&text.value)) {
            return self.script(shell, &text, "", "sh", &flow);
        }
        self.record(shell, words, redirects, &flow);
    }

    fn script(&mut self, outer: &Shell<'_>, text: &Text, flags: &str, name: &str, flow: &Flow) {
        let script = parse(&text.value);
        let mut shell = Shell::new(text, &script, name);
        shell.inherit(outer, name == "eval");
        let shebang = text.value.lines().next().filter(|line| line.starts_with("#!"));
        shell.set_options(shebang.unwrap_or_default().split_whitespace().skip(1));
        shell.knows_pipefail |= shebang.is_some_and(|line| line.contains("bash"));
        shell.set_options(flags.split_whitespace());
        let unknown = script.unknown.iter().map(|span| text.place_of(span.range()));
        self.unknown.extend(unknown);
        let flow = Flow { exit: flow.fate, ignored: false, asked: false, ..flow.clone() };
        self.deeper(|walk| walk.list(&mut shell, &script.body, &flow));
    }

    /// The text of a file of the pod, or of one that the script wrote.
    pub(super) fn file(&self, shell: &Shell<'_>, path: &str) -> Option<Text> {
        let path = shell.path(path).unwrap_or_else(|| path.to_owned());
        if let Some(text) = shell.written.get(&path) {
            return Some(text.clone());
        }
        let index = self.setting.files.iter().position(|file| file.path == path)?;
        Some(Text::element(self.first_file + index, &self.setting.files[index].text))
    }

    fn record(
        &mut self,
        shell: &mut Shell<'_>,
        words: Vec<Text>,
        redirects: &[Redirect],
        flow: &Flow,
    ) {
        let place = span_of(&words);
        let judged = effects::judge(self, shell, &words, redirects, flow);
        let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
        shell.remember_made(&values, redirects);
        self.found.push(Invocation {
            place,
            fate: flow.fate,
            guards: shell.guards.clone(),
            recognised: judged.recognised,
            acts: judged.acts,
            words,
        });
    }
}

/// Whether the file's name says that no shell reads it.
fn is_foreign(path: &str) -> bool {
    let endings = ["py", "js", "mjs", "ts", "rb", "pl", "php", "sql", "lua", "groovy"];
    path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// Whether a shell reads the file: its first line names one, or none at all.
fn is_shell(text: &str) -> bool {
    let interpreter = text.lines().next().and_then(|line| line.strip_prefix("#!"));
    interpreter.is_none_or(|line| line.contains("sh"))
}

/// From the first word to the last.
fn span_of(words: &[Text]) -> Place {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return Place::nowhere() };
    if first.place.element != last.place.element || last.place.span.end < first.place.span.start {
        return first.place;
    }
    let span = Span { start: first.place.span.start, end: last.place.span.end };
    Place { element: first.place.element, span }
}

impl<'t> Shell<'t> {
    /// `export NAME=value …`
    fn declare(&mut self, walk: &Walk<'_>, words: &[Word]) {
        for word in words {
            let text = self.source.word(word);
            let Some((name, value)) = text.value.split_once('=') else { continue };
            let value = super::shell::Value {
                text: self.resolve(value),
                written: None,
                kind: super::guard::of_word(walk, self, word),
                random: super::guard::is_random(self, value),
                dated: super::guard::is_dated(self, value),
            };
            self.variables.insert(name.to_owned(), value);
        }
    }

    /// `read -r -d '' NAME <<EOF`
    fn read(&mut self, words: &[Text], flow: &Flow) {
        let whole =
            words.iter().any(|word| word.value.starts_with('-') && word.value.contains('d'));
        let (Some(name), Some(text), true) = (words.last(), &flow.stdin, whole) else { return };
        let value = super::shell::Value { text: Some(text.value.clone()), ..Default::default() };
        self.variables.insert(name.value.clone(), value);
    }

    /// Whether what is substituted goes to a variable that the script looks at later.
    fn keeps_output(&self, simple: &Simple) -> bool {
        let end = simple.words.last().map_or(0, |word| word.span.end as usize);
        self.declared(simple).any(|name| self.uses.after(name, end))
    }

    /// Whether the command is what a substitution prints, and that goes nowhere.
    fn prints_nothing(&self, simple: &Simple) -> bool {
        let [word] = simple.words.as_slice() else { return false };
        let substitution =
            matches!(word.parts.as_slice(), [part] if matches!(part.kind, PartKind::Command(_)));
        substitution && self.written(word.span).contains("/dev/null")
    }

    /// The variables that `export NAME=value …` and the like assign to.
    fn declared<'s>(&self, simple: &'s Simple) -> impl Iterator<Item = &'t str> + use<'s, 't> {
        let (first, rest) = simple.words.split_first().unzip();
        let declares =
            first.is_some_and(|word: &Word| DECLARERS.contains(&self.written(word.span)));
        let rest = rest.filter(|_| declares).unwrap_or_default();
        let source = self.source;
        rest.iter().filter_map(move |word| Some(word.span.text(&source.value).split_once('=')?.0))
    }

    /// Notes the text that `cat > path <<EOF` or `echo … > path` writes.
    fn remember_written(&mut self, command: &Command) {
        let write = command.redirects.iter().find(|redirect| {
            redirect.operator == RedirectOperator::Write && redirect.descriptor.is_none()
        });
        let Some(redirect) = write else { return };
        let path = self.source.word(&redirect.target).value;
        let path = self.path(&path).unwrap_or(path);
        if let Some(text) = self.printed(command) {
            self.written.insert(path, text);
        }
    }
}
