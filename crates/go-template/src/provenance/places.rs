//! Positions in template sources, and the chains of calls that lead to them.

use std::sync::Arc;

/// A template source. Ids below [`FileId::DYNAMIC`] are given out by the embedder; the rest are
/// texts that a template built at run time and then executed (Helm's `tpl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

impl FileId {
    /// The first id of a text made at run time.
    pub const DYNAMIC: u32 = 1 << 31;

    pub const fn is_dynamic(self) -> bool {
        self.0 >= Self::DYNAMIC
    }
}

/// A byte range of a template source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

/// A [`Position`] together with the calls through which execution came there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place(u32);

#[derive(Debug)]
struct Entry {
    position: Position,
    caller: Option<Place>,
    verbatim: bool,
}

/// The table of places of one render.
#[derive(Debug, Default)]
pub struct Places {
    table: Vec<Entry>,
    texts: Vec<(Box<str>, Arc<[u8]>)>,
}

impl Places {
    /// A new place. `caller` is where the template that holds it was called from; `verbatim` says
    /// that the bytes attributed to it are those of the source, one to one.
    pub fn add(&mut self, position: Position, caller: Option<Place>, verbatim: bool) -> Place {
        self.table.push(Entry { position, caller, verbatim });
        Place(self.table.len() as u32 - 1)
    }

    pub fn position(&self, place: Place) -> Position {
        self.entry(place).position
    }

    pub fn is_verbatim(&self, place: Place) -> bool {
        self.entry(place).verbatim
    }

    /// The position of the place, then those of the calls that led to it, outermost last.
    pub fn chain(&self, place: Place) -> Vec<Position> {
        let mut chain = Vec::new();
        let mut next = Some(place);
        while let Some(place) = next {
            let entry = self.entry(place);
            chain.push(entry.position);
            next = entry.caller;
        }
        chain
    }

    /// Registers a text made at run time.
    pub fn add_text(&mut self, name: &str, text: Arc<[u8]>) -> FileId {
        self.texts.push((name.into(), text));
        FileId(FileId::DYNAMIC + self.texts.len() as u32 - 1)
    }

    /// The name and content of a text made at run time.
    pub fn text(&self, file: FileId) -> Option<(&str, &[u8])> {
        let index = file.0.checked_sub(FileId::DYNAMIC)?;
        self.texts.get(index as usize).map(|(name, text)| (&**name, &**text))
    }

    fn entry(&self, place: Place) -> &Entry {
        &self.table[place.0 as usize]
    }
}
