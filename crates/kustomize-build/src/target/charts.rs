//! `helmCharts`, the deprecated `helmChartInflationGenerator`, and the generator plugin of that name.

use std::{path::Path, sync::Arc};

use yaml_spans::{Location, Source, Span};

use super::Target;
use crate::{
    Origin,
    accumulator::Accumulator,
    charts::{ChartRelease, ChartValue, ChartValues, Charts, RenderedChart},
    error::{Error, Reason, Result},
    files::clean,
    go::Text,
    merge,
    node::{Data, Node},
    origin::{Field, Part},
    provenance::Provenance,
    read::Input,
    resource::{ORIGIN, Resource},
    types::{HelmChart, HelmGlobals},
};

/// Where kustomize looks for charts.
const DEFAULT_HOME: &str = "charts";

impl Target<'_> {
    /// Inflates the charts of the kustomization.
    pub(super) fn inflate_charts(&self, built: &mut Accumulator) -> Result<()> {
        let k = self.kustomization();
        let charts = k.helm_charts.as_deref().unwrap_or_default();
        let globals = k.helm_globals.clone().unwrap_or_default();
        let own = &self.kustomization().namespace;
        let namespace = if own.is_empty() { &self.chart_namespace } else { own };
        for chart in charts {
            let mut chart = chart.clone();
            if chart.namespace.is_empty() {
                chart.namespace = namespace.clone();
            }
            self.inflate(built, &chart, &globals, self.note("HelmChartInflationGenerator"))?;
        }
        Ok(())
    }

    /// Inflates a chart.
    pub(super) fn inflate(
        &self,
        built: &mut Accumulator,
        chart: &HelmChart,
        globals: &HelmGlobals,
        note: Option<Provenance>,
    ) -> Result<()> {
        let at = chart.name.at.clone().or_else(|| Some(self.location()));
        let Some(charts) = self.loader.charts() else {
            let message = "trouble configuring builtin HelmChartInflationGenerator: must specify --enable-helm";
            return self.loader.skip(Error::new(Reason::Unsupported, message).at(at));
        };
        let home = if globals.chart_home.is_empty() { DEFAULT_HOME } else { &globals.chart_home };
        let resources = match self.inflated(chart, home, &*charts).map_err(|error| error.at(at)) {
            Err(error) if matches!(error.reason, Reason::Remote | Reason::Unsupported) => {
                return self.loader.skip(error);
            }
            resources => resources?,
        };
        for mut resource in resources {
            if let Some(note) = &note {
                resource.set_annotation(ORIGIN, note.text());
            }
            resource.history.is_from_helm = true;
            let merged = built.resources.absorb(resource);
            merged
                .map_err(|error| error.prefixed("merging from generator &{...}"))
                .or_else(|error| self.loader.skip_dependent(error))?;
        }
        Ok(())
    }

    fn inflated(
        &self,
        chart: &HelmChart,
        home: &str,
        charts: &dyn Charts,
    ) -> Result<Vec<Resource>> {
        if chart.name.is_empty() {
            return Err(Error::generator(
                "trouble configuring builtin HelmChartInflationGenerator: chart name cannot be empty",
            ));
        }
        if !chart.name_template.is_empty() {
            let message = "`nameTemplate` of a chart is not supported";
            let at = chart.name_template.at.clone();
            return Err(Error::new(Reason::Unsupported, message).at(at));
        }
        let folder = self.chart_folder(chart, home)?;
        let values = self.chart_values(chart, &folder)?;
        let texts = |list: &[Text]| list.iter().map(|text| text.to_string()).collect();
        let release = ChartRelease {
            shown: self.loader.shown(&folder),
            folder: clean(&self.loader.root().join(&folder)),
            name: Some(chart.release_name.to_string()).filter(|name| !name.is_empty()),
            namespace: chart.namespace.to_string(),
            values,
            api_versions: texts(&chart.api_versions),
            kube_version: chart.kube_version.to_string(),
            include_crds: chart.include_crds,
            skip_tests: chart.skip_tests,
            skip_hooks: chart.skip_hooks,
        };
        let rendered = charts.render(&release).map_err(|error| {
            let reason = if error.is_limit { Reason::Limit } else { Reason::Generator };
            Error::new(reason, error.message).at(error.at)
        })?;
        self.resources_of(&rendered, &release.shown, &chart.name)
    }

    /// The folder of a chart as a path of the kustomization. Charts that are not there are not pulled, and what brings one
    /// without `repo` before the build is elsewhere.
    fn chart_folder(&self, chart: &HelmChart, home: &str) -> Result<String> {
        let mut folder = Path::new(home).to_owned();
        if !chart.version.is_empty() && !chart.repo.is_empty() {
            folder.push(format!("{}-{}", &*chart.name, &*chart.version));
        }
        let folder = folder.join(&*chart.name).to_string_lossy().into_owned();
        if self.loader.is_folder(&folder) {
            return Ok(folder);
        }
        let (name, repo) = (&*chart.name, &*chart.repo);
        let (message, at) = match repo.is_empty() {
            true => ("no repo specified for pull, no chart found at ''".to_owned(), &chart.name.at),
            false => (format!("remote chart {name:?} of {repo:?} is not pulled"), &chart.repo.at),
        };
        Err(Error::new(Reason::Remote, message).at(at.clone()))
    }

    fn chart_values(&self, chart: &HelmChart, folder: &str) -> Result<Vec<ChartValues>> {
        let additional = chart.additional_values_files.iter().map(|path| {
            let source = self.loader.source(path).map_err(|error| {
                error.prefixed("could not load additionalValuesFile").at(path.at.clone())
            })?;
            Ok(ChartValues::File(source))
        });
        let additional = additional.collect::<Result<Vec<_>>>()?;
        let merges = match &*chart.values_merge {
            "" | "override" => Some(false),
            "merge" => Some(true),
            "replace" => None,
            _ => {
                let message = "trouble configuring builtin HelmChartInflationGenerator: valuesMerge must be one of [merge override replace]";
                return Err(Error::generator(message).at(chart.values_merge.at.clone()));
            }
        };
        let own = || {
            let default = format!("{folder}/values.yaml");
            let path = &chart.values_file;
            let file = if path.is_empty() { &default } else { &**path };
            self.loader.source(file).map_err(|error| error.at(path.at.clone()))
        };
        let inline = &chart.values_inline.0;
        let first = match (inline.is_empty(), merges) {
            (true, _) => ChartValues::File(own()?),
            (false, None) => ChartValues::Merged(ChartValue::of(inline)),
            (false, Some(file_wins)) => {
                let file = self.values_of(own()?)?;
                let (below, above) =
                    if file_wins { (inline.clone(), file) } else { (file, inline.clone()) };
                let schemas = self.loader.schemas().layers()?;
                let merged = merge::merge(below, above, &schemas);
                let merged = merged.map_err(|error| error.prefixed("could not merge values"))?;
                ChartValues::Merged(ChartValue::of(&merged.unwrap_or_else(Node::map)))
            }
        };
        Ok([vec![first], additional].concat())
    }

    /// The values of a file, as kyaml reads its first document.
    fn values_of(&self, source: Arc<Source>) -> Result<Node> {
        let text = source.text.clone();
        let (field, chain) = (Field::HelmCharts, self.chain.clone());
        let input = Input { text: &text, source, documents: None, inside: None, field, chain };
        let documents = input.documents();
        let documents =
            documents.map_err(|error| error.prefixed("could not parse values file into rnode"))?;
        Ok(documents.into_iter().next().unwrap_or_else(Node::map))
    }

    /// The resources of a chart, which point into its templates and values.
    fn resources_of(
        &self,
        rendered: &RenderedChart,
        shown: &str,
        name: &Text,
    ) -> Result<Vec<Resource>> {
        let chain = self.step(name);
        let source = Arc::new(Source::read_only(shown, rendered.text.clone()));
        let (field, text) = (Field::HelmCharts, &rendered.text);
        let own = chain.clone();
        let input = Input { text, source, documents: None, inside: None, field, chain: own };
        let mut resources =
            self.read_resources(&input).map_err(|error| Error { at: None, ..error })?;
        let place = |origin: &mut Origin| {
            let Some(span) = origin.parts().first().map(|part| part.at.span) else { return };
            let mut places = (rendered.places)(first_line(text, span));
            if places.is_empty() {
                // A custom resource definition: no template.
                places.extend(name.at.clone());
            }
            *origin = Origin::default();
            for at in places {
                self.note_source(&at);
                let chain = chain.clone();
                *origin = origin.and(&Origin::one(Part { at, field, chain }));
            }
        };
        resources.iter_mut().for_each(|resource| trace(&mut resource.node, &place));
        Ok(resources)
    }

    /// Remembers a text that a chart brings in.
    fn note_source(&self, at: &Location) {
        let mut read = self.loader.progress().read.borrow_mut();
        if !read.iter().any(|own| Arc::ptr_eq(own, &at.source)) {
            read.push(at.source.clone());
        }
    }
}

/// The part of a span that is on its first line that is not blank.
fn first_line(text: &str, span: Span) -> std::ops::Range<usize> {
    let whole = text.get(span.range()).unwrap_or_default();
    let start = span.start as usize + (whole.len() - whole.trim_start().len());
    let line = whole.trim_start().lines().next().unwrap_or_default().trim_end().len();
    start..start + line
}

/// Replaces the origins of all values.
fn trace(node: &mut Node, place: &dyn Fn(&mut Origin)) {
    place(&mut node.origin);
    match &mut node.data {
        Data::Scalar(_) => {}
        Data::Seq(items) => items.iter_mut().for_each(|item| trace(item, place)),
        Data::Map(entries) => {
            for entry in entries {
                place(&mut entry.origin);
                trace(&mut entry.value, place);
            }
        }
    }
}
