//! What `require:` asks of every Job and CronJob.

use std::fmt;

use globset::GlobMatcher;
use regex::Regex;
use serde_json::Value;

use crate::finding::Severity;

/// An entry of `require:`. Any one of its wishes is enough.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The wishes, at least one.
    pub any: Vec<Wish>,
    /// The severity of its findings; that of the rule when absent.
    pub severity: Option<Severity>,
    /// The headline of its findings, without the object.
    pub message: Option<String>,
    /// The entry as the settings file has it.
    pub written: Value,
}

/// One thing that a workload should have.
#[derive(Clone, Debug)]
pub enum Wish {
    /// A hook annotation.
    Hook,
    /// A name that the API server generates.
    GenerateName,
    /// The annotation that says whether a second run does harm.
    IdempotencyHint,
    /// A number of the Job spec.
    Number(Number, Bounds),
    /// Images that match one of these globs.
    Image(Vec<GlobMatcher>),
    /// A label or annotation with this key, and a value that matches the pattern.
    Metadata(Metadata, String, Option<Regex>),
}

/// The numbers of the Job spec that can be required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// How many seconds the Job stays after it has finished.
    Ttl,
    /// How many seconds the Job may run.
    Deadline,
    /// How many retries the Job has.
    BackoffLimit,
}

/// The two mappings of `metadata`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// `metadata.labels`.
    Label,
    /// `metadata.annotations`.
    Annotation,
}

/// The least and the greatest number allowed.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// The least number.
    pub min: Option<Bound>,
    /// The greatest number.
    pub max: Option<Bound>,
}

/// One end of a range.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The number, in seconds if it is a duration.
    pub number: i64,
    /// The number as the settings file has it, such as `1d`.
    pub written: String,
}

impl Number {
    /// The field of the Job spec.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Number::Ttl => "ttlSecondsAfterFinished",
            Number::Deadline => "activeDeadlineSeconds",
            Number::BackoffLimit => "backoffLimit",
        }
    }
}

impl Metadata {
    /// The name of one of its entries.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Metadata::Label => "label",
            Metadata::Annotation => "annotation",
        }
    }

    /// The field of `metadata`.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Metadata::Label => "labels",
            Metadata::Annotation => "annotations",
        }
    }
}

impl Bounds {
    /// True when any number will do.
    pub(crate) fn is_empty(&self) -> bool {
        self.min.is_none() && self.max.is_none()
    }

    /// The bound that a number breaks, as a phrase: `more than 1d (86400)`.
    pub(crate) fn broken_by(&self, number: i64) -> Option<String> {
        let less = self.min.as_ref().filter(|min| number < min.number);
        let more = self.max.as_ref().filter(|max| number > max.number);
        less.map(|min| format!("less than {min}")).or(more.map(|max| format!("more than {max}")))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number.to_string();
        match self.written == number {
            true => write!(f, "{number}"),
            false => write!(f, "{} ({number})", self.written),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) => write!(f, "between {min} and {max}"),
            (Some(min), None) => write!(f, "of at least {min}"),
            (None, Some(max)) => write!(f, "of at most {max}"),
            (None, None) => Ok(()),
        }
    }
}
