//! Files and standard input, as far as the script or the container states their content.

use super::Shell;
use crate::{
    analysis::GuardKind,
    ast::{Command, CommandKind, List, PartKind, Pipeline, Redirect, RedirectOperator, Word},
    command_line::{has_flag, operands, program_name},
    text::Text,
};

/// Programs that print a file, an object of a store, or the statements of a database.
const FILE_PRINTERS: [&str; 26] = [
    "age",
    "aws",
    "bunzip2",
    "bzcat",
    "cat",
    "curl",
    "gcloud",
    "gpg",
    "gsutil",
    "gunzip",
    "gzip",
    "lz4",
    "mc",
    "openssl",
    "pg_dump",
    "pg_dumpall",
    "pv",
    "rclone",
    "s3cmd",
    "sed",
    "tar",
    "unzip",
    "wget",
    "xzcat",
    "zcat",
    "zstd",
];

/// Programs whose output is never empty.
const PACKERS: [&str; 10] =
    ["age", "bzip2", "gpg", "gzip", "lz4", "openssl", "pbzip2", "pigz", "xz", "zstd"];

impl Shell<'_> {
    /// The content of a file that the script wrote or that is mounted.
    pub(crate) fn file(&self, path: &str) -> Option<Text> {
        let path = self.path(path).unwrap_or_else(|| path.to_owned());
        if let Some(text) = self.written_files.get(&path) {
            return Some(text.clone());
        }
        let files = &self.inputs.container.files;
        let index = files.iter().position(|file| file.path == path)?;
        Some(Text::element(self.inputs.first_file + index, &files[index].text))
    }

    /// The path of the only known file that a pattern names: `/scripts/*`, `/scripts/*.sql`.
    pub(crate) fn only_file(&self, word: &Word) -> Option<String> {
        let pattern = self.path(&self.source.word(word).value)?;
        let (start, end) = pattern.split_once('*')?;
        let folder = start.strip_suffix('/')?;
        let names = |path: &str| {
            let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            name.is_some_and(|name| !name.contains('/') && name.ends_with(end))
        };
        let files = self.inputs.container.files.iter().map(|file| file.path.as_str());
        let mut files = files.filter(|path| names(path));
        let only = files.next().filter(|_| files.next().is_none())?;
        (!end.contains(['*', '?', '[', '{', '$'])).then(|| only.to_owned())
    }

    /// An absolute path, as far as it is known; `None` if its start is not.
    pub(crate) fn path(&self, value: &str) -> Option<String> {
        let (known, _) = self.resolve_prefix(value);
        if known.starts_with('/') {
            return Some(known);
        }
        let directory = self.directory.as_ref()?;
        let relative = known.trim_start_matches("./");
        let start_unknown = relative.is_empty() && value.starts_with(['$', '`']);
        (!start_unknown && !known.starts_with("..")).then(|| format!("{directory}/{relative}"))
    }

    /// The standard input that a redirection gives a command.
    pub(crate) fn redirected_input(&self, command: &Command) -> Option<Text> {
        self.heredoc(command).or_else(|| {
            let mut redirects = command.redirects.iter();
            let redirect = redirects.find(|one| one.operator == RedirectOperator::Read)?;
            self.file(&self.source.word(&redirect.target).value)
        })
    }

    /// Whether a command reads a file as its standard input.
    pub(crate) fn reads_file(&self, command: &Command) -> bool {
        command.redirects.iter().any(|redirect| redirect.operator == RedirectOperator::Read)
    }

    /// Whether the last of the commands of a pipeline sends its errors along: what it prints is a log.
    pub(crate) fn prints_log(&self, commands: &[Command]) -> bool {
        commands
            .last()
            .is_some_and(|command| command.redirects.iter().any(|one| self.is_errors(one)))
    }

    /// Whether a command shows what it reads, whatever it is: `tee log`, `jq .`.
    pub(crate) fn only_shows(&self, command: &Command) -> bool {
        let CommandKind::Simple(simple) = &command.kind else { return false };
        let mut words =
            simple.words.iter().map(|word| self.written(word.span).trim_matches(['\'', '"']));
        let program = words.next().map_or("", program_name);
        let is_plain = match program {
            "tee" | "json_pp" => true,
            "cat" | "jq" => words.all(|word| matches!(word, "." | "-" | "-C" | "-M" | "-c" | "-S")),
            _ => words.eq(["-m", "json.tool"]) && program.starts_with("python"),
        };
        is_plain && command.redirects.iter().all(|one| !one.writes_output())
    }

    /// Whether a command fails unless it is told what it wants: `jq -e .id`, `grep ready`, `[ "$(query)" = 1 ]`.
    pub(crate) fn wants_an_answer(&self, command: &Command) -> bool {
        let CommandKind::Simple(simple) = &command.kind else { return false };
        let words: Vec<_> = simple.words.iter().map(|word| self.written(word.span)).collect();
        match words.first().map_or("", |word| program_name(word)) {
            "grep" | "egrep" | "fgrep" => !has_flag(&words, "-v"),
            "jq" | "yq" => has_flag(&words, "-e") || has_flag(&words, "--exit-status"),
            "[" | "test" => true,
            _ => false,
        }
    }

    /// Whether the last of some commands only tests what the others print: `create | grep created`.
    pub(crate) fn ends_with_test(&self, commands: &[Command]) -> bool {
        commands.last().is_some_and(|last| {
            self.wants_an_answer(last) && last.redirects.iter().all(|one| !one.writes_output())
        })
    }

    /// Whether a redirection sends the errors where the output goes: `2>&1`.
    pub(crate) fn is_errors(&self, redirect: &Redirect) -> bool {
        redirect.operator == RedirectOperator::Duplicate
            && redirect.descriptor.is_some_and(|descriptor| self.written(descriptor) == "2")
    }

    /// Whether a redirection drops the errors: `2>/dev/null`.
    pub(crate) fn drops_errors(&self, redirect: &Redirect) -> bool {
        let text = self.written(redirect.span);
        ["2>", "&>"].iter().any(|start| text.starts_with(start)) && text.ends_with("/dev/null")
    }

    /// Whether the redirections of a command throw its error messages away: `2>/dev/null`, `>/dev/null 2>&1`.
    pub(crate) fn drops_all_errors(&self, redirects: &[Redirect]) -> bool {
        let is_null = |one: &Redirect| self.written(one.span).trim_end().ends_with("/dev/null");
        let joins = |one: &Redirect| self.written(one.span).replace(' ', "") == "2>&1";
        let joined = redirects.iter().position(joins);
        redirects.iter().any(|one| self.drops_errors(one))
            || joined.is_some_and(|at| redirects[..at].iter().any(is_null))
    }

    /// Whether a pipeline writes its output to a file that the script tests later. Of a compressed file, a test with `-s` says
    /// nothing: one of nothing has a header.
    pub(crate) fn writes_tested_file(&self, pipeline: &Pipeline) -> bool {
        let end = pipeline.span.end as usize;
        let packs = |command: &Command| {
            let CommandKind::Simple(simple) = &command.kind else { return false };
            let program = simple.words.first().map(|word| program_name(self.written(word.span)));
            program.is_some_and(|name| PACKERS.contains(&name))
        };
        let is_packed = pipeline.commands.iter().any(packs);
        let is_tested = |word: &Word| {
            let path = self.written(word.span).trim_matches('"');
            match is_packed {
                true => self.uses.is_content_tested(path, end),
                false => self.uses.is_file_tested(path, end),
            }
        };
        pipeline.commands.iter().any(|command| {
            let teed = match &command.kind {
                CommandKind::Simple(simple) => match simple.words.as_slice() {
                    [program, files @ ..] if self.written(program.span) == "tee" => files,
                    _ => &[],
                },
                _ => &[],
            };
            let redirected = command.redirects.iter().filter(|one| one.writes_output());
            redirected.map(|one| &one.target).chain(teed).any(is_tested)
        })
    }

    /// Whether the first of the commands of a pipeline prints a file.
    pub(crate) fn prints_file(&self, commands: &[Command]) -> bool {
        let Some(first) = commands.first() else { return false };
        let CommandKind::Simple(simple) = &first.kind else { return self.reads_file(first) };
        let program = simple.words.first().map(|word| program_name(self.written(word.span)));
        program.is_some_and(|name| FILE_PRINTERS.contains(&name)) || self.reads_file(first)
    }

    fn heredoc(&self, command: &Command) -> Option<Text> {
        let mut redirects = command.redirects.iter().rev();
        redirects.find_map(|redirect| match redirect.operator {
            RedirectOperator::Heredoc => Some(self.source.heredoc(self.script, redirect.heredoc?)),
            RedirectOperator::HereString => Some(self.source.word(&redirect.target)),
            _ => None,
        })
    }

    /// What a command prints, if the script states it.
    pub(crate) fn printed(&self, command: &Command) -> Option<Text> {
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
                self.written_files.get(&path.value).cloned()
            }),
            _ => None,
        }
    }

    /// What the commands of a list print together. Commands whose output is unknown are left out.
    fn printed_by_all(&self, list: &List) -> Option<Text> {
        let commands = list.statements.iter().filter_map(|one| only_command(&one.first));
        let texts: Vec<_> = commands.filter_map(|command| self.printed(command)).collect();
        Text::join(&texts)
    }

    /// What a word such as `$(cat <<EOF …)` or `$(echo …)` expands to, if the script states it.
    pub(super) fn substituted(&self, word: &Word) -> Option<Text> {
        let [part] = word.parts.as_slice() else { return None };
        let PartKind::Command(list) = &part.kind else { return None };
        let [statement] = list.statements.as_slice() else { return None };
        self.printed(only_command(&statement.first)?)
    }

    /// Records the text that `cat > path <<EOF` or `echo … > path` writes.
    pub(crate) fn record_written_file(&mut self, command: &Command) {
        let write = command.redirects.iter().find(|redirect| redirect.writes_output());
        let Some(redirect) = write else { return };
        let path = self.source.word(&redirect.target).value;
        let path = self.path(&path).unwrap_or(path);
        if let Some(text) = self.printed(command) {
            self.written_files.insert(path, text);
        }
    }

    /// Records the text of a script that `cp` takes from where it is mounted: `cp /scripts/run.sh /tmp/`.
    pub(crate) fn record_copy(&mut self, words: &[&str]) {
        let [program, ..] = words else { return };
        if program_name(program) != "cp" {
            return;
        }
        let paths: Vec<_> = operands(words).collect();
        let [source, target] = paths[..] else { return };
        let Some(text) = self.file(source) else { return };
        let name = source.rsplit('/').next().unwrap_or(source);
        let inside = format!("{}/{name}", target.trim_end_matches('/'));
        for path in [target.to_owned(), inside] {
            let path = self.path(&path).unwrap_or(path);
            self.written_files.insert(path, text.clone());
        }
    }

    /// Records what a file that a command wrote depends on.
    pub(crate) fn record_file_kind(&mut self, path: &str, kind: GuardKind) {
        let path = self.path(path).unwrap_or_else(|| path.to_owned());
        let kind = kind.max(self.guard_kind());
        let known = self.file_kinds.entry(path).or_default();
        *known = kind.max(*known);
    }

    /// What a file that the script wrote depends on.
    pub(crate) fn written_kind(&self, path: &str) -> Option<GuardKind> {
        let resolved = self.path(path);
        self.file_kinds.get(resolved.as_deref().unwrap_or(path)).copied()
    }

    /// Whether the script has truncated a file, which is named as written in the script.
    pub(crate) fn has_truncated(&self, path: &str) -> bool {
        self.truncated_files.iter().any(|truncated| truncated == path)
    }
}

fn only_command(pipeline: &Pipeline) -> Option<&Command> {
    match pipeline.commands.as_slice() {
        [command] => Some(command),
        _ => None,
    }
}
