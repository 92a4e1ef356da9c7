//! Positions in template sources, and the chains of calls that lead to them.

use std::sync::Arc;

/// A template source. The embedder assigns the ids below 2³¹. The rest identify texts that a
/// template built at run time and then executed ([`Executor::run_text`](crate::Executor::run_text)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

impl FileId {
    /// The first id of a text built at run time.
    pub(crate) const DYNAMIC: u32 = 1 << 31;

    /// Whether the source is a text built at run time.
    pub const fn is_dynamic(self) -> bool {
        self.0 >= Self::DYNAMIC
    }
}

/// A byte range of a template source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The source.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

/// A [`Position`] together with the calls through which execution reached it; an index into
/// [`Positions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PositionId(u32);

#[derive(Clone, Debug)]
struct Entry {
    position: Position,
    caller: Option<PositionId>,
    verbatim: bool,
}

/// The table of the positions that one render reached.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    entries: Vec<Entry>,
    texts: Vec<(Box<str>, Arc<[u8]>)>,
}

impl Positions {
    /// The memory of an entry in bytes.
    pub(crate) const ENTRY_SIZE: usize = size_of::<Entry>();

    /// How many entries there are.
    pub(super) fn size(&self) -> usize {
        self.entries.len()
    }

    /// Adds an entry. `caller` is the call of the template that holds the position; `verbatim` means
    /// that the bytes attributed to the position are those of the source, one to one.
    pub(crate) fn add(
        &mut self,
        position: Position,
        caller: Option<PositionId>,
        verbatim: bool,
    ) -> PositionId {
        self.entries.push(Entry { position, caller, verbatim });
        PositionId(self.entries.len() as u32 - 1)
    }

    /// Whether the bytes attributed to the position are those of the source.
    pub(crate) fn is_verbatim(&self, id: PositionId) -> bool {
        self.entry(id).verbatim
    }

    /// The position, then those of the calls that lead to it, outermost last.
    pub(crate) fn chain(&self, id: PositionId) -> Vec<Position> {
        let mut chain = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let entry = self.entry(id);
            chain.push(entry.position);
            next = entry.caller;
        }
        chain
    }

    /// Registers a text built at run time.
    pub(crate) fn add_text(&mut self, name: &str, text: Arc<[u8]>) -> FileId {
        self.texts.push((name.into(), text));
        FileId(FileId::DYNAMIC + self.texts.len() as u32 - 1)
    }

    /// The name and content of a text built at run time; `None` for other files.
    pub fn text(&self, file: FileId) -> Option<(&str, &[u8])> {
        let index = file.0.checked_sub(FileId::DYNAMIC)?;
        self.texts.get(index as usize).map(|(name, text)| (&**name, &**text))
    }

    /// The contents of the texts built at run time, in the order of their ids.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(|(_, text)| &**text)
    }

    fn entry(&self, id: PositionId) -> &Entry {
        &self.entries[id.0 as usize]
    }
}
