//! Which deployers are in force for a unit.

use job_lifecycle::{Deployer, Tool, deploy::evidence};

use crate::{
    settings::Settings,
    unit::{self, Loaded, Unit, UnitKind},
};

/// The deployers that a check speaks of: as stated, else as GitOps objects of the tree say, else those its
/// objects are written for, else assumed from what the unit is. A chart is for Helm whatever else its
/// annotations name, and a kustomization is not for Helm although it holds hooks.
pub fn of_check(unit: &Unit, loaded: &Loaded, settings: &Settings) -> Vec<Deployer> {
    if let Some(stated) = stated(unit, loaded, settings) {
        return stated;
    }
    let mut deployers = evidence(&loaded.objects);
    if unit.kind != UnitKind::Plain || unit.together {
        deployers.retain(|deployer| !deployer.assumed);
    }
    match unit.kind {
        UnitKind::Chart => {
            deployers.splice(0..0, [Tool::Helm3, Tool::Helm4].map(Deployer::assumed));
        }
        UnitKind::Plain | UnitKind::Overlay if deployers.is_empty() => {
            deployers.push(Deployer::assumed(Tool::Kubectl));
        }
        UnitKind::Plain | UnitKind::Overlay => {}
    }
    deployers
}

/// The deployers that a forecast shows: where nothing names one, all of them.
pub fn of_forecast(unit: &Unit, loaded: &Loaded, settings: &Settings) -> Vec<Deployer> {
    if let Some(stated) = stated(unit, loaded, settings) {
        return stated;
    }
    let mut found = evidence(&loaded.objects);
    found.retain(|deployer| !deployer.assumed);
    match found.is_empty() {
        true => Tool::ALL.map(Deployer::assumed).into(),
        false => found,
    }
}

fn stated(unit: &Unit, loaded: &Loaded, settings: &Settings) -> Option<Vec<Deployer>> {
    if !settings.deployers.is_empty() {
        return Some(settings.deployers.clone());
    }
    let found = unit::deployers(loaded.deployments(unit));
    (!found.is_empty()).then_some(found)
}
