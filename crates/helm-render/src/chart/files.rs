//! Building a chart from a list of files. Helm `pkg/chart/v2/loader/load.go`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock},
};

use yaml_spans::{Location, Source};

use super::{
    Chart, File, Metadata, ParsedValues,
    archive::{self, Unpacked},
    metadata::Invalid,
};
use crate::{
    Error, HelmVersion, Reason, decode::decode, documents::first_document,
    error::REFUSED_BY_HELM_4, template_cache::TemplateCache, values,
};

/// Limit for charts nested in `charts/`.
const MAX_DEPTH: usize = 50;

/// Checks that the `apiVersion` in `Chart.yaml`, which is shown as `path`, is one that Helm 4 loads.
pub(super) fn check_version(path: &str, text: &[u8]) -> Result<(), Error> {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let text = String::from_utf8_lossy(text);
    let fail =
        |problem: String| Error::new(Reason::Chart, format!("cannot load Chart.yaml: {problem}"));
    let source = || Arc::new(Source::read_only(path, &*text));
    let root = first_document(&text).map_err(|problem| {
        let at = Location { source: source(), span: problem.span };
        fail(problem.go_text(&text)).at(Some(at))
    })?;
    let Some(root) = root else { return Ok(()) };
    let version = decode("loader.chartBase", &root, |from| from.string("apiVersion"));
    let problem = match &*version.map_err(fail)?.unwrap_or_default() {
        "" | "v1" | "v2" => return Ok(()),
        "v3" => REFUSED_BY_HELM_4[0],
        _ => REFUSED_BY_HELM_4[1],
    };
    let span = root.get("apiVersion").map_or(root.span, |version| version.span);
    Err(Error::new(Reason::Chart, problem).at(Some(Location { source: source(), span })))
}

/// Builds the chart at `folder`, its path below the root chart.
pub(super) fn assemble(
    files: Vec<File>,
    folder: &str,
    version: HelmVersion,
    unpacked: &mut Unpacked,
) -> Result<Chart, Error> {
    let mut parts = ChartParts { version, ..ChartParts::default() };
    if let Some(file) = files.iter().find(|file| &*file.name == "Chart.yaml") {
        parts.read_chart(file)?;
    }
    for file in files {
        parts.add(file)?;
    }
    let Some(source) = parts.source else {
        return Err(Error::new(Reason::Chart, "Chart.yaml file is missing"));
    };
    parts.metadata.validate().map_err(|Invalid { problem, at }| {
        let own = || (source.clone(), parts.metadata.place_of(&problem));
        let (source, span) = at.unwrap_or_else(own);
        let at = Location { source, span };
        Error::new(Reason::Chart, format!("validation: {problem}")).at(Some(at))
    })?;
    let name = parts.metadata.name.clone();
    let mut dependencies = Vec::new();
    for (entry, files) in parts.charts {
        if let Some(chart) = sub_chart(&name, (&entry, files), folder, version, unpacked)? {
            dependencies.push(Arc::new(chart));
        }
    }
    Ok(Chart {
        metadata: parts.metadata,
        chart_yaml: source,
        values: parts.values,
        values_documents: Mutex::new(parts.values_documents),
        schema: parts.schema,
        templates: parts.templates,
        files: parts.files,
        dependencies,
        folder: folder.to_owned(),
        warnings: parts.warnings,
        lfs_pointers: Vec::new(),
        cache: OnceLock::new(),
        last_templates: TemplateCache::default(),
    })
}

#[derive(Default)]
struct ChartParts {
    version: HelmVersion,
    metadata: Metadata,
    /// `Chart.yaml`, or `requirements.yaml` if there is no `Chart.yaml`.
    source: Option<Arc<Source>>,
    values: values::Table,
    values_documents: Option<ParsedValues>,
    schema: Option<File>,
    templates: Vec<File>,
    files: Vec<File>,
    /// The files below `charts/`, by the first component of their path there.
    charts: BTreeMap<String, Vec<File>>,
    warnings: Vec<String>,
}

impl ChartParts {
    fn read_chart(&mut self, file: &File) -> Result<(), Error> {
        self.decode_metadata(file)?;
        if self.metadata.api_version.is_empty() {
            self.metadata.api_version = "v1".into();
        }
        Ok(())
    }

    fn decode_metadata(&mut self, file: &File) -> Result<(), Error> {
        let source = file.source();
        let prefix = format!("cannot load {}", file.name);
        let fail = |problem: String, span| {
            let at = Location { source: source.clone(), span };
            Error::new(Reason::Chart, problem).prefixed(&prefix).at(Some(at))
        };
        let root = first_document(&source.text)
            .map_err(|problem| fail(problem.go_text(&source.text), problem.span))?;
        if let Some(root) = root {
            let decoded = self.metadata.decode(&source, &root);
            decoded.map_err(|problem| fail(problem, root.span))?;
        }
        self.source.get_or_insert(source);
        Ok(())
    }

    fn add(&mut self, file: File) -> Result<(), Error> {
        let is_first_version = |parts: &Self| parts.metadata.api_version == "v1";
        match &*file.name {
            "Chart.yaml" => {}
            "Chart.lock" => check_lock(&file)?,
            "values.yaml" => self.read_values(&file)?,
            "values.schema.json" => self.schema = Some(file),
            "requirements.yaml" => {
                if !is_first_version(self) {
                    self.warn(REQUIREMENTS);
                }
                self.decode_metadata(&file)?;
                if is_first_version(self) {
                    self.files.push(file);
                }
            }
            "requirements.lock" => {
                check_lock(&file)?;
                match is_first_version(self) {
                    true => self.files.push(file),
                    false => self.warn(LOCK),
                }
            }
            name if name.starts_with("templates/") => self.templates.push(file),
            name => match name.strip_prefix("charts/") {
                Some(below) if !below.ends_with(".prov") => {
                    let entry = below.split('/').next().unwrap_or(below).to_owned();
                    let below = below.to_owned();
                    self.charts.entry(entry).or_default().push(file.renamed(&below));
                }
                _ => self.files.push(file),
            },
        }
        Ok(())
    }

    fn read_values(&mut self, file: &File) -> Result<(), Error> {
        let source = file.source();
        let read = values::read_documents(&source, self.version).map_err(|invalid| {
            let at = Location { source: source.clone(), span: invalid.span };
            let message = format!("cannot load values.yaml: {invalid}");
            Error::new(Reason::Values, message).at(Some(at))
        });
        let (values, documents) = read?;
        self.values = values;
        // Helm 3 parses the first document alone.
        let is_whole = self.version == HelmVersion::V4;
        self.values_documents = is_whole.then_some((source, documents));
        Ok(())
    }

    fn warn(&mut self, warning: &str) {
        self.warnings.push(warning.to_owned());
    }
}

const REQUIREMENTS: &str = "Warning: Dependencies are handled in Chart.yaml since apiVersion \"v2\". \
    We recommend migrating dependencies to Chart.yaml.";
const LOCK: &str = "Warning: Dependency locking is handled in Chart.lock since apiVersion \"v2\". \
    We recommend migrating to Chart.lock.";

/// Checks a lock file: Helm parses it and uses nothing from it.
fn check_lock(file: &File) -> Result<(), Error> {
    let source = file.source();
    let problem = match first_document(&source.text) {
        Err(problem) => problem.go_text(&source.text),
        Ok(Some(root)) => {
            let read = |from: &mut crate::decode::Decoder<'_, '_>| from.string("digest");
            match decode("chart.Lock", &root, read) {
                Err(problem) => problem,
                Ok(_) => return Ok(()),
            }
        }
        Ok(None) => return Ok(()),
    };
    Err(Error::new(Reason::Chart, format!("cannot load {}: {problem}", file.name)))
}

/// The chart at an entry of `charts/`, a directory or an archive; `None` for an entry that Helm
/// skips.
fn sub_chart(
    parent: &str,
    (entry, mut files): (&str, Vec<File>),
    folder: &str,
    version: HelmVersion,
    unpacked: &mut Unpacked,
) -> Result<Option<Chart>, Error> {
    if entry.starts_with(['_', '.']) {
        return Ok(None);
    }
    let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let below = format!("{below}charts/{entry}");
    if below.matches("charts/").count() > MAX_DEPTH {
        return Err(Error::new(Reason::Chart, format!("charts are nested too deeply: {below}")));
    }
    let is_archive = entry.rsplit_once('.').is_some_and(|(_, extension)| extension == "tgz");
    let files = if is_archive {
        let file = files.swap_remove(0);
        if &*file.name != entry {
            let problem = format!("expected {entry}, got {}", file.name);
            let message = format!("error unpacking subchart tar in {parent}: {problem}");
            return Err(Error::new(Reason::Chart, message));
        }
        archive::read(&file.data, &file.path, version, unpacked)
    } else {
        let inside = |file: File| {
            let (_, name) = file.name.split_once('/').map(|(a, b)| (a.to_owned(), b.to_owned()))?;
            Some(file.renamed(&name))
        };
        Ok(files.into_iter().filter_map(inside).collect())
    };
    let prefix = format!("error unpacking subchart {entry} in {parent}");
    files
        .and_then(|files| assemble(files, &below, version, unpacked))
        .map(Some)
        .map_err(|error| error.prefixed(prefix))
}
