//! Carries edits of a rendered text over to the file that holds what they touch: a template, a helper, a file of
//! values, a base or a patch. What an action computes has no place there.

use std::sync::Arc;

use yaml_spans::{Edit, Location, Origin, Source, Span};

/// The file that holds all that the edits of a rendered text touch, and the edits there. `None` if there is no such
/// file, or several.
pub(crate) fn translated(source: &Source, edits: &[Edit]) -> Option<(Arc<Source>, Vec<Edit>)> {
    let origin = source.origin.as_deref()?;
    let is_move = edits.len() > 1 && edits.iter().any(is_removal);
    let translation = Translation { source, origin, is_move };
    let mut places = edits.iter().map(|edit| translation.of(edit));
    let (file, first) = places.next()??;
    let mut own = vec![first];
    for place in places {
        let (other, edit) = place?;
        (other.path == file.path).then(|| own.push(edit))?;
    }
    Some((file, own))
}

fn is_removal(edit: &Edit) -> bool {
    edit.text.is_empty()
}

struct Translation<'a> {
    source: &'a Source,
    origin: &'a dyn Origin,
    /// The edits move lines: what an action computes there must not become a text.
    is_move: bool,
}

type Place = (Arc<Source>, Edit);

impl Translation<'_> {
    fn of(&self, edit: &Edit) -> Option<Place> {
        let old = self.source.slice(edit.span);
        match () {
            () if edit.span.is_empty() => self.insertion(edit),
            () if is_removal(edit) && old.contains('\n') => self.removal(edit),
            () => self.replacement(edit),
        }
    }

    fn replacement(&self, edit: &Edit) -> Option<Place> {
        let printed = self.source.slice(edit.span);
        let literal = self.origin.literal(edit.span);
        let same = literal.clone().filter(|at| at.source.slice(at.span) == printed);
        same.map(|at| place(at, edit.text.clone())).or_else(|| {
            let at = literal.or_else(|| self.origin.value(edit.span))?;
            let old = at.source.slice(at.span);
            let quote = old.chars().next().filter(|c| matches!(c, '"' | '\''));
            let inner = edit.text.trim_matches('"');
            let is_quoted = inner.len() + 2 == edit.text.len();
            let loses_quotes = printed.starts_with(['"', '\'']) && !is_quoted;
            let text = match quote {
                Some(_) if loses_quotes => inner.to_owned(),
                Some(quote) if !inner.contains(['"', '\'', '\\']) => {
                    format!("{quote}{inner}{quote}")
                }
                Some(_) => return None,
                // The template, not the file of values, adds the quotes.
                None if is_quoted && !printed.starts_with('"') => edit.text.clone(),
                None => inner.to_owned(),
            };
            Some(place(at, text))
        })
    }

    /// Adds text beside the literal text that it stands beside.
    fn insertion(&self, edit: &Edit) -> Option<Place> {
        let at = edit.span.start;
        let text = &self.source.text;
        if edit.text.starts_with(['\n', '\r']) {
            return self.line_below(edit);
        }
        let after = text.get(at as usize..)?.chars().next();
        let before = text.get(..at as usize)?.chars().next_back();
        let after = after.map(|c| Span { start: at, end: at + c.len_utf8() as u32 });
        let before = before.map(|c| Span { start: at - c.len_utf8() as u32, end: at });
        let find = |span: Option<Span>| self.origin.literal(span?);
        let literal = (find(after), find(before));
        // What goes into a value must not print a line: the template decides where lines start.
        let is_word = !edit.text.contains('\n');
        let value = |span: Option<Span>| self.origin.value(span?).filter(|_| is_word);
        let places = match literal {
            (None, None) => (value(after), value(before)),
            literal => literal,
        };
        let (file, offset) = match places {
            (Some(here), None) => (here.source, here.span.start),
            (None, Some(here)) if !edit.text.contains('\n') => (here.source, here.span.end),
            // The line of the file ends there too; what follows is printed by something else.
            (Some(_), Some(other)) if is_word && ends_line(&other) => {
                (other.source, other.span.end)
            }
            (Some(here), Some(other)) => {
                let is_whole = here.source.path == other.source.path
                    && (other.span.end == here.span.start || edit.text.contains('\n'));
                is_whole.then_some((here.source, here.span.start))?
            }
            _ => return None,
        };
        let text = self.indented(&edit.text, at, &file, offset)?;
        Some((file, Edit { span: Span { start: offset, end: offset }, text }))
    }

    /// Adds lines below the line of the file that holds the key of the rendered line.
    fn line_below(&self, edit: &Edit) -> Option<Place> {
        let (file, number, key) = self.line(self.source.line_of(edit.span.start))?;
        let line = file.line_span(number);
        let written = file.slice(line);
        if !is_balanced(written) || written.trim_end().ends_with("-}}") {
            return None;
        }
        let own = self.source.line_span(self.source.line_of(edit.span.start));
        let first = own.start + indentation(self.source.slice(own)) as u32;
        let text = self.indented(&edit.text, first, &file, key)?;
        Some((file, Edit { span: Span { start: line.end, end: line.end }, text }))
    }

    /// The line of a file that holds the first text of a rendered line, with its number and the offset of the text.
    fn line(&self, number: usize) -> Option<(Arc<Source>, usize, u32)> {
        let line = self.source.line_span(number);
        let text = self.source.slice(line);
        let start = line.start + indentation(text) as u32;
        let key = self.source.text.get(start as usize..line.end as usize)?;
        let end = start + key.find(':').unwrap_or(key.len()) as u32;
        let at = self.origin.literal(Span { start, end })?;
        let number = at.source.line_of(at.span.start);
        let own = at.source.line_span(number);
        let before = at.source.slice(Span { start: own.start, end: at.span.start });
        before.chars().all(|c| matches!(c, ' ' | '-')).then_some((at.source, number, at.span.start))
    }

    /// Removes the lines of the file that print the removed lines.
    fn removal(&self, edit: &Edit) -> Option<Place> {
        let first = self.source.line_of(edit.span.start);
        let last = self.source.line_of(edit.span.end.saturating_sub(1));
        let (file, start, _) = self.line(first)?;
        let end = start + (last - first);
        if first < last || self.is_move {
            let same = |n: usize| {
                file.line_text(start + n).trim() == self.source.line_text(first + n).trim()
            };
            (0..=last - first).all(same).then_some(())?;
        }
        let lines = file.line_span(start).to(file.line_span(end));
        let text = file.slice(lines);
        if !is_balanced(text) || text.contains("{{-") || text.contains("-}}") {
            return None;
        }
        let next = file.line_span(end + 1).start.max(lines.end);
        let span = Span { start: lines.start, end: next };
        Some((file, Edit { span, text: String::new() }))
    }

    /// The text with the indentation and the line breaks of the file. `None` if other text stands before the place, or
    /// if the file may print one of the keys there already.
    fn indented(&self, text: &str, at: u32, file: &Source, offset: u32) -> Option<String> {
        if !text.contains('\n') {
            return Some(text.to_owned());
        }
        let here = self.source.line_span(self.source.line_of(at));
        let old = Span { start: here.start, end: at };
        let there = file.line_span(file.line_of(offset));
        let new = file.slice(Span { start: there.start, end: offset });
        let blank = |text: &str| {
            text.chars().map(|c| matches!(c, ' ' | '-').then_some(' ')).collect::<Option<String>>()
        };
        let (old, new) = (blank(self.source.slice(old))?, blank(new)?);
        let mut out = String::new();
        for (index, line) in text.split('\n').enumerate() {
            let line = line.trim_end_matches('\r');
            if index > 0 {
                out.push_str(file.line_break());
                out.push_str(&new);
                out.push_str(line.strip_prefix(&*old)?);
            } else {
                out.push_str(line);
            }
        }
        let keys = text.lines().filter_map(|line| line.trim().split_once(':'));
        let is_new =
            |(key, _): (&str, &str)| !block_has(file, file.line_of(offset), new.len(), key);
        keys.into_iter().all(is_new).then_some(out)
    }
}

/// True when a line around `number`, in the same block, starts with a key: another value set may print it.
fn block_has(file: &Source, number: usize, indent: usize, key: &str) -> bool {
    let is_key = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ").trim_start_matches(['"', '\'']);
        line.strip_prefix(key).is_some_and(|rest| rest.starts_with([':', '"', '\'']))
    };
    let is_inside = |line: &&str| {
        let text = line.trim_start();
        text.is_empty() || text.starts_with("{{") || indentation(line) >= indent
    };
    let is_start = |line: &str| line.trim_start().starts_with("- ");
    let mut above = Vec::new();
    for line in (1..number).rev().map(|number| file.line_text(number)).take_while(is_inside) {
        above.push(line);
        if is_start(line) {
            break;
        }
    }
    let below = (number..=file.line_count()).map(|number| file.line_text(number));
    let same = |line: &&str| indentation(line) <= indent + 2 || line.trim_start().starts_with("- ");
    let below = below.take_while(is_inside).take_while(|line| line.trim() != "---");
    above.into_iter().chain(below).filter(same).any(is_key)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '-']).len()
}

/// True when a line of a file ends behind a text.
fn ends_line(at: &Location) -> bool {
    let rest = at.source.text.get(at.span.end as usize..).unwrap_or_default();
    matches!(rest.trim_start_matches([' ', '\t']).chars().next(), None | Some('\n' | '\r'))
}

/// True when every action of the text ends in it.
fn is_balanced(text: &str) -> bool {
    text.matches("{{").count() == text.matches("}}").count()
}

fn place(at: Location, text: String) -> Place {
    (at.source, Edit { span: at.span, text })
}
