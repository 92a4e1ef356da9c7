//! The catalogue of commands: what each does when it runs a second time. The built-in entries are data
//! (`catalogue.yaml`); users add entries of the same form.

mod entry;
mod matching;

use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

pub use entry::{Effect, Entry, EntryError, Language, Verdict};
pub(crate) use matching::{Match, words_of};

const TEXT: &str = include_str!("catalogue.yaml");

static BUILT_IN: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::with(&[]));

/// Entries indexed by what they match.
#[derive(Debug)]
pub struct Catalogue {
    slots: Vec<Slot>,
    /// The number of built-in slots; they come first.
    built_in: usize,
    programs: HashMap<String, Vec<usize>>,
    statements: Vec<usize>,
    requests: Vec<usize>,
}

/// An entry that is parsed on first use. One run needs only a few, and parsing all takes longer than the rest of a
/// run over one file. It is boxed, so that a list of more than a thousand slots is small.
#[derive(Debug)]
struct Slot {
    /// The item of the built-in list; empty for a user's entry.
    text: &'static str,
    entry: OnceLock<Box<Entry>>,
}

impl Slot {
    fn entry(&self) -> &Entry {
        self.entry.get_or_init(|| {
            let [entry]: [Entry; 1] =
                serde_yaml::from_str(self.text).expect("a test parses every built-in entry");
            entry.into()
        })
    }

    /// The key it matches by (`run`, `statement` or `request`) and the first word of its value. Every built-in entry
    /// starts with this key, so it can be read before the entry is parsed.
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

/// The items of a block sequence without indentation.
fn items(text: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = text.match_indices('\n').map(|(at, _)| at + 1);
    let mut starts = lines.filter(|&at| text[at..].starts_with("- ")).peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        Some(&text[start..starts.peek().copied().unwrap_or(text.len())])
    })
}

impl Catalogue {
    /// The entries that come with this crate.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The built-in entries and those of a user, which win if both match equally well.
    pub fn with(own: &[Entry]) -> Self {
        let built_in = items(TEXT).map(|text| Slot { text, entry: OnceLock::new() });
        let own = own.iter().map(|entry| Slot { text: "", entry: Box::new(entry.clone()).into() });
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

    /// Every entry, the user's last.
    pub(crate) fn entries(&self) -> impl ExactSizeIterator<Item = &Entry> {
        self.slots.iter().map(Slot::entry)
    }

    /// The entries of the user, in the order given.
    pub fn own(&self) -> impl Iterator<Item = &Entry> {
        self.entries().skip(self.built_in)
    }

    /// Whether any entry is about the program.
    pub(crate) fn knows(&self, program: &str) -> bool {
        self.programs.contains_key(program)
    }

    /// The entries about a program, in order.
    fn program(&self, name: &str) -> impl Iterator<Item = &Entry> {
        self.programs.get(name).into_iter().flatten().map(|&index| self.slots[index].entry())
    }

    /// The entries about statements in a language, in order.
    fn statements(&self, language: Language) -> impl Iterator<Item = &Entry> {
        let entries = self.statements.iter().map(|&index| self.slots[index].entry());
        entries.filter(move |entry| match entry.languages.as_slice() {
            [] => language.is_sql(),
            languages => languages.contains(&language),
        })
    }

    /// The entries about HTTP requests, in order.
    fn requests(&self) -> impl Iterator<Item = &Entry> {
        self.requests.iter().map(|&index| self.slots[index].entry())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lazily_parsed_entries_equal_those_of_the_whole_list() {
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

    #[test]
    fn built_in_entries_are_valid_and_hazards_have_sources() {
        let catalogue = Catalogue::built_in();
        assert!(catalogue.entries().len() >= 150);
        for entry in catalogue.entries() {
            assert_eq!(entry.validate(), Ok(()), "{entry:?}");
            assert!(!entry.verdict.is_hazard() || entry.source.is_some(), "{entry:?}");
        }
    }
}
