//! Something that a command does, and the edit that makes it safe.

use super::HiddenBy;
use crate::{
    ast::Span,
    catalogue::{Effect, Entry, Verdict},
    confidence::Confidence,
    text::{ElementSpan, Text},
};

/// Something an invocation does.
#[derive(Debug, Clone)]
pub struct Action {
    /// What a second run does.
    pub(crate) verdict: Verdict,
    /// A failure leaves work undone that outlives the pod.
    pub(crate) changes_state: bool,
    /// The word that names the action: a subcommand, flag or statement.
    pub location: ElementSpan,
    /// The subcommands up to that word: `create secret`. Empty for statements, requests and flags.
    pub(crate) subcommands: String,
    /// Why, as [`Entry::why`].
    pub(crate) why: String,
    pub(crate) help: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) confidence: Confidence,
    pub(crate) fix: Option<Edit>,
    pub(crate) effect: Effect,
    /// Two runs may overlap.
    pub(crate) may_overlap: bool,
    /// It never ends by itself.
    pub(crate) endless: bool,
    /// Set if the client continues after an error.
    pub(crate) hidden: Option<HiddenBy>,
    /// The program and its operands, or the first words of a statement in upper case: what the keys of
    /// [`RelatedCommands`] are matched against.
    pub(crate) key: String,
    /// The objects it names.
    pub(crate) objects: Vec<String>,
    pub(crate) related: RelatedCommands,
    /// It writes a value that is new on every run.
    pub(crate) random: bool,
    /// Only what a failed run leaves behind gets in its way.
    pub(crate) after_failure: bool,
    /// It removes something, and fails when that is gone.
    pub(crate) removes: bool,
    /// Nobody misses what a failure leaves undone: a label, a cache, a removal.
    pub(crate) minor: bool,
}

impl Action {
    /// Whether a failure leaves work undone outside the pod.
    pub(crate) fn changes_more_than_files(&self) -> bool {
        self.changes_state && self.effect == Effect::Remote
    }

    /// Whether it is an HTTP request, whose location is its URL.
    pub(crate) fn is_request(&self) -> bool {
        self.key.starts_with("request ")
    }

    /// The action of a catalogue entry; `excused` if a flag or text makes it safe.
    pub(crate) fn new(entry: &Entry, location: ElementSpan, excused: bool) -> Self {
        let verdict = if excused { entry.verdict.min(Verdict::Idempotent) } else { entry.verdict };
        Self {
            verdict,
            changes_state: (verdict.changes_state() || entry.works) && !entry.notice,
            location,
            subcommands: String::new(),
            why: entry.why.clone(),
            help: entry.help.clone(),
            source: entry.source.clone(),
            confidence: entry.confidence,
            fix: None,
            effect: entry.effect,
            may_overlap: entry.may_overlap() || excused,
            endless: entry.endless,
            hidden: None,
            key: String::new(),
            objects: Vec::new(),
            related: RelatedCommands {
                after: entry.after.clone(),
                before: entry.before.clone(),
                destroys_before: entry.destroys_before.clone(),
            },
            random: false,
            after_failure: false,
            removes: false,
            minor: false,
        }
    }
}

/// Commands of the same script that change what a command does: [`Entry::after`], [`Entry::before`] and
/// [`Entry::destroys_before`].
#[derive(Debug, Clone, Default)]
pub(crate) struct RelatedCommands {
    pub(crate) after: Vec<String>,
    pub(crate) before: Vec<String>,
    pub(crate) destroys_before: Vec<String>,
}

/// Text that replaces a range of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty for an insertion.
    pub location: ElementSpan,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// The edit of a catalogue entry that makes a command safe, at `bytes` of the text or at all of it.
    pub(crate) fn from_entry(
        entry: &Entry,
        text: &Text,
        bytes: Option<std::ops::Range<usize>>,
    ) -> Option<Self> {
        if text.computed {
            return None;
        }
        let location = bytes.map_or(text.location, |bytes| text.location_of(bytes));
        if let Some(new) = &entry.replace {
            return Some(Self { location, text: new.clone() });
        }
        Some(Self::after(location, entry.insert.as_ref()?))
    }

    /// The edit that writes words behind the last word of a command.
    pub(crate) fn behind(words: &str, last: &Text) -> Option<Self> {
        (!last.computed).then(|| Self::after(last.location, words))
    }

    fn after(location: ElementSpan, words: &str) -> Self {
        let end = Span { start: location.span.end, end: location.span.end };
        Self { location: ElementSpan { span: end, ..location }, text: format!(" {words}") }
    }
}
