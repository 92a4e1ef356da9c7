//! The result of a render.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use foldhash::HashMap;
use go_template::{
    TemplateSet,
    provenance::{FileId, Input, Position, Provenance, Span as Traced, SpanMap},
};
use yaml_spans::{Location, Source, Span};

use crate::{
    Error,
    chart::{Chart, File},
    manifest_cache::ParsedManifest,
    manifests::{Head, Hook},
    reads::Reads,
};

/// The output of a chart's templates and its provenance.
#[derive(Debug)]
pub struct Rendered {
    /// The manifests, then the hooks, each in the order Helm prints them.
    pub documents: Vec<Document>,
    /// Manifests that Helm silently drops: hooks with an unknown event.
    pub dropped: Vec<Document>,
    /// The errors of a tolerant render.
    pub failures: Vec<Error>,
    /// The templates that a tolerant render left out: they fail, or print an invalid manifest.
    pub failed: Vec<FileId>,
    /// The output of each template, sorted by name, without partials and empty output.
    pub files: Vec<RenderedFile>,
    /// All templates of the enabled charts, indexed by [`FileId`].
    pub templates: Vec<TemplateFile>,
    /// The parsed templates.
    pub(crate) parsed: Arc<TemplateSet>,
    /// How large the provenance of the first render was, of those from which this one took templates in turn.
    pub(crate) first_size: usize,
    /// The templates that modified data which later templates may read.
    pub writers: Vec<FileId>,
    /// Custom resource definitions, which are not templates: path and content.
    pub crds: Vec<(String, Arc<[u8]>)>,
    /// The output of the chart's own `NOTES.txt`.
    pub notes: Option<String>,
    /// Declared dependencies that the values enable and `charts/` does not contain.
    pub missing: Vec<String>,
    /// The warnings that Helm logs.
    pub warnings: Vec<String>,
    /// The inputs and positions that spans refer to.
    pub provenance: Provenance,
    pub(crate) input_locations: InputLocations,
    /// Whether the manifests are unparsed: see [`Parsing`](crate::Parsing).
    pub is_unparsed: bool,
    /// What other renders need to know to take templates from this one.
    pub(crate) reads: Reads,
}

/// One manifest: a range of a template's output.
#[derive(Clone, Debug)]
pub struct Document {
    /// Index in [`Rendered::files`].
    pub file: usize,
    /// The range in the text of the file, in bytes.
    pub range: Range<usize>,
    /// The fields that Helm reads.
    pub head: Head,
    /// The hook that the annotations declare, if any.
    pub hook: Option<Hook>,
    /// Its YAML.
    pub parsed: ParsedManifest,
}

/// The output of a template.
#[derive(Clone, Debug)]
pub struct RenderedFile {
    /// Index in [`Rendered::templates`].
    pub template: FileId,
    /// The output.
    pub text: String,
    /// The provenance of each byte of the output.
    pub spans: SpanMap,
}

/// A template of the chart or of one of its dependencies.
#[derive(Clone, Debug)]
pub struct TemplateFile {
    /// The name in `# Source:`, made of the names and aliases of charts.
    pub name: Arc<str>,
    /// The chart that contains it.
    pub chart: Arc<Chart>,
    /// Index in [`Chart::templates`].
    pub(crate) number: usize,
}

/// The name of the template that prints notes instead of manifests.
pub(crate) const NOTES: &str = "NOTES.txt";

impl TemplateFile {
    /// The file in the chart.
    pub fn file(&self) -> &File {
        &self.chart.templates[self.number]
    }

    /// The content of the file as text that locations point into.
    pub fn source(&self) -> Arc<Source> {
        self.file().source()
    }

    /// Whether the file only defines templates for others: its base name starts with `_`.
    pub(crate) fn is_partial(&self) -> bool {
        self.name.rsplit('/').next().is_some_and(|base| base.starts_with('_'))
    }
}

/// The locations that set the inputs.
#[derive(Debug, Default)]
pub(crate) struct InputLocations {
    locations: Vec<(Input, Location)>,
    index: OnceLock<HashMap<Input, usize>>,
    /// For the inputs of files, the index in [`Chart::files`].
    files: HashMap<Input, (Arc<Chart>, usize)>,
}

impl InputLocations {
    pub(crate) fn new(
        locations: Vec<(Input, Location)>,
        files: HashMap<Input, (Arc<Chart>, usize)>,
    ) -> Self {
        Self { locations, index: OnceLock::new(), files }
    }

    /// The location that sets exactly this input.
    fn find(&self, input: Input) -> Option<Location> {
        if let Some((chart, number)) = self.files.get(&input) {
            let source = chart.files[*number].source();
            return Some(Location { source, span: Span::default() });
        }
        let index = self.index.get_or_init(|| {
            // The first location recorded for an input is the one nearest to the root chart.
            let locations = self.locations.iter().enumerate().rev();
            locations.map(|(number, (input, _))| (*input, number)).collect()
        });
        index.get(&input).map(|number| self.locations[*number].1.clone())
    }
}

impl Rendered {
    /// The text of a document.
    pub fn text(&self, document: &Document) -> &str {
        &self.files[document.file].text[document.range.clone()]
    }

    /// The template's name after `# Source:`.
    pub fn path(&self, document: &Document) -> &str {
        &self.template(document).name
    }

    /// The template that printed a document.
    pub fn template(&self, document: &Document) -> &TemplateFile {
        &self.templates[self.files[document.file].template.0 as usize]
    }

    /// The provenance of a range of a document, counted in bytes from the document's start.
    pub fn trace(&self, document: &Document, range: Range<usize>) -> Vec<Traced> {
        let start = document.range.start;
        let spans = &self.files[document.file].spans;
        spans.trace(&self.provenance, start + range.start..start + range.end)
    }

    /// The location of a template position, in its file or in the text given to `tpl`.
    pub fn locate(&self, position: Position) -> Location {
        let span = Span { start: position.start, end: position.end };
        let Some(template) = self.templates.get(position.file.0 as usize) else {
            let (name, text) = self.provenance.positions.text(position.file).unwrap_or_default();
            let text = String::from_utf8_lossy(text).into_owned();
            return Location { source: Arc::new(Source::read_only(name, text)), span };
        };
        Location { source: template.source(), span }
    }

    /// The location that sets an input, or the nearest value that contains it; `None` for inputs
    /// such as the release's name that no file sets.
    pub fn origin_of(&self, input: Input) -> Option<Location> {
        let mut next = Some(input);
        while let Some(input) = next {
            if let Some(location) = self.input_locations.find(input) {
                return Some(location);
            }
            next = self.provenance.inputs.step(input).0;
        }
        None
    }
}
