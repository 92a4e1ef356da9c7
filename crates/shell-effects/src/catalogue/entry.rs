//! One entry of the catalogue.

use std::{error, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::confidence::Confidence;

/// What a second run of a command does.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Changes nothing, on any run.
    ReadOnly,
    /// Checks whether a service is up. Says nothing about what an earlier run did.
    Readiness,
    /// Depends on the command's arguments or files.
    Depends,
    /// A second run changes nothing more.
    Idempotent,
    /// Idempotent after success; after one failure of its work, every later run fails.
    CannotRetry,
    /// Creates a new password, key or token.
    Rotates,
    /// Does the same work once more: another row, object or message.
    Duplicates,
    /// Exits with an error.
    FailsWhenRepeated,
    /// Loses data.
    Destroys,
}

impl Verdict {
    /// Whether a second run does harm.
    pub(crate) fn is_hazard(self) -> bool {
        self >= Self::Rotates
    }

    /// Whether a failure can leave work undone.
    pub(crate) fn changes_state(self) -> bool {
        self >= Self::Idempotent
    }
}

/// Where a command takes effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Outside the pod: a database, an API, a bucket.
    #[default]
    Remote,
    /// In the files it names, which are lost with the container unless they are on a volume.
    Files,
    /// In the container's system (users, packages), which is always lost with the container.
    Container,
}

/// The language of the statements that a client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "most variants are names of products")]
pub enum Language {
    Postgres,
    Mysql,
    Sqlite,
    SqlServer,
    Cassandra,
    Clickhouse,
    Influx,
    /// Any other SQL dialect.
    Sql,
    Mongo,
    Cypher,
    /// A program passed to an interpreter: Python, Ruby, PHP, JavaScript.
    Code,
}

impl Language {
    /// A programming language, in which a call may appear anywhere.
    pub(crate) fn is_program(self) -> bool {
        matches!(self, Self::Mongo | Self::Code)
    }

    /// Whether entries without a language apply.
    pub(super) fn is_sql(self) -> bool {
        !self.is_program() && self != Self::Cypher
    }
}

/// What the catalogue knows about one command, statement or HTTP request. Exactly one of `run`, `statement` and
/// `request` is set.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    /// Program and subcommands, ignoring flags in between: `kubectl create`. `a|b` matches either, `*` matches any
    /// word, and a word that starts with `-` matches a flag anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The first words of a statement sent to a database: `CREATE TABLE`. `*` matches any number of words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// The languages of `statement`. Default: all SQL dialects.
    #[serde(default, rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<Language>,
    /// An HTTP method, optionally with a part of the URL, of a request by curl, wget or HTTPie: `POST /setup`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The entry applies only with one of these flags, or if an argument contains one of these texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<String>,
    /// The command is safe with one of these flags, or if an argument contains one of these texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// What a second run does.
    pub verdict: Verdict,
    /// What a second run does, in one line.
    pub why: String,
    /// How to make it safe, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Text that makes the command safe when inserted after the last matched word: `-p`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insert: Option<String>,
    /// Text that makes the command safe when it replaces the last matched word: `upgrade --install`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<String>,
    /// Text that makes the command safe behind its last word: `| kubectl apply -f -`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append: Option<String>,
    /// Documentation of the behaviour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Where the command takes effect.
    #[serde(default)]
    pub effect: Effect,
    /// With `effect: files`, which arguments are the files: the values of these flags, `last` for the last argument,
    /// `sources` for all arguments before it. Default: all arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Whether two runs may overlap. Default: no if the command duplicates, rotates or destroys, otherwise yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<bool>,
    /// Earlier commands on the same object that make it safe: `kubectl delete`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Later commands on the same object that make it safe: `INSERT` after `TRUNCATE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Later commands on the same object that make it lose data: `CREATE TABLE` after `DROP TABLE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub destroys_before: Vec<String>,
    /// Random values in the arguments create a new secret on every run, whatever the verdict.
    #[serde(default)]
    pub secret: bool,
    /// The command never ends by itself.
    #[serde(default)]
    pub endless: bool,
    /// The command only tells people or a monitor what happened: its failure leaves no work undone.
    #[serde(default)]
    pub notice: bool,
    /// A failure of the command leaves work undone, although nobody knows what a second run does.
    #[serde(default)]
    pub works: bool,
    /// How certain the verdict is. A hazard of low confidence counts as unknown.
    #[serde(default = "certain")]
    pub confidence: Confidence,
}

fn certain() -> Confidence {
    Confidence::High
}

/// Why an [`Entry`] is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryError {
    /// None of `run`, `statement` and `request` is set.
    NoCommand,
    /// More than one of `run`, `statement` and `request` is set.
    SeveralCommands,
    /// The command is blank.
    EmptyCommand,
    /// `in` is set without `statement`.
    LanguageWithoutStatement,
    /// Several of `insert`, `replace` and `append` are set.
    SeveralEdits,
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoCommand => "one of `run`, `statement` and `request` is needed",
            Self::SeveralCommands => "`run`, `statement` and `request` exclude each other",
            Self::EmptyCommand => "the command is empty",
            Self::LanguageWithoutStatement => "`in` needs `statement`",
            Self::SeveralEdits => "`insert`, `replace` and `append` exclude each other",
        })
    }
}

impl error::Error for EntryError {}

impl Entry {
    /// Whether two runs may overlap.
    pub(crate) fn may_overlap(&self) -> bool {
        use Verdict::{Destroys, Duplicates, Rotates};
        self.overlap.unwrap_or(!matches!(self.verdict, Duplicates | Rotates | Destroys))
    }

    /// Checks what the types cannot: which keys exclude or need each other.
    pub fn validate(&self) -> Result<(), EntryError> {
        let keys = [&self.run, &self.statement, &self.request];
        match keys.iter().filter(|key| key.is_some()).count() {
            0 => return Err(EntryError::NoCommand),
            1 => {}
            _ => return Err(EntryError::SeveralCommands),
        }
        if keys.iter().any(|key| key.as_ref().is_some_and(|key| key.trim().is_empty())) {
            return Err(EntryError::EmptyCommand);
        }
        if !self.languages.is_empty() && self.statement.is_none() {
            return Err(EntryError::LanguageWithoutStatement);
        }
        let edits = [&self.insert, &self.replace, &self.append];
        if edits.iter().filter(|edit| edit.is_some()).count() > 1 {
            return Err(EntryError::SeveralEdits);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, EntryError};

    #[test]
    fn contradictory_entries_are_rejected() {
        let error = |keys: &str| {
            let text = format!("{{{keys}verdict: idempotent, why: a reason}}");
            serde_yaml::from_str::<Entry>(&text).unwrap().validate().unwrap_err()
        };
        assert_eq!(error(""), EntryError::NoCommand);
        assert_eq!(error("run: a, statement: B, "), EntryError::SeveralCommands);
        assert_eq!(error("run: ' ', "), EntryError::EmptyCommand);
        assert_eq!(error("run: a, in: [sql], "), EntryError::LanguageWithoutStatement);
        assert_eq!(error("run: a, insert: -f, replace: b, "), EntryError::SeveralEdits);
    }

    #[test]
    fn unknown_verdicts_and_keys_do_not_parse() {
        serde_yaml::from_str::<Entry>("{run: a, verdict: safe, why: b}").unwrap_err();
        serde_yaml::from_str::<Entry>("{run: a, verdict: idempotent, why: b, typo: c}")
            .unwrap_err();
    }
}
