//! Database clients: the statements that they send, from arguments, files and standard input.

use super::{
    analysis::{Act, Hide},
    catalogue::{Language, Verdict},
    effects::{Judged, edit},
    flow::{Flow, Walk},
    pattern::{self, has_flag, program_name, words_of},
    shell::Shell,
    statement,
    text::Text,
};

/// A program that reads statements.
struct Client {
    names: &'static [&'static str],
    /// The subcommands that read statements; none where the program itself does.
    subcommands: &'static [&'static str],
    language: Language,
    inline: &'static [&'static str],
    files: &'static [&'static str],
    operand: Operand,
    /// When it goes on after an error.
    goes_on: GoesOn,
}

/// Which operand is a statement, or a file of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    None,
    /// Counted from 0.
    Nth(usize),
    /// One with blanks or parentheses in it: no name or address is written so.
    Spaced,
    /// A file with this ending.
    File(&'static str),
}

/// When a client goes on after an error and then exits with 0.
#[derive(Clone, Copy)]
enum GoesOn {
    Never,
    /// In files and standard input, unless the words or statements say this.
    InFiles(&'static str),
    /// Always, unless the words or statements say this.
    Always(&'static str),
}

/// A row of the table.
const fn row(
    names: &'static [&'static str],
    language: Language,
    inline: &'static [&'static str],
    files: &'static [&'static str],
    goes_on: GoesOn,
) -> Client {
    Client { names, subcommands: &[], language, inline, files, operand: Operand::None, goes_on }
}

/// A row for a program that hands code to an interpreter.
const fn code(
    names: &'static [&'static str],
    subcommands: &'static [&'static str],
    inline: &'static [&'static str],
) -> Client {
    Client {
        subcommands,
        operand: Operand::Spaced,
        ..row(names, Language::Code, inline, &[], GoesOn::Never)
    }
}

#[rustfmt::skip]
static CLIENTS: [Client; 20] = [
    row(&["psql", "ysqlsh"], Language::Postgres, &["-c", "--command"], &["-f", "--file"], GoesOn::InFiles("ON_ERROR_STOP")),
    row(&["mysql", "mariadb", "mysqlsh"], Language::Mysql, &["-e", "--execute", "--sql"], &["--file"], GoesOn::Never),
    Client { operand: Operand::File(".js"), ..row(&["mongosh", "mongo"], Language::Mongo, &["--eval"], &["--file", "-f"], GoesOn::Never) },
    row(&["sqlcmd", "/opt/mssql-tools/bin/sqlcmd"], Language::SqlServer, &["-Q", "-q"], &["-i"], GoesOn::Always("-b")),
    row(&["clickhouse-client", "clickhouse"], Language::Clickhouse, &["-q", "--query"], &["--queries-file"], GoesOn::Never),
    row(&["cqlsh"], Language::Cassandra, &["-e", "--execute"], &["-f", "--file"], GoesOn::Never),
    row(&["influx"], Language::Influx, &["-execute"], &[], GoesOn::Never),
    row(&["trino", "presto", "beeline", "snowsql", "spark-sql", "usql", "duckdb", "hive"], Language::Sql, &["--execute", "-e", "-q", "-c", "--command"], &["-f", "--file"], GoesOn::Never),
    row(&["sqlplus"], Language::Sql, &[], &[], GoesOn::Always("SQLERROR")),
    Client { subcommands: &["sql"], ..row(&["cockroach"], Language::Postgres, &["-e", "--execute"], &["-f", "--file"], GoesOn::Never) },
    Client { operand: Operand::Nth(1), ..row(&["sqlite3"], Language::Sqlite, &["-cmd"], &[], GoesOn::Never) },
    Client { operand: Operand::Spaced, ..row(&["cypher-shell"], Language::Cypher, &[], &["-f", "--file"], GoesOn::Never) },
    Client { operand: Operand::Spaced, subcommands: &["query"], ..row(&["bq", "wp"], Language::Sql, &[], &[], GoesOn::Never) },
    code(&["manage.py", "django-admin"], &["shell", "shell_plus"], &["-c", "--command"]),
    code(&["rails", "gitlab-rails"], &["runner", "r", "console", "c"], &[]),
    code(&["artisan"], &["tinker"], &["--execute"]),
    code(&["flask", "odoo", "odoo-bin"], &["shell"], &[]),
    code(&["wp", "drush"], &["eval", "php:eval", "ev"], &[]),
    code(&["arangosh"], &[], &["--javascript.execute-string"]),
    code(&["python", "node", "ruby", "php"], &[], &["-c", "-e", "--eval", "-r"]),
];

/// The statements of a database client and what each does; `None` when it is none or runs none.
pub(super) fn statements(
    walk: &Walk<'_>,
    shell: &Shell<'_>,
    words: &[Text],
    flow: &Flow,
) -> Option<Judged> {
    let name = program_name(&words.first()?.value);
    let called = |client: &&Client| {
        let mut values = words[1..].iter().map(|word| word.value.as_str());
        client.subcommands.is_empty() || values.any(|value| client.subcommands.contains(&value))
    };
    let mut clients = CLIENTS.iter().filter(|client| client.names.contains(&name));
    let client = clients.find(called)?;
    let inputs = client.inputs(walk, shell, words, flow);
    // `-c "$SQL"`, `-e "$(cat file)"`: statements that stand elsewhere.
    let elsewhere = |input: &Input| input.text.value.trim_start().starts_with(['$', '`']);
    if inputs.is_empty() || inputs.iter().any(elsewhere) {
        return None;
    }
    let mut judged = Judged { acts: Vec::new(), recognised: true };
    for input in &inputs {
        let hidden = client.hides(words, input);
        for range in statement::split(&input.text.value, client.language) {
            judged.acts.extend(act(walk, client.language, &input.text, range, hidden));
        }
    }
    // What no entry knows of a program may still do anything.
    (client.language != Language::Code || !judged.acts.is_empty()).then_some(judged)
}

/// A text with statements.
struct Input {
    text: Text,
    inline: bool,
}

impl Client {
    fn inputs(
        &self,
        walk: &Walk<'_>,
        shell: &Shell<'_>,
        words: &[Text],
        flow: &Flow,
    ) -> Vec<Input> {
        let mut inputs = Vec::new();
        let mut operands = 0;
        let mut at = 1;
        while let Some(word) = words.get(at) {
            at += 1;
            if let Some(text) = value_of(self.inline, words, at - 1) {
                inputs.push(Input { text, inline: true });
            } else if let Some(path) = value_of(self.files, words, at - 1) {
                let text = walk.file(shell, &path.value);
                inputs.extend(text.map(|text| Input { text, inline: false }));
            } else if !word.value.starts_with('-') {
                inputs.extend(self.of_operand(walk, shell, word, operands));
                operands += 1;
            }
        }
        if inputs.is_empty() && !words[1..].iter().any(|word| is_any(self.files, &word.value)) {
            inputs.extend(flow.stdin.clone().map(|text| Input { text, inline: false }));
        }
        inputs
    }

    fn of_operand(
        &self,
        walk: &Walk<'_>,
        shell: &Shell<'_>,
        word: &Text,
        index: usize,
    ) -> Option<Input> {
        let spaced = word.value.contains([' ', '\n', '(']);
        match self.operand {
            Operand::Nth(wanted) if wanted == index => {}
            Operand::Spaced if spaced => {}
            Operand::File(ending) if word.value.ends_with(ending) => {
                let text = walk.file(shell, &word.value)?;
                return Some(Input { text, inline: false });
            }
            _ => return None,
        }
        Some(Input { text: word.clone(), inline: true })
    }

    fn hides(&self, words: &[Text], input: &Input) -> Option<Hide> {
        let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
        let stops = |by: &str| {
            has_flag(&values, by)
                || (!by.starts_with('-') && values.iter().any(|value| value.contains(by)))
                || (!by.starts_with('-') && input.text.value.to_uppercase().contains(by))
        };
        match self.goes_on {
            GoesOn::InFiles(by) if !input.inline && !stops(by) => Some(Hide::Client(
                "`psql` goes on after an error and exits with 0 without `ON_ERROR_STOP`",
            )),
            GoesOn::Always(by) if !stops(by) => Some(Hide::Client(
                "the client goes on after an error and exits with 0 unless told to stop",
            )),
            _ => None,
        }
    }
}

fn is_any(flags: &[&str], word: &str) -> bool {
    flags.iter().any(|flag| {
        word == *flag || word.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
    })
}

/// The value of the flag at `at`: the next word, or what follows `=` or the flag's letter.
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

/// `-tAc` for `-c`, `-Ne` for `-e`.
fn is_cluster_ending(word: &str, flag: &str) -> bool {
    let Some(letter) = flag.strip_prefix('-').filter(|letter| letter.len() == 1) else {
        return false;
    };
    let letters = word.strip_prefix('-').filter(|letters| letters.len() <= 6);
    letters.is_some_and(|letters| {
        // Letters that take a value themselves end the cluster: `-Uc` names a user.
        let flags = letters.bytes().all(|b| b.is_ascii_alphabetic() && !b"Uhdpu".contains(&b));
        flags && letters.ends_with(letter)
    })
}

/// Judges one statement.
fn act(
    walk: &Walk<'_>,
    language: Language,
    text: &Text,
    range: std::ops::Range<usize>,
    hidden: Option<Hide>,
) -> Option<Act> {
    let value = text.value.get(range.clone())?;
    let found = pattern::statement(walk.catalogue, language, value)?;
    let (start, end) = (range.start + found.last.0, range.start + found.last.1);
    let first = words_of(value).next().map_or(start, |(at, _)| range.start + at);
    let mut act = Act::new(found.entry, text.place_of(first.min(start)..end), found.excused);
    act.hidden = hidden;
    if found.entry.statement.as_deref() == Some("UPDATE") && builds_on_itself(value) {
        act.verdict = Verdict::Duplicates;
        act.may_overlap = false;
        "the new value is made of the old one, so each run adds to it".clone_into(&mut act.why);
        act.help = Some("write a fixed value, or mark the rows that are done".to_owned());
    }
    if act.verdict.is_hazard() {
        act.fix = edit(found.entry, text, Some(start..end));
    }
    let words = words_of(value).take(3).map(|(_, word)| word.to_ascii_uppercase());
    act.key = words.collect::<Vec<_>>().join(" ");
    act.objects = object_of(&value[found.last.1..]).into_iter().collect();
    let repeatable = found.excused || found.entry.overlap == Some(true);
    if act.verdict == Verdict::Idempotent && hidden.is_some() && repeatable {
        act.hidden = None;
    }
    Some(act)
}

/// `SET n = n + 1`, `SET title = title || 'x'`: a column that is written is what its new value starts with.
fn builds_on_itself(statement: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '`');
    statement.match_indices('=').any(|(at, _)| {
        let (before, after) = (statement[..at].trim_end(), statement[at + 1..].trim_start());
        let name = &before[before.trim_end_matches(letter).len()..];
        let rest = after.strip_prefix(name).map(str::trim_start);
        // A condition after `WHERE` compares, it does not write.
        let writes = !before.to_ascii_uppercase().contains("WHERE");
        let operator = |rest: &str| {
            rest.starts_with(['+', '-', '*', '/']) && !rest.starts_with("--")
                || rest.starts_with("||")
        };
        writes && !name.is_empty() && rest.is_some_and(operator)
    })
}

/// The first name after the words that a statement starts with.
fn object_of(rest: &str) -> Option<String> {
    const NOISE: [&str; 11] = [
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
