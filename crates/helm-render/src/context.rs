//! The data of templates: one map per chart, shared by all templates of that chart.

mod capabilities;
mod files;
mod glob;
mod metadata;
mod values;

use std::{rc::Rc, sync::Arc};

use foldhash::HashMap;
use go_template::{
    Functions, Map, Type, Value,
    provenance::{Input, InputSet, Inputs},
};
use yaml_spans::Location;

use self::{
    capabilities::capabilities,
    files::files,
    metadata::chart,
    values::{ValuesLabeller, values_type},
};
use crate::{
    HelmVersion, KubeVersion, RenderOptions, chart::Chart, dependencies::ChartView,
    reads::InputValues, values::SharedTable,
};

/// Registers the methods of the types of the built-in objects, for both versions of Helm.
pub(crate) fn set_methods(functions: &mut Functions) {
    capabilities::set_methods(functions);
    files::set_methods(functions);
    values::set_methods(functions);
}

/// The data of all charts, and the locations that set their inputs.
pub(crate) struct Context {
    pub(crate) charts: Charts,
    pub(crate) locations: Vec<(Input, Location)>,
    pub(crate) values: InputValues,
    pub(crate) files: HashMap<Input, (Arc<Chart>, usize)>,
}

/// The data of each chart.
pub(crate) struct Charts(Vec<ChartData>);

struct ChartData {
    path: String,
    map: Map,
    /// The inputs that decide whether the chart is enabled.
    conditions: InputSet,
}

impl Charts {
    /// The data of the chart that a template belongs to, with `.Template` set to that template, and
    /// the inputs that decide whether the chart is enabled.
    pub(crate) fn of_template(&self, name: &str, version: HelmVersion) -> (Value, InputSet) {
        let folder = |path: &str| name.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        let owners = self.0.iter().filter(|chart| folder(&chart.path));
        let Some(ChartData { path, map, conditions }) = owners.max_by_key(|chart| chart.path.len())
        else {
            return (Value::NIL, InputSet::EMPTY);
        };
        let base = format!("{path}/templates");
        let entries = [("Name".into(), name.into()), ("BasePath".into(), base.into())];
        let template = Map::of(values_type(version), entries.into_iter().collect());
        map.insert("Template", Value::from(template));
        (Value::from(map.clone()), *conditions)
    }
}

impl Context {
    pub(crate) fn new(
        inputs: &mut Inputs,
        view: &Rc<ChartView>,
        values: &SharedTable,
        kube: &KubeVersion,
        options: &RenderOptions,
    ) -> Self {
        let release = release(inputs, options);
        let capabilities = capabilities(inputs, kube, options);
        let mut labeller = ValuesLabeller::new(inputs, options.provenance);
        let root = labeller.root(view, values);
        let (locations, mut values) = (labeller.locations, labeller.values);
        add_revision(inputs, options, &mut values);
        let mut builder = ContextBuilder {
            inputs,
            options,
            release,
            capabilities,
            charts: Vec::new(),
            locations,
            files: HashMap::default(),
        };
        let root = root.converted(values_type(options.version));
        builder.chart(view, root, &mut Vec::new(), InputSet::EMPTY);
        let ContextBuilder { charts, locations, files, .. } = builder;
        Self { charts: Charts(charts), locations, values, files }
    }
}

struct ContextBuilder<'b> {
    inputs: &'b mut Inputs,
    options: &'b RenderOptions,
    release: Value,
    capabilities: Value,
    charts: Vec<ChartData>,
    locations: Vec<(Input, Location)>,
    files: HashMap<Input, (Arc<Chart>, usize)>,
}

impl ContextBuilder<'_> {
    fn chart(
        &mut self,
        view: &Rc<ChartView>,
        values: Map,
        path: &mut Vec<String>,
        conditions: InputSet,
    ) -> Map {
        let subcharts = Map::new().shared();
        for sub in view.dependencies().iter() {
            let name = sub.name();
            // Helm looks up the values of a sub-chart by a dotted path.
            let below = name
                .split('.')
                .try_fold(values.clone(), |map, key| map.get(key)?.as_map().cloned());
            let below = below.unwrap_or_default().converted(values_type(self.options.version));
            path.push(name.to_string());
            let own = view.conditions_of(&name, self.inputs);
            let all = self.inputs.union(conditions, own);
            let map = self.chart(sub, below, path, all);
            path.pop();
            subcharts.insert(name, Value::from(map));
        }
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let chart_at = chart_input(self.inputs, &path, "Chart");
        let files_at = chart_input(self.inputs, &path, "Files");
        self.record_chart(view, chart_at, files_at);
        let chart = chart(self.inputs, view, self.options, chart_at);
        let files = files(self.inputs, &view.chart.files, files_at);
        let map = Map::new().shared();
        for (key, value) in [
            ("Chart", chart),
            ("Files", files),
            ("Release", self.release.clone()),
            ("Capabilities", self.capabilities.clone()),
            ("Values", Value::from(values)),
            ("Subcharts", Value::from(subcharts)),
        ] {
            map.insert(key, value);
        }
        self.charts.push(ChartData { path: view.path(), map: map.clone(), conditions });
        map
    }

    /// Records the locations of a chart's metadata and files.
    fn record_chart(&mut self, view: &ChartView, chart_at: Input, files_at: Input) {
        let source = &view.chart.chart_yaml;
        let fields = [
            ("Name", "name"),
            ("Version", "version"),
            ("AppVersion", "appVersion"),
            ("KubeVersion", "kubeVersion"),
            ("Type", "type"),
            ("APIVersion", "apiVersion"),
        ];
        for (name, field) in fields {
            if let Some(span) = view.chart.metadata.span_of(field) {
                let location = Location { source: source.clone(), span };
                self.locations.push((self.inputs.child(chart_at, name), location));
            }
        }
        for (number, file) in view.chart.files.iter().enumerate() {
            let input = self.inputs.child(files_at, &file.name);
            self.files.insert(input, (view.chart.clone(), number));
        }
    }
}

fn release(inputs: &mut Inputs, options: &RenderOptions) -> Value {
    let release = &options.release;
    let entries = [
        ("Name".into(), Value::from(&*release.name)),
        ("Namespace".into(), Value::from(&*release.namespace)),
        ("IsUpgrade".into(), Value::from(release.is_upgrade)),
        ("IsInstall".into(), Value::from(!release.is_upgrade)),
        ("Revision".into(), Value::int(release.revision)),
        ("Service".into(), Value::from("Helm")),
    ];
    let input = inputs.root("Release");
    Value::from(Map::of(&Type::MAP, entries.into_iter().collect())).label(inputs, input)
}

/// Adds what differs between the revisions of a release.
fn add_revision(inputs: &mut Inputs, options: &RenderOptions, values: &mut InputValues) {
    let release = inputs.root("Release");
    let revision = inputs.child(release, "Revision");
    values.add(release, revision, options.release.revision);
    for name in ["IsUpgrade", "IsInstall"] {
        let input = inputs.child(release, name);
        values.add(release, input, options.release.is_upgrade);
    }
}

/// The input of `.Chart` or `.Files` of a chart. The root chart's inputs are roots themselves.
fn chart_input(inputs: &mut Inputs, path: &[&str], kind: &str) -> Input {
    if path.is_empty() {
        return inputs.root(kind);
    }
    let mut input = inputs.root("Subcharts");
    for (depth, name) in path.iter().enumerate() {
        if depth > 0 {
            input = inputs.child(input, "Subcharts");
        }
        input = inputs.child(input, name);
    }
    inputs.child(input, kind)
}

/// The type of the given Helm version.
fn by_version(version: HelmVersion, v3: &'static Type, v4: &'static Type) -> &'static Type {
    match version {
        HelmVersion::V3 => v3,
        HelmVersion::V4 => v4,
    }
}
