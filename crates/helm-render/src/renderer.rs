//! Rendering a chart, from its values to sorted manifests. Helm `pkg/engine/engine.go`,
//! `pkg/action/install.go`.

mod failure;
mod overrides;
mod registry;
mod stand_ins;
mod templates;
mod unchanged;

use std::{ops::Range, rc::Rc, sync::Arc};

use go_template::{
    Executor, Meter, MissingKey, Options, TextBuilder,
    provenance::{FileId, Position, Provenance, SpanMap},
};
pub use overrides::CurrentValues;
use registry::registry;
use unchanged::Unchanged;
use yaml_spans::{Location, Span};

use crate::{
    Error, HelmVersion, KubeVersion, Reason, RenderOptions,
    chart::Chart,
    context,
    dependencies::{ChartView, coalesce, process},
    documents::BadDocument,
    functions::{Host, has_no_value, without_no_value},
    guards::PLACEHOLDER,
    manifest_cache::{ManifestCache, ParsedManifest, most_values},
    manifests::{BadHead, Head, rank, split},
    options::Parsing,
    reads::Reads,
    rendered::{Document, InputLocations, NOTES, Rendered, RenderedFile, TemplateFile},
    schema,
    values::{Nulls, SharedTable},
};

/// Renders a chart as `helm template` does.
///
/// # Errors
///
/// Helm's message with its location; [`Error::reason`] tells the step that failed. With
/// [`RenderOptions::is_tolerant`], failing templates and invalid manifests are in
/// [`Rendered::failures`] instead.
pub fn render(chart: &Arc<Chart>, options: &RenderOptions) -> Result<Rendered, Error> {
    render_from(options.known.as_deref(), chart, options)
}

/// Renders a chart, except for the templates of a known render that read nothing which is different now.
fn render_from(
    known: Option<&Rendered>,
    chart: &Arc<Chart>,
    options: &RenderOptions,
) -> Result<Rendered, Error> {
    options.budget.spend(0, 0)?;
    let mut missing = check(chart, options)?;
    let view = ChartView::new(chart, &options.budget);
    let values = values(&view, options).map_err(|error| or_limit(options, error))?;
    view.retain_enabled(&mut missing);
    let kube = options.kube_version.clone().unwrap_or_else(KubeVersion::of_helm);
    check_kube_version(chart, &kube)?;
    let parsed = templates::parse(&view, options.version)?;
    let mut reads = unchanged::reads(options, &view);
    let known = known.filter(|known| !unchanged::has_outgrown(known));
    let known = known.filter(|known| unchanged::is_alike(known, &parsed, &reads));
    let mut provenance = known.map(|known| known.provenance.clone()).unwrap_or_default();
    let context = context::Context::new(&mut provenance.inputs, &view, &values, &kube, options);
    let context::Context { charts, locations, values, files } = context;
    reads.values = values;
    let now = (&reads, &provenance.inputs);
    let unchanged = known.map(|known| Unchanged::of(known, &parsed, now));
    let mut render = RenderState {
        options,
        templates: parsed.files.clone(),
        files: Vec::new(),
        dropped: Vec::new(),
        failures: Vec::new(),
        failed: Vec::new(),
        writers: Vec::new(),
        notes: None,
        reads,
    };
    let mut warnings = warnings(chart, options.version);
    let provenance = render.execute(&parsed, &charts, (unchanged, provenance), &view);
    let is_new = |writer| known.is_some_and(|known| !known.writers.contains(writer));
    if render.writers.iter().any(is_new) {
        // What it writes, templates read that were taken from the known render.
        return render_from(None, chart, options);
    }
    let provenance = provenance?;
    let is_unparsed = !render.is_parsed();
    let documents = match is_unparsed {
        true => render.unparsed(),
        false => render.documents(&chart.cache().manifests, &mut warnings, &provenance)?,
    };
    Ok(Rendered {
        documents,
        first_size: known.map_or(provenance.size(), |known| known.first_size),
        crds: crds(&view),
        missing,
        warnings,
        provenance,
        input_locations: InputLocations::new(locations, files),
        dropped: render.dropped,
        failures: render.failures,
        failed: render.failed,
        writers: render.writers,
        files: render.files,
        templates: render.templates,
        parsed: parsed.set,
        notes: render.notes,
        is_unparsed,
        reads: render.reads,
    })
}

/// Checks what must hold before rendering. Returns the missing dependencies.
fn check(chart: &Chart, options: &RenderOptions) -> Result<Vec<String>, Error> {
    let kind = &chart.metadata.kind;
    if !matches!(&**kind, "" | "application") && !options.allows_library {
        let message = format!("{kind} charts are not installable");
        return Err(Error::new(Reason::Chart, message));
    }
    let missing: Vec<String> =
        chart.missing_dependencies().into_iter().map(str::to_owned).collect();
    if missing.is_empty() || options.allows_missing {
        return Ok(missing);
    }
    let (an, quote) = match options.version {
        HelmVersion::V3 => ("An", '`'),
        HelmVersion::V4 => ("an", '\''),
    };
    let message = format!(
        "{an} error occurred while checking for chart dependencies. You may need to run {quote}helm \
         dependency build{quote} to fetch missing dependencies: found in Chart.yaml, but missing in \
         charts/ directory: {}",
        missing.join(", ")
    );
    Err(Error::new(Reason::Dependencies, message).at(chart.declares(&missing[0])))
}

/// Resolves dependencies and merges all values.
fn values(view: &Rc<ChartView>, options: &RenderOptions) -> Result<SharedTable, Error> {
    let version = options.version;
    let mut user = options.values.clone();
    overrides::set_all(&mut user, &view.chart, options)?;
    process(view, &user, version).map_err(|problem| {
        Error::new(Reason::Values, problem).prefixed("chart dependencies processing failed")
    })?;
    let values = SharedTable::of(&user);
    coalesce(view, &values, Nulls::Remove, version)
        .map_err(|problem| Error::new(Reason::Values, problem))?;
    values.charge(&mut Meter::new(&options.budget))?;
    if !options.skips_schema {
        schema::validate(view, &values, &options.budget)?;
    }
    Ok(values)
}

/// The limit that was exceeded, or else the error.
fn or_limit(options: &RenderOptions, error: Error) -> Error {
    options.budget.exceeded().map_or(error, Error::from)
}

fn check_kube_version(chart: &Chart, kube: &KubeVersion) -> Result<(), Error> {
    let constraint = &chart.metadata.kube_version;
    if chart.accepts(kube) {
        return Ok(());
    }
    let version = &kube.version;
    let message = format!(
        "chart requires kubeVersion: {constraint} which is incompatible with Kubernetes {version}"
    );
    let span = chart.metadata.span_of("kubeVersion").unwrap_or_default();
    let at = Location { source: chart.chart_yaml.clone(), span };
    Err(Error::new(Reason::KubeVersion, message).at(Some(at)))
}

fn warnings(chart: &Chart, version: HelmVersion) -> Vec<String> {
    let mut warnings = chart.warnings.clone();
    if chart.metadata.deprecated {
        let warning = match version {
            HelmVersion::V3 => "This chart is deprecated",
            HelmVersion::V4 => "this chart is deprecated",
        };
        warnings.push(warning.into());
    }
    warnings
}

/// The files in `crds/` of all charts, with their paths.
fn crds(view: &ChartView) -> Vec<(String, Arc<[u8]>)> {
    let is_manifest = |name: &str| {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        ["yaml", "yml", "json"].iter().any(|known| known.eq_ignore_ascii_case(extension))
    };
    let own = view.chart.files.iter().filter(|file| file.name.starts_with("crds/"));
    let own = own.filter(|file| is_manifest(&file.name));
    let mut crds: Vec<_> =
        own.map(|file| (format!("{}/{}", view.path(), file.name), file.data.clone())).collect();
    for sub in view.dependencies().iter() {
        crds.extend(self::crds(sub));
    }
    crds
}

struct RenderState<'o> {
    options: &'o RenderOptions,
    templates: Vec<TemplateFile>,
    files: Vec<RenderedFile>,
    dropped: Vec<Document>,
    failures: Vec<Error>,
    failed: Vec<FileId>,
    writers: Vec<FileId>,
    notes: Option<String>,
    reads: Reads,
}

impl RenderState<'_> {
    /// Executes the selected templates that are not partials.
    fn execute(
        &mut self,
        parsed: &templates::ParsedTemplates,
        charts: &context::Charts,
        (mut known, provenance): (Option<Unchanged<'_>>, Provenance),
        view: &ChartView,
    ) -> Result<Provenance, Error> {
        let options = self.options;
        let functions = registry(options.version);
        let manifests = view.chart.cache().manifests.clone();
        let absent = (options.is_lint && view.chart.lacks_dependencies()).then_some(PLACEHOLDER);
        let limits = Options { absent, ..limits(options) };
        let host = host(options, manifests);
        let mut executor = Executor::new(&parsed.set, functions, limits, provenance, host);
        executor.tracker.name_files(parsed.files.iter().map(|file| &*file.name));
        let notes = format!("{}/templates/{NOTES}", view.name());
        let mut failures = Vec::new();
        for (number, template) in parsed.files.iter().enumerate() {
            let id = FileId(number as u32);
            let is_wanted = options.only.as_ref().is_none_or(|only| only.contains(&template.name));
            if template.is_partial() || !is_wanted {
                continue;
            }
            let unchanged =
                known.as_mut().and_then(|known| known.template(id, executor.tracker.inputs()));
            if let Some((read, file)) = unchanged {
                self.reads.add(id, read.clone());
                self.files.extend(file.cloned());
                continue;
            }
            let (context, conditions) = charts.of_template(&template.name, options.version);
            executor.tracker.execute_under(conditions);
            let text = executor.execute(&template.name, &context);
            if executor.has_written() {
                self.writers.push(id);
            }
            let text = match text {
                Ok(text) => text,
                Err(error) => {
                    failures.push(error);
                    self.failed.push(id);
                    if options.is_tolerant && options.budget.exceeded().is_none() {
                        continue;
                    }
                    break;
                }
            };
            let text = match has_no_value(text.as_bytes()) {
                true => without_no_value(&mut executor, &text.finish()),
                false => text,
            };
            if let Some(read) = executor.take_read() {
                self.reads.add(id, Arc::new(read));
            }
            self.keep(id, text, &notes);
        }
        let provenance = executor.into_provenance();
        if let Some(limit) = options.budget.exceeded() {
            let locate = |position| failure::locate(&self.templates, &provenance, position);
            let at = failures.last().and_then(|error| failure::innermost(error));
            return Err(Error::from(limit).at(at.map(locate)));
        }
        let failed = self.failed.clone();
        for (error, template) in failures.iter().zip(failed) {
            let mut error = failure::execution(error, options.version, |position| {
                failure::locate(&self.templates, &provenance, position)
            });
            error.template = self.independent(template);
            self.fail(error)?;
        }
        Ok(provenance)
    }

    /// The name of a template, unless what it does may depend on others.
    fn independent(&self, template: FileId) -> Option<Arc<str>> {
        self.writers.is_empty().then(|| self.templates[template.0 as usize].name.clone())
    }

    /// Keeps the error of a tolerant render; stops other renders with it.
    fn fail(&mut self, error: Error) -> Result<(), Error> {
        if !self.options.is_tolerant {
            return Err(error);
        }
        self.failures.push(error);
        Ok(())
    }

    /// Keeps the output of a template. `NOTES.txt` of any chart is not a manifest.
    fn keep(&mut self, template: FileId, text: TextBuilder, notes: &str) {
        let name = &self.templates[template.0 as usize].name;
        let (bytes, spans) = text.into_parts();
        if name.ends_with(NOTES) {
            if **name == *notes {
                self.notes = Some(String::from_utf8_lossy(&bytes).into_owned());
            }
            return;
        }
        // Output that is not UTF-8 is not YAML either; its error needs no spans.
        let (text, spans) = match String::from_utf8(bytes) {
            Ok(text) => (text, spans),
            Err(bad) => (String::from_utf8_lossy(bad.as_bytes()).into_owned(), SpanMap::new()),
        };
        if !text.trim().is_empty() {
            self.files.push(RenderedFile { template, text, spans });
        }
    }

    /// Splits and sorts the output: manifests, then hooks.
    fn documents(
        &mut self,
        cache: &ManifestCache,
        warnings: &mut Vec<String>,
        provenance: &Provenance,
    ) -> Result<Vec<Document>, Error> {
        let version = self.options.version;
        let values: usize = self.files.iter().map(|file| most_values(&file.text)).sum();
        self.options.budget.check_values(values as u64)?;
        if self.options.is_lint {
            self.free_stand_ins(cache);
        }
        let (mut manifests, mut hooks) = (Vec::new(), Vec::new());
        let mut failures = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            for range in split(&file.text, version) {
                let parsed = cache.parsed(&file.text[range.clone()]);
                let head = match Head::of(&parsed, version) {
                    Ok(head) => head,
                    Err(problem) => {
                        let error = self.bad_manifest(file, range.clone(), problem, provenance);
                        if !self.options.is_tolerant {
                            return Err(error);
                        }
                        failures.push(error);
                        self.failed.push(file.template);
                        continue;
                    }
                };
                let mut document = Document { file: number, range, head, hook: None, parsed };
                match document.head.hook() {
                    None => manifests.push(document),
                    Some(Err(events)) => {
                        warnings.push(format!("skipping unknown hooks: {events:?}"));
                        self.dropped.push(document);
                    }
                    Some(Ok(hook)) => {
                        document.hook = Some(hook);
                        hooks.push(document);
                    }
                }
            }
        }
        for documents in [&mut manifests, &mut hooks] {
            documents.sort_by(|a, b| rank(&a.head.kind, version).cmp(&rank(&b.head.kind, version)));
        }
        manifests.append(&mut hooks);
        self.failures.append(&mut failures);
        Ok(manifests)
    }

    /// Turns stand-ins for absent templates into comments where a manifest does not parse with them, and does without.
    fn free_stand_ins(&mut self, cache: &ManifestCache) {
        let version = self.options.version;
        let parses = |text: &str| Head::of(&cache.parsed(text), version).is_ok();
        for file in self.files.iter_mut().filter(|file| file.text.contains(PLACEHOLDER)) {
            for range in split(&file.text, version) {
                let text = &file.text[range.clone()];
                if parses(text) {
                    continue;
                }
                // A map, such as the annotations, may consist of one.
                let freed = [false, true].map(|all| stand_ins::commented(text, all));
                if let Some(freed) = freed.into_iter().flatten().find(|freed| parses(freed)) {
                    file.text.replace_range(range, &freed);
                }
            }
        }
    }

    /// Sorts the output by the names of the templates. Whether the manifests in it are to be parsed.
    fn is_parsed(&mut self) -> bool {
        let templates = &self.templates;
        self.files.sort_by(|a, b| {
            let name = |file: &RenderedFile| &templates[file.template.0 as usize].name;
            name(a).cmp(name(b))
        });
        match self.options.parsing {
            Parsing::All => true,
            Parsing::If(holds) => self.files.iter().any(|file| holds(&file.text)),
            Parsing::None => false,
        }
    }

    /// The manifests as they are written.
    fn unparsed(&self) -> Vec<Document> {
        let document = |file, range| {
            let (head, hook, parsed) = (Head::default(), None, ParsedManifest::default());
            Document { file, range, head, hook, parsed }
        };
        let files = self.files.iter().enumerate();
        let split = |(number, file): (usize, &RenderedFile)| {
            let ranges = split(&file.text, self.options.version);
            ranges.into_iter().map(move |range| document(number, range))
        };
        files.flat_map(split).collect()
    }

    fn bad_manifest(
        &self,
        file: &RenderedFile,
        range: Range<usize>,
        problem: BadHead,
        provenance: &Provenance,
    ) -> Error {
        let name = &self.templates[file.template.0 as usize].name;
        let (span, problem) = match problem {
            BadHead::Syntax(problem) => {
                let text = &file.text[range.clone()];
                (problem.span, BadDocument::go_text(&problem, text))
            }
            BadHead::Type(problem) => (Span::default(), problem),
        };
        let from = range.start + span.start as usize;
        let traced = file.spans.trace(provenance, from..from + 1);
        let known = |at: &&Position| (at.file.0 as usize) < self.templates.len();
        let written = traced.iter().flat_map(|span| &span.chain).find(known);
        let at = written.map(|at| failure::locate(&self.templates, provenance, *at));
        let message = format!("YAML parse error on {name}: {problem}");
        // What `printf` makes of nil, and `image: shop:` without a tag.
        let line = file.text[..from].rfind('\n').map_or(0, |end| end + 1);
        let line = file.text[line..].lines().next().unwrap_or_default().trim();
        let lacks_end = line.strip_suffix(':').is_some_and(|start| start.contains(": "));
        // What `toYaml` makes of a value that each user states: `volume: {}`.
        let inputs = &provenance.inputs;
        let mut data = traced.iter().flat_map(|span| inputs.members(span.data));
        let is_empty = matches!(line, "{}" | "[]" | "null")
            && data.any(|input| inputs.path(input).starts_with("Values."));
        let is_unset = lacks_end || is_empty || file.text[range].contains("(<nil>)");
        let reason = if is_unset { Reason::Unset } else { Reason::Manifest };
        let template = self.independent(file.template);
        Error { template, ..Error::new(reason, message).at(at) }
    }
}

fn limits(options: &RenderOptions) -> Options {
    Options {
        missing_key: MissingKey::Zero,
        provenance: options.provenance,
        max_stack: options.max_stack,
        budget: options.budget.clone(),
        ..Options::default()
    }
}

fn host(options: &RenderOptions, manifests: ManifestCache) -> Host {
    let mut host = Host::default();
    host.manifests = manifests;
    (host.seed, host.now) = (options.seed, options.now);
    (host.is_lint, host.honours_fail) = (options.is_lint, options.honours_fail);
    host.trusts_files = options.trusts_files;
    host
}

/// The part of a path after the last slash.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
