//! The value sets of a chart; it is rendered once for each.

use std::{fs, io::Read, path::Path, sync::Arc};

use helm_render::{
    Chart, Error, HelmVersion, Reason,
    values::{self, Table},
};
use yaml_spans::{Location, Source};

use super::missed;
use crate::{
    load::mentions_work,
    settings::Settings,
    unit::{Deployment, HelmInput, Unit},
};

/// The name of the chart's own values.
pub(crate) const DEFAULTS: &str = "values.yaml";

/// The values of one render.
#[derive(Clone, Debug)]
pub(crate) struct ValueSet {
    /// Their origin as shown to the user: `values.yaml`, `ci/ha-values.yaml`.
    pub name: String,
    /// Values over the chart's defaults.
    pub table: Table,
    /// The user or the settings ask for exactly these values, so they must render.
    pub stated: bool,
    /// Tests compare what the chart renders with these values; nobody deploys it with them.
    pub compared: bool,
    /// The GitOps objects that deploy the chart with these values; empty if none does.
    pub deployments: Vec<Arc<Deployment>>,
}

impl ValueSet {
    /// A set that no GitOps object deploys.
    pub(crate) fn new(name: String, table: Table, stated: bool) -> Self {
        Self { name, table, stated, compared: false, deployments: Vec::new() }
    }

    /// Returns whether this is the chart with its defaults only, requested by nobody.
    pub(crate) fn is_default(&self) -> bool {
        !self.stated && self.deployments.is_empty() && self.table.is_empty()
    }

    /// Whether the chart's own checks install it with these values, over its defaults and nothing else
    /// (<https://github.com/helm/chart-testing>).
    pub(super) fn is_of_checks(&self) -> bool {
        self.name.starts_with("ci/") && is_test_set(&self.name)
    }

    /// Whether these are the values of an environment, without which the chart is never deployed.
    pub(super) fn is_of_environment(&self) -> bool {
        !self.stated && self.name != DEFAULTS && is_environment(&self.name)
    }

    /// The Helm settings of the GitOps object that deploys this set.
    pub(crate) fn input(&self) -> Option<&HelmInput> {
        self.deployments.first()?.helm.as_ref()
    }
}

/// The value sets of a chart. Values given as flags are the only set; otherwise the defaults come first, then
/// those that test the chart ([`is_test_set`]) or belong to an environment ([`is_environment`]), the sets of the settings, and those of GitOps objects that deploy
/// the chart.
///
/// # Errors
/// A values file or flag of the user or the settings cannot be read.
pub(crate) fn all(
    chart: &Chart,
    unit: &Unit,
    texts: &[(String, Vec<u8>)],
    settings: &Settings,
    notes: &mut Vec<String>,
) -> Result<Vec<ValueSet>, Error> {
    let stated = &settings.values;
    if !stated.is_empty() {
        let files: Vec<_> = stated.files.iter().map(|file| &**file).collect();
        let table = values::collect(&files, &stated.flags, HelmVersion::V4)?;
        return Ok(vec![ValueSet::new(stated.name(), table, true)]);
    }
    let mut sets = vec![ValueSet::new(DEFAULTS.to_owned(), Table::new(), false)];
    for (name, source) in test_values(chart, unit, texts, notes) {
        // An unreadable file is reported when that file itself is checked.
        let Ok(table) = read(&source) else { continue };
        // Many charts test their defaults by a file without values.
        if !table.is_empty() {
            let compared = is_compared(unit, &name);
            sets.push(ValueSet { compared, ..ValueSet::new(name, table, false) });
        }
    }
    for set in settings.value_sets.iter().filter(|set| set.covers(&unit.root)) {
        let paths = set.paths();
        let files: Vec<_> = paths.iter().map(|path| &**path).collect();
        let table = values::collect(&files, &[], HelmVersion::V4)?;
        sets.push(ValueSet::new(set.name(), table, true));
    }
    sets.extend(deployed(unit, notes));
    Ok(sets)
}

/// Whether the chart may print a Job, a hook or a GitOps object with any of the sets: its templates, its values or the sets
/// speak of one.
pub(super) fn mention_work(chart: &Chart, sets: &[ValueSet]) -> bool {
    missed::all_templates(chart).iter().any(|text| mentions_work(text))
        || chart_values(chart)
            .into_iter()
            .chain(sets.iter().map(|set| &set.table))
            .any(|table| mentions_work(to_json(table).to_string().as_bytes()))
}

/// The defaults of a chart and of its dependencies.
fn chart_values(chart: &Chart) -> Vec<&Table> {
    let below = chart.dependencies.iter().flat_map(|one| chart_values(one));
    std::iter::once(&chart.values).chain(below).collect()
}

fn to_json(table: &Table) -> serde_json::Value {
    table.iter().map(|(key, value)| (key.to_string(), value.to_json())).collect()
}

/// One set per distinct Helm input and deployer of the GitOps objects that deploy the chart.
fn deployed(unit: &Unit, notes: &mut Vec<String>) -> Vec<ValueSet> {
    let mut sets: Vec<ValueSet> = Vec::new();
    for deployment in &unit.deployments {
        let Some(input) = &deployment.helm else { continue };
        let same = |set: &&mut ValueSet| {
            set.input().is_some_and(|other| other == input)
                && set.deployments[0].deployer == deployment.deployer
        };
        if let Some(set) = sets.iter_mut().find(same) {
            set.deployments.push(deployment.clone());
            continue;
        }
        match super::layers::merged_values(input, HelmVersion::V4) {
            Ok(table) => sets.push(ValueSet {
                deployments: vec![deployment.clone()],
                ..ValueSet::new(deployment.title.clone(), table, false)
            }),
            Err(error) => {
                notes.push(format!("{}: its values: {}", deployment.title, error.message))
            }
        }
    }
    sets
}

fn read(source: &Arc<Source>) -> Result<Table, Error> {
    values::read(source, HelmVersion::V4).map_err(|invalid| {
        let at = Location { source: source.clone(), span: invalid.span };
        Error::new(Reason::Values, invalid.message).at(Some(at))
    })
}

/// Folders with values that test a chart, each with a text that the names of its value files contain.
const TEST_FOLDERS: [(&str, &str); 5] = [
    // chart-testing (`ct lint`)
    ("ci/", "-values.yaml"),
    (".fixtures/", ""),
    ("test-values/", ""),
    // Beside values, these folders hold the tests of helm-unittest and the like.
    ("tests/", "values"),
    ("tests/values/", ""),
];

/// Whether a file of a chart holds values that test it.
pub(crate) fn is_test_set(name: &str) -> bool {
    TEST_FOLDERS.iter().any(|(folder, part)| {
        let file = name.strip_prefix(folder).filter(|file| !file.contains('/'));
        file.is_some_and(|file| {
            file.contains(part) && (file.ends_with(".yaml") || file.ends_with(".yml"))
        })
    })
}

/// Whether a values file belongs to tests that only compare texts: the suites of helm-unittest are beside it, or the chart keeps
/// what it renders with them in a file of the same name.
fn is_compared(unit: &Unit, name: &str) -> bool {
    let root = Path::new(".").join(&unit.root);
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let is_suite = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.ends_with("_test.yaml") || name.ends_with("_test.yml")
    };
    let Some(file) = name.strip_prefix("tests/") else { return false };
    let is_rendered = |entry: fs::DirEntry| {
        let mut start = Vec::new();
        let opened = unit.boundary.open(&entry.path().join(file)).ok();
        let read = opened.and_then(|opened| opened.take(START).read_to_end(&mut start).ok());
        read.is_some() && String::from_utf8_lossy(&start).contains(SOURCE)
    };
    entries(&root.join("tests")).any(is_suite) || entries(&root).any(is_rendered)
}

/// What Helm writes above each object that it renders.
const SOURCE: &str = "\n# Source: ";

/// How many bytes of a file are searched for it.
const START: u64 = 4 << 10;

/// Whether a file of a chart without values of its own holds those of an environment: `values-production.yaml`. One of them
/// is always given.
pub(crate) fn is_environment(name: &str) -> bool {
    !name.contains('/')
        && name.contains("values")
        && (name.ends_with(".yaml") || name.ends_with(".yml"))
}

/// The values that test the chart, or that it is deployed with if it has none of its own, in name order. They are read from disk because `.helmignore` usually excludes
/// them from the chart.
fn test_values(
    chart: &Chart,
    unit: &Unit,
    texts: &[(String, Vec<u8>)],
    notes: &mut Vec<String>,
) -> Vec<(String, Arc<Source>)> {
    let mut found: Vec<(String, Arc<Source>)> = Vec::new();
    let root = Path::new(".").join(&unit.root);
    let given = texts.iter().any(|(name, _)| name == DEFAULTS);
    let has_environments = root.is_dir() && !given && !root.join(DEFAULTS).exists();
    let is_wanted = |name: &str| is_test_set(name) || has_environments && is_environment(name);
    let folders = TEST_FOLDERS.map(|(folder, _)| folder);
    for folder in folders.into_iter().chain(has_environments.then_some("")) {
        for entry in fs::read_dir(unit.root.join(folder)).into_iter().flatten().flatten() {
            let name = format!("{folder}{}", entry.file_name().to_string_lossy());
            if !is_wanted(&name) {
                continue;
            }
            let path = crate::discover::shown(&unit.root.join(&name));
            match unit.boundary.read_to_string(&entry.path()) {
                Ok(text) => found.push((name, Arc::new(Source::new(path, text)))),
                Err(refusal) if refusal.is_deliberate() => notes.push(format!("{path}: {refusal}")),
                Err(_) => {}
            }
        }
    }
    // The path of the working directory may be empty.
    if !root.is_dir() {
        let archived = chart.files.iter().filter(|file| is_test_set(&file.name));
        found.extend(archived.map(|file| (file.name.to_string(), file.source())));
    }
    for (name, text) in texts.iter().filter(|(name, _)| is_wanted(name)) {
        found.retain(|(other, _)| other != name);
        let text = String::from_utf8_lossy(text).into_owned();
        let path = crate::discover::shown(&unit.root.join(name));
        found.push((name.clone(), Arc::new(Source::new(path, text))));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
