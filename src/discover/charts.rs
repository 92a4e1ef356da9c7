//! The charts among the files that were found, and what they link to.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{Tree, dependencies, shown, superseded::is_superseded, walk};
use crate::unit::{File, Unit, UnitKind};

impl Tree {
    /// The outermost chart that a file belongs to.
    pub(super) fn chart_of(&self, path: &Path) -> Option<&PathBuf> {
        let above = self.charts_above(path).into_iter();
        above.rev().find(|chart| walk::belongs_to_chart(chart, path))
    }

    /// The charts whose folders enclose a path, innermost first.
    pub(super) fn charts_above(&self, path: &Path) -> Vec<&PathBuf> {
        path.ancestors().skip(1).filter_map(|folder| self.charts.get(folder)).collect()
    }

    /// Returns whether an enclosing chart uses this chart as a `file://` dependency; it is then checked with
    /// the values it gets there.
    fn is_asked_for(&self, chart: &Path) -> bool {
        let above = chart.ancestors().skip(1).filter(|folder| self.charts.contains(*folder));
        above.into_iter().any(|parent| self.linked(parent).iter().any(|folder| folder == chart))
    }

    /// The folders that a chart names as `file://` dependencies.
    fn linked(&self, chart: &Path) -> Vec<PathBuf> {
        let lists = dependencies::LISTS.iter().map(|name| chart.join(name));
        let folders = lists.flat_map(|path| {
            let text = match self.texts.get(&path) {
                Some(text) => String::from_utf8_lossy(text).into_owned(),
                None => self.boundary.read_to_string(&path).unwrap_or_default(),
            };
            dependencies::folders_in(&path, &text)
        });
        folders.collect()
    }

    /// For each chart, those elsewhere that take it in by `file://`.
    fn umbrellas(&self) -> BTreeMap<PathBuf, Vec<PathBuf>> {
        let mut umbrellas: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for chart in self.charts.iter().filter(|_| self.charts.len() > 1) {
            for folder in self.linked(chart).into_iter().filter(|one| self.charts.contains(one)) {
                umbrellas.entry(folder).or_default().push(chart.clone());
            }
        }
        umbrellas
    }

    /// The folders outside of a chart that hold its dependencies, and theirs.
    fn linked_outside(&self, chart: &Path) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut open = self.linked(chart);
        while let Some(folder) = open.pop() {
            if !folder.starts_with(chart) && found.insert(folder.clone()) {
                open.extend(self.linked(&folder));
            }
        }
        found
    }

    /// Units for the charts that are not part of another chart, with the contents that replace their files.
    pub(super) fn charts(&self) -> Vec<Unit> {
        let mut texts: BTreeMap<PathBuf, Vec<File>> = BTreeMap::new();
        for (path, text) in &self.texts {
            if let Some(chart) = self.chart_of(path) {
                let (path, shown, text) = (path.clone(), shown(path), Some(text.clone()));
                let file = File { path, shown, named: true, text };
                texts.entry(chart.clone()).or_default().push(file);
            }
        }
        let umbrellas = self.umbrellas();
        let charts = self
            .charts
            .iter()
            .filter(|chart| self.chart_of(chart).is_none() && !self.is_asked_for(chart));
        let unit = |root: &PathBuf| {
            let mut files = texts.get(root).cloned().unwrap_or_default();
            if !texts.is_empty() {
                let linked = self.linked_outside(root);
                let is_linked =
                    |file: &&File| linked.iter().any(|folder| file.path.starts_with(folder));
                files.extend(texts.values().flatten().filter(is_linked).cloned());
            }
            let boundary = self.boundary.with(root);
            let umbrellas = umbrellas.get(root).cloned().unwrap_or_default();
            let superseded = is_superseded(root, &boundary);
            let unit = Unit::new(UnitKind::Chart, files, boundary);
            Unit { root: root.clone(), umbrellas, superseded, ..unit }
        };
        charts.map(unit).collect()
    }
}
