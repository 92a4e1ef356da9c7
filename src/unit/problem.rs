//! What of an input could not be read, rendered or built.

use std::sync::Arc;

use job_lifecycle::kubernetes::token_word;
use yaml_spans::{Location, Source, Span};

/// How much of an input could not be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A file or document cannot be read.
    Unreadable,
    /// A chart or template fails to render.
    Unrenderable,
    /// A chart fails to render as it is, and values that its users set may change that.
    LacksValues,
    /// A chart is too large to be rendered within the limits of a run.
    TooLarge,
    /// A kustomization is checked although its deployer refuses to build it.
    Refused,
    /// A kustomization holds an object that has a `generateName` and no name.
    Unnamed,
    /// Part of a chart or kustomization was not rendered, such as a Job that no values enable.
    NotRendered,
    /// A policy of the user does not compile.
    Policy,
    /// Part of a chart or kustomization is not in the repository, and can be fetched: a dependency, a remote resource.
    Absent,
    /// A dependency is not in the repository, and nothing could fetch it as it is declared.
    Misdeclared,
}

/// An input that cannot be read or rendered.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The kind of failure.
    pub failure: Failure,
    /// The file with the problem.
    pub source: Arc<Source>,
    /// The bytes in question; empty at the start if unknown.
    pub span: Span,
    /// What is wrong, as a sentence without a full stop.
    pub reason: String,
    /// Related locations: where parsing stopped, what else is affected.
    pub labels: Vec<(Location, String)>,
    /// Whether a Job or hook may be among what was not read or rendered: the run then exits with 2.
    pub misses_work: bool,
    /// The headline, where what fails in general and the reason do not make one.
    pub headline: Option<String>,
    /// The rest of a headline that is too long for one line; may be empty.
    pub note: String,
    /// What to do about it, where the rule's remedy does not fit.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a location that hides no Job or hook.
    pub(crate) fn new(failure: Failure, at: Location, reason: String) -> Self {
        let Location { source, span } = at;
        let labels = Vec::new();
        Self {
            failure,
            source,
            span,
            reason,
            labels,
            misses_work: false,
            headline: None,
            note: String::new(),
            help: None,
        }
    }

    /// What happened, in one line.
    pub(crate) fn headline(&self) -> String {
        let reason = &self.reason;
        self.headline.clone().unwrap_or_else(|| match self.failure {
            Failure::Unreadable => format!("cannot read this file: {reason}"),
            Failure::Unrenderable | Failure::LacksValues | Failure::Refused => {
                format!("cannot render this chart: {reason}")
            }
            Failure::TooLarge => reason.clone(),
            Failure::Unnamed => "kustomize does not build this: an object has no `name`".to_owned(),
            Failure::Policy => format!("this policy is not evaluated: {reason}"),
            Failure::NotRendered | Failure::Absent | Failure::Misdeclared => {
                format!("not rendered: {reason}")
            }
        })
    }

    /// Whether a file cannot be read because of a word for another tool to replace: `IMAGE_OF_JOB`,
    /// `JOB_IMAGE|-image: app-|`, a token, or a command that a shell replaces by what it prints: `$(if [ "$KEY" ]; then`.
    pub(crate) fn is_of_form(&self) -> bool {
        let is_word = |line: &str| {
            let word = line.trim().split('|').next().unwrap_or_default();
            word.contains('_') && word.bytes().all(is_of_token)
        };
        let is_command = |line: &str| line.trim_start().starts_with("$(");
        let line = self.source.line_of(self.span.start);
        match self.failure {
            Failure::Unreadable => (line.max(2) - 1..=line)
                .map(|line| self.source.slice(self.source.line_span(line)))
                .any(|text| is_word(text) || is_command(text) || token(text).is_some()),
            Failure::Unrenderable => self.token().is_some(),
            _ => false,
        }
    }

    /// The token for another tool to replace at the place of the problem.
    pub(crate) fn token(&self) -> Option<&str> {
        let line = self.source.line_of(self.span.start);
        token(self.source.slice(self.source.line_span(line)))
    }

    /// Whether the check is incomplete because of the problem: it hides a Job or hook, or `strict` counts every gap.
    pub fn is_failure(&self, strict: bool) -> bool {
        self.misses_work || strict
    }

    /// Whether the problem is no more than a remark: a broken input without Jobs and hooks.
    pub fn is_remark(&self, strict: bool) -> bool {
        let is_broken = !self.is_gap() || self.failure == Failure::LacksValues;
        is_broken
            && self.failure != Failure::Refused
            && !self.lacks_dependency()
            && !self.is_failure(strict)
    }

    /// Whether a part was left out although nothing is known to be wrong with it.
    pub(crate) fn is_gap(&self) -> bool {
        use Failure::{Absent, LacksValues, Misdeclared, NotRendered, TooLarge};
        matches!(self.failure, NotRendered | Absent | LacksValues | Misdeclared | TooLarge)
    }

    /// Whether a chart or kustomization failed to render or build as a whole.
    pub(crate) fn is_of_whole(&self) -> bool {
        matches!(self.failure, Failure::Unrenderable | Failure::LacksValues)
    }

    /// Whether nothing is known to be wrong with what was not checked: it only lacks its dependencies, is too large, or lacks
    /// a part that a parent chart or a build may bring.
    pub(crate) fn is_blameless(&self) -> bool {
        self.lacks_dependency()
            || self.failure == Failure::TooLarge
            || self.failure == Failure::Unrenderable
                && (self.reason.contains(NO_TEMPLATE) || self.reason.ends_with(NO_FILE))
    }

    /// Whether something is not in the repository.
    pub(crate) fn lacks_dependency(&self) -> bool {
        matches!(self.failure, Failure::Absent | Failure::Misdeclared)
    }

    /// The remark about a broken input without Jobs and hooks, with its location.
    pub fn remark(&self) -> String {
        let done = match self.failure {
            Failure::Unreadable => "not read",
            _ => "not rendered",
        };
        let line = self.source.position(self.span.start).line;
        let reason: Vec<_> = self.reason.split_whitespace().collect();
        let path = &self.source.path;
        format!("{path}:{line}: {done}, but holds no Job or hook: {}", reason.join(" "))
    }

    /// The problem as a label of another one.
    pub fn label(self) -> (Location, String) {
        (Location { source: self.source, span: self.span }, self.reason)
    }
}

/// What Helm says of a template that is not in the chart, and how an error about a file ends that is not there.
const NO_TEMPLATE: &str = "no template \"";
pub(crate) const NO_FILE: &str = ": no such file or directory";

/// What a line has for another tool to replace: `<JOB_IMAGE>` in the place of lines, which YAML takes for a string, or a value
/// that is no YAML, as `%TAG%`, `{{< .tag >}}` of gomplate, and `****-prod`, of which the first part is not published. `<html>` is
/// markup.
fn token(line: &str) -> Option<&str> {
    let line = line.trim();
    let value = line.rsplit(": ").next().unwrap_or(line);
    let is_left_out = || {
        let rest = value.trim_start_matches('*');
        value.len() - rest.len() > 2 && rest.starts_with('-')
    };
    let is_of_gomplate = || line.contains("{{<") && line.contains(">}}");
    if is_of_gomplate() || is_left_out() {
        return Some(value);
    }
    [(line, '<'), (value, '%')].into_iter().find_map(|(text, open)| {
        let word = token_word(text).filter(|_| text.starts_with(open))?;
        word.bytes().all(is_of_token).then_some(text)
    })
}

/// Whether a byte may be part of a word that stands for another.
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"-_".contains(&byte)
}
