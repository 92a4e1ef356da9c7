//! What conditions look at: whether they can notice that the work was done before.

use super::{
    analysis::{Act, Guard, GuardKind},
    ast::{Command, CommandKind, List, PartKind, Pipeline, Word},
    catalogue::{Effect, Verdict},
    effects,
    flow::{Flow, Walk},
    http,
    pattern::{self, program_name},
    shell::{Shell, Value},
    text::Text,
    wrapper,
};

/// Programs that only pass on, compare or print what others found.
const FILTERS: &[&str] = &[
    "echo", "printf", "grep", "egrep", "fgrep", "awk", "sed", "jq", "yq", "head", "tail", "wc",
    "tr", "cut", "sort", "uniq", "cat", "xargs", "tee", "true", "false", ":", "read", "expr",
    "sleep", "command", "which", "type", "hash", "date", "basename", "dirname", "exit", "return",
    "local", "export", "set", "base64", "let", "seq", "nproc", "hostname", "whoami", "id", "uname",
    "cd", "pushd", "mkdir", "touch", "chmod", "chown", "cp", "mv", "rm", "ln", "test", "source",
    ".",
];

/// Words that make values.
const RANDOM: &[&str] = &[
    "openssl rand",
    "/dev/urandom",
    "/dev/random",
    "uuidgen",
    "pwgen",
    "$RANDOM",
    "mkpasswd",
    "/proc/sys/kernel/random/uuid",
    "gen_random_uuid",
    "apg ",
    "makepasswd",
];

/// Operators of `test` that look at files.
const FILE_TESTS: &[&str] = &["-f", "-e", "-d", "-s", "-r", "-w", "-x", "-L", "-h", "-a"];

/// The guard that a pipeline is for what runs when it succeeds, or when it fails.
pub(super) fn of_pipeline(
    walk: &Walk<'_>,
    shell: &Shell<'_>,
    pipeline: &Pipeline,
    success: bool,
) -> Guard {
    let kind = pipeline_kind(walk, shell, pipeline, 0);
    Guard { kind: polar(shell, kind, pipeline.span, success), place: shell.place(pipeline.span) }
}

/// The guard that the condition of an `if` or a loop is for what runs when it holds, or when it does not.
pub(super) fn of_list(
    walk: &Walk<'_>,
    shell: &Shell<'_>,
    list: &List,
    success: bool,
) -> Option<Guard> {
    let (first, last) = (list.statements.first()?, list.statements.last()?);
    let span = super::ast::Span { start: first.span.start, end: last.span.end };
    let kind = polar(shell, list_kind(walk, shell, list, 0), span, success);
    Some(Guard { kind, place: shell.place(span) })
}

/// A file that has to be there is an input, and the same at every run. Only one that must not be there
/// marks what was done. `patch … || create …`: what runs when a change fails does so because there is nothing
/// to change yet.
fn polar(shell: &Shell<'_>, kind: GuardKind, span: super::ast::Span, success: bool) -> GuardKind {
    let negated = ["! ", "-z "].iter().any(|not| shell.written(span).contains(not));
    match kind {
        GuardKind::LostFile | GuardKind::Change if success != negated => GuardKind::Environment,
        GuardKind::Change => GuardKind::Query,
        kind => kind,
    }
}

/// What commands of a pipeline ask.
pub(super) fn of_commands(walk: &Walk<'_>, shell: &Shell<'_>, commands: &[Command]) -> GuardKind {
    let kinds = commands.iter().map(|command| command_kind(walk, shell, command, 1));
    kinds.max().unwrap_or(GuardKind::Environment)
}

/// `list | xargs kubectl delete`, `list | grep … | xargs create`: only for what the commands before it in the
/// pipeline have found.
pub(super) fn takes_given(shell: &Shell<'_>, command: &Command) -> bool {
    shell.written(command.span).split_whitespace().next() == Some("xargs")
}

/// What a value comes from.
pub(super) fn of_word(walk: &Walk<'_>, shell: &Shell<'_>, word: &Word) -> GuardKind {
    word_kind(walk, shell, word, 0)
}

/// What several values come from.
pub(super) fn of_words(walk: &Walk<'_>, shell: &Shell<'_>, words: &[Word]) -> GuardKind {
    words_kind(walk, shell, words, 0)
}

/// Whether the text of a value holds something new at every run.
pub(super) fn is_random(shell: &Shell<'_>, text: &str) -> bool {
    RANDOM.iter().any(|source| text.contains(source))
        || shell.made.iter().any(|path| text.contains(path.as_str()))
        || names(shell, text, |value| value.random)
}

/// Whether the text of a name holds the date.
pub(super) fn is_dated(shell: &Shell<'_>, text: &str) -> bool {
    text.contains("$(date") || text.contains("`date") || names(shell, text, |value| value.dated)
}

/// Whether the text has a variable of which `holds` is true.
fn names(shell: &Shell<'_>, text: &str, holds: fn(&Value) -> bool) -> bool {
    text.match_indices('$').any(|(at, _)| {
        let name = text[at + 1..].trim_start_matches('{');
        let letters = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        let end = name.chars().take_while(letters).count();
        shell.variables.get(&name[..end]).is_some_and(holds)
    })
}

fn list_kind(walk: &Walk<'_>, shell: &Shell<'_>, list: &List, depth: u32) -> GuardKind {
    let pipelines = list.statements.iter().flat_map(|statement| {
        std::iter::once(&statement.first).chain(statement.rest.iter().map(|(_, rest)| rest))
    });
    let kinds = pipelines.map(|pipeline| pipeline_kind(walk, shell, pipeline, depth));
    kinds.max().unwrap_or(GuardKind::Environment)
}

fn pipeline_kind(walk: &Walk<'_>, shell: &Shell<'_>, pipeline: &Pipeline, depth: u32) -> GuardKind {
    if depth > 8 {
        return GuardKind::Environment;
    }
    let kinds =
        pipeline.commands.iter().map(|command| command_kind(walk, shell, command, depth + 1));
    kinds.max().unwrap_or(GuardKind::Environment)
}

fn command_kind(walk: &Walk<'_>, shell: &Shell<'_>, command: &Command, depth: u32) -> GuardKind {
    let redirects = command.redirects.iter().map(|redirect| &redirect.target);
    let redirected = redirects.map(|word| word_kind(walk, shell, word, depth)).max();
    let kind = match &command.kind {
        CommandKind::Simple(simple) => {
            let values = simple.assignments.iter().flat_map(|assignment| &assignment.values);
            let assigned = values.map(|word| word_kind(walk, shell, word, depth)).max();
            let kind = simple_kind(walk, shell, &simple.words, depth);
            kind.max(assigned.unwrap_or(GuardKind::Environment))
        }
        CommandKind::Test(words) => test_kind(walk, shell, words, depth),
        CommandKind::Group(list) | CommandKind::Subshell(list) => {
            list_kind(walk, shell, list, depth)
        }
        CommandKind::Arithmetic => variables_kind(shell, shell.written(command.span)),
        CommandKind::If(_) | CommandKind::Case(_) => GuardKind::Query,
        _ => GuardKind::Environment,
    };
    kind.max(redirected.unwrap_or(GuardKind::Environment))
}

fn simple_kind(walk: &Walk<'_>, shell: &Shell<'_>, words: &[Word], depth: u32) -> GuardKind {
    let Some(first) = words.first() else { return GuardKind::Environment };
    let mut texts = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        shell.expand(word, index == 0, &mut texts);
    }
    let name = texts.first().map_or("", |text| program_name(&text.value));
    if matches!(name, "[" | "test") {
        return test_kind(walk, shell, words, depth);
    }
    let function = shell.functions.get(shell.written(first.span)).filter(|_| depth < 8);
    if let Some(function) = function {
        return command_kind(walk, shell, &function.body, depth + 1);
    }
    let inner = words_kind(walk, shell, words, depth);
    let own = match name {
        "grep" | "egrep" | "fgrep" | "cat" | "jq" | "head" | "wc" => {
            texts[1..].iter().filter_map(|text| file_kind(walk, shell, text)).max()
        }
        "exit" | "return" | "break" | "continue" => None,
        name if FILTERS.contains(&name) => None,
        "ls" | "find" | "stat" | "mountpoint" => {
            let known = texts[1..].iter().filter_map(|text| file_kind(walk, shell, text)).max();
            Some(known.unwrap_or(GuardKind::LostFile))
        }
        _ => Some(program_kind(walk, shell, &texts)),
    };
    inner.max(own.unwrap_or(GuardKind::Environment))
}

/// Readiness when the catalogue says so. A command that changes something itself asks nothing, unless it prints
/// how the server answered, or fails where there is nothing to change; any other is taken for a question about
/// the state that is changed: a false alarm is worse than silence.
fn program_kind(walk: &Walk<'_>, shell: &Shell<'_>, words: &[Text]) -> GuardKind {
    let words = &wrapper::innermost(words, |name| walk.catalogue.knows(name));
    let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
    let known = pattern::command(walk.catalogue, &values).map(|found| found.entry.verdict);
    if known == Some(Verdict::Readiness) || effects::asks_health(&values) {
        return GuardKind::Readiness;
    }
    let judged = effects::judge(walk, shell, words, &[], &Flow::top());
    let changes = judged.acts.iter().any(|act| act.changes_state || act.effect != Effect::Remote);
    let depends = judged.acts.iter().any(|act| act.verdict == Verdict::Depends);
    let may_repeat = |act: &Act| act.verdict == Verdict::Idempotent && act.effect == Effect::Remote;
    if !changes || depends || http::prints_status(&values) {
        GuardKind::Query
    } else if judged.acts.iter().all(may_repeat) {
        GuardKind::Change
    } else {
        GuardKind::Environment
    }
}

fn test_kind(walk: &Walk<'_>, shell: &Shell<'_>, words: &[Word], depth: u32) -> GuardKind {
    let mut kind = words_kind(walk, shell, words, depth);
    for pair in words.windows(2) {
        if FILE_TESTS.contains(&shell.written(pair[0].span)) {
            let text = shell.source.word(&pair[1]);
            kind = kind.max(file_kind(walk, shell, &text).unwrap_or(GuardKind::LostFile));
        }
    }
    kind
}

/// Whether a path is on a volume that stays; `None` when it is no path.
fn file_kind(walk: &Walk<'_>, shell: &Shell<'_>, text: &Text) -> Option<GuardKind> {
    if text.value.starts_with('-') || text.value.contains(' ') {
        return None;
    }
    let path = shell.path(&text.value).filter(|path| path.contains('/'));
    let kept = effects::is_kept(walk.setting, path.as_deref()?);
    Some(if kept { GuardKind::KeptFile } else { GuardKind::LostFile })
}

fn words_kind(walk: &Walk<'_>, shell: &Shell<'_>, words: &[Word], depth: u32) -> GuardKind {
    let kinds = words.iter().map(|word| word_kind(walk, shell, word, depth));
    kinds.max().unwrap_or(GuardKind::Environment)
}

fn word_kind(walk: &Walk<'_>, shell: &Shell<'_>, word: &Word, depth: u32) -> GuardKind {
    let kinds = word.parts.iter().map(|part| match &part.kind {
        PartKind::Command(list) | PartKind::Process(list) if depth < 8 => {
            list_kind(walk, shell, list, depth + 1)
        }
        PartKind::Parameter { name, .. } if shell.written(*name) == "?" => shell.status,
        PartKind::Parameter { name, .. } => {
            let value = shell.variables.get(shell.written(*name));
            value.map_or(GuardKind::Environment, |value| value.kind)
        }
        PartKind::Arithmetic => variables_kind(shell, shell.written(part.span)),
        PartKind::Array(words) if depth < 8 => words_kind(walk, shell, words, depth + 1),
        _ => GuardKind::Environment,
    });
    kinds.max().unwrap_or(GuardKind::Environment)
}

/// What the variables of an arithmetic expression come from.
fn variables_kind(shell: &Shell<'_>, text: &str) -> GuardKind {
    let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let kinds = names.filter_map(|name| shell.variables.get(name)).map(|value| value.kind);
    kinds.max().unwrap_or(GuardKind::Environment)
}
