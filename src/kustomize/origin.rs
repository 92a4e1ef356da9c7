//! Traces a range of a built object to the lines that decide it: of a base, patch, generator or transformer.

use std::{path::Path, sync::Arc};

use kustomize_build::{Built, Field, Part, Value};
use yaml_spans::{self as yaml, Location, Origin, Source, Span, Written};

use super::is_same;
use crate::{
    discover::{OVERLAY_FILES, shown},
    unit::KustomizeRoot,
};

/// The most texts that are shown beside the one that decides.
const MOST_CAUSES: usize = 3;

/// The longest text, in bytes, that is parsed again to find where a file holds a part of a scalar.
const LONGEST_TEXT: usize = 256 << 10;

/// One object in the output of a build.
#[derive(Debug)]
pub(super) struct Document {
    built: Arc<Built>,
    /// Its bytes in the output.
    span: Span,
    /// The file that states its kind.
    path: String,
    /// The kustomization file that a deployer generates, as printed: nobody can open it.
    generated: Option<String>,
}

impl Document {
    pub(super) fn new(built: Arc<Built>, span: Span, root: &KustomizeRoot) -> Self {
        let file = || shown(&Path::new(&root.shown).join(OVERLAY_FILES[0]));
        let generated = root.generated.as_ref().map(|_| file());
        let mut document = Self { built, span, path: String::new(), generated };
        let all = document.values(document.whole());
        let part = all.iter().find_map(|value| value.origin.parts().first());
        document.path = part.map(|part| part.at.source.path.clone()).unwrap_or_default();
        document
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Its bytes in the output.
    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// The span of the object in its own text.
    fn whole(&self) -> Span {
        Span { start: 0, end: self.span.end - self.span.start }
    }

    fn text(&self) -> &str {
        self.built.print().get(self.span.range()).unwrap_or_default()
    }

    /// The values that overlap a span of the object.
    fn values(&self, span: Span) -> &[Value] {
        let (start, end) = (self.span.start + span.start, self.span.start + span.end);
        let all = self.built.values();
        let from = all.partition_point(|value| value.span.end <= start);
        let to = all.partition_point(|value| value.span.start < end.max(start + 1));
        &all[from.min(to)..to]
    }

    /// All values of the object.
    pub(super) fn all(&self) -> &[Value] {
        self.values(self.whole())
    }

    /// The texts that flow into a span.
    pub(super) fn parts(&self, span: Span) -> impl Iterator<Item = &Part> {
        self.values(span).iter().flat_map(|value| value.origin.parts())
    }

    /// Whether a value is that of a key `image`.
    pub(super) fn is_image(&self, value: &Value) -> bool {
        let start = (value.span.start - self.span.start) as usize;
        let line = self.text()[..start].rsplit('\n').next().unwrap_or_default();
        line.trim_start_matches([' ', '-']) == "image: "
    }

    /// The first line of a span that is not blank.
    fn first_line(&self, span: Span) -> Span {
        let text = self.text().get(span.range()).unwrap_or_default();
        let start = span.start as usize + (text.len() - text.trim_start().len());
        let line = text.trim_start().lines().next().unwrap_or_default().trim_end().len();
        Span::new(start, start + line)
    }

    /// The key and the value that decide a span.
    fn deciders(&self, span: Span) -> (Option<&Value>, Option<&Value>) {
        let values = self.values(self.first_line(span));
        let known = |value: &&Value| !value.origin.is_empty();
        let key = values.iter().filter(known).find(|value| value.is_key);
        let value = values.iter().filter(known).rfind(|value| !value.is_key);
        (key, value)
    }

    /// The value before a span that a person wrote: for one that kustomize adds.
    fn nearest(&self, span: Span) -> Option<&Value> {
        let known = |value: &&Value| !value.origin.is_empty();
        let before = self.values(Span { start: 0, end: span.start });
        before.iter().rfind(known).or_else(|| self.values(self.whole()).iter().find(known))
    }

    /// The entries of kustomizations that lead to a text, as labels.
    fn chain(&self, part: &Part) -> impl Iterator<Item = (Location, String)> {
        let is_written = |at: &&Location| self.generated.as_ref() != Some(&at.source.path);
        let label =
            |at: &Location| (first_line(at.clone()), "applied through this entry".to_owned());
        part.path().into_iter().filter(is_written).map(label)
    }

    /// The first line of the object in the file that states its kind.
    fn head(&self) -> Option<Location> {
        let mut head: Option<Location> = None;
        for value in self.values(self.whole()).iter().filter(|value| self.is_top(value)) {
            let Some(part) = value.origin.parts().first() else { continue };
            let is_before = head.as_ref().is_none_or(|head| {
                Arc::ptr_eq(&head.source, &part.at.source) && part.at.span.start < head.span.start
            });
            if is_before {
                head = Some(part.at.clone());
            }
        }
        head
    }

    /// Whether a value is a key of the object itself.
    fn is_top(&self, value: &Value) -> bool {
        let start = (value.span.start - self.span.start) as usize;
        value.is_key && (start == 0 || self.text()[..start].ends_with('\n'))
    }
}

/// The text that decides a value: what replaced it last, else where it was written.
fn decider(value: &Value) -> Option<&Part> {
    let parts = value.origin.parts();
    let replaces = |part: &&Part| {
        matches!(part.field, Field::Images | Field::Replicas | Field::Replacements | Field::Vars)
    };
    parts.iter().rfind(replaces).or_else(|| parts.first())
}

/// What a text that is part of a value does to it.
fn effect(part: &Part) -> &'static str {
    match part.field {
        Field::Resources => "written here",
        Field::Patches => "patched here",
        Field::ConfigMapGenerator | Field::SecretGenerator | Field::GeneratorOptions => {
            "decides the hash in the name"
        }
        Field::NamePrefix | Field::NameSuffix => "added to the name",
        Field::Namespace => "sets the namespace",
        Field::Labels => "sets the label",
        Field::Annotations => "sets the annotation",
        Field::Images => "sets the image",
        Field::Replicas => "sets the number of replicas",
        Field::Replacements | Field::Vars => "copied from here",
        Field::HelmCharts => "rendered from this chart",
        Field::Plugins => "set by this plugin",
        Field::Substitute => "sets the variable",
    }
}

pub(super) fn first_line(at: Location) -> Location {
    let span = super::first_line(&at.source, at.span);
    Location { span, ..at }
}

impl Origin for Document {
    fn written(&self, span: Span) -> Written {
        let (key, value) = self.deciders(span);
        let decided = value.and_then(decider).or_else(|| key.and_then(decider));
        let Some(part) = decided.or_else(|| self.nearest(span).and_then(decider)) else {
            let source = Arc::new(Source::read_only(self.path.clone(), String::new()));
            let at = Location { source, span: Span::default() };
            return Written { at, causes: Vec::new(), inputs: Vec::new(), is_foreign: false };
        };
        let is_whole = span.start == 0 && span.end + 1 >= self.whole().end;
        let at = self.head().filter(|_| is_whole);
        let exact = value.filter(|_| !is_whole).and_then(|value| self.exact(span, value, &part.at));
        let at = exact.unwrap_or_else(|| {
            first_line(at.unwrap_or_else(|| self.place(span, key, value, part)))
        });
        let parts = value.map(|value| value.origin.parts()).unwrap_or_default();
        let others = parts.iter().filter(|other| !is_same(&other.at, &part.at) && !is_whole);
        let mut causes: Vec<_> = others
            .map(|other| (first_line(other.at.clone()), effect(other).to_owned()))
            .take(MOST_CAUSES)
            .collect();
        for step in self.chain(part) {
            if !causes.iter().any(|(own, _)| is_same(own, &step.0)) {
                causes.push(step);
            }
        }
        causes.retain(|(cause, _)| !is_same(cause, &at));
        Written { at, causes, inputs: Vec::new(), is_foreign: false }
    }

    fn entries(&self, span: Span) -> Vec<(Location, String)> {
        let (key, value) = self.deciders(span);
        let part = value.and_then(decider).or_else(|| key.and_then(decider));
        part.map(|part| self.chain(part).collect()).unwrap_or_default()
    }

    fn is_left_empty(&self, _span: Span, _conditions: bool) -> bool {
        false
    }

    fn inputs(&self, _span: Span) -> Vec<String> {
        Vec::new()
    }

    fn is_placeholder(&self, _span: Span) -> bool {
        false
    }

    fn decided(&self, _span: Span) -> Vec<String> {
        Vec::new()
    }

    /// The text of a file that alone makes a key or scalar, in whatever quotes, or the part of it that stands there,
    /// however the file writes the rest.
    fn literal(&self, span: Span) -> Option<Location> {
        let (start, end) = (self.span.start + span.start, self.span.start + span.end);
        let values = self.values(span);
        let value =
            values.iter().find(|value| value.span.start <= start && end <= value.span.end)?;
        let [part] = value.origin.parts() else { return None };
        let printed = self.built.print().get(value.span.range())?;
        let written = part.at.source.slice(part.at.span);
        let source = part.at.source.clone();
        let is_own = matches!(part.field, Field::Resources | Field::Patches);
        let unquoted = |text: &str| text.trim_matches(['"', '\'']).to_owned();
        let span = if written == printed {
            let from = part.at.span.start + (start - value.span.start);
            Span { start: from, end: from + (end - start) }
        } else {
            let is_whole = value.span.start == start && value.span.end == end;
            let same = (is_whole && unquoted(written) == unquoted(printed)).then_some(part.at.span);
            same.or_else(|| self.counterpart(span, &part.at))?
        };
        (is_own && source.editable).then_some(Location { source, span })
    }

    fn value(&self, _span: Span) -> Option<Location> {
        None
    }
}

impl Document {
    /// Where a scalar of a file holds a part of the output.
    fn counterpart(&self, span: Span, at: &Location) -> Option<Span> {
        let (text, source) = (self.text(), &at.source);
        if text.len().max(source.text.len()) > LONGEST_TEXT {
            return None;
        }
        let printed = yaml::parse(text).into_iter().next()?.ok()?;
        let documents = yaml::parse(&source.text);
        let mut roots = documents.iter().flatten().map(|document| &document.root);
        let scalar = roots.find_map(|root| root.written_at(at.span))?;
        printed.root.counterpart(text, span, (scalar, &source.text))
    }

    /// Where a file holds a part of a text of several lines that the output holds as a whole, in whatever style: kustomize
    /// escapes a text that has characters beyond 16 bits.
    fn exact(&self, span: Span, value: &Value, at: &Location) -> Option<Location> {
        let (text, source) = (self.text(), &at.source);
        let start = value.span.start.checked_sub(self.span.start)?;
        let whole = Span { start, end: value.span.end - self.span.start };
        let is_inside = whole.start < span.start && span.end <= whole.end;
        if !is_inside || text.len().max(source.text.len()) > LONGEST_TEXT {
            return None;
        }
        let printed = yaml::parse(text).into_iter().next()?.ok()?;
        let own = scalar_around(&printed.root, span)?;
        let script = own.as_str().filter(|script| script.contains('\n'))?;
        let range = own.offsets(text)?.values(span)?;
        let span = match source.slice(at.span) == script {
            // The file is the text.
            true => {
                let start = at.span.start as usize;
                Span::new(start + range.start, start + range.end)
            }
            false => {
                let documents = yaml::parse(&source.text);
                let mut roots = documents.iter().flatten().map(|document| &document.root);
                let scalar = roots.find_map(|root| root.written_at(at.span))?;
                let offsets =
                    scalar.offsets(&source.text).filter(|_| scalar.as_str() == Some(script));
                offsets?.span(range)?
            }
        };
        Some(Location { source: source.clone(), span })
    }

    /// The bytes that decide a span: the key and value together where they stand side by side, a line of a text of
    /// several lines, else the whole value.
    fn place(
        &self,
        span: Span,
        key: Option<&Value>,
        value: Option<&Value>,
        part: &Part,
    ) -> Location {
        let at = &part.at;
        let Some(value) = value else { return at.clone() };
        let inside = self.part_of(span, value, at).or_else(|| self.line_of(span, value, at));
        if let Some(inside) = inside {
            return inside;
        }
        let key = key.and_then(|key| key.origin.parts().first()).filter(|key| {
            Arc::ptr_eq(&key.at.source, &at.source)
                && key.at.span.start < at.span.start
                && at.source.line_of(key.at.span.start) == at.source.line_of(at.span.start)
        });
        match key {
            Some(key) => Location { span: key.at.span.to(at.span), source: at.source.clone() },
            None => at.clone(),
        }
    }

    /// The part of a text that stands in the output as it is written.
    fn part_of(&self, span: Span, value: &Value, at: &Location) -> Option<Location> {
        let own = self.built.print().get(value.span.range())?;
        let start = (self.span.start + span.start).checked_sub(value.span.start)? as usize;
        let part = self.text().get(span.range()).filter(|part| !part.contains('\n'))?;
        if start == 0 || part.is_empty() {
            return None;
        }
        let before = own.get(..start)?.matches(part).count();
        let (offset, _) = at.source.slice(at.span).match_indices(part).nth(before)?;
        let start = at.span.start as usize + offset;
        Some(Location { source: at.source.clone(), span: Span::new(start, start + part.len()) })
    }

    /// The line of a text of several lines in which a span starts.
    fn line_of(&self, span: Span, value: &Value, at: &Location) -> Option<Location> {
        let own = self.built.print().get(value.span.range())?;
        let start = (self.span.start + span.start).checked_sub(value.span.start)? as usize;
        let written = at.source.slice(at.span);
        if start == 0 || !own.contains('\n') || !written.contains('\n') {
            return None;
        }
        let line_start = own.get(..start)?.rfind('\n')? + 1;
        let line = own[line_start..].lines().next()?.trim();
        let before = own[..line_start].lines().filter(|other| other.trim() == line).count();
        let mut offset = at.span.start as usize;
        let mut same = 0;
        for other in written.split_inclusive('\n') {
            if other.trim() == line {
                if same == before {
                    let from = offset + (other.len() - other.trim_start().len());
                    let span = Span::new(from, from + line.len());
                    return Some(Location { source: at.source.clone(), span });
                }
                same += 1;
            }
            offset += other.len();
        }
        None
    }
}

/// The scalar of a tree that is written around a span.
fn scalar_around(node: &yaml::Node, span: Span) -> Option<&yaml::Node> {
    match &node.value {
        yaml::Value::Map(map) => {
            map.entries.iter().find_map(|entry| scalar_around(&entry.value, span))
        }
        yaml::Value::Seq(items) => items.iter().find_map(|item| scalar_around(item, span)),
        _ => node.span.contains(span).then_some(node),
    }
}
