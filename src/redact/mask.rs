//! Finds the secret values of a run in any text, in one pass however many values there are.
//!
//! The rule, which `SECURITY.md` states for users: values of fewer than 5 characters, two such words in fewer than 8,
//! short numbers, switches, references, addresses of servers and common words are masked only where they are written. A value that rarely
//! occurs by chance is masked anywhere, also as a part of a word; any other value is masked as a whole word. Such a
//! word, and any value that looks like a name, stays if a shown path or the name of a chart or object contains it. Where a value that looks like a name stands as a key of YAML or in a
//! path, it stays.
//! Upper and lower case count as equal, because names of Kubernetes objects are in lower case.

use std::{borrow::Cow, collections::BTreeSet};

use aho_corasick::{AhoCorasick, Match, MatchKind};
use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD};
use memchr::memmem;
use yaml_spans::{Span, char_start};

use super::{SecretValues, Secrets, common::is_common, is_file, kept, merged, recognisable, text};

/// The shortest value to mask outside its place, in characters.
const SHORTEST: usize = 5;
/// The shortest number to mask outside its place, in characters: ports and sizes are shorter.
const SHORTEST_NUMBER: usize = 6;
/// From this length in bytes on, a value of mixed characters is masked as a part of a word too.
const DISTINCT: usize = 8;
/// The bytes of a value that identify it; the rest is compared. Outputs may cut a value after them.
const KEY: usize = 16;
/// Longer values are masked in parts of this many bytes, which bounds what one match can cost.
const PART: usize = 256;

/// What replaces a value in a message.
const MASK: &str = "***";

/// A matcher for the secret values of a run.
#[derive(Debug, Default)]
pub(crate) struct Mask {
    /// The first [`KEY`] bytes of values that are masked anywhere.
    anywhere: Option<AhoCorasick>,
    /// The values that are longer than their key, in lower case and in order.
    long: Vec<Box<str>>,
    /// All values, in lower case and in order.
    all: Vec<Box<str>>,
    /// The values that are masked as whole words.
    words: Option<AhoCorasick>,
    /// The names that the output shows anyway and that may begin like a value, in lower case.
    names: BTreeSet<Box<str>>,
}

/// Where a value is masked besides its own place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Nowhere,
    WholeWords,
    Anywhere,
}

impl Mask {
    /// A matcher for these values. Words of `public`, the names and paths that the output shows anyway, are masked only
    /// if they rarely occur by chance and look like no name.
    pub(crate) fn new(values: &SecretValues, public: &str) -> Self {
        let mut forms = Forms::default();
        for value in values.iter() {
            forms.add(value, true);
        }
        forms.remove_words_of(public);
        let keys: BTreeSet<&str> = forms.anywhere.iter().map(|value| key(value)).collect();
        let long = forms.anywhere.iter().filter(|value| value.len() > KEY).cloned().collect();
        let all = forms.anywhere.union(&forms.words).cloned().collect();
        let words = forms.automaton_of_words();
        let names = public.lines().map(str::to_ascii_lowercase);
        let names = names.filter(|name| name.len() >= KEY && kept::is_name(name)).map(Box::from);
        Self { anywhere: automaton(keys), long, all, words, names: names.collect() }
    }

    /// The parts of a source that are secret, in order and without overlaps.
    pub(crate) fn spans_of_source(&self, text: &str) -> Vec<Span> {
        let mut spans = self.spans(text);
        spans.retain(|span| !kept::is_key(text, *span));
        spans
    }

    /// The parts of a text that are secret, in order and without overlaps.
    fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        if let Some(anywhere) = &self.anywhere {
            for found in anywhere.find_overlapping_iter(text) {
                let end = self.end(text, found.start(), found.end());
                if self.is_other_name(text, found.start(), end)
                    || self.is_known_name(text, found.start(), end)
                {
                    continue;
                }
                push(&mut spans, Span::new(found.start(), char_end(text, end)));
            }
        }
        if let Some(words) = &self.words {
            let whole = whole_words(words, text);
            whole.for_each(|word| push(&mut spans, Span::new(word.start(), word.end())));
        }
        self.add_cut(text, &mut spans);
        let mut spans = merged(spans);
        spans.retain(|span| !kept::is_segment(text, *span));
        spans
    }

    /// Adds the beginnings of values that a message cuts off: `hunt…`.
    fn add_cut(&self, text: &str, spans: &mut Vec<Span>) {
        const CUT: usize = 4;
        if self.all.is_empty() {
            return;
        }
        for end in
            ["…", "..."].into_iter().flat_map(|mark| memmem::find_iter(text.as_bytes(), mark))
        {
            let start =
                (CUT..=KEY).rev().filter_map(|length| end.checked_sub(length)).find(|start| {
                    text.get(*start..end)
                        .is_some_and(|part| self.begins(&part.to_ascii_lowercase()))
                });
            spans.extend(start.map(|start| Span::new(start, end)));
        }
    }

    /// True if a value begins with a text in lower case.
    fn begins(&self, part: &str) -> bool {
        let at = self.all.partition_point(|value| &**value < part);
        self.all.get(at).is_some_and(|value| value.starts_with(part))
    }

    /// The end of the longest beginning of a value that starts here. The key of a value ends at `end`.
    fn end(&self, text: &str, start: usize, end: usize) -> usize {
        // A key that would end inside a character is up to three bytes shorter.
        if end - start + 3 < KEY {
            return end;
        }
        let rest = &text.as_bytes()[start..];
        let rest = &rest[..rest.len().min(PART)];
        let at = self.long.partition_point(|value| is_before(value.as_bytes(), rest));
        let near = self.long[at.saturating_sub(1)..].iter().take(2);
        let longest = near.map(|value| common_prefix(value.as_bytes(), rest)).max();
        end.max(start + longest.unwrap_or(0))
    }

    /// Whether a text of letters goes on as no value does: `settings__database_url` beside the value
    /// `settings__database_key`, `grafana-ks-user` beside `grafana-keystone-user`, which are names like it.
    fn is_other_name(&self, text: &str, start: usize, end: usize) -> bool {
        let known = text[start..char_end(text, end)].to_ascii_lowercase();
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let goes_on = text[char_end(text, end)..].starts_with(is_letter);
        let is_whole = || self.all.binary_search_by(|value| (**value).cmp(&*known)).is_ok();
        known.len() >= KEY
            && goes_on
            && known.chars().all(|c| is_letter(c) || c == '-')
            && !is_whole()
    }

    /// Whether a word is a name that the output shows anyway, and a value only begins like it: the release `shop-of-the-world`
    /// beside the host `shop-of-the-world-db.default.svc`.
    fn is_known_name(&self, text: &str, start: usize, end: usize) -> bool {
        let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let end = char_end(text, end);
        let known = text[start..end].to_ascii_lowercase();
        let is_word = !text[..start].ends_with(is_inner) && !text[end..].starts_with(is_inner);
        let is_whole = || self.all.binary_search_by(|value| (**value).cmp(&*known)).is_ok();
        is_word && self.names.contains(&*known) && !is_whole()
    }

    /// The text with `***` in place of secret values.
    pub(crate) fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for span in spans {
            out.push_str(&text[done..span.start as usize]);
            out.push_str(MASK);
            done = span.end as usize;
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }

    /// Masks secret values in place. Returns true if there were any.
    pub(crate) fn apply(&self, text: &mut String) -> bool {
        match self.hide(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(hidden) => {
                *text = hidden;
                true
            }
        }
    }
}

/// The values in every form in which they may be printed, in lower case.
#[derive(Default)]
struct Forms {
    anywhere: BTreeSet<Box<str>>,
    words: BTreeSet<Box<str>>,
}

impl Forms {
    fn add(&mut self, value: &str, decode: bool) {
        if let (true, Some(decoded)) = (decode, decoded(value)) {
            self.add_decoded(&decoded);
        }
        match reach(value) {
            Reach::Nowhere => {}
            Reach::WholeWords => {
                self.words.insert(value.to_ascii_lowercase().into());
                self.add_base64(value);
            }
            Reach::Anywhere => {
                self.insert(value);
                self.add_base64(value);
                let escaped = value.escape_debug().to_string();
                let json = serde_json::Value::from(value).to_string();
                for form in [escaped.as_str(), json.trim_matches('"')] {
                    if form != value {
                        self.insert(form);
                    }
                }
            }
        }
    }

    fn automaton_of_words(&self) -> Option<AhoCorasick> {
        automaton(self.words.iter().map(|word| &**word))
    }

    fn remove_words_of(&mut self, text: &str) {
        let names = self.anywhere.iter().filter(|value| kept::is_name(value));
        let shown = names.chain(&self.words).map(|value| &**value);
        let Some(words) = automaton(shown) else { return };
        for found in whole_words(&words, text) {
            let value = text[found.range()].to_ascii_lowercase();
            self.words.remove(&*value);
            self.anywhere.remove(&*value);
        }
    }

    /// Adds a value that base64 hides, and the secrets in it if it is a configuration.
    fn add_decoded(&mut self, text: &str) {
        if is_file(text) {
            recognisable(text).iter().for_each(|value| self.add(value, false));
        } else {
            self.add(text.trim(), false);
        }
        for value in Secrets::find(text).values {
            self.add(&value, false);
        }
    }

    /// Adds the base64 of a value, alone and within a longer text.
    fn add_base64(&mut self, value: &str) {
        let alone = BASE64.encode(value.as_bytes());
        for form in [alone, BASE64.encode(format!("{value}\n").as_bytes())] {
            self.insert_distinct(&form);
        }
        for encoding in [&BASE64_NOPAD, &BASE64URL_NOPAD] {
            for offset in 0..3 {
                let padded = [&b"\0\0"[..offset], value.as_bytes()].concat();
                let form = encoding.encode(&padded);
                // The first and the last characters also depend on the bytes around the value.
                let (start, rest) = ((offset * 8).div_ceil(6), padded.len() * 8 / 6);
                self.insert_distinct(form.get(start..rest).unwrap_or_default());
            }
        }
    }

    fn insert_distinct(&mut self, form: &str) {
        if form.len() >= DISTINCT {
            self.insert(form);
        }
    }

    fn insert(&mut self, value: &str) {
        let value = value.to_ascii_lowercase();
        let mut rest = &*value;
        while rest.len() > PART {
            let (part, next) = rest.split_at(char_start(rest, PART));
            self.anywhere.insert(part.into());
            rest = next;
        }
        // A short rest would be found anywhere by chance.
        if rest.len() == value.len() || rest.len() >= KEY {
            self.anywhere.insert(rest.into());
        }
    }
}

/// Where a value is masked besides its own place.
fn reach(value: &str) -> Reach {
    let length = value.chars().count();
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || b".,-+_: ".contains(&byte));
    if length < SHORTEST
        || is_number && length < SHORTEST_NUMBER
        || text::is_switch(value)
        || text::is_reference(value)
        || is_common(value)
        || kept::is_field(value)
        || kept::is_path(value)
        || kept::is_address(value)
        || value.len() < DISTINCT && value.split_whitespace().all(is_short_or_common)
        || value.chars().all(|c| !c.is_alphanumeric())
    {
        return Reach::Nowhere;
    }
    let has = |which: fn(char) -> bool| usize::from(value.chars().any(which));
    let kinds = has(|c| c.is_ascii_digit())
        + has(char::is_lowercase)
        + has(char::is_uppercase)
        + has(|c| !c.is_alphanumeric() && !"-_.".contains(c));
    match value.len() {
        DISTINCT.. if kinds > 1 => Reach::Anywhere,
        KEY.. if !is_number => Reach::Anywhere,
        _ => Reach::WholeWords,
    }
}

/// True for a word that is no secret elsewhere: `exit 0` is the end of many scripts.
fn is_short_or_common(word: &str) -> bool {
    word.chars().count() < SHORTEST || is_common(word)
}

/// Adds a span, to the last one if they overlap.
fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if span.start < last.end && last.start < span.end => {
            *last = Span { start: last.start.min(span.start), end: last.end.max(span.end) };
        }
        _ => spans.push(span),
    }
}

/// The text that base64 hides; `None` if this is not base64 of a text.
fn decoded(value: &str) -> Option<String> {
    let bytes = BASE64.decode(value.as_bytes()).ok().filter(|_| value.len() >= DISTINCT)?;
    let text = String::from_utf8(bytes).ok()?;
    let is_plain = |c: char| !c.is_control() || c.is_whitespace();
    text.chars().all(is_plain).then_some(text)
}

fn automaton<'v>(patterns: impl IntoIterator<Item = &'v str>) -> Option<AhoCorasick> {
    let mut patterns = patterns.into_iter().peekable();
    patterns.peek()?;
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .build(patterns);
    Some(automaton.expect("the secrets of 2 GB of input are within the limits"))
}

/// The matches in a text that are not a part of a word.
fn whole_words<'t>(words: &'t AhoCorasick, text: &'t str) -> impl Iterator<Item = Match> + 't {
    let found = words.find_overlapping_iter(text);
    found.filter(|word| !joined(text, word.start()) && !joined(text, word.end()))
}

/// The first bytes of a value that identify it, up to a character boundary.
fn key(value: &str) -> &str {
    &value[..char_start(value, value.len().min(KEY))]
}

fn is_before(value: &[u8], text: &[u8]) -> bool {
    value.iter().copied().lt(text.iter().map(u8::to_ascii_lowercase))
}

fn common_prefix(value: &[u8], text: &[u8]) -> usize {
    value.iter().zip(text).take_while(|(a, b)| **a == b.to_ascii_lowercase()).count()
}

/// The next character boundary at or after an offset.
fn char_end(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// True if an offset is inside a word.
fn joined(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
        && text[at..].chars().next().is_some_and(char::is_alphanumeric)
}
