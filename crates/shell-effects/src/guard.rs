//! Classifies conditions: can they detect that the work was done before?

use crate::{
    analysis::{Action, Guard, GuardKind},
    ast::{Command, CommandKind, List, PartKind, Pipeline, Redirect, RedirectOperator, Span, Word},
    catalogue::{Effect, Verdict},
    command_line::program_name,
    context::Context,
    effects,
    shell::Shell,
    text::Text,
    wrapper,
};

/// Programs that only pass on, compare or print the results of others, and builtins that test nothing.
const FILTERS: &[&str] = &[
    "echo", "printf", "grep", "egrep", "fgrep", "awk", "sed", "jq", "yq", "head", "tail", "wc",
    "tr", "cut", "sort", "uniq", "cat", "xargs", "tee", "true", "false", ":", "read", "expr",
    "sleep", "command", "which", "type", "hash", "date", "basename", "dirname", "exit", "return",
    "local", "export", "set", "base64", "let", "seq", "nproc", "hostname", "whoami", "id", "uname",
    "cd", "pushd", "mkdir", "touch", "chmod", "chown", "cp", "mv", "rm", "ln", "test", "source",
    ".",
];

/// Operators of `test` that test files.
const FILE_TESTS: &[&str] = &["-f", "-e", "-d", "-s", "-r", "-w", "-x", "-L", "-h", "-a"];

/// Programs that say whether files are there.
const FILE_LISTERS: &[&str] = &["ls", "find", "stat", "mountpoint"];

/// Whether a command says whether files are there, or what is in them.
pub(crate) fn looks_at_files(words: &[&str]) -> bool {
    let name = words.first().map_or("", |word| program_name(word));
    name == "[" || FILE_LISTERS.contains(&name) || FILTERS.contains(&name)
}

/// A pipeline as the guard of what runs when it succeeds, or when it fails.
pub(crate) fn of_pipeline(shell: &Shell<'_>, pipeline: &Pipeline, success: bool) -> Guard {
    let kind = pipeline_kind(shell, pipeline, 0);
    Guard {
        kind: for_outcome(shell, kind, pipeline.span, success),
        location: shell.location(pipeline.span),
        holds: success,
        of_loop: false,
    }
}

/// The condition of an `if` or a loop as the guard of what runs when it succeeds, or when it fails.
pub(crate) fn of_list(shell: &Shell<'_>, list: &List, success: bool) -> Option<Guard> {
    list.statements.first()?;
    let span = list.span();
    let kind = for_outcome(shell, list_kind(shell, list, 0), span, success);
    Some(Guard { kind, location: shell.location(span), holds: success, of_loop: false })
}

/// The kind of a guard for one outcome of its condition. A file that must exist is an input and the same on every run;
/// only a file that must not exist can mark finished work. After a failed change (`patch … || create …`) there was
/// nothing to change yet.
fn for_outcome(shell: &Shell<'_>, kind: GuardKind, span: Span, success: bool) -> GuardKind {
    let negated = ["! ", "-z "].iter().any(|not| shell.written(span).contains(not));
    match kind {
        GuardKind::EphemeralFile | GuardKind::Change if success != negated => {
            GuardKind::Environment
        }
        GuardKind::Change => GuardKind::Query,
        kind => kind,
    }
}

/// What the success and the output of a command depend on.
pub(crate) fn of_command(shell: &Shell<'_>, command: &Command) -> GuardKind {
    command_kind(shell, command, 1)
}

/// Whether a command runs only for the items that the pipeline before it lists: `list | grep … | xargs create`.
pub(crate) fn runs_per_item(shell: &Shell<'_>, command: &Command) -> bool {
    shell.written(command.span).split_whitespace().next() == Some("xargs")
}

/// What a word depends on.
pub(crate) fn of_word(shell: &Shell<'_>, word: &Word) -> GuardKind {
    word_kind(shell, word, 0)
}

/// What several words depend on.
pub(crate) fn of_words(shell: &Shell<'_>, words: &[Word]) -> GuardKind {
    words_kind(shell, words, 0)
}

/// What the success and the output of a program depend on.
pub(crate) fn of_program(shell: &Shell<'_>, words: &[Text]) -> GuardKind {
    let name = words.first().map_or("", |text| program_name(&text.value));
    if FILTERS.contains(&name) { GuardKind::Environment } else { program_kind(shell, words) }
}

fn list_kind(shell: &Shell<'_>, list: &List, depth: u32) -> GuardKind {
    let pipelines = list.statements.iter().flat_map(|statement| {
        std::iter::once(&statement.first).chain(statement.rest.iter().map(|(_, rest)| rest))
    });
    let kinds = pipelines.map(|pipeline| pipeline_kind(shell, pipeline, depth));
    kinds.max().unwrap_or(GuardKind::Environment)
}

fn pipeline_kind(shell: &Shell<'_>, pipeline: &Pipeline, depth: u32) -> GuardKind {
    if depth > 8 {
        return GuardKind::Environment;
    }
    let kinds = pipeline.commands.iter().map(|command| command_kind(shell, command, depth + 1));
    kinds.max().unwrap_or(GuardKind::Environment)
}

fn command_kind(shell: &Shell<'_>, command: &Command, depth: u32) -> GuardKind {
    let redirected = command.redirects.iter().map(|redirect| redirect_kind(shell, redirect, depth));
    let redirected = redirected.max();
    let kind = match &command.kind {
        CommandKind::Simple(simple) => {
            let values = simple.assignments.iter().flat_map(|assignment| &assignment.values);
            let assigned = values.map(|word| word_kind(shell, word, depth)).max();
            let kind = simple_kind(shell, &simple.words, depth);
            kind.max(assigned.unwrap_or(GuardKind::Environment))
        }
        CommandKind::Test(words) => test_kind(shell, words, depth),
        CommandKind::Group(list) | CommandKind::Subshell(list) => list_kind(shell, list, depth),
        CommandKind::Arithmetic => variables_kind(shell, shell.written(command.span)),
        CommandKind::If(_) | CommandKind::Case(_) => GuardKind::Query,
        _ => GuardKind::Environment,
    };
    kind.max(redirected.unwrap_or(GuardKind::Environment))
}

fn redirect_kind(shell: &Shell<'_>, redirect: &Redirect, depth: u32) -> GuardKind {
    let kind = word_kind(shell, &redirect.target, depth);
    if redirect.operator != RedirectOperator::Read {
        return kind;
    }
    let path = shell.source.word(&redirect.target).value;
    kind.max(shell.written_kind(&path).unwrap_or_default())
}

/// What the standard input that a command redirects depends on.
pub(crate) fn of_input(shell: &Shell<'_>, command: &Command) -> Option<GuardKind> {
    let reads = |one: &&Redirect| {
        use RedirectOperator::{HereString, Heredoc, Read};
        matches!(one.operator, Read | Heredoc | HereString)
    };
    command.redirects.iter().filter(reads).map(|one| redirect_kind(shell, one, 0)).max()
}

fn simple_kind(shell: &Shell<'_>, words: &[Word], depth: u32) -> GuardKind {
    let Some(first) = words.first() else { return GuardKind::Environment };
    let mut texts = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        shell.expand(word, index == 0, &mut texts);
    }
    let name = texts.first().map_or("", |text| program_name(&text.value));
    if matches!(name, "[" | "test") {
        return test_kind(shell, words, depth);
    }
    let function = shell.functions.get(shell.written(first.span)).filter(|_| depth < 8);
    if let Some(function) = function {
        return command_kind(shell, &function.body, depth + 1);
    }
    let inner = words_kind(shell, words, depth);
    let own = match name {
        "grep" | "egrep" | "fgrep" | "cat" | "jq" | "head" | "wc" => {
            texts[1..].iter().filter_map(|text| file_kind(shell, text)).max()
        }
        "exit" | "return" | "break" | "continue" => None,
        name if FILTERS.contains(&name) => None,
        name if FILE_LISTERS.contains(&name) => {
            let known = texts[1..].iter().filter_map(|text| file_kind(shell, text)).max();
            Some(known.unwrap_or(GuardKind::EphemeralFile))
        }
        _ => Some(program_kind(shell, &texts)),
    };
    inner.max(own.unwrap_or(GuardKind::Environment))
}

/// What the success of a program depends on. A command that changes state queries nothing, unless it prints the HTTP
/// status or fails if there is nothing to change. Every other command counts as a query of the state that the guarded
/// command changes, because a false alarm is worse than a missed one.
fn program_kind(shell: &Shell<'_>, words: &[Text]) -> GuardKind {
    let words = &wrapper::innermost(words, |name| shell.inputs.catalogue.knows(name));
    let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
    let known = shell.inputs.catalogue.command(&values).map(|found| found.entry.verdict);
    if known == Some(Verdict::Readiness) || effects::is_health_check(&values) {
        return GuardKind::Readiness;
    }
    let judged = effects::judge(shell, words, &[], &Context::top());
    let changes =
        judged.actions.iter().any(|action| action.changes_state || action.effect != Effect::Remote);
    let depends = judged.actions.iter().any(|action| action.verdict == Verdict::Depends);
    let may_repeat =
        |action: &Action| action.verdict == Verdict::Idempotent && action.effect == Effect::Remote;
    if !changes || depends || effects::prints_status(&values) {
        GuardKind::Query
    } else if judged.actions.iter().all(may_repeat) {
        GuardKind::Change
    } else {
        GuardKind::Environment
    }
}

fn test_kind(shell: &Shell<'_>, words: &[Word], depth: u32) -> GuardKind {
    let mut kind = words_kind(shell, words, depth);
    for pair in words.windows(2) {
        if FILE_TESTS.contains(&shell.written(pair[0].span)) {
            let text = shell.source.word(&pair[1]);
            kind = kind.max(file_kind(shell, &text).unwrap_or(GuardKind::EphemeralFile));
        }
    }
    kind
}

/// Whether a file outlives the container; `None` if the text is not a path.
fn file_kind(shell: &Shell<'_>, text: &Text) -> Option<GuardKind> {
    if text.value.starts_with('-') || text.value.contains(' ') {
        return None;
    }
    let path = shell.path(&text.value).filter(|path| path.contains('/'));
    let kept = path.as_deref().map(|path| shell.inputs.container.outlives_container(path));
    let written = shell.written_kind(&text.value).filter(|_| kept != Some(true));
    Some(if let Some(kind) = written {
        kind
    } else if kept? {
        GuardKind::PersistentFile
    } else {
        GuardKind::EphemeralFile
    })
}

fn words_kind(shell: &Shell<'_>, words: &[Word], depth: u32) -> GuardKind {
    let kinds = words.iter().map(|word| word_kind(shell, word, depth));
    kinds.max().unwrap_or(GuardKind::Environment)
}

fn word_kind(shell: &Shell<'_>, word: &Word, depth: u32) -> GuardKind {
    let kinds = word.parts.iter().map(|part| match &part.kind {
        PartKind::Command(list) | PartKind::Process(list) if depth < 8 => {
            list_kind(shell, list, depth + 1)
        }
        PartKind::Parameter { name, .. } if shell.written(*name) == "?" => shell.status,
        PartKind::Parameter { name, .. } => {
            let value = shell.variables.get(shell.written(*name));
            value.map_or(GuardKind::Environment, |value| value.kind)
        }
        PartKind::Arithmetic => variables_kind(shell, shell.written(part.span)),
        PartKind::Array(words) if depth < 8 => words_kind(shell, words, depth + 1),
        _ => GuardKind::Environment,
    });
    kinds.max().unwrap_or(GuardKind::Environment)
}

/// What the variables of an arithmetic expression depend on.
fn variables_kind(shell: &Shell<'_>, text: &str) -> GuardKind {
    let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let kinds = names.filter_map(|name| shell.variables.get(name)).map(|value| value.kind);
    kinds.max().unwrap_or(GuardKind::Environment)
}
