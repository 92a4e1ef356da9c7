//! The catalogue of commands: what each does when it runs a second time. It is data
//! (`catalogue.yaml`); users add entries of the same form in their settings.

use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Confidence;

const TEXT: &str = include_str!("catalogue.yaml");

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::with(&[]));

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
    Cypher,
    /// A program handed to an interpreter: Python, Ruby, PHP, JavaScript.
    Code,
}

impl Language {
    /// Written as a program, in which a call may stand anywhere.
    pub(super) fn is_program(self) -> bool {
        matches!(self, Self::Mongo | Self::Code)
    }

    /// Whether entries that name no language are about it.
    fn is_sql(self) -> bool {
        !self.is_program() && self != Self::Cypher
    }
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
    /// With `effect: files`, the files: the values of these flags, `last` for the last argument, `sources`
    /// for all before it; else all arguments.
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
    slots: Vec<Slot>,
    /// How many slots, from the first, are built in.
    built_in: usize,
    programs: HashMap<String, Vec<usize>>,
    statements: Vec<usize>,
    requests: Vec<usize>,
}

/// An entry, read when it is first asked for: one run needs a few of them, and reading all takes longer
/// than the rest of a run over one file.
#[derive(Debug)]
struct Slot {
    /// The item of the built-in list; empty for an entry of the user.
    text: &'static str,
    entry: OnceLock<Entry>,
}

impl Slot {
    fn entry(&self) -> &Entry {
        self.entry.get_or_init(|| {
            let [entry]: [Entry; 1] =
                serde_yaml::from_str(self.text).expect("a test reads every built-in entry");
            entry
        })
    }

    /// What it matches by: `run`, `statement` or `request`, which is the first key of every built-in
    /// entry, and the first word there.
    fn key(&self) -> Option<(&str, &str)> {
        let Some(entry) = self.entry.get() else {
            let (key, value) = self.text.trim_start_matches(['-', ' ', '{']).split_once(": ")?;
            let value = value.trim_start_matches('"');
            return Some((key, value.split([' ', '"', ',', '\n']).next()?));
        };
        let keys =
            [("run", &entry.run), ("statement", &entry.statement), ("request", &entry.request)];
        let (key, value) =
            keys.into_iter().find_map(|(key, value)| Some((key, value.as_ref()?)))?;
        Some((key, value.split_whitespace().next()?))
    }
}

/// The items of a list that is written at the left margin.
fn items(text: &'static str) -> impl Iterator<Item = &'static str> {
    let mut starts = text.match_indices("\n- ").map(|(at, _)| at + 1).peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        Some(&text[start..starts.peek().copied().unwrap_or(text.len())])
    })
}

impl Catalogue {
    /// The catalogue that comes with joblint.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The built-in catalogue and the entries of a user, which win where both match equally well.
    pub fn with(own: &[Entry]) -> Self {
        let built_in = items(TEXT).map(|text| Slot { text, entry: OnceLock::new() });
        let own = own.iter().map(|entry| Slot { text: "", entry: entry.clone().into() });
        let mut slots: Vec<_> = built_in.collect();
        let built_in = slots.len();
        slots.extend(own);
        let mut programs: HashMap<String, Vec<usize>> = HashMap::new();
        let (mut statements, mut requests) = (Vec::new(), Vec::new());
        for (index, slot) in slots.iter().enumerate() {
            match slot.key() {
                Some(("run", names)) => {
                    for name in names.split('|') {
                        programs.entry(name.to_owned()).or_default().push(index);
                    }
                }
                Some(("statement", _)) => statements.push(index),
                Some(("request", _)) => requests.push(index),
                _ => {}
            }
        }
        Self { slots, built_in, programs, statements, requests }
    }

    /// Every entry, those of the user last.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.slots.iter().map(Slot::entry)
    }

    /// The entries of the user.
    pub fn own(&self) -> impl Iterator<Item = &Entry> {
        self.entries().skip(self.built_in)
    }

    /// Whether any entry is about the program.
    pub fn knows(&self, program: &str) -> bool {
        self.programs.contains_key(program)
    }

    /// Entries about the program, in order.
    pub(super) fn program(&self, name: &str) -> impl Iterator<Item = &Entry> {
        self.programs.get(name).into_iter().flatten().map(|&index| self.slots[index].entry())
    }

    /// Entries about statements in the language, in order.
    pub(super) fn statements(&self, language: Language) -> impl Iterator<Item = &Entry> {
        let entries = self.statements.iter().map(|&index| self.slots[index].entry());
        entries.filter(move |entry| match entry.languages.as_slice() {
            [] => language.is_sql(),
            languages => languages.contains(&language),
        })
    }

    /// Entries about HTTP requests, in order.
    pub(super) fn requests(&self) -> impl Iterator<Item = &Entry> {
        self.requests.iter().map(|&index| self.slots[index].entry())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_read_one_by_one_are_those_of_the_whole_list() {
        let whole: Vec<Entry> = serde_yaml::from_str(TEXT).unwrap();
        let catalogue = Catalogue::built_in();
        assert_eq!(catalogue.entries().len(), whole.len());
        for ((entry, slot), whole) in catalogue.entries().zip(&catalogue.slots).zip(&whole) {
            assert_eq!(format!("{entry:?}"), format!("{whole:?}"));
            let unread = Slot { text: slot.text, entry: OnceLock::new() };
            let (before, after) = (unread.key().unwrap(), slot.key().unwrap());
            assert_eq!(before.0, after.0, "{}", slot.text);
            // Statements and requests are not looked up by name.
            assert!(before.0 != "run" || before == after, "{}", slot.text);
        }
    }
}
