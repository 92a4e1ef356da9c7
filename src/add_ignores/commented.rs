//! A file with the ignore comments that are added to it.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use serde_json::Value as Json;
use yaml_spans::{self as yaml, Edit, Source, Span};

/// Where a comment stands, by a line of the text without comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// On a line of its own above the line.
    Above(usize),
    /// At the end of the line.
    Beside(usize),
}

/// A file, and the rules that comments in it ignore.
pub(super) struct Commented {
    /// The text without the comments.
    pub(super) source: Arc<Source>,
    pub(super) comments: BTreeMap<Place, BTreeSet<&'static str>>,
    syntax: Syntax,
    /// The reason in the comments.
    reason: String,
}

enum Syntax {
    /// The template of a chart: its comments print nothing.
    Template,
    /// YAML, with the documents of the text.
    Yaml(Vec<Option<Json>>),
}

impl Commented {
    pub(super) fn new(source: Arc<Source>, reason: &str) -> Self {
        let syntax = match is_template(&source) {
            true => Syntax::Template,
            false => Syntax::Yaml(documents(&source.text)),
        };
        Self { source, comments: BTreeMap::new(), syntax, reason: reason.to_owned() }
    }

    /// The text with the comments.
    pub(super) fn text(&self) -> String {
        let edits: Vec<_> = self.edits().map(|(_, edit)| edit).collect();
        Edit::apply(&self.source.text, &edits).unwrap_or_else(|| self.source.text.clone())
    }

    fn edits(&self) -> impl Iterator<Item = (Place, Edit)> {
        self.comments.iter().map(|(place, rules)| (*place, self.edit(*place, rules)))
    }

    /// The offset in the text without comments.
    pub(super) fn original(&self, offset: u32) -> u32 {
        self.at(offset).0
    }

    pub(super) fn line_of(&self, original: u32) -> usize {
        self.source.line_of(original)
    }

    /// The offset in the text without comments, and the place of the comment that holds it.
    fn at(&self, offset: u32) -> (u32, Option<Place>) {
        let mut edits: Vec<_> = self.edits().collect();
        edits.sort_by_key(|(_, edit)| edit.span);
        let mut added = 0;
        for (place, Edit { span, text }) in edits {
            let start = span.start + added;
            let end = start + text.len() as u32;
            match offset {
                _ if offset < start => break,
                _ if offset < end => return (span.start, Some(place)),
                _ => added += text.len() as u32,
            }
        }
        (offset - added, None)
    }

    /// The first line of the object that holds an offset. `None` for an item of a list.
    pub(super) fn object_line(&self, original: u32) -> Option<usize> {
        let above = (1..=self.line_of(original)).rev();
        let own = above.take_while(|line| !self.source.line_text(*line).starts_with("---"));
        let starts = |line: &usize| {
            self.source.line_text(*line).starts_with(|c: char| c.is_ascii_alphabetic())
        };
        own.filter(starts).last()
    }

    /// Adds a rule to the comment of a place. False if it is there, or no comment fits.
    pub(super) fn add(&mut self, place: Place, rule: &'static str) -> bool {
        if !self.comments.contains_key(&place) && !self.fits(place) {
            return false;
        }
        self.comments.entry(place).or_default().insert(rule)
    }

    /// Removes a rule from the comment of a place.
    pub(super) fn remove(&mut self, place: Place, rule: &str) -> bool {
        let Some(rules) = self.comments.get_mut(&place) else { return false };
        let is_removed = rules.remove(rule);
        if rules.is_empty() {
            self.comments.remove(&place);
        }
        is_removed
    }

    /// The added comment at an offset of the text with comments, and the rule that it names there.
    pub(super) fn named_at(&self, offset: u32) -> Option<(Place, &'static str)> {
        let place = self.at(offset).1?;
        let text = self.text();
        let rest = text.get(offset as usize..)?;
        let named = self.comments.get(&place)?.iter().filter(|rule| rest.starts_with(**rule));
        Some((place, *named.max_by_key(|rule| rule.len())?))
    }

    /// True when a comment in a place changes no value of a YAML file, and is not inside of an action of a template.
    fn fits(&self, place: Place) -> bool {
        let edit = self.edit(place, &BTreeSet::from(["rule"]));
        match &self.syntax {
            Syntax::Template => !is_in_action(&self.source.text[..edit.span.start as usize]),
            Syntax::Yaml(before) => {
                let after = Edit::apply(&self.source.text, &[edit]);
                after.is_some_and(|after| documents(&after) == *before)
            }
        }
    }

    /// The edit that writes a comment. In a template the comment trims exactly the white space that comes with it.
    fn edit(&self, place: Place, rules: &BTreeSet<&'static str>) -> Edit {
        let rules: Vec<_> = rules.iter().copied().collect();
        let comment = format!("joblint: ignore[{}] {}", rules.join(", "), self.reason);
        let (Place::Above(line) | Place::Beside(line)) = place;
        let (written, span) = (self.source.line_text(line), self.source.line_span(line));
        let content = written.trim_start();
        let (at, text) = match (place, &self.syntax) {
            (Place::Above(_), syntax) => {
                let indent = &written[..written.len() - content.len()];
                let comment = match syntax {
                    Syntax::Yaml(_) => format!("# {comment}"),
                    Syntax::Template if content.starts_with("{{-") => {
                        format!("{{{{- /* {comment} */ -}}}}")
                    }
                    Syntax::Template => format!("{{{{/* {comment} */ -}}}}"),
                };
                (span.start, format!("{indent}{comment}{}", self.source.line_break()))
            }
            (Place::Beside(_), syntax) => {
                let is_trimmed = written.trim_end().ends_with("-}}");
                let comment = match syntax {
                    Syntax::Yaml(_) => format!(" # {comment}"),
                    Syntax::Template if is_trimmed => format!(" {{{{- /* {comment} */ -}}}}"),
                    Syntax::Template => format!(" {{{{- /* {comment} */}}}}"),
                };
                (span.start + written.trim_end().len() as u32, comment)
            }
        };
        Edit { span: Span { start: at, end: at }, text }
    }
}

/// True for a file in the folder `templates` of a chart.
pub(super) fn is_template(source: &Source) -> bool {
    let path = Path::new(&source.path);
    let folders = path.ancestors().filter(|folder| folder.ends_with("templates"));
    let mut charts = folders.filter_map(Path::parent);
    charts.any(|chart| chart.join("Chart.yaml").is_file())
}

/// The values of the documents of a text; `None` for a broken one.
fn documents(text: &str) -> Vec<Option<Json>> {
    let documents = yaml::parse(text).into_iter();
    documents.map(|document| document.ok().map(|document| document.root.to_json())).collect()
}

/// True when an action of a template goes on at the end of a text.
fn is_in_action(text: &str) -> bool {
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let action = &rest[start + 2..];
        let is_comment = action.trim_start_matches(['-', ' ']).starts_with("/*");
        let end = if is_comment { action.find("*/") } else { end_of_action(action) };
        let Some(end) = end else { return true };
        rest = &action[end..];
    }
    false
}

/// Where the braces close that end an action: not those in a string.
fn end_of_action(action: &str) -> Option<usize> {
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in action.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(open) if c == open => quote = None,
            Some(open) => is_escaped = c == '\\' && open != '`',
            None if matches!(c, '"' | '`' | '\'') => quote = Some(c),
            None if action[at..].starts_with("}}") => return Some(at + 2),
            None => {}
        }
    }
    None
}
