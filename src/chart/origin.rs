//! Traces a range of rendered output to the source positions that a person wrote.

use std::sync::Arc;

use go_template::provenance::{Position, Span as Traced};
use helm_render::{TemplateFile, values::GLOBAL};
use yaml_spans::{self as yaml, Location, Origin, Source, Span, Written};

use super::{same_line, vendored};
use crate::{release_changes, unit::Rendering, words::set_here};

/// The most causes to show for one finding.
const MOST_CAUSES: usize = 3;

/// One manifest in the output of a template.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) rendering: Arc<Rendering>,
    /// Index in [`helm_render::Rendered::files`].
    pub(super) file: usize,
    /// Byte offset of the manifest in that file.
    pub(super) start: usize,
}

impl Origin for Manifest {
    fn written(&self, span: Span) -> Written {
        let spans = self.trace(span);
        let at = self.place(&spans);
        let dependency = self.dependency(&at);
        let (mut causes, inputs) = self.sources(&spans, self.line(span));
        if let Some(helper) = self.helper(&spans, &at) {
            causes.insert(0, (helper, "written by this helper".to_owned()));
        }
        causes.retain(|(cause, _)| !overlaps(cause, &at));
        causes.truncate(MOST_CAUSES);
        match dependency {
            None => Written { at, causes, inputs, is_foreign: false },
            Some(entry) => {
                let entry = self.own_value(&spans).unwrap_or(entry);
                self.of_dependency(entry, at, causes, inputs)
            }
        }
    }

    fn is_left_empty(&self, span: Span, conditions: bool) -> bool {
        self.has_nothing(span, conditions)
    }

    fn inputs(&self, span: Span) -> Vec<String> {
        let shifted = Span::new(self.start + span.start as usize, self.start + span.end as usize);
        release_changes::inputs(&self.rendering.rendered, self.file, shifted)
    }

    fn is_placeholder(&self, span: Span) -> bool {
        self.has_placeholder(span)
    }

    fn decided(&self, span: Span) -> Vec<String> {
        let inputs = &self.rendering.rendered.provenance.inputs;
        let spans = self.trace(span);
        let members = spans.iter().flat_map(|span| inputs.members(span.control));
        members.map(|input| inputs.path(input)).collect()
    }

    fn ineffective(&self, span: Span) -> Vec<(String, Location)> {
        self.ineffective_values(span)
    }

    fn literal(&self, span: Span) -> Option<Location> {
        let spans = self.exact(span);
        let (first, last) = (spans.first()?.chain[0], spans.last()?.chain[0]);
        let follows = |pair: &[Traced]| {
            let (before, after) = (pair[0].chain[0], pair[1].chain[0]);
            before.file == after.file && before.end == after.start
        };
        let is_template = (first.file.0 as usize) < self.rendering.rendered.templates.len();
        let is_written = is_template
            && spans.iter().all(|span| self.is_literal(span))
            && spans.windows(2).all(follows);
        let at = self.rendering.rendered.locate(Position { end: last.end, ..first });
        (is_written && self.is_own(&at)).then_some(at)
    }

    fn call(&self, span: Span) -> Option<Location> {
        let rendered = &self.rendering.rendered;
        let spans = self.trace(span);
        let first = spans.first()?;
        let outer = rendered.locate(*first.chain.last()?);
        let is_in_template = outer.source.path == self.source().path && self.is_own(&outer);
        self.helper(&spans, &outer).filter(|_| is_in_template).map(|_| outer)
    }

    fn value(&self, span: Span) -> Option<Location> {
        let rendered = &self.rendering.rendered;
        let inputs = &rendered.provenance.inputs;
        let spans = self.exact(span);
        let mut members = spans.iter().flat_map(|span| inputs.members(span.data));
        let input = members.next()?;
        let is_one = members.all(|other| inputs.path(other) == inputs.path(input));
        let at = rendered.origin_of(input).filter(|at| is_one && self.is_own(at))?;
        let (start, end) = (self.start + span.start as usize, self.start + span.end as usize);
        let printed = rendered.files[self.file].text.get(start..end)?;
        let unquoted = |text: &str| text.trim_matches(['"', '\'']).to_owned();
        let is_same = unquoted(at.source.slice(at.span)) == unquoted(printed);
        match is_same && !printed.is_empty() {
            true => Some(at),
            false => self.counterpart(span, at),
        }
    }
}

/// The longest text, in bytes, that is parsed again to find where a file of values holds what an action prints.
const LONGEST_TEXT: usize = 256 << 10;

impl Manifest {
    fn file(&self) -> &TemplateFile {
        let rendered = &self.rendering.rendered;
        &rendered.templates[rendered.files[self.file].template.0 as usize]
    }

    /// The template that printed the manifest.
    pub(super) fn source(&self) -> Arc<Source> {
        self.file().source()
    }

    /// The provenance of a span, without branches that printed nothing. Of a span with several lines only the
    /// first is traced.
    pub(super) fn trace(&self, span: Span) -> Vec<Traced> {
        let rendered = &self.rendering.rendered;
        let made = &rendered.files[self.file];
        let range = self.start + span.start as usize..self.start + span.end as usize;
        let text = made.text.get(range.clone()).unwrap_or_default();
        let line = text.trim_start().lines().next().unwrap_or_default().trim_end().len();
        let start = range.start + (text.len() - text.trim_start().len());
        let range = start..start + line;
        let mut spans = made.spans.trace(&rendered.provenance, range.clone());
        if !range.is_empty() {
            spans.retain(|span| !span.range.is_empty());
        }
        spans
    }

    /// The provenance of each byte of a span.
    fn exact(&self, span: Span) -> Vec<Traced> {
        let rendered = &self.rendering.rendered;
        let range = self.start + span.start as usize..self.start + span.end as usize;
        let mut spans = rendered.files[self.file].spans.trace(&rendered.provenance, range);
        spans.retain(|span| !span.range.is_empty());
        spans
    }

    /// Where a value holds the key, scalar or part of a text that stands in the output. An action may print the value in
    /// other quotes, or a whole table.
    fn counterpart(&self, span: Span, at: Location) -> Option<Location> {
        let rendered = &self.rendering.rendered;
        let mut documents = rendered.documents.iter().chain(&rendered.dropped);
        let own = documents.find(|one| one.file == self.file && one.range.start == self.start)?;
        let (text, source) = (rendered.text(own), &at.source);
        if text.len().max(source.text.len()) > LONGEST_TEXT {
            return None;
        }
        let printed = yaml::parse(text).into_iter().next()?.ok()?;
        let values = yaml::parse(&source.text).into_iter().next()?.ok()?;
        let value = (values.root.written_at(at.span)?, &*source.text);
        let span = printed.root.counterpart(text, span, value)?;
        Some(Location { span, ..at })
    }

    /// Returns whether a file of this repository holds the text.
    fn is_own(&self, at: &Location) -> bool {
        at.source.editable && self.dependency(at).is_none()
    }

    /// The position of the literal text behind the spans, or of the outermost action that printed them.
    fn place(&self, spans: &[Traced]) -> Location {
        let rendered = &self.rendering.rendered;
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
            return Location { source: self.source(), span: Span::default() };
        };
        let (from, to) = (self.position(first), self.position(last));
        let joined = Position { end: to.end.max(from.end), ..from };
        let at = rendered.locate(if from.file == to.file && from.start <= to.start {
            joined
        } else {
            from
        });
        match at.source.line_of(at.span.start) == at.source.line_of(at.span.end) {
            true => at,
            false => rendered.locate(from),
        }
    }

    /// Where a person would edit these bytes: literal text at its own position, the output of an action at
    /// that action in the executed template.
    fn position(&self, span: &Traced) -> Position {
        let rendered = &self.rendering.rendered;
        let known = |position: &&Position| (position.file.0 as usize) < rendered.templates.len();
        let inner = span.chain.iter().find(known);
        let outer = span.chain.iter().rev().find(known);
        match inner.filter(|_| self.is_literal(span)).or(outer) {
            Some(position) => *position,
            None => span.chain[0],
        }
    }

    /// Returns whether the bytes are literal text of the template.
    fn is_literal(&self, span: &Traced) -> bool {
        let rendered = &self.rendering.rendered;
        let at = rendered.locate(span.chain[0]);
        let made = &rendered.files[self.file].text;
        made.get(span.range.clone()).is_some_and(|text| text == at.source.slice(at.span))
    }

    /// The helper that printed the value, if `at` is a call of it: the innermost one that printed all of it, as far as helpers
    /// did. Text evaluated by `tpl` does not count as a helper.
    fn helper(&self, spans: &[Traced], at: &Location) -> Option<Location> {
        let rendered = &self.rendering.rendered;
        let mut called = spans.iter().filter(|span| span.chain.len() > 1);
        let first = called.next()?;
        let is_shared =
            |position: &&Position| called.clone().all(|span| span.chain.contains(position));
        let within = &first.chain[..first.chain.len() - 1];
        let position = *within.iter().find(is_shared).unwrap_or(&first.chain[0]);
        if position.file.0 as usize >= rendered.templates.len() {
            return None;
        }
        let inner = rendered.locate(position);
        let own = self.dependency(&inner).is_none();
        (own && inner.source.path != at.source.path).then_some(inner)
    }

    /// The line of the output in which a span starts.
    fn line(&self, span: Span) -> &str {
        let text = &self.rendering.rendered.files[self.file].text;
        let at = (self.start + span.start as usize).min(text.len());
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        text[start..].lines().next().unwrap_or_default()
    }

    /// The positions that set the values which flowed into the spans, or hold what they print as a line of its own, and the
    /// names of all inputs.
    fn sources(&self, spans: &[Traced], line: &str) -> (Vec<(Location, String)>, Vec<String>) {
        let rendered = &self.rendering.rendered;
        let inputs = &rendered.provenance.inputs;
        let (mut places, mut names) = (Vec::new(), Vec::new());
        for input in spans.iter().flat_map(|span| inputs.members(span.data)) {
            let name = inputs.path(input);
            if names.contains(&name) {
                continue;
            }
            let at = rendered.origin_of(input);
            let same = |at: &Location| same_line::of(at, line);
            if name.starts_with("Values.") {
                places.extend(at.map(|at| (same(&at).unwrap_or(at), set_here(&name))));
            } else if name.contains("Files[") || name.contains("Files.") {
                let same = at.as_ref().and_then(same);
                places.extend(same.map(|same| (same, "written here".to_owned())));
            }
            names.push(name);
        }
        (places, names)
    }

    /// The `Chart.yaml` entry of the remote dependency that contains a position. Templates of remote
    /// dependencies cannot be edited in this repository.
    fn dependency(&self, at: &Location) -> Option<Location> {
        let name = vendored::sub_chart(&self.rendering, &at.source.path)?;
        let entry = vendored::declared(&self.rendering, name)?;
        let fetched = vendored::is_fetched(&self.rendering, entry, &at.source.path);
        let (source, span) = entry.at.clone().filter(|_| fetched)?;
        Some(Location { span: super::failure::first_line(&source, span), source })
    }

    /// The first scalar or list of this chart's own `values.yaml` that flowed into the spans. Whole tables
    /// are skipped: charts pass them to helpers that read one key.
    fn own_value(&self, spans: &[Traced]) -> Option<Location> {
        let rendered = &self.rendering.rendered;
        let inputs = &rendered.provenance.inputs;
        let values = self.rendering.chart.chart_yaml.path.replace("Chart.yaml", "values.yaml");
        let is_single = |path: &str| {
            let mut names: Vec<_> = path.split('.').skip(1).map(str::to_owned).collect();
            // Global values are defined at the top level, whichever chart reads them.
            let global = names.iter().position(|name| name == GLOBAL).unwrap_or_default();
            names.drain(..global);
            self.rendering.value(&names).is_some_and(|value| !value.is_object())
        };
        let members = spans.iter().flat_map(|span| inputs.members(span.data));
        let mut single = members.filter(|input| is_single(&inputs.path(*input)));
        single.find_map(|input| rendered.origin_of(input).filter(|at| at.source.path == values))
    }

    /// Places a finding about a dependency at the value of this chart that causes it, else at the
    /// dependency's entry in `Chart.yaml`.
    fn of_dependency(
        &self,
        at: Location,
        template: Location,
        mut causes: Vec<(Location, String)>,
        inputs: Vec<String>,
    ) -> Written {
        let folder = self.rendering.chart.chart_yaml.path.trim_end_matches("Chart.yaml").to_owned();
        let charts = format!("{folder}charts/");
        causes
            .retain(|(cause, _)| !overlaps(cause, &at) && !cause.source.path.starts_with(&charts));
        causes.insert(0, (template, "in this dependency".to_owned()));
        Written { at, causes, inputs, is_foreign: true }
    }
}

fn overlaps(a: &Location, b: &Location) -> bool {
    a.source.path == b.source.path && a.span.start < b.span.end && b.span.start < a.span.end
}
