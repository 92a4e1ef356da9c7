//! Comma-separated lists in annotations, with the span of each token, and edits of them.

use yaml_spans::{Edit, Entry, Span, Style};

use super::role::coerced;
use crate::{object::Object, suggest};

/// The comma-separated tokens of a value, trimmed, as Helm and Argo CD split it.
pub(super) fn tokens(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim)
}

/// The known word nearest to a wrong one; `None` when none is near. A common prefix of eight characters
/// counts as near: `hook-success` means `hook-succeeded`.
pub fn meant<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    let common = |word: &str| word.bytes().zip(wrong.bytes()).take_while(|(a, b)| a == b).count();
    let near = suggest::nearest(wrong, known.iter().copied());
    near.or_else(|| known.iter().copied().find(|word| common(word) >= 8))
}

/// An annotation that holds a comma-separated list. The methods that return an [`Edit`] return `None` where the list
/// cannot be edited in place: an alias, a merge key, escapes, generated text.
pub struct AnnotationList<'a> {
    /// The annotation.
    pub entry: &'a Entry,
    /// The items of the list; never empty.
    pub tokens: Vec<Token>,
    object: &'a Object,
    /// The source text contains the tokens verbatim, so edits are possible.
    editable: bool,
}

/// An item of an [`AnnotationList`].
pub struct Token {
    /// The trimmed text; empty between two adjacent commas.
    pub text: String,
    /// The bytes of the token. For an empty token those of a comma; where the source does not contain the
    /// tokens verbatim (an alias, escapes), those of the whole value.
    pub span: Span,
    /// The bytes between the surrounding commas.
    part: Span,
}

impl<'a> AnnotationList<'a> {
    /// Reads an annotation of the object; `None` when it is absent.
    pub fn of(object: &'a Object, key: &str) -> Option<Self> {
        let entry = object.annotation(key)?;
        let span = entry.value.span;
        let value = coerced(&entry.value);
        let raw = object.source.slice(span);
        let at = raw.find(value.trim()).filter(|_| entry.value.as_str().is_some());
        let start = at.filter(|_| !value.trim().is_empty()).map(|at| span.start as usize + at);
        let mut tokens = Vec::new();
        let mut offset = 0;
        for part in value.trim().split(',') {
            let locate = |start: usize| token_spans(start + offset, part, offset > 0);
            let (token_span, part_span) = start.map_or((span, span), locate);
            tokens.push(Token { text: part.trim().to_owned(), span: token_span, part: part_span });
            offset += part.len() + 1;
        }
        let editable = start.is_some() && !entry.merged && object.source.can_be_edited();
        Some(Self { entry, tokens, object, editable })
    }

    /// True for an empty value or one of commas only.
    pub fn is_blank(&self) -> bool {
        self.tokens.iter().all(|token| token.text.is_empty())
    }

    /// Replaces a token, or the whole value if it is empty.
    pub fn replace(&self, token: &Token, text: &str) -> Option<Edit> {
        let whole = self.tokens.len() == 1 && token.text.is_empty() && !self.entry.merged;
        if whole && self.object.source.can_be_edited() && !token.span.is_empty() {
            return Some(Edit { span: token.span, text: format!("\"{text}\"") });
        }
        let edit = Edit { span: token.span, text: text.to_owned() };
        (self.editable && !token.text.is_empty()).then_some(edit)
    }

    /// Replaces the whole value with quoted text.
    pub fn rewrite(&self, text: &str) -> Option<Edit> {
        let in_line = !matches!(self.entry.value.style, Style::Literal | Style::Folded);
        let edit = Edit { span: self.entry.value.span, text: format!("\"{text}\"") };
        (self.editable && in_line).then_some(edit)
    }

    /// Removes a token and one comma; `None` for the only token.
    pub fn remove(&self, token: &Token) -> Option<Edit> {
        let index = self.tokens.iter().position(|other| other.part == token.part)?;
        let span = match (index, self.tokens.get(1)) {
            (0, Some(next)) => Span { start: token.part.start, end: next.part_start() },
            (0, None) => return None,
            _ => Span { start: token.part.start - 1, end: token.part.end },
        };
        self.editable.then(|| Edit { span, text: String::new() })
    }

    /// Inserts a word before the first token or after the last one.
    pub fn add(&self, text: &str, first: bool) -> Option<Edit> {
        let (token, span) = (self.tokens.last()?, self.entry.value.span);
        let edit = match first {
            true => (self.tokens.first()?.span.start, format!("{text},")),
            false => (token.span.end, format!(",{text}")),
        };
        if !self.editable || token.text.is_empty() {
            return None;
        }
        // In a flow mapping a comma ends a plain scalar, so the value needs quotes.
        if self.entry.value.style == Style::Plain && self.in_flow() {
            let own = self.object.source.slice(span);
            let joined = if first { format!("{text},{own}") } else { format!("{own},{text}") };
            return Some(Edit { span, text: format!("\"{joined}\"") });
        }
        Some(Edit { span: Span { start: edit.0, end: edit.0 }, text: edit.1 })
    }

    fn in_flow(&self) -> bool {
        let annotations = self.object.root.at(&["metadata", "annotations"]);
        annotations.is_some_and(|node| node.style == Style::Flow)
    }
}

impl Token {
    /// Offset of the first character, after leading blanks.
    fn part_start(&self) -> u32 {
        if self.text.is_empty() { self.part.start } else { self.span.start }
    }
}

/// The spans of a token and of the part between its commas; `start` is the offset of the part in the source.
fn token_spans(start: usize, part: &str, after_comma: bool) -> (Span, Span) {
    let whole = Span::new(start, start + part.len());
    let left = part.len() - part.trim_start().len();
    let token = match part.trim() {
        "" if after_comma => Span::new(start - 1, start),
        "" => Span::new(start + part.len(), start + part.len() + 1),
        text => Span::new(start + left, start + left + text.len()),
    };
    (token, whole)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use yaml_spans::{self as yaml, Source};

    fn object(value: &str) -> Object {
        let text =
            format!("apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    k: {value}\n");
        let source = Arc::new(Source::new("a.yaml", text));
        let document = yaml::parse(&source.text).remove(0).unwrap();
        Object::new(&source, document.root, document.span).unwrap()
    }

    fn written(value: &str) -> Vec<String> {
        let object = object(value);
        let list = AnnotationList::of(&object, "k").unwrap();
        list.tokens.iter().map(|token| object.source.slice(token.span).to_owned()).collect()
    }

    #[test]
    fn tokens_have_spans() {
        assert_eq!(written("a, b"), ["a", "b"]);
        assert_eq!(written("\" a ,b\""), ["a", "b"]);
        assert_eq!(written("'a,,b,'"), ["a", ",", "b", ","]);
        assert_eq!(written("\",a\""), [",", "a"]);
        assert_eq!(written("\"\""), ["\"\""]);
        assert_eq!(written("|\n      a,b"), ["a", "b"]);
        assert_eq!(written("\"a\\x2cb\""), ["\"a\\x2cb\"", "\"a\\x2cb\""]);
    }

    #[test]
    fn edits_produce_a_valid_list() {
        let edited = |value: &str, edit: &dyn Fn(&AnnotationList<'_>) -> Option<Edit>| {
            let object = object(value);
            let edit = edit(&AnnotationList::of(&object, "k").unwrap())?;
            let text = Edit::apply(&object.source.text, &[edit])?;
            Some(text.rsplit_once("k: ")?.1.trim_end().to_owned())
        };
        let remove =
            |index: usize| move |list: &AnnotationList<'_>| list.remove(&list.tokens[index]);
        assert_eq!(edited("a, b, c", &remove(0)).unwrap(), "b, c");
        assert_eq!(edited("a, b, c", &remove(1)).unwrap(), "a, c");
        assert_eq!(edited("\"a,\"", &remove(1)).unwrap(), "\"a\"");
        assert_eq!(edited("a", &remove(0)), None);
        assert_eq!(edited("'a'", &|list| list.add("b", false)).unwrap(), "'a,b'");
        assert_eq!(edited("a", &|list| list.add("b", true)).unwrap(), "b,a");
        assert_eq!(edited("\"\"", &|list| list.replace(&list.tokens[0], "b")).unwrap(), "\"b\"");
        assert_eq!(edited("a,b", &|list| list.replace(&list.tokens[1], "c")).unwrap(), "a,c");
    }

    #[test]
    fn suggests_known_words() {
        use super::super::{ARGO_POLICIES, HELM_EVENTS, HELM_POLICIES};
        assert_eq!(meant("post-instal", HELM_EVENTS), Some("post-install"));
        assert_eq!(meant("hook-success", HELM_POLICIES), Some("hook-succeeded"));
        assert_eq!(meant("hook-succeeded", ARGO_POLICIES), Some("HookSucceeded"));
        assert_eq!(meant("test-failure", HELM_EVENTS), None);
    }
}
