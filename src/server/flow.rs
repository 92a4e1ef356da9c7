//! What the actions of templates print in a view, and the values that they read.

use std::{collections::BTreeSet, ops::Range};

use helm_render::Rendered;
use yaml_spans::Location;

use crate::unit::Rendering;

/// The most different texts of one action that are kept, and the most bytes of each.
const MOST_TEXTS: usize = 5;
const LONGEST: usize = 2000;

/// What an action prints in a view.
#[derive(Debug, Default)]
pub(super) struct Printed {
    /// The different texts that it prints, in order.
    pub(super) texts: Vec<String>,
    /// The Jobs, CronJobs and hooks that hold them, as `Job shop-migrate`.
    pub(super) jobs: BTreeSet<String>,
    /// How many other objects hold them.
    pub(super) others: usize,
    /// The inputs behind the texts, as `Values.image.tag`, each with the place that sets it.
    pub(super) inputs: Vec<(String, Option<Location>)>,
}

/// What the action at a range of a file prints; `None` if nothing runs it.
pub(super) fn printed(rendering: &Rendering, path: &str, action: &Range<usize>) -> Option<Printed> {
    let rendered = &rendering.rendered;
    let is_here = |index: usize| {
        rendered.templates.get(index).is_some_and(|template| template.file().path == path)
    };
    let mut found = Printed::default();
    let mut is_run = false;
    let mut objects = BTreeSet::new();
    for (number, file) in rendered.files.iter().enumerate() {
        let mut last: Option<Range<usize>> = None;
        for span in file.spans.trace(&rendered.provenance, 0..file.text.len()) {
            let is_made_here = span.chain.iter().any(|at| {
                let (start, end) = (at.start as usize, at.end as usize);
                action.start <= start && end <= action.end && is_here(at.file.0 as usize)
            });
            if !is_made_here {
                found.end(last.take(), &file.text);
                continue;
            }
            is_run = true;
            for input in rendered.provenance.inputs.members(span.data) {
                let name = rendered.provenance.inputs.path(input);
                if !found.inputs.iter().any(|(known, _)| *known == name) {
                    found.inputs.push((name, rendered.origin_of(input)));
                }
            }
            let holds = |document: &&helm_render::Document| {
                document.file == number
                    && document.range.start <= span.range.start
                    && span.range.end <= document.range.end
            };
            objects.extend(rendered.documents.iter().position(|document| holds(&document)));
            let start = last.map_or(span.range.start, |before| before.start);
            last = Some(start..span.range.end);
        }
        found.end(last, &file.text);
    }
    // Where one of its branches is not taken, an action prints nothing besides.
    if found.texts.iter().any(|text| !text.is_empty()) {
        found.texts.retain(|text| !text.is_empty());
    }
    found.name_objects(rendered, &objects);
    is_run.then_some(found)
}

impl Printed {
    /// Adds a text that is complete.
    fn end(&mut self, range: Option<Range<usize>>, text: &str) {
        let Some(text) = range.and_then(|range| text.get(range)) else { return };
        let mut end = text.len().min(LONGEST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text[..end].to_owned();
        if self.texts.len() < MOST_TEXTS && !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }

    fn name_objects(&mut self, rendered: &Rendered, objects: &BTreeSet<usize>) {
        for document in objects.iter().map(|index| &rendered.documents[*index]) {
            let head = &document.head;
            let is_work = matches!(&*head.kind, "Job" | "CronJob") || document.hook.is_some();
            match is_work {
                true => _ = self.jobs.insert(format!("{} `{}`", head.kind, head.name)),
                false => self.others += 1,
            }
        }
    }
}

/// The path in the values of the whole chart of fields that a template reads, such as `.Values.image` in the template
/// of a dependency; `None` for fields of anything else.
pub(super) fn value_path(
    rendering: &Rendering,
    path: &str,
    fields: &[String],
) -> Option<Vec<String>> {
    let (first, rest) = fields.split_first()?;
    let templates = &rendering.rendered.templates;
    let template = templates.iter().find(|template| template.file().path == path)?;
    let is_global = rest.first().is_some_and(|name| name == helm_render::values::GLOBAL);
    let mut parts = template.name.split('/').skip(1);
    let mut names = Vec::new();
    while let Some("charts") = parts.next() {
        names.extend(parts.next().filter(|_| !is_global).map(str::to_owned));
    }
    names.extend(rest.iter().cloned());
    (first == "Values" && !rest.is_empty()).then_some(names)
}
