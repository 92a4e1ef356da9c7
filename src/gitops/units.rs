//! Groups files into units by who deploys them: files applied by the same GitOps objects form one unit.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    sync::Arc,
};

use super::Tree;
use crate::unit::{Deployment, DeploymentSource, File, Unit, UnitKind};

/// Regroups plain units and attaches deployments to charts. A file that no GitOps object applies stays in its
/// unit.
pub(crate) fn by_deployment(
    units: Vec<Unit>,
    deployments: &[Arc<Deployment>],
    tree: &Tree,
) -> Vec<Unit> {
    if deployments.is_empty() {
        return units;
    }
    let mut appliers: HashMap<&PathBuf, Vec<usize>> = HashMap::new();
    for (index, deployment) in deployments.iter().enumerate() {
        for file in deployment.files() {
            appliers.entry(file).or_default().push(index);
        }
    }
    let mut out = Vec::new();
    let mut grouped: BTreeMap<Vec<usize>, Vec<File>> = BTreeMap::new();
    for mut unit in units {
        if unit.kind == UnitKind::Overlay {
            out.push(unit);
            continue;
        }
        if unit.kind == UnitKind::Chart {
            let root = tree.absolute(&unit.root);
            let charts = deployments
                .iter()
                .filter(|one| one.source == DeploymentSource::Chart(root.clone()));
            unit.deployments = charts.cloned().collect();
            out.push(unit);
            continue;
        }
        let mut rest = Vec::new();
        for file in std::mem::take(&mut unit.files) {
            match appliers.get(&tree.absolute(&file.path)) {
                Some(by) => grouped.entry(by.clone()).or_default().push(file),
                None => rest.push(file),
            }
        }
        if !rest.is_empty() {
            out.push(Unit { files: rest, ..unit });
        }
    }
    out.extend(grouped.into_iter().map(|(by, files)| Unit {
        root: files[0].path.parent().map(PathBuf::from).unwrap_or_default(),
        deployments: by.into_iter().map(|index| deployments[index].clone()).collect(),
        ..Unit::new(UnitKind::Plain, files, tree.boundary.clone())
    }));
    out
}
