//! Assigns and expands variables.

use super::Shell;
use crate::{
    analysis::{GuardKind, Variable},
    ast::{Assignment, For, ForHead, Part, PartKind, Simple, Span, Word},
    text::Text,
};

/// Builtins that assign variables.
const DECLARERS: [&str; 5] = ["export", "local", "readonly", "declare", "typeset"];

/// Expansion stops when a value reaches this length, since assignments can double it.
const MAX_LENGTH: usize = 65_536;

/// Loops over more command lines are followed once, without them.
const MAX_COMMAND_LINES: usize = 32;

/// What is known of a variable.
#[derive(Debug, Clone, Default)]
pub(crate) struct Value {
    /// The value, if it is fully known.
    text: Option<String>,
    /// The value, with what is unknown left as written.
    partial: Option<String>,
    /// Where a command line was written that is the value.
    command: Option<Text>,
    /// What the value depends on.
    pub(crate) kind: GuardKind,
    /// Random on every run.
    pub(super) random: bool,
    /// Contains the date, so a name with this value is new on every run.
    pub(super) dated: bool,
}

/// Whether a substitution prints the name of one object at most: `$(kubectl get pods -o jsonpath='{.items[0].metadata.name}')`.
fn is_name_of_one(word: &str) -> bool {
    let Some((_, path)) = word.split_once("jsonpath") else { return false };
    let path = path.trim_start_matches(['=', ' ', '\'', '"']);
    let Some(index) = path.strip_prefix("{.items[") else { return false };
    let digits = index.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.len() < index.len() && digits.starts_with("].metadata.name}") && !word.contains('|')
}

impl<'t> Shell<'t> {
    /// Whether a loop has exactly one item, which the script states: neither a pattern nor a list in braces.
    pub(crate) fn runs_once(&self, clause: &For) -> bool {
        let ForHead::Words(words) = &clause.head else { return false };
        let [word] = words.as_slice() else { return false };
        self.is_one_word(word)
            || self.is_array_of_one(word)
            || self.is_pod_field(word)
            || self.only_file(word).is_some()
            || is_name_of_one(self.written(word.span))
    }

    /// Whether a word is stated, and no pattern.
    fn is_one_word(&self, word: &Word) -> bool {
        let is_quoted = |part: &Part| part.quoted || matches!(part.kind, PartKind::Escaped(_));
        let is_plain = |part: &Part| {
            is_quoted(part) || !self.written(part.span).contains(['*', '?', '[', '{'])
        };
        word.literal(&self.source.value).is_some() && word.parts.iter().all(is_plain)
    }

    /// Whether a word is a variable that takes a field of the pod, and that the script does not set.
    fn is_pod_field(&self, word: &Word) -> bool {
        let [Part { kind: PartKind::Parameter { name, operand: None }, .. }] =
            word.parts.as_slice()
        else {
            return false;
        };
        let name = self.written(*name);
        let fields = &self.inputs.container.pod_fields;
        fields.iter().any(|field| field == name) && !self.variables.contains_key(name)
    }

    /// Whether a word takes all elements of an array with one: `"${users[@]}"`.
    fn is_array_of_one(&self, word: &Word) -> bool {
        let [Part { kind: PartKind::Parameter { name, operand: Some(operand) }, quoted, .. }] =
            word.parts.as_slice()
        else {
            return false;
        };
        let elements = self.arrays.get(self.written(*name)).map(Vec::as_slice);
        let Some([element]) = elements else { return false };
        let splits = |c: char| c.is_whitespace() || "*?[".contains(c);
        matches!(self.written(operand.span), "[@]" | "[*]")
            && !element.dynamic
            && (*quoted || !element.value.contains(splits))
    }

    /// Assigns the variable of a loop.
    pub(crate) fn assign_loop_variable(&mut self, variable: Span, words: &[Word], kind: GuardKind) {
        let name = self.written(variable).to_owned();
        let text = match words {
            [word] => self.only_file(word),
            _ => None,
        };
        self.variables.insert(name, Value { text, kind, ..Value::default() });
    }

    /// The command lines over which a loop runs: `for command in "${commands[@]}"`. Empty unless each of the words is
    /// stated and one has several words of its own.
    pub(crate) fn command_lines(&self, words: &[Word]) -> Vec<Text> {
        let mut lines = Vec::new();
        for word in words {
            self.expand(word, false, &mut lines);
        }
        let stated = lines.len() <= MAX_COMMAND_LINES && !lines.iter().any(|line| line.dynamic);
        let has_words = |line: &Text| line.value.trim().contains(char::is_whitespace);
        if stated && lines.iter().any(has_words) { lines } else { Vec::new() }
    }

    /// The command lines of an array of which a word takes one: `${commands[index]}`.
    pub(crate) fn indexed_commands(&self, word: &Word) -> Vec<Text> {
        let [part] = word.parts.as_slice() else { return Vec::new() };
        let PartKind::Parameter { name, operand: Some(operand) } = &part.kind else {
            return Vec::new();
        };
        let index = self.written(operand.span).strip_prefix('[');
        let is_one = index.is_some_and(|index| !index.starts_with(['@', '*']));
        let elements = self.arrays.get(self.written(*name)).filter(|_| is_one && !part.quoted);
        let elements = elements.filter(|elements| elements.len() <= MAX_COMMAND_LINES);
        elements.cloned().unwrap_or_default()
    }

    /// Assigns a command line to the variable of a loop.
    pub(crate) fn assign_command(&mut self, variable: Span, command: &Text) {
        let name = self.written(variable).to_owned();
        let value = Value {
            text: Some(command.value.clone()),
            command: Some(command.of_variable()),
            ..Value::default()
        };
        self.variables.insert(name, value);
    }

    /// Executes an assignment; `kind` is what the values depend on.
    pub(crate) fn assign(&mut self, assignment: &Assignment, kind: GuardKind) {
        let name = self.written(assignment.name).to_owned();
        let kind = kind.max(self.guard_kind());
        if assignment.array {
            let rest = self.written(assignment.span).strip_prefix(name.as_str());
            self.assign_array(
                &name,
                &assignment.values,
                rest.is_some_and(|it| it.starts_with('+')),
            );
        }
        let value = match assignment.values.as_slice() {
            [word] if !assignment.array => self.value(word, kind),
            words => Value { text: words.is_empty().then(String::new), kind, ..Value::default() },
        };
        self.variables.insert(name, value);
    }

    /// `name=( … )`, or `name+=( … )` if `appends`.
    fn assign_array(&mut self, name: &str, words: &[Word], appends: bool) {
        let mut elements: Vec<_> = words.iter().map(|word| self.source.word(word)).collect();
        if appends {
            let mut all = self.arrays.remove(name).unwrap_or_default();
            all.append(&mut elements);
            elements = all;
        }
        self.arrays.insert(name.to_owned(), elements);
    }

    fn value(&self, word: &Word, kind: GuardKind) -> Value {
        let text = self.source.word(word).value;
        let (known, rest) = self.resolve_prefix(&text);
        let resolved = || rest.is_empty().then(|| known.clone());
        Value {
            text: self.substituted(word).map(|text| text.value).or_else(resolved),
            partial: Some(known.clone() + rest),
            command: None,
            kind,
            random: self.is_random(self.written(word.span)),
            dated: self.is_dated(self.written(word.span)),
        }
    }

    /// Executes one argument of `export NAME=value …` and the like; `kind` is what it depends on.
    pub(crate) fn declare(&mut self, word: &Word, kind: GuardKind) {
        let text = self.source.word(word);
        let Some((name, value)) = text.value.split_once('=') else { return };
        if let [_, Part { kind: PartKind::Array(words), .. }] = word.parts.as_slice() {
            let appends = name.ends_with('+');
            self.assign_array(name.trim_end_matches('+'), words, appends);
        }
        let (known, rest) = self.resolve_prefix(value);
        let value = Value {
            text: rest.is_empty().then_some(known),
            partial: None,
            command: None,
            kind: kind.max(self.guard_kind()),
            random: self.is_random(value),
            dated: self.is_dated(value),
        };
        self.variables.insert(name.to_owned(), value);
    }

    /// Executes `read -r NAME`, and keeps the text of `read -r -d '' NAME <<EOF`; `kind` is what the input depends on.
    pub(crate) fn read(&mut self, words: &[Text], stdin: Option<&Text>, kind: GuardKind) {
        let kind = kind.max(self.guard_kind());
        for name in words.iter().skip(1).filter(|word| !word.value.starts_with('-')) {
            self.variables.insert(name.value.clone(), Value { kind, ..Value::default() });
        }
        let whole =
            words.iter().any(|word| word.value.starts_with('-') && word.value.contains('d'));
        let (Some(name), Some(text), true) = (words.last(), stdin, whole) else { return };
        let value = Value { text: Some(text.value.clone()), kind, ..Value::default() };
        self.variables.insert(name.value.clone(), value);
    }

    /// Whether a builtin assigns variables.
    pub(crate) fn is_declarer(name: &str) -> bool {
        DECLARERS.contains(&name)
    }

    /// The variables that `export NAME=value …` and the like assign.
    pub(crate) fn declared<'s>(
        &self,
        simple: &'s Simple,
    ) -> impl Iterator<Item = &'t str> + use<'s, 't> {
        let (first, rest) = simple.words.split_first().unzip();
        let declares = first.is_some_and(|word: &Word| Self::is_declarer(self.written(word.span)));
        let rest = rest.filter(|_| declares).unwrap_or_default();
        let source = self.source;
        rest.iter().filter_map(move |word| Some(word.span.text(&source.value).split_once('=')?.0))
    }

    /// The one that a word of such a command assigns.
    pub(crate) fn declared_by(&self, simple: &Simple, word: &Word) -> Option<Variable> {
        let declares = Self::is_declarer(self.written(simple.words.first()?.span));
        let text = declares.then(|| self.source.word(word).value)?;
        let (name, value) = text.split_once('=')?;
        Some(Variable { name: name.to_owned(), value: value.to_owned() })
    }

    /// Replaces variables up to the first unknown one. Returns the result and the remaining text.
    pub(super) fn resolve_prefix<'v>(&self, value: &'v str) -> (String, &'v str) {
        let (mut known, mut rest) = (String::new(), value);
        while let Some(at) = rest.find(['$', '`']) {
            let (before, from) = rest.split_at(at);
            known.push_str(before);
            let braced = from.starts_with("${");
            let start = if braced { 2 } else { 1 };
            let letters = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
            let end = start + from[start..].chars().take_while(letters).count();
            let name = &from[start..end];
            let value = self.variables.get(name).and_then(|value| value.text.as_ref());
            let value = value.or_else(|| self.stated_argument(name));
            let closed = !braced || from[end..].starts_with('}');
            let Some(value) = value.filter(|_| closed && known.len() < MAX_LENGTH) else {
                return (known, from);
            };
            known.push_str(value);
            rest = &from[end + usize::from(braced)..];
        }
        known.push_str(rest);
        (known, "")
    }

    /// Appends the words that `word` expands to. `"$@"` and arrays expand to several; a variable is split if it is
    /// the program (`first`), or if it contains blanks and is not quoted.
    pub(crate) fn expand(&self, word: &Word, first: bool, words: &mut Vec<Text>) {
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
        if let Some(argument) = self.argument(name) {
            return words.push(argument.clone());
        }
        self.expand_variable(word, name, first, words);
    }

    /// The argument of the current function with this number.
    fn argument(&self, number: &str) -> Option<&Text> {
        self.arguments.get(number.parse::<usize>().ok()?.checked_sub(1)?)
    }

    fn stated_argument(&self, number: &str) -> Option<&String> {
        self.argument(number).filter(|argument| !argument.dynamic).map(|argument| &argument.value)
    }

    fn expand_variable(&self, word: &Word, name: &str, first: bool, words: &mut Vec<Text>) {
        let text = self.source.word(word);
        let value = self.variables.get(name);
        // The name of a program must be fully known.
        let value = value.and_then(|value| match (&value.text, first) {
            (None, false) => value.partial.as_ref(),
            (text, _) => text.as_ref(),
        });
        let quoted = self.written(word.span).starts_with('"');
        let command = self.variables.get(name).and_then(|value| value.command.as_ref());
        if let Some(command) = command {
            return match quoted && !first {
                true => words.push(command.clone()),
                false => words.extend(command.words()),
            };
        }
        match value.filter(|value| !value.trim().is_empty()) {
            Some(value) if first || !quoted && value.contains(char::is_whitespace) => {
                words.extend(value.split_whitespace().map(|value| text.replaced(value)));
            }
            Some(value) if value.contains(char::is_whitespace) => words.push(text.replaced(value)),
            Some(value) => words.push(text.holding(value)),
            None => words.push(text),
        }
    }
}
