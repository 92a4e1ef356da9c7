//! The result of a render.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use foldhash::HashMap;

use super::Error;
use super::chart::{Chart, File};
use super::manifests::{Head, Hook};
use go_template::provenance::{FileId, Input, Position, Provenance, Span as Traced, SpanMap};
use yaml_spans::{Location, Source, Span};

/// What a chart renders to, and where all of it comes from.
#[derive(Debug)]
pub struct Rendered {
    /// The manifests, then the hooks, each in the order Helm prints them.
    pub documents: Vec<Document>,
    /// Manifests that Helm drops in silence: hooks for events it does not know.
    pub dropped: Vec<Document>,
    /// What did not render, of a tolerant render.
    pub failures: Vec<Error>,
    /// What each template printed, by path; empty ones and partials are left out.
    pub files: Vec<RenderedFile>,
    /// The templates, by [`FileId`].
    pub templates: Vec<TemplateFile>,
    /// The templates that may have changed what those executed after them see.
    pub writers: Vec<FileId>,
    /// Custom resource definitions, which are no templates: path and content.
    pub crds: Vec<(String, Arc<[u8]>)>,
    /// What the chart's own `NOTES.txt` printed.
    pub notes: Option<String>,
    /// Dependencies that are declared but not in `charts/`.
    pub missing: Vec<String>,
    /// What Helm logs.
    pub warnings: Vec<String>,
    pub provenance: Provenance,
    pub origins: Origins,
}

/// One manifest: a range of what a template printed.
#[derive(Clone, Debug)]
pub struct Document {
    /// Index in [`Rendered::files`].
    pub file: usize,
    pub range: Range<usize>,
    pub head: Head,
    pub hook: Option<Hook>,
}

/// What a template printed.
#[derive(Debug)]
pub struct RenderedFile {
    pub template: FileId,
    pub text: String,
    pub spans: SpanMap,
}

/// A template of the chart or one of its dependencies.
#[derive(Clone, Debug)]
pub struct TemplateFile {
    /// As in `# Source:`, under the names and aliases of the charts.
    pub name: Arc<str>,
    /// The chart it belongs to.
    pub chart: Arc<Chart>,
    /// Index in [`Chart::templates`].
    pub(super) number: usize,
}

impl TemplateFile {
    /// The file in the chart.
    pub fn file(&self) -> &File {
        &self.chart.templates[self.number]
    }

    pub fn source(&self) -> Arc<Source> {
        self.file().source()
    }
}

/// The places that set the inputs.
#[derive(Debug, Default)]
pub struct Origins {
    places: Vec<(Input, Location)>,
    index: OnceLock<HashMap<Input, usize>>,
    /// The inputs of files: index in [`Chart::files`].
    files: HashMap<Input, (Arc<Chart>, usize)>,
}

impl Origins {
    pub(super) fn new(
        places: Vec<(Input, Location)>,
        files: HashMap<Input, (Arc<Chart>, usize)>,
    ) -> Self {
        Self { places, index: OnceLock::new(), files }
    }

    /// Where exactly this input is set.
    pub fn find(&self, input: Input) -> Option<Location> {
        if let Some((chart, number)) = self.files.get(&input) {
            let source = chart.files[*number].source();
            return Some(Location { source, span: Span::default() });
        }
        let index = self.index.get_or_init(|| {
            // What was labelled first is nearest to the root.
            let places = self.places.iter().enumerate().rev();
            places.map(|(number, (input, _))| (*input, number)).collect()
        });
        index.get(&input).map(|number| self.places[*number].1.clone())
    }
}

impl Rendered {
    pub fn text(&self, document: &Document) -> &str {
        &self.files[document.file].text[document.range.clone()]
    }

    /// The path after `# Source:`.
    pub fn path(&self, document: &Document) -> &str {
        &self.template(document).name
    }

    pub fn template(&self, document: &Document) -> &TemplateFile {
        &self.templates[self.files[document.file].template.0 as usize]
    }

    /// Where the bytes of a document come from; `range` counts from its start.
    pub fn trace(&self, document: &Document, range: Range<usize>) -> Vec<Traced> {
        let start = document.range.start;
        let spans = &self.files[document.file].spans;
        spans.trace(&self.provenance, start + range.start..start + range.end)
    }

    /// The place of a template position in its file, or in the text that `tpl` was given.
    pub fn locate(&self, position: Position) -> Location {
        let span = Span { start: position.start, end: position.end };
        let Some(template) = self.templates.get(position.file.0 as usize) else {
            let (name, text) = self.provenance.positions.text(position.file).unwrap_or_default();
            let text = String::from_utf8_lossy(text).into_owned();
            return Location { source: Arc::new(Source::read_only(name, text)), span };
        };
        Location { source: template.source(), span }
    }

    /// The place that sets an input: its own, or that of the value it is part of.
    pub fn origin_of(&self, input: Input) -> Option<Location> {
        let mut next = Some(input);
        while let Some(input) = next {
            if let Some(location) = self.origins.find(input) {
                return Some(location);
            }
            next = self.provenance.inputs.step(input).0;
        }
        None
    }
}
