//! The values that a chart is rendered with: one render for each set.

use std::{fs, path::Path, sync::Arc};

use crate::{
    helm::{
        Chart, Error, HelmVersion, Reason,
        values::{self, Table},
    },
    settings::Settings,
    source::{Location, Source},
    unit::Unit,
};

/// Values for one render.
#[derive(Clone, Debug)]
pub struct ValueSet {
    /// Where they come from, in the user's words.
    pub name: String,
    /// What is set over the chart's defaults.
    pub table: Table,
    /// Somebody asked for exactly these: they must render.
    pub stated: bool,
}

/// The values that flags or settings state; else the defaults, then each `ci/*-values.yaml`, as chart-testing
/// takes them.
///
/// # Errors
/// A values file or flag that was stated cannot be read.
pub fn all(
    chart: &Chart,
    unit: &Unit,
    texts: &[(String, Vec<u8>)],
    settings: &Settings,
) -> Result<Vec<ValueSet>, Error> {
    let stated = &settings.values;
    if !stated.is_empty() {
        let files: Vec<_> = stated.files.iter().map(|file| &**file).collect();
        let table = values::collect(&files, &stated.flags, HelmVersion::V4)?;
        return Ok(vec![ValueSet { name: stated.name(), table, stated: true }]);
    }
    let mut sets =
        vec![ValueSet { name: "values.yaml".to_owned(), table: Table::new(), stated: false }];
    for (name, source) in test_values(chart, unit, texts) {
        // What cannot be read is said of the file itself, where somebody checks it.
        if let Ok(table) = read(&source) {
            sets.push(ValueSet { name, table, stated: false });
        }
    }
    Ok(sets)
}

fn read(source: &Arc<Source>) -> Result<Table, Error> {
    values::read(source, HelmVersion::V4).map_err(|(span, problem)| {
        let at = Location { source: source.clone(), span };
        Error::new(Reason::Values, problem).at(Some(at))
    })
}

/// The `ci/*-values.yaml` by name, though `.helmignore` mostly keeps them out of the chart.
fn test_values(
    chart: &Chart,
    unit: &Unit,
    texts: &[(String, Vec<u8>)],
) -> Vec<(String, Arc<Source>)> {
    let is_set = |name: &str| name.starts_with("ci/") && name.ends_with("-values.yaml");
    let mut found: Vec<(String, Arc<Source>)> = Vec::new();
    let folder = fs::read_dir(unit.root.join("ci")).into_iter().flatten().flatten();
    for entry in folder {
        let name = format!("ci/{}", entry.file_name().to_string_lossy());
        if let (true, Ok(text)) = (is_set(&name), fs::read_to_string(entry.path())) {
            let path = crate::discover::shown(&unit.root.join(&name));
            found.push((name, Arc::new(Source::new(path, text))));
        }
    }
    if !Path::is_dir(&unit.root) {
        let archived = chart.files.iter().filter(|file| is_set(&file.name));
        found.extend(archived.map(|file| (file.name.to_string(), file.source())));
    }
    for (name, text) in texts.iter().filter(|(name, _)| is_set(name)) {
        found.retain(|(other, _)| other != name);
        let text = String::from_utf8_lossy(text).into_owned();
        let path = crate::discover::shown(&unit.root.join(name));
        found.push((name.clone(), Arc::new(Source::new(path, text))));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
