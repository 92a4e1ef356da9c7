//! The state of one shell while its script is walked: options, variables, functions, directory.

use std::{collections::HashMap, rc::Rc};

use super::{
    analysis::{Guard, GuardKind},
    ast::{
        Assignment, Command, CommandKind, For, Function, List, PartKind, Pipeline,
        RedirectOperator, Script, Simple, Span, Statement, Word,
    },
    flow::Walk,
    guard,
    text::{self, Place, Text},
    variable_uses::Uses,
};

#[derive(Clone)]
pub(super) struct Shell<'t> {
    pub(super) source: &'t Text,
    script: &'t Script,
    pub(super) uses: Rc<Uses<'t>>,
    pub(super) errexit: bool,
    pub(super) pipefail: bool,
    /// bash, zsh and ksh do; `sh` of Debian does not.
    pub(super) knows_pipefail: bool,
    pub(super) functions: HashMap<&'t str, &'t Function>,
    pub(super) variables: HashMap<String, Value>,
    /// The elements of arrays.
    arrays: HashMap<String, Vec<Text>>,
    /// The arguments of the function that runs.
    pub(super) arguments: Vec<Text>,
    pub(super) guards: Vec<Guard>,
    /// What `$?` comes from, where the next statement looks at it.
    pub(super) status: GuardKind,
    pub(super) directory: Option<String>,
    /// Files the script wrote, by path.
    pub(super) written: HashMap<String, Text>,
    /// Files that hold something new at every run.
    pub(super) made: Vec<String>,
    /// Files that the script has written from their start, as it names them.
    pub(super) begun: Vec<String>,
}

/// What is known of a variable.
#[derive(Debug, Clone, Default)]
pub(super) struct Value {
    pub(super) text: Option<String>,
    /// The same with what is not known left as it is written.
    pub(super) written: Option<String>,
    /// What was asked to get it.
    pub(super) kind: GuardKind,
    pub(super) random: bool,
    /// Holds the date, so that names made of it are new at every run.
    pub(super) dated: bool,
}

impl<'t> Shell<'t> {
    pub(super) fn new(source: &'t Text, script: &'t Script, shell: &str) -> Self {
        Self {
            source,
            script,
            uses: Rc::new(Uses::of(&source.value)),
            errexit: false,
            pipefail: false,
            knows_pipefail: matches!(shell, "bash" | "zsh" | "ksh"),
            functions: HashMap::new(),
            variables: HashMap::new(),
            arrays: HashMap::new(),
            arguments: Vec::new(),
            guards: Vec::new(),
            status: GuardKind::Environment,
            directory: None,
            written: HashMap::new(),
            made: Vec::new(),
            begun: Vec::new(),
        }
    }

    /// Takes over from the shell around it.
    pub(super) fn inherit(&mut self, outer: &Shell<'_>, eval: bool) {
        self.variables = outer.variables.clone();
        self.guards = outer.guards.clone();
        self.directory = outer.directory.clone();
        self.written = outer.written.clone();
        self.made = outer.made.clone();
        self.begun = outer.begun.clone();
        if eval {
            (self.errexit, self.pipefail) = (outer.errexit, outer.pipefail);
            self.knows_pipefail = outer.knows_pipefail;
        }
    }

    /// Applies the words of `set` or of the shell's own command line.
    pub(super) fn set_options<'w>(&mut self, words: impl Iterator<Item = &'w str>) {
        let mut sign = true;
        for word in words {
            match word {
                "pipefail" => self.pipefail = sign,
                "errexit" => self.errexit = sign,
                _ => {}
            }
            let Some(first) = word.chars().next().filter(|c| matches!(c, '-' | '+')) else {
                continue;
            };
            sign = first == '-';
            if !word.starts_with("--") && word.contains('e') {
                self.errexit = sign;
            }
        }
    }

    pub(super) fn place(&self, span: Span) -> Place {
        self.source.place_of(span.range())
    }

    pub(super) fn written(&self, span: Span) -> &'t str {
        span.text(&self.source.value)
    }

    pub(super) fn define(&mut self, function: &'t Function) {
        self.functions.insert(self.written(function.name), function);
    }

    /// The simple command that a pipeline is, if it is one.
    pub(super) fn only<'c>(&self, pipeline: &'c Pipeline) -> Option<(&'t str, &'c Simple)> {
        let [Command { kind: CommandKind::Simple(simple), .. }] = pipeline.commands.as_slice()
        else {
            return None;
        };
        Some((self.written(simple.words.first()?.span), simple))
    }

    /// Whether nothing after the statement runs.
    pub(super) fn leaves(&self, statement: &Statement) -> bool {
        let only = statement.rest.is_empty().then(|| self.only(&statement.first)).flatten();
        only.is_some_and(|(name, simple)| {
            matches!(name, "exit" | "return") || (name == "exec" && simple.words.len() > 1)
        })
    }

    /// Whether the pipeline ends the script, function or turn of the loop, and not as a failure.
    pub(super) fn leaves_successfully(&self, pipeline: &Pipeline) -> bool {
        match pipeline.commands.as_slice() {
            [Command { kind: CommandKind::Group(list), .. }] => self.list_leaves(list),
            _ => self.only(pipeline).is_some_and(|(name, simple)| match name {
                "exit" | "return" | "continue" | "break" => {
                    let status = simple.words.get(1).map(|word| self.written(word.span));
                    status.is_none_or(|status| status == "0")
                }
                "exec" => simple.words.len() > 1,
                _ => false,
            }),
        }
    }

    /// Whether the list ends so.
    pub(super) fn list_leaves(&self, list: &List) -> bool {
        let last = list.statements.last().filter(|last| last.rest.is_empty());
        last.is_some_and(|last| self.leaves_successfully(&last.first))
    }

    /// Whether the list ends the script or function, and not as a failure.
    pub(super) fn list_exits(&self, list: &List) -> bool {
        let last = list.statements.last().and_then(|last| self.only(&last.first));
        self.list_leaves(list) && last.is_some_and(|(name, _)| matches!(name, "exit" | "return"))
    }

    /// What the command prints, when that is written in the script.
    pub(super) fn printed(&self, command: &Command) -> Option<Text> {
        let simple = match &command.kind {
            CommandKind::Simple(simple) => simple,
            CommandKind::Group(list) | CommandKind::Subshell(list) => {
                return self.printed_by_all(list);
            }
            _ => return None,
        };
        let texts: Vec<_> = simple.words.iter().map(|word| self.source.word(word)).collect();
        match texts.first()?.value.as_str() {
            "echo" | "printf" => {
                let skip =
                    1 + texts[1..].iter().take_while(|text| text.value.starts_with('-')).count();
                Text::join(&texts[skip..])
            }
            "cat" | "envsubst" | "tee" => self.heredoc(command).or_else(|| {
                let path = texts.get(1)?;
                self.written.get(&path.value).cloned()
            }),
            _ => None,
        }
    }

    /// What the commands of a list print one after the other, as far as it is written in the script.
    fn printed_by_all(&self, list: &List) -> Option<Text> {
        let commands = list.statements.iter().filter_map(|one| self.only_command(&one.first));
        let texts: Vec<_> = commands.filter_map(|command| self.printed(command)).collect();
        Text::join(&texts)
    }

    /// What stands in the script for `$(cat <<EOF …)` or `$(echo …)`.
    fn substituted(&self, word: &Word) -> Option<Text> {
        let [part] = word.parts.as_slice() else { return None };
        let PartKind::Command(list) = &part.kind else { return None };
        let [statement] = list.statements.as_slice() else { return None };
        self.printed(self.only_command(&statement.first)?)
    }

    fn only_command<'c>(&self, pipeline: &'c Pipeline) -> Option<&'c Command> {
        match pipeline.commands.as_slice() {
            [command] => Some(command),
            _ => None,
        }
    }

    fn heredoc(&self, command: &Command) -> Option<Text> {
        let mut redirects = command.redirects.iter().rev();
        redirects.find_map(|redirect| match redirect.operator {
            RedirectOperator::Heredoc => {
                Some(text::heredoc(self.source, self.script, redirect.heredoc?))
            }
            RedirectOperator::HereString => Some(self.source.word(&redirect.target)),
            _ => None,
        })
    }

    /// What a redirection gives the command to read.
    pub(super) fn input(&self, walk: &Walk<'_>, command: &Command) -> Option<Text> {
        self.heredoc(command).or_else(|| {
            let read = |redirect: &&_| {
                matches!(redirect, super::ast::Redirect { operator: RedirectOperator::Read, .. })
            };
            let redirect = command.redirects.iter().find(read)?;
            walk.file(self, &self.source.word(&redirect.target).value)
        })
    }

    pub(super) fn assign_loop_variable(&mut self, clause: &For, kind: GuardKind) {
        let name = self.written(clause.variable).to_owned();
        self.variables.insert(name, Value { kind, ..Value::default() });
    }

    pub(super) fn assign(&mut self, walk: &Walk<'_>, assignment: &Assignment) {
        let name = self.written(assignment.name).to_owned();
        if assignment.array {
            let elements = assignment.values.iter().map(|word| self.source.word(word)).collect();
            self.arrays.insert(name.clone(), elements);
        }
        let value = match assignment.values.as_slice() {
            [word] if !assignment.array => self.value(walk, word),
            words => Value {
                text: words.is_empty().then(String::new),
                kind: guard::of_words(walk, self, words),
                ..Value::default()
            },
        };
        self.variables.insert(name, value);
    }

    fn value(&self, walk: &Walk<'_>, word: &Word) -> Value {
        Value {
            text: match self.substituted(word) {
                Some(text) => Some(text.value),
                None => self.resolve(&self.source.word(word).value),
            },
            written: {
                let text = self.source.word(word).value;
                let (known, rest) = self.resolve_start(&text);
                Some(known + rest)
            },
            kind: guard::of_word(walk, self, word),
            random: guard::is_random(self, self.written(word.span)),
            dated: guard::is_dated(self, self.written(word.span)),
        }
    }

    /// The value with its variables replaced; `None` when one is unknown.
    pub(super) fn resolve(&self, value: &str) -> Option<String> {
        let (known, rest) = self.resolve_start(value);
        rest.is_empty().then_some(known)
    }

    /// Replaces variables up to the first unknown one; gives also what is left.
    pub(super) fn resolve_start<'v>(&self, value: &'v str) -> (String, &'v str) {
        let (mut known, mut rest) = (String::new(), value);
        while let Some(at) = rest.find(['$', '`']) {
            let (before, from) = rest.split_at(at);
            known.push_str(before);
            let braced = from.starts_with("${");
            let start = if braced { 2 } else { 1 };
            let letters = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
            let end = start + from[start..].chars().take_while(letters).count();
            let value = self.variables.get(&from[start..end]).and_then(|value| value.text.as_ref());
            let closed = !braced || from[end..].starts_with('}');
            let Some(value) = value.filter(|_| closed && known.len() < 65_536) else {
                return (known, from);
            };
            known.push_str(value);
            rest = &from[end + usize::from(braced)..];
        }
        known.push_str(rest);
        (known, "")
    }

    /// A path as far as it is known, from the root; `None` when not even its start is.
    pub(super) fn path(&self, value: &str) -> Option<String> {
        let (known, _) = self.resolve_start(value);
        if known.starts_with('/') {
            return Some(known);
        }
        let directory = self.directory.as_ref()?;
        let relative = known.trim_start_matches("./");
        let start_unknown = relative.is_empty() && value.starts_with(['$', '`']);
        (!start_unknown && !known.starts_with("..")).then(|| format!("{directory}/{relative}"))
    }

    /// The words that `word` becomes: `"$@"` is several, a variable as the program's name is split, and so
    /// is one with blanks that is not quoted.
    pub(super) fn expand(&self, word: &Word, first: bool, words: &mut Vec<Text>) {
        let [part] = word.parts.as_slice() else { return words.push(self.source.word(word)) };
        let PartKind::Parameter { name, operand } = &part.kind else {
            let text = self.substituted(word).filter(|_| !first);
            return words.push(text.unwrap_or_else(|| self.source.word(word)));
        };
        let name = self.written(*name);
        if let Some(operand) = operand {
            let all = matches!(self.written(operand.span), "[@]" | "[*]");
            return match self.arrays.get(name).filter(|_| all) {
                Some(elements) => words.extend(elements.iter().cloned()),
                None => words.push(self.source.word(word)),
            };
        }
        if matches!(name, "@" | "*") {
            return words.extend(self.arguments.iter().cloned());
        }
        let number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(argument) = number.and_then(|number| self.arguments.get(number)) {
            return words.push(argument.clone());
        }
        self.expand_variable(word, name, first, words);
    }

    fn expand_variable(&self, word: &Word, name: &str, first: bool, words: &mut Vec<Text>) {
        let text = self.source.word(word);
        let value = self.variables.get(name);
        // As the program's name only what is known in full.
        let value = value.and_then(|value| match (&value.text, first) {
            (None, false) => value.written.as_ref(),
            (text, _) => text.as_ref(),
        });
        let quoted = self.written(word.span).starts_with('"');
        match value.filter(|value| !value.trim().is_empty()) {
            Some(value) if first || !quoted && value.contains(char::is_whitespace) => {
                words.extend(value.split_whitespace().map(|value| text.replaced(value)));
            }
            Some(value) if value.contains(char::is_whitespace) => words.push(text.replaced(value)),
            _ => words.push(text),
        }
    }
}
