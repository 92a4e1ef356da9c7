//! Renders the charts of `helmCharts` for a build.

use std::{collections::BTreeMap, ops::Range, path::PathBuf, sync::Arc};

use go_template::provenance::{InputSet, Span as Traced};
use helm_render::{
    self as helm, Chart, Error, HelmVersion, KubeVersion, Printed, Reason, Release, RenderOptions,
    Rendered, Selection,
    values::{Setting, Table, Tree, collect_texts, override_tables},
};
use kustomize_build::{
    ChartData, ChartError, ChartRelease, ChartValue, ChartValues, Charts, Memory, RenderedChart,
};
use yaml_spans::{Location, Value};

use crate::{
    chart::{self, Loaders, Texts, limits},
    redact::Redactor,
    settings::Values,
    unit::Boundary,
};

/// The version of Helm that kustomize calls, if that renders the chart.
const VERSION: HelmVersion = HelmVersion::V4;

/// The release of a chart without `releaseName`: `helm template --generate-name`, which kustomize calls, generates none.
const UNNAMED: &str = "release-name";

/// The charts of a repository.
#[derive(Debug)]
pub(crate) struct HelmCharts {
    files: ChartFiles,
    /// Contents that replace files, or add some.
    texts: BTreeMap<PathBuf, Vec<u8>>,
}

/// Where the files of charts are.
#[derive(Debug)]
pub(super) enum ChartFiles {
    Disk(Boundary),
    Memory(Memory),
}

impl HelmCharts {
    /// The charts on this machine within a boundary.
    pub(crate) fn on_disk(boundary: Boundary) -> Self {
        Self::new(ChartFiles::Disk(boundary), BTreeMap::new())
    }

    pub(super) fn new(files: ChartFiles, texts: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        Self { files, texts }
    }

    fn chart(&self, release: &ChartRelease) -> Result<Arc<Chart>, Error> {
        let (folder, shown) = (&release.folder, &release.shown);
        let name = |path: &std::path::Path| path.to_string_lossy().replace('\\', "/");
        let replaced = self
            .texts
            .iter()
            .filter_map(|(path, text)| Some((name(path.strip_prefix(folder).ok()?), text.clone())));
        let (texts, boundary): (Vec<_>, _) = match &self.files {
            ChartFiles::Disk(boundary) => (replaced.collect(), boundary.clone()),
            ChartFiles::Memory(memory) => {
                let all = memory.below(folder).map(|(path, text)| (name(path), text.to_vec()));
                let texts: BTreeMap<_, _> = all.chain(replaced).collect();
                (texts.into_iter().collect(), Boundary::around([]))
            }
        };
        // Nothing states which Helm kustomize finds.
        let load =
            |texts: &Texts, version| Chart::load_within(folder, shown, texts, version, &boundary);
        let read = |name: &str| boundary.read(&folder.join(name)).ok();
        let (chart, _) = chart::load_by(&load, &read, &texts, Loaders::Any)?;
        Ok(chart)
    }

    fn rendered(&self, release: &ChartRelease) -> Result<(Rendered, Printed), Error> {
        let chart = self.chart(release)?;
        let mut options = options(release)?;
        options.budget = limits::of_run(&chart, &limits::pool(1));
        options.release.check_name(VERSION)?;
        let rendered = helm::render(&chart, &options)
            .map_err(|error| without_secrets(error, &chart, &options.values))?;
        let selection = Selection {
            include_crds: release.include_crds,
            skip_tests: release.skip_tests,
            no_hooks: release.skip_hooks,
            show_only: Vec::new(),
        };
        let printed = helm::print(&rendered, &selection, VERSION)?;
        Ok((rendered, printed))
    }
}

impl Charts for HelmCharts {
    fn render(&self, release: &ChartRelease) -> Result<RenderedChart, ChartError> {
        let made = chart::with_stack(|| self.rendered(release)).map_err(|error| ChartError {
            message: format!("cannot start a thread: {error}"),
            at: None,
            is_limit: true,
        })?;
        let (rendered, printed) = made.map_err(|error| ChartError {
            is_limit: matches!(error.reason, Reason::Limit(_)),
            message: error.to_string(),
            at: error.at,
        })?;
        let text = printed.text.clone();
        let places = Box::new(move |range| places(&rendered, &printed, range));
        Ok(RenderedChart { text, places })
    }
}

/// The error of a chart without the secrets among its values, which `fail` can print.
fn without_secrets(mut error: Error, chart: &Chart, values: &Table) -> Error {
    let mut secrets = chart::secrets::of_values(chart, &[], &Values::default());
    secrets.add_table(values);
    Redactor::default().with_values(secrets).hide(&mut error.message);
    error
}

fn options(release: &ChartRelease) -> Result<RenderOptions, Error> {
    let mut values = Table::new();
    for layer in &release.values {
        let table = match layer {
            ChartValues::File(source) => collect_texts(std::slice::from_ref(source), &[], VERSION)?,
            ChartValues::Merged(merged) => match setting(merged).value {
                Tree::Table(table) => table,
                _ => Table::new(),
            },
        };
        values = override_tables(values, table);
    }
    let default = RenderOptions::default();
    let kube_version = Some(&release.kube_version).filter(|text| !text.is_empty());
    let namespace = Some(&release.namespace).filter(|text| !text.is_empty());
    Ok(RenderOptions {
        version: VERSION,
        release: Release {
            name: release.name.clone().unwrap_or_else(|| UNNAMED.to_owned()),
            namespace: namespace.unwrap_or(&default.release.namespace).clone(),
            ..default.release
        },
        values,
        kube_version: kube_version.map(|text| KubeVersion::parse(text, VERSION)).transpose()?,
        api_versions: release.api_versions.clone(),
        max_stack: chart::MAX_STACK,
        ..default
    })
}

fn setting(value: &ChartValue) -> Setting {
    let tree = match &value.data {
        ChartData::Map(entries) => {
            Tree::Table(entries.iter().map(|(key, value)| (key.clone(), setting(value))).collect())
        }
        ChartData::List(items) => Tree::List(items.iter().map(setting).collect()),
        ChartData::Scalar(scalar) => match scalar {
            Value::Bool(flag) => Tree::Bool(*flag),
            Value::Int(number) => Tree::Float(*number as f64),
            Value::Uint(number) => Tree::Float(*number as f64),
            Value::Float(number) => Tree::Float(*number),
            Value::Str(text) => Tree::Str(text.clone()),
            Value::Null | Value::Seq(_) | Value::Map(_) => Tree::Null,
        },
    };
    Setting::new(tree, value.at.clone())
}

/// The texts that a range of the output comes from: the templates, then the values in it, then those that control it.
fn places(rendered: &Rendered, printed: &Printed, range: Range<usize>) -> Vec<Location> {
    let spans = spans(rendered, printed, range);
    let mut places: Vec<Location> = Vec::new();
    let mut add = |at: Location| {
        let is_same = |own: &Location| Arc::ptr_eq(&own.source, &at.source) && own.span == at.span;
        if !places.iter().any(is_same) {
            places.push(at);
        }
    };
    let known = |file: u32| (file as usize) < rendered.templates.len();
    for span in &spans {
        let outer = span.chain.iter().rev().find(|position| known(position.file.0));
        outer.into_iter().for_each(|position| add(rendered.locate(*position)));
    }
    let sets: [fn(&Traced) -> InputSet; 2] = [|span| span.data, |span| span.control];
    for set in sets {
        for span in &spans {
            let members = rendered.provenance.inputs.members(set(span));
            members.into_iter().filter_map(|input| rendered.origin_of(input)).for_each(&mut add);
        }
    }
    for span in &spans {
        let inner = span.chain.iter().filter(|position| known(position.file.0));
        inner.for_each(|position| add(rendered.locate(*position)));
    }
    places
}

/// The spans of the templates that print a range.
fn spans(rendered: &Rendered, printed: &Printed, range: Range<usize>) -> Vec<Traced> {
    let first = printed.parts.partition_point(|part| part.range.end <= range.start);
    let touched = printed.parts[first..].iter().take_while(|part| part.range.start < range.end);
    let of_part = |part: &helm::PrintedPart| {
        let (start, end) = (part.range.start.max(range.start), part.range.end.min(range.end));
        let from = part.offset + (start - part.range.start);
        rendered.trace(&rendered.documents[part.document], from..from + (end - start))
    };
    let mut spans: Vec<_> = touched.flat_map(of_part).collect();
    if spans.iter().any(|span| !span.range.is_empty()) {
        spans.retain(|span| !span.range.is_empty());
    }
    spans
}
