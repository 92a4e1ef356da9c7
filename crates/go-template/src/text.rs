//! Go strings that remember the origin of their bytes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::provenance::{PositionId, SpanMap, Taint};
use crate::tracker::Tracker;

/// A Go string: bytes, usually but not necessarily UTF-8. Cheap to clone.
///
/// The inputs of the *whole* string are in the [`Value`](crate::Value) around it; a text assembled
/// from pieces also has those of each piece.
#[derive(Clone)]
pub struct Text {
    bytes: Arc<[u8]>,
    origin: TextOrigin,
}

/// Where the bytes of a text come from.
#[derive(Clone, Debug)]
pub(crate) enum TextOrigin {
    Unknown,
    /// A literal of a template.
    Literal(PositionId),
    Pieces(Arc<SpanMap>),
}

impl Text {
    /// A text of unknown origin.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { bytes: bytes.into(), origin: TextOrigin::Unknown }
    }

    /// A literal; its position is unknown with provenance switched off.
    pub(crate) fn literal(bytes: Arc<[u8]>, position: Option<PositionId>) -> Self {
        Self { bytes, origin: position.map_or(TextOrigin::Unknown, TextOrigin::Literal) }
    }

    /// A text whose pieces have origins of their own; `spans` covers all bytes or is empty.
    pub(crate) fn with_spans(bytes: impl Into<Arc<[u8]>>, spans: SpanMap) -> Self {
        let origin = match spans.is_empty() {
            true => TextOrigin::Unknown,
            false => TextOrigin::Pieces(Arc::new(spans)),
        };
        Self { bytes: bytes.into(), origin }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The text if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// The text with U+FFFD in place of invalid UTF-8, as Go decodes runes.
    pub fn to_str(&self) -> Cow<'_, str> {
        self.as_str().map_or_else(|| String::from_utf8_lossy(&self.bytes), Cow::Borrowed)
    }

    /// The origins of the pieces, if the text was assembled from several.
    pub fn spans(&self) -> Option<&SpanMap> {
        match &self.origin {
            TextOrigin::Pieces(spans) => Some(spans),
            _ => None,
        }
    }

    pub(crate) fn shared_spans(&self) -> Option<Arc<SpanMap>> {
        match &self.origin {
            TextOrigin::Pieces(spans) => Some(spans.clone()),
            _ => None,
        }
    }

    pub(crate) fn origin(&self) -> &TextOrigin {
        &self.origin
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// The inputs of the pieces; those of the whole are in the value.
    pub(crate) fn inner_taint(&self, tracker: &mut Tracker) -> Taint {
        self.spans().map_or(Taint::NONE, |spans| spans.summary(tracker.inputs()))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_str())
    }
}
