//! The catalogue of commands: what each does when it runs a second time. It is data
//! (`catalogue.yaml`); users add entries of the same form in their settings.

use std::{collections::HashMap, sync::LazyLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Confidence;

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| {
    let entries = serde_yaml::from_str(include_str!("catalogue.yaml"));
    Catalogue::new(entries.expect("a test reads the built-in catalogue"))
});

/// What a command does when it runs again.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Looks, changes nothing.
    ReadOnly,
    /// Asks whether something is up; says nothing about what was done before.
    Readiness,
    /// Known, yet what it does is up to its arguments or files.
    Depends,
    /// Running it again changes nothing more.
    Idempotent,
    /// Idempotent after success, but after one failure it fails for ever.
    CannotRetry,
    /// Makes a new password, key or token.
    Rotates,
    /// Does its work once more: another row, object or message.
    Duplicates,
    /// Exits with an error.
    FailsWhenRepeated,
    /// Loses data.
    Destroys,
}

impl Verdict {
    /// Whether repeating it does harm.
    pub fn is_hazard(self) -> bool {
        self >= Self::Rotates
    }

    /// Whether a failure of it can leave work undone.
    pub fn changes_state(self) -> bool {
        self >= Self::Idempotent
    }
}

/// Where the effect of a command lands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Outside the pod: a database, an API, a bucket.
    #[default]
    Remote,
    /// In the files it names: gone with the container unless they lie on a volume.
    Files,
    /// In the container's own system (users, packages): always gone with the container.
    Container,
}

/// What the statements of a client are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    Postgres,
    Mysql,
    Sqlite,
    SqlServer,
    Cassandra,
    Clickhouse,
    Influx,
    /// SQL of any other kind.
    Sql,
    Mongo,
}

/// One command, statement or HTTP request. Exactly one of `run`, `statement` and `request` says which.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    /// Program and subcommands, flags in between ignored: `kubectl create`. `a|b` matches either, `*` any
    /// word, a word that starts with `-` a flag anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The first words of a statement sent to a database: `CREATE TABLE`. `*` matches any words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The languages of `statement`; none means all kinds of SQL.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<Language>,
    /// A method, or a method and a part of the URL, of a request by curl, wget or the like: `POST /setup`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Applies only with one of these flags, or with one of these texts in an argument.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    /// Any of these flags, or texts in an argument, makes it safe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    pub verdict: Verdict,
    /// One line: what a second run does.
    pub why: String,
    /// What to write instead, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// What, written after the last word that the entry matched, makes it safe: `-p`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insert: Option<String>,
    /// What, written instead of the last word that the entry matched, makes it safe: `upgrade --install`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<String>,
    /// Documentation of the behaviour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(default)]
    pub effect: Effect,
    /// With `effect: files`, the files: the values of these flags, `last` for the last argument; else all
    /// arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Whether two may run at once. Unless given: no for what duplicates, rotates or destroys, else yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<bool>,
    /// Commands that, run before it on the same object, make it safe: `kubectl delete`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Commands that, run after it on the same object, make it safe: `INSERT` after `TRUNCATE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Commands that, run after it on the same object, make it lose data: `CREATE TABLE` after `DROP TABLE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub destroys_before: Vec<String>,
    /// Random values in its arguments make a new secret at every run, whatever the verdict says.
    #[serde(default)]
    pub secret: bool,
    /// It never ends by itself.
    #[serde(default)]
    pub endless: bool,
    /// How sure the verdict is. A hazard of low confidence is no more than unknown.
    #[serde(default = "certain")]
    pub confidence: Confidence,
}

fn certain() -> Confidence {
    Confidence::High
}

impl Entry {
    /// Whether two may run at once.
    pub fn may_overlap(&self) -> bool {
        use Verdict::{Destroys, Duplicates, Rotates};
        self.overlap.unwrap_or(!matches!(self.verdict, Duplicates | Rotates | Destroys))
    }

    /// What is wrong with an entry a user wrote, if anything.
    pub fn error(&self) -> Option<&'static str> {
        let keys = [&self.run, &self.statement, &self.request];
        match keys.iter().filter(|key| key.is_some()).count() {
            0 => return Some("one of `run`, `statement` and `request` is needed"),
            1 => {}
            _ => return Some("`run`, `statement` and `request` exclude each other"),
        }
        if keys.iter().any(|key| key.as_ref().is_some_and(|key| key.trim().is_empty())) {
            return Some("the command is empty");
        }
        if !self.languages.is_empty() && self.statement.is_none() {
            return Some("`in` needs `statement`");
        }
        if self.insert.is_some() && self.replace.is_some() {
            return Some("`insert` and `replace` exclude each other");
        }
        None
    }
}

/// Entries by what they match.
#[derive(Debug)]
pub struct Catalogue {
    pub entries: Vec<Entry>,
    programs: HashMap<String, Vec<usize>>,
    statements: Vec<usize>,
    requests: Vec<usize>,
}

impl Catalogue {
    /// The catalogue that comes with joblint.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The built-in catalogue and the entries of a user, which win where both match equally well.
    pub fn with(own: &[Entry]) -> Self {
        Self::new(BUILT_IN.entries.iter().chain(own).cloned().collect())
    }

    fn new(entries: Vec<Entry>) -> Self {
        let mut programs: HashMap<String, Vec<usize>> = HashMap::new();
        let (mut statements, mut requests) = (Vec::new(), Vec::new());
        for (index, entry) in entries.iter().enumerate() {
            let program = entry.run.as_deref().and_then(|run| run.split_whitespace().next());
            for name in program.into_iter().flat_map(|names| names.split('|')) {
                programs.entry(name.to_owned()).or_default().push(index);
            }
            statements.extend(entry.statement.is_some().then_some(index));
            requests.extend(entry.request.is_some().then_some(index));
        }
        Self { entries, programs, statements, requests }
    }

    /// The entries of the user.
    pub fn own(&self) -> &[Entry] {
        self.entries.get(BUILT_IN.entries.len()..).unwrap_or_default()
    }

    /// Whether any entry is about the program.
    pub fn knows(&self, program: &str) -> bool {
        self.programs.contains_key(program)
    }

    /// Entries about the program, in order.
    pub(super) fn program(&self, name: &str) -> impl Iterator<Item = &Entry> {
        self.programs.get(name).into_iter().flatten().map(|&index| &self.entries[index])
    }

    /// Entries about statements in the language, in order.
    pub(super) fn statements(&self, language: Language) -> impl Iterator<Item = &Entry> {
        let entries = self.statements.iter().map(|&index| &self.entries[index]);
        entries.filter(move |entry| match entry.languages.as_slice() {
            [] => language != Language::Mongo,
            languages => languages.contains(&language),
        })
    }

    /// Entries about HTTP requests, in order.
    pub(super) fn requests(&self) -> impl Iterator<Item = &Entry> {
        self.requests.iter().map(|&index| &self.entries[index])
    }
}
