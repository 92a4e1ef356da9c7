//! Database clients: the statements they send, from arguments, files and standard input.

use super::{block, dollar_quotes, stake, statement};
use crate::{
    analysis::{Action, BrokenQuote, Edit, HiddenBy},
    catalogue::{Entry, Language, Verdict, words_of},
    command_line::{has_flag, program_name},
    context::Context,
    restored_dump::is_cluster_dump,
    shell::Shell,
    text::{ElementSpan, Text},
};

/// Why nothing is reported of a client that restores what `pg_dumpall` wrote.
pub(crate) const RESTORES: &str =
    "`psql` goes on after the error that a dump of `pg_dumpall` causes";

/// A program that reads statements.
struct Client {
    names: &'static [&'static str],
    /// The subcommands that read statements; empty if the program itself does.
    subcommands: &'static [&'static str],
    language: Language,
    /// Flags with a statement as value.
    inline: &'static [&'static str],
    /// Flags with a file of statements as value.
    files: &'static [&'static str],
    operand: Operand,
    continues: Continues,
}

/// Which operand is a statement or a file of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    None,
    /// The operand at this index.
    Nth(usize),
    /// Operands with blanks or parentheses, which names and addresses do not have.
    Spaced,
    /// Files with this extension.
    File(&'static str),
}

/// When a client continues after an error and exits with 0.
#[derive(Clone, Copy)]
enum Continues {
    Never,
    /// In files and standard input, unless the arguments or statements contain this.
    InFiles(&'static str),
    /// Always, unless the arguments or statements contain this.
    Always(&'static str),
}

const fn row(
    names: &'static [&'static str],
    language: Language,
    inline: &'static [&'static str],
    files: &'static [&'static str],
    continues: Continues,
) -> Client {
    Client { names, subcommands: &[], language, inline, files, operand: Operand::None, continues }
}

/// A program that passes code to an interpreter.
const fn code(
    names: &'static [&'static str],
    subcommands: &'static [&'static str],
    inline: &'static [&'static str],
) -> Client {
    Client {
        subcommands,
        operand: Operand::Spaced,
        ..row(names, Language::Code, inline, &[], Continues::Never)
    }
}

#[rustfmt::skip]
static CLIENTS: [Client; 20] = [
    row(&["psql", "ysqlsh"], Language::Postgres, &["-c", "--command"], &["-f", "--file"], Continues::InFiles("ON_ERROR_STOP")),
    row(&["mysql", "mariadb", "mysqlsh"], Language::Mysql, &["-e", "--execute", "--sql"], &["--file"], Continues::Never),
    Client { operand: Operand::File(".js"), ..row(&["mongosh", "mongo"], Language::Mongo, &["--eval"], &["--file", "-f"], Continues::Never) },
    row(&["sqlcmd", "/opt/mssql-tools/bin/sqlcmd"], Language::SqlServer, &["-Q", "-q"], &["-i"], Continues::Always("-b")),
    Client { operand: Operand::Spaced, ..row(&["clickhouse-client", "clickhouse"], Language::Clickhouse, &["-q", "--query"], &["--queries-file"], Continues::Never) },
    row(&["cqlsh"], Language::Cassandra, &["-e", "--execute"], &["-f", "--file"], Continues::Never),
    row(&["influx"], Language::Influx, &["-execute"], &[], Continues::Never),
    row(&["trino", "presto", "beeline", "snowsql", "spark-sql", "usql", "duckdb", "hive"], Language::Sql, &["--execute", "-e", "-q", "-c", "--command"], &["-f", "--file"], Continues::Never),
    row(&["sqlplus"], Language::Sql, &[], &[], Continues::Always("SQLERROR")),
    Client { subcommands: &["sql"], ..row(&["cockroach"], Language::Postgres, &["-e", "--execute"], &["-f", "--file"], Continues::Never) },
    Client { operand: Operand::Nth(1), ..row(&["sqlite3"], Language::Sqlite, &["-cmd"], &[], Continues::Never) },
    Client { operand: Operand::Spaced, ..row(&["cypher-shell"], Language::Cypher, &[], &["-f", "--file"], Continues::Never) },
    Client { operand: Operand::Spaced, subcommands: &["query"], ..row(&["bq", "wp"], Language::Sql, &[], &[], Continues::Never) },
    code(&["manage.py", "django-admin"], &["shell", "shell_plus"], &["-c", "--command"]),
    code(&["rails", "gitlab-rails"], &["runner", "r", "console", "c"], &[]),
    code(&["artisan"], &["tinker"], &["--execute"]),
    code(&["flask", "odoo", "odoo-bin"], &["shell"], &[]),
    code(&["wp", "drush"], &["eval", "php:eval", "ev"], &[]),
    code(&["arangosh"], &[], &["--javascript.execute-string"]),
    code(&["python", "node", "ruby", "php"], &[], &["-c", "-e", "--eval", "-r"]),
];

/// What each statement of a database client does. `None` if the program is not a client, or if its statements are
/// unknown.
pub(super) fn statements(
    shell: &Shell<'_>,
    words: &[Text],
    context: &Context,
) -> Option<Vec<Action>> {
    let client = Client::of(words)?;
    let inputs = client.inputs(shell, words, context);
    // `-c "$SQL"`, `-e "$(cat file)"`: the statements are unknown.
    let unknown = |input: &Input| input.text.value.trim_start().starts_with(['$', '`']);
    if inputs.is_empty() || inputs.iter().any(unknown) {
        return None;
    }
    let mut actions = Vec::new();
    for input in &inputs {
        let hidden = client.hides(words, Some(input));
        let mut branches = 0_usize;
        for range in statement::kept(&input.text.value, client.language) {
            let text = input.text.value.get(range.clone()).unwrap_or_default();
            match text.split_whitespace().next() {
                Some("\\if") => branches += 1,
                Some("\\endif") => branches = branches.saturating_sub(1),
                _ => {}
            }
            let asked = branches > 0;
            actions.extend(action(shell, client.language, &input.text, range, hidden, asked));
        }
    }
    // Code without a matching entry may do anything.
    (client.language != Language::Code || !actions.is_empty()).then_some(actions)
}

/// Where the statements of a client for PostgreSQL have broken dollar quotes.
pub(crate) fn broken_quotes(
    shell: &Shell<'_>,
    words: &[Text],
    context: &Context,
) -> Vec<(ElementSpan, BrokenQuote)> {
    let client = Client::of(words).filter(|client| client.language == Language::Postgres);
    let Some(client) = client else { return Vec::new() };
    let inputs = client.inputs(shell, words, context).into_iter();
    let found = inputs.filter_map(|Input { text, .. }| {
        let (range, how) = dollar_quotes::broken(&text)?;
        Some((text.location_of(range), how))
    });
    found.collect()
}

/// The statements that the command line of a client holds: those behind `-c`.
pub(crate) fn inline_texts(words: &[Text]) -> Vec<Text> {
    let flags = Client::of(words).map_or(&[][..], |client| client.inline);
    (1..words.len()).filter_map(|at| value_of(flags, words, at)).collect()
}

/// Whether a client runs a file of statements that nobody states, as a restore does.
pub(super) fn reads_unknown_file(words: &[Text], context: &Context) -> bool {
    let Some(client) = reader(words) else { return false };
    let values = |flags| (1..words.len()).filter_map(move |at| value_of(flags, words, at));
    let has = |flags: &'static [&str]| values(flags).next().is_some();
    let mut inline = values(client.inline);
    let reads = has(client.files)
        || context.reads_file && !has(client.inline)
        || inline.any(|text| sourced(client.language, &text.value).is_some());
    reads && !context.captured
}

/// The file that a statement of MySQL runs (<https://dev.mysql.com/doc/refman/8.4/en/mysql-commands.html>).
fn sourced(language: Language, statement: &str) -> Option<&str> {
    let (command, file) = statement.trim().split_once(char::is_whitespace)?;
    let is_source = command.eq_ignore_ascii_case("source") || command == "\\.";
    (language == Language::Mysql && is_source).then(|| file.trim_end_matches(';').trim())
}

/// How a client hides an error in a file of statements that nobody states.
pub(super) fn hides_errors_of_file(words: &[Text]) -> Option<HiddenBy> {
    stoppable(words)?.hides(words, None)
}

/// The client, if a restore runs it with a file as its standard input.
fn reader(words: &[Text]) -> Option<&'static Client> {
    let name = program_name(&words.first()?.value);
    let is_mysql = |client: &&Client| client.language == Language::Mysql;
    let mysql = || CLIENTS.iter().filter(is_mysql).find(|client| client.names.contains(&name));
    stoppable(words).or_else(mysql)
}

/// The client, if it goes on after an error in a file.
fn stoppable(words: &[Text]) -> Option<&'static Client> {
    let name = program_name(&words.first()?.value);
    let goes_on = |client: &&Client| matches!(client.continues, Continues::InFiles(_));
    CLIENTS.iter().filter(goes_on).find(|client| client.names.contains(&name))
}

/// Text with statements.
struct Input {
    text: Text,
    /// The text is an argument.
    inline: bool,
}

impl Client {
    /// The client that a command line calls.
    fn of(words: &[Text]) -> Option<&'static Self> {
        let name = program_name(&words.first()?.value);
        let called = |client: &&Self| {
            let mut values = words[1..].iter().map(|word| word.value.as_str());
            client.subcommands.is_empty() || values.any(|value| client.subcommands.contains(&value))
        };
        let mut clients = CLIENTS.iter().filter(|client| client.names.contains(&name));
        clients.find(called)
    }

    fn inputs(&self, shell: &Shell<'_>, words: &[Text], context: &Context) -> Vec<Input> {
        let mut inputs = Vec::new();
        let mut operands = 0;
        let mut at = 1;
        while let Some(word) = words.get(at) {
            at += 1;
            if let Some(text) = value_of(self.inline, words, at - 1) {
                // The value of an option is no operand.
                at += usize::from(words.get(at).is_some_and(|next| next.value == text.value));
                inputs.extend(match sourced(self.language, &text.value) {
                    Some(path) => shell.file(path).map(|text| Input { text, inline: false }),
                    None => Some(Input { text, inline: true }),
                });
            } else if let Some(path) = value_of(self.files, words, at - 1) {
                let text = shell.file(&path.value);
                inputs.extend(text.map(|text| Input { text, inline: false }));
            } else if !word.value.starts_with('-') {
                inputs.extend(self.operand_input(shell, word, operands));
                operands += 1;
            }
        }
        if inputs.is_empty() && !words[1..].iter().any(|word| is_any(self.files, &word.value)) {
            inputs.extend(context.stdin.clone().map(|text| Input { text, inline: false }));
        }
        inputs
    }

    fn operand_input(&self, shell: &Shell<'_>, word: &Text, index: usize) -> Option<Input> {
        let spaced = word.value.contains([' ', '\n', '(']);
        match self.operand {
            Operand::Nth(wanted) if wanted == index => {}
            Operand::Spaced if spaced => {}
            Operand::File(ending) if word.value.ends_with(ending) => {
                let text = shell.file(&word.value)?;
                return Some(Input { text, inline: false });
            }
            _ => return None,
        }
        Some(Input { text: word.clone(), inline: true })
    }

    /// How the client hides an error in its input; `None` is a file that nobody states.
    fn hides(&self, words: &[Text], input: Option<&Input>) -> Option<HiddenBy> {
        let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
        let is_inline = input.is_some_and(|input| input.inline);
        let stops = |by: &str| {
            has_flag(&values, by)
                || (!by.starts_with('-') && values.iter().any(|value| value.contains(by)))
                || (!by.starts_with('-')
                    && input.is_some_and(|input| input.text.value.to_uppercase().contains(by)))
        };
        match self.continues {
            Continues::InFiles(_) if input.is_some_and(|one| is_cluster_dump(&one.text.value)) => {
                Some(HiddenBy::Client(RESTORES))
            }
            Continues::InFiles(by) if !is_inline && !stops(by) => Some(HiddenBy::Client(
                "`psql` goes on after an error and exits with 0 without `ON_ERROR_STOP`",
            )),
            Continues::Always(by) if !stops(by) => Some(HiddenBy::Client(match by {
                // https://learn.microsoft.com/sql/tools/sqlcmd/sqlcmd-utility#-b
                "-b" => "`sqlcmd` goes on after an error and exits with 0 without `-b`",
                // https://docs.oracle.com/en/database/oracle/oracle-database/19/sqpug/WHENEVER-SQLERROR.html
                _ => {
                    "`sqlplus` goes on after an error and exits with 0 without `WHENEVER SQLERROR EXIT FAILURE`"
                }
            })),
            _ => None,
        }
    }
}

fn is_any(flags: &[&str], word: &str) -> bool {
    flags.iter().any(|flag| {
        word == *flag || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
    })
}

/// The value of the flag at `at`: the next word, or the text after `=` or after the flag's letter.
fn value_of(flags: &[&str], words: &[Text], at: usize) -> Option<Text> {
    let word = &words[at];
    for flag in flags {
        if word.value == *flag || is_cluster_ending(&word.value, flag) {
            return words.get(at + 1).cloned();
        }
        let Some(rest) = word.value.strip_prefix(flag) else { continue };
        let length = word.value.len();
        if rest.starts_with('=') {
            return Some(word.slice(flag.len() + 1..length));
        }
        if !flag.starts_with("--") && flag.len() == 2 && !rest.is_empty() {
            return Some(word.slice(flag.len()..length));
        }
    }
    None
}

/// Whether a cluster ends with the flag: `-tAc` with `-c`, `-Ne` with `-e`.
fn is_cluster_ending(word: &str, flag: &str) -> bool {
    let Some(letter) = flag.strip_prefix('-').filter(|letter| letter.len() == 1) else {
        return false;
    };
    let letters = word.strip_prefix('-').filter(|letters| letters.len() <= 6);
    letters.is_some_and(|letters| {
        // The rest of a cluster may be a value: `-Uc` means user `c`.
        let flags = letters.bytes().all(|b| b.is_ascii_alphabetic() && !b"Uhdpu".contains(&b));
        flags && letters.ends_with(letter)
    })
}

/// What one statement does, if an entry matches. It was `asked` before whether it is needed (`\if`).
fn action(
    shell: &Shell<'_>,
    language: Language,
    text: &Text,
    range: std::ops::Range<usize>,
    hidden: Option<HiddenBy>,
    asked: bool,
) -> Option<Action> {
    let value = text.value.get(range.clone())?;
    let found = shell.inputs.catalogue.statement(language, value)?;
    let (start, end) = (range.start + found.last.0, range.start + found.last.1);
    // A statement starts with its first word; a program names what it calls.
    let first = match language {
        Language::Code => start,
        _ => words_of(value).next().map_or(start, |(at, _)| range.start + at),
    };
    let location = text.location_of(first.min(start)..end);
    let guarded = asked
        || language == Language::Code
            && entry_calls(found.entry, value).all(|at| block::is_guarded(value, at));
    let mut action = Action::new(found.entry, location, found.excused || guarded);
    action.hidden = hidden;
    if found.entry.statement.as_deref() == Some("UPDATE") && builds_on_itself(value) {
        action.verdict = Verdict::Duplicates;
        action.may_overlap = false;
        "the new value is made of the old one, so each run adds to it".clone_into(&mut action.why);
        action.help = Some("write a fixed value, or mark the rows that are done".to_owned());
    }
    if action.verdict.is_hazard() {
        action.fix = Edit::from_entry(found.entry, text, Some(start..end));
    }
    let words = words_of(value).take(3).map(|(_, word)| word.to_ascii_uppercase());
    action.key = words.collect::<Vec<_>>().join(" ");
    action.minor = stake::is_minor(&[], &[action.key.as_str()]);
    let rest = &value[found.last.1..];
    action.objects = object_of(rest).into_iter().collect();
    match found.entry.statement.as_deref() {
        // Its name stands behind its kind.
        Some("DROP") => {
            let kind = words_of(rest).next();
            let name = kind.and_then(|(at, kind)| object_of(&rest[at + kind.len()..]));
            action.objects.extend(name);
        }
        // The table stands in front of `FROM`, and behind the file.
        Some("COPY|\\copy * FROM") => {
            let first = words_of(value).nth(1);
            action.objects =
                first.and_then(|(at, _)| object_of(&value[at..])).into_iter().collect();
        }
        Some("LOAD DATA") => {
            let upper = rest.to_ascii_uppercase();
            let table = upper.find("INTO TABLE").and_then(|at| object_of(&rest[at..]));
            action.objects = table.into_iter().collect();
        }
        // The key ends with the name of the table.
        Some("ALTER TABLE * DROP") => action.key.push_str(" DROP"),
        _ => {}
    }
    let repeatable = found.excused || found.entry.overlap == Some(true);
    // What is missing at the end was not there before.
    let creates = action.key.starts_with("CREATE");
    if action.verdict == Verdict::Idempotent && hidden.is_some() && repeatable && !creates {
        action.hidden = None;
    }
    Some(action)
}

/// Where a program contains the text of an entry.
fn entry_calls<'v>(entry: &'v Entry, value: &'v str) -> impl Iterator<Item = usize> + 'v {
    let call = entry.statement.as_deref().unwrap_or_default();
    value.match_indices(call).map(|(at, _)| at)
}

/// Whether a new value starts with the column it is assigned to: `SET n = n + 1`, `SET title = title || 'x'`.
fn builds_on_itself(statement: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '`');
    statement.match_indices('=').any(|(at, _)| {
        let (before, after) = (statement[..at].trim_end(), statement[at + 1..].trim_start());
        let name = &before[before.trim_end_matches(letter).len()..];
        let rest = after.strip_prefix(name).map(str::trim_start);
        // After `WHERE`, `=` compares.
        let writes = !before.to_ascii_uppercase().contains("WHERE");
        let operator = |rest: &str| {
            rest.starts_with(['+', '-', '*', '/']) && !rest.starts_with("--")
                || rest.starts_with("||")
        };
        writes && !name.is_empty() && rest.is_some_and(operator)
    })
}

/// The first name in the rest of a statement.
fn object_of(rest: &str) -> Option<String> {
    const NOISE: [&str; 13] = [
        "COLUMN",
        "CONSTRAINT",
        "IF",
        "NOT",
        "EXISTS",
        "ONLY",
        "INTO",
        "FROM",
        "TABLE",
        "CONCURRENTLY",
        "PUBLIC",
        "ALL",
        "DBO",
    ];
    let mut words = words_of(rest).map(|(_, word)| word);
    words.find(|word| !NOISE.contains(&word.to_ascii_uppercase().as_str())).map(str::to_lowercase)
}
