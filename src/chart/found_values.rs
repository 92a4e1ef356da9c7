//! Values elsewhere in the repository, for a chart that does not render with its own: those of the environments that it is
//! deployed to, wherever they are kept.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use helm_render::{
    Chart, HelmVersion,
    values::{self, Table},
};

use super::{missed, value_sets::ValueSet};
use crate::{discover, unit::Unit};

/// The most sets that are tried, and the most files that are read for them.
const MOST: usize = 8;
const MOST_FILES: usize = 500;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// The files of repositories that may hold values, by the root. Each repository is searched once in a run, and each file
/// read once for its keys, however many charts need that.
#[derive(Debug, Default)]
pub(crate) struct ValuesFiles(Mutex<HashMap<PathBuf, Arc<Vec<Candidate>>>>);

/// A file that may hold values.
#[derive(Debug)]
struct Candidate {
    path: PathBuf,
    /// The keys of the values, once they were needed; none if the file holds no values.
    keys: OnceLock<BTreeSet<String>>,
}

impl ValuesFiles {
    /// The files of the repository around a chart that hold values of it, the nearest first: they set nothing but what the
    /// chart reads.
    pub(super) fn of(&self, chart: &Chart, unit: &Unit) -> Vec<ValueSet> {
        let root = Path::new(".").join(&unit.root);
        let Some(repository) = root.is_dir().then(|| repository(&root)).flatten() else {
            return Vec::new();
        };
        let known = known_keys(chart);
        let all = self.all(repository);
        let here = discover::normal(&root);
        let near = |one: &Candidate| {
            let shared = one.path.components().zip(here.components());
            Reverse(shared.take_while(|(one, other)| one == other).count())
        };
        let mut nearest: Vec<_> = all.iter().collect();
        nearest.sort_by_cached_key(|one| (near(one), one.path.as_os_str()));
        let own = nearest.into_iter().take(MOST_FILES).filter(|one| {
            let keys = one.keys(unit);
            !keys.is_empty() && keys.is_subset(&known)
        });
        let set = |one: &Candidate| {
            let table = read(&one.path, unit)?;
            Some(ValueSet::new(discover::shown(&one.path), table, false))
        };
        own.filter_map(set).take(MOST).collect()
    }

    fn all(&self, repository: PathBuf) -> Arc<Vec<Candidate>> {
        // Another chart that needs the same files waits for them.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let search = |root: &PathBuf| {
            let is_own = |path: &Path| is_yaml(path) && !is_of_chart(path, root);
            let files = discover::files_named(root, is_own);
            let candidate =
                |path: PathBuf| Candidate { path: discover::normal(&path), keys: OnceLock::new() };
            Arc::new(files.map(candidate).collect())
        };
        let root = discover::absolute(&repository);
        known.entry(root).or_insert_with(|| search(&repository)).clone()
    }
}

impl Candidate {
    fn keys(&self, unit: &Unit) -> &BTreeSet<String> {
        let keys = |table: Table| table.keys().map(ToString::to_string).collect();
        self.keys.get_or_init(|| read(&self.path, unit).map(keys).unwrap_or_default())
    }
}

/// The nearest folder with `.git` at or above the chart, as the chart spells its path.
fn repository(root: &Path) -> Option<PathBuf> {
    let depth = std::path::absolute(root).ok()?.components().count();
    let above = std::iter::successors(Some(root.to_owned()), |folder| Some(folder.join("..")));
    above.take(depth).find(|folder| folder.join(".git").exists())
}

/// Whether a file is YAML, or a template of it for a program such as `envsubst`: `values.yaml.template`.
fn is_yaml(path: &Path) -> bool {
    let inner = path.file_stem().map(Path::new);
    let mut names = [Some(path), inner].into_iter().flatten();
    names.any(|name| name.extension().is_some_and(|ending| ending == "yaml" || ending == "yml"))
}

/// Whether a file is in the folder of a chart, but not beside its `Chart.yaml`, or holds its defaults.
fn is_of_chart(path: &Path, repository: &Path) -> bool {
    let folder = path.parent().unwrap_or(repository);
    let mut above = folder.ancestors().skip(1).take_while(|one| one.starts_with(repository));
    let is_chart = |folder: &Path| folder.join("Chart.yaml").exists();
    let is_default = path.ends_with("values.yaml") || path.ends_with("Chart.yaml");
    above.any(is_chart) || is_default && is_chart(folder)
}

fn read(path: &Path, unit: &Unit) -> Option<Table> {
    let is_short = path.metadata().is_ok_and(|found| found.len() <= LONGEST);
    let text = is_short.then(|| unit.boundary.read_to_string(path).ok()).flatten()?;
    let is_manifest = text.starts_with("apiVersion:") || text.contains("\napiVersion:");
    if is_manifest {
        return None;
    }
    let source = yaml_spans::Source::new(discover::shown(path), text);
    values::read(&source.into(), HelmVersion::V4).ok()
}

/// The keys that a chart reads: those of its defaults and dependencies, and those that its schema and templates name.
fn known_keys(chart: &Chart) -> BTreeSet<String> {
    let own = chart.values.keys().map(ToString::to_string);
    let declared = chart.metadata.dependencies.iter().flatten();
    let dependencies = declared.map(|one| match one.alias.is_empty() {
        true => one.name.to_string(),
        false => one.alias.to_string(),
    });
    let schema = chart.schema.iter().filter_map(|file| serde_json::from_slice(&file.data).ok());
    let properties = schema.flat_map(|schema: serde_json::Value| {
        let properties = schema.get("properties").and_then(serde_json::Value::as_object);
        properties.map(|all| all.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    });
    let texts = missed::all_templates(chart).into_iter().map(String::from_utf8_lossy);
    let named = texts.flat_map(|text| {
        let words = text.split(".Values.").skip(1);
        let is_name = |one: char| one.is_alphanumeric() || one == '_';
        let names = words.map(|rest| rest.split(|one| !is_name(one)).next().unwrap_or_default());
        names.map(str::to_owned).collect::<Vec<_>>()
    });
    own.chain(dependencies).chain(properties).chain(named).chain(["global".to_owned()]).collect()
}
