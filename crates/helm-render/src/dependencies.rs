//! Dependencies: which are enabled, under which names, and which values parents import from them.
//! Helm `pkg/chart/v2/util/dependencies.go` (4), `pkg/chartutil/dependencies.go` (3).

mod coalesce;

use std::{
    cell::{Ref, RefCell},
    rc::{Rc, Weak},
    sync::Arc,
};

use go_template::{
    Budget, Limit, Meter,
    provenance::{InputSet, Inputs},
};

pub(crate) use self::coalesce::coalesce;
use crate::{
    HelmVersion,
    chart::{Chart, Dependency, ImportValues},
    semver::is_compatible,
    values::{Item, Nulls, Setting, SharedTable, Table, Tree, merge_tables},
};

/// Steps and bytes of a view of a chart, about.
const VIEW_STEPS: u64 = 16;
const VIEW_BYTES: u64 = 512;

/// A chart as one render sees it: without disabled dependencies, with aliases and imported values.
///
/// Views are shared and modified in place, as charts are in Go: in Helm 3, two aliases of one chart
/// see each other's changes.
#[derive(Debug)]
pub(crate) struct ChartView {
    pub(crate) chart: Arc<Chart>,
    name: RefCell<Arc<str>>,
    /// The `dependencies` of the metadata; `None` if the chart declares none.
    pub(crate) declared: RefCell<Option<Vec<Rc<RefCell<Dependency>>>>>,
    dependencies: RefCell<Vec<Rc<ChartView>>>,
    /// The defaults including imported values, once these are known.
    values: RefCell<Option<SharedTable>>,
    parent: RefCell<Weak<ChartView>>,
    /// For each dependency, the dotted paths of the values that decide whether it is enabled.
    conditions: RefCell<Vec<(Arc<str>, Vec<String>)>>,
    /// The views that aliases were copied from. They stay alive because charts further down refer
    /// to them as their parent.
    originals: RefCell<Vec<Rc<ChartView>>>,
    budget: Budget,
}

impl ChartView {
    /// A view of a chart and its dependencies as loaded.
    pub(crate) fn new(chart: &Arc<Chart>, budget: &Budget) -> Rc<Self> {
        let share = |dependency: &Dependency| Rc::new(RefCell::new(dependency.clone()));
        let declared = chart.metadata.dependencies.as_ref();
        let view = Rc::new(Self {
            chart: chart.clone(),
            name: RefCell::new(chart.metadata.name.clone()),
            declared: RefCell::new(declared.map(|all| all.iter().map(share).collect())),
            dependencies: RefCell::default(),
            values: RefCell::default(),
            parent: RefCell::default(),
            conditions: RefCell::default(),
            originals: RefCell::default(),
            budget: budget.clone(),
        });
        let below = chart.dependencies.iter().map(|sub| Self::new(sub, budget));
        view.set_dependencies(below.collect());
        view
    }

    pub(crate) fn name(&self) -> Arc<str> {
        self.name.borrow().clone()
    }

    pub(crate) fn dependencies(&self) -> Ref<'_, Vec<Rc<Self>>> {
        self.dependencies.borrow()
    }

    pub(crate) fn is_root(&self) -> bool {
        self.parent.borrow().upgrade().is_none()
    }

    /// The prefix of the chart's template names: `parent/charts/sub`.
    pub(crate) fn path(&self) -> String {
        match self.parent.borrow().upgrade() {
            Some(parent) => format!("{}/charts/{}", parent.path(), self.name.borrow()),
            None => self.name().to_string(),
        }
    }

    /// A copy of the defaults that shares no table.
    ///
    /// # Errors
    ///
    /// The budget is used up.
    pub(crate) fn defaults(&self) -> Result<SharedTable, Limit> {
        let mut meter = self.meter();
        match &*self.values.borrow() {
            Some(values) => values.deep_copy(&mut meter),
            None => {
                let values = SharedTable::of(&self.chart.values);
                values.charge(&mut meter)?;
                Ok(values)
            }
        }
    }

    fn meter(&self) -> Meter {
        Meter::new(&self.budget)
    }

    /// Keeps the names of declared dependencies that the values enable, after [`process`].
    pub(crate) fn retain_enabled(&self, names: &mut Vec<String>) {
        let enabled = self.declared.borrow();
        let declared = || self.chart.metadata.dependencies.iter().flatten();
        names.retain(|name| {
            declared().filter(|one| *one.name == **name).any(|one| {
                // An alias has become the name.
                let called = if one.alias.is_empty() { &*one.name } else { &*one.alias };
                enabled.iter().flatten().any(|other| *other.borrow().name == *called)
            })
        });
    }

    /// The inputs that decide whether the dependency `name` is enabled.
    pub(crate) fn conditions_of(&self, name: &str, inputs: &mut Inputs) -> InputSet {
        let conditions = self.conditions.borrow();
        let paths = conditions.iter().filter(|(other, _)| **other == *name);
        paths.flat_map(|(_, paths)| paths).fold(InputSet::EMPTY, |all, path| {
            let root = inputs.root("Values");
            let input = path.split('.').fold(root, |above, key| inputs.child(above, key));
            inputs.union(all, InputSet::of(input))
        })
    }

    fn set_dependencies(self: &Rc<Self>, dependencies: Vec<Rc<Self>>) {
        for dependency in &dependencies {
            *dependency.parent.borrow_mut() = Rc::downgrade(self);
        }
        *self.dependencies.borrow_mut() = dependencies;
    }

    /// The dependency that a declaration selects, copied under its alias.
    ///
    /// # Errors
    ///
    /// The budget is used up: aliases multiply the charts below them.
    fn aliased(
        &self,
        wanted: &Dependency,
        version: HelmVersion,
    ) -> Result<Option<Rc<Self>>, Limit> {
        let dependencies = self.dependencies();
        let Some(found) = dependencies.iter().find(|chart| chart.fits(wanted)) else {
            return Ok(None);
        };
        let below = found.dependencies().len() as u64;
        let files = (found.chart.templates.len() + found.chart.files.len()) as u64;
        self.budget.spend(VIEW_STEPS * (1 + below) + files, VIEW_BYTES * (1 + below + files))?;
        let copy = Rc::new(found.shallow_copy());
        if version == HelmVersion::V4 {
            let own = |all: &Vec<Rc<RefCell<Dependency>>>| -> Vec<_> {
                all.iter().map(|one| Rc::new(RefCell::clone(one))).collect()
            };
            *copy.declared.borrow_mut() = found.declared.borrow().as_ref().map(own);
            let below =
                found.dependencies().iter().map(|sub| Rc::new(sub.shallow_copy())).collect();
            copy.set_dependencies(below);
        }
        if !wanted.alias.is_empty() {
            *copy.name.borrow_mut() = wanted.alias.as_str().into();
        }
        Ok(Some(copy))
    }

    fn shallow_copy(&self) -> Self {
        Self {
            chart: self.chart.clone(),
            name: self.name.clone(),
            declared: self.declared.clone(),
            dependencies: self.dependencies.clone(),
            values: self.values.clone(),
            parent: self.parent.clone(),
            conditions: self.conditions.clone(),
            originals: self.originals.clone(),
            budget: self.budget.clone(),
        }
    }

    fn fits(&self, wanted: &Dependency) -> bool {
        *self.name() == *wanted.name && is_compatible(&wanted.version, &self.chart.metadata.version)
    }
}

/// Removes disabled dependencies and imports values.
///
/// # Errors
///
/// Helm's message if the value of a sub-chart is not a table.
pub(crate) fn process(
    chart: &Rc<ChartView>,
    values: &Table,
    version: HelmVersion,
) -> Result<(), String> {
    if has_declarations(chart) {
        enable(chart, &SharedTable::of(values), "", version)?;
        import_all(chart, version)?;
    }
    Ok(())
}

/// Whether any chart declares dependencies.
fn has_declarations(chart: &ChartView) -> bool {
    chart.declared.borrow().is_some()
        || chart.dependencies().iter().any(|sub| has_declarations(sub))
}

fn enable(
    chart: &Rc<ChartView>,
    values: &SharedTable,
    path: &str,
    version: HelmVersion,
) -> Result<(), String> {
    let Some(declared) = chart.declared.borrow().clone() else { return Ok(()) };
    let limit = |limit: Limit| limit.to_string();
    select(chart, &declared, version).map_err(limit)?;
    let values = values.deep_copy(&mut chart.meter()).map_err(limit)?;
    coalesce(chart, &values, Nulls::Remove, version)?;
    for dependency in &declared {
        let is_enabled = is_enabled(&dependency.borrow(), &values, path);
        dependency.borrow_mut().enabled = is_enabled;
        let dependency = dependency.borrow();
        let conditions = conditions(&dependency, path);
        chart.conditions.borrow_mut().push((dependency.name.clone(), conditions));
    }
    let is_disabled = |name: &str| {
        declared.iter().map(|one| one.borrow()).any(|one| !one.enabled && *one.name == *name)
    };
    let mut kept = chart.dependencies().clone();
    kept.retain(|sub| !is_disabled(&sub.name()));
    let mut still_declared = declared.clone();
    still_declared.retain(|one| !is_disabled(&one.borrow().name));
    for sub in &kept {
        enable(sub, &values, &format!("{path}{}.", sub.name()), version)?;
    }
    *chart.declared.borrow_mut() = (!still_declared.is_empty()).then_some(still_declared);
    chart.set_dependencies(kept);
    Ok(())
}

/// Selects the dependencies: undeclared charts first, then the declared ones, under their aliases.
fn select(
    chart: &Rc<ChartView>,
    declared: &[Rc<RefCell<Dependency>>],
    version: HelmVersion,
) -> Result<(), Limit> {
    let mut selected = chart.dependencies().clone();
    selected.retain(|sub| !declared.iter().any(|wanted| sub.fits(&wanted.borrow())));
    for wanted in declared {
        selected.extend(chart.aliased(&wanted.borrow(), version)?);
        let mut wanted = wanted.borrow_mut();
        if !wanted.alias.is_empty() {
            wanted.name = wanted.alias.as_str().into();
        }
    }
    chart.originals.borrow_mut().extend(chart.dependencies().iter().cloned());
    chart.set_dependencies(selected);
    Ok(())
}

/// The values that decide whether a dependency is enabled. A global one can be set in the chart or
/// in those above it.
fn conditions(dependency: &Dependency, path: &str) -> Vec<String> {
    let named = dependency.condition.trim().split(',').filter(|one| !one.is_empty());
    let own = named.clone().map(|condition| format!("{path}{condition}"));
    let global = named.filter(|one| one.starts_with("global.")).map(str::to_owned);
    let tags = dependency.tags.iter().map(|tag| format!("tags.{tag}"));
    own.chain(global).chain(tags).collect()
}

/// Whether a dependency is enabled: by the first condition that is a boolean, else by its tags.
fn is_enabled(dependency: &Dependency, values: &SharedTable, path: &str) -> bool {
    let conditions = dependency.condition.trim().split(',').filter(|one| !one.is_empty());
    let as_bool = |setting: &Setting| match setting.value {
        Tree::Bool(flag) => Some(flag),
        _ => None,
    };
    let condition = conditions
        .filter_map(|condition| values.leaf_at(&format!("{path}{condition}")))
        .find_map(|setting| as_bool(&setting));
    condition.unwrap_or_else(|| {
        let Some(tags) = values.table("tags") else { return true };
        let flags = dependency.tags.iter().filter_map(|tag| match tags.get(tag)? {
            Item::Leaf(setting) => as_bool(&setting),
            Item::Table(..) => None,
        });
        let flags: Vec<_> = flags.collect();
        flags.is_empty() || flags.contains(&true)
    })
}

fn import_all(chart: &Rc<ChartView>, version: HelmVersion) -> Result<(), String> {
    for sub in chart.dependencies().iter() {
        import_all(sub, version)?;
    }
    import(chart, version)
}

/// Merges the defaults of dependencies and the imported values under the chart's own defaults.
fn import(chart: &Rc<ChartView>, version: HelmVersion) -> Result<(), String> {
    let Some(declared) = chart.declared.borrow().clone() else { return Ok(()) };
    let values = SharedTable::new();
    coalesce(chart, &values, Nulls::Keep, version)?;
    let imported = SharedTable::new();
    for dependency in &declared {
        let dependency = dependency.borrow();
        for import in &dependency.import_values {
            let (child, parent) = match import {
                ImportValues::Export(name) => (format!("exports.{name}"), "."),
                ImportValues::Path { child, parent } => (child.clone(), &**parent),
                ImportValues::Other => continue,
            };
            if let Some(table) = values.table_at(&format!("{}.{child}", dependency.name)) {
                table.charge(&mut chart.meter()).map_err(|limit| limit.to_string())?;
                merge_tables(&imported, &at_path(parent, table), Nulls::Keep);
            }
        }
    }
    // A chart that imports nothing still receives the defaults of its dependencies.
    let mut meter = chart.meter();
    let limit = |limit: Limit| limit.to_string();
    imported.charge(&mut meter).map_err(limit)?;
    let values = values.deep_copy(&mut meter).map_err(limit)?;
    merge_tables(&values, &imported, Nulls::Keep);
    *chart.values.borrow_mut() = Some(values);
    Ok(())
}

/// A table that holds `table` at a dotted path.
fn at_path(path: &str, table: SharedTable) -> SharedTable {
    if path == "." {
        return table;
    }
    path.rsplit('.').fold(table, |below, key| {
        let above = SharedTable::new();
        above.insert(key, Item::Table(below, None));
        above
    })
}
