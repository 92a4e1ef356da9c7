//! Decides which deployers apply to a unit.

use std::collections::BTreeSet;

use job_lifecycle::{Deployer, Object, Tool, deploy::evidence, workload::kind_of};

use crate::{
    scripts,
    settings::Settings,
    unit::{self, Loaded, Unit, UnitKind},
};

/// The deployers of a check, from the first source that names any: the settings, GitOps objects, annotations
/// of the objects, else an assumption from the kind of unit. A chart is for Helm, whatever its
/// annotations name, unless most of what it prints are Applications; a kustomization is not for Helm even if it contains Helm hooks, nor is
/// a folder that a script applies with `kubectl`.
pub fn of_check(unit: &Unit, loaded: &Loaded, settings: &Settings) -> Vec<Deployer> {
    if let Some(stated) = stated(unit, loaded, settings) {
        return stated;
    }
    let mut deployers = match unit.kind {
        // What no kustomization of the folder lists.
        UnitKind::Overlay if loaded.overlay.is_none() => evidence(near_work(&loaded.objects)),
        UnitKind::Plain if !unit.together => evidence(near_work(&loaded.objects)),
        _ => evidence(loaded.objects.iter()),
    };
    let is_assumed = deployers.iter().any(|deployer| deployer.assumed);
    let is_applied = || unit.together || is_for_oc(loaded) || scripts::applies(unit);
    if is_assumed && (unit.kind != UnitKind::Plain || is_applied()) {
        deployers.retain(|deployer| !deployer.assumed);
    }
    match unit.kind {
        UnitKind::Chart if is_of_apps(&loaded.objects) && deployers.is_empty() => {
            deployers.push(Deployer::assumed(Tool::Argocd));
        }
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

/// The objects in the folders of workloads, above them and below: what lies elsewhere in a repository may have another deployer.
fn near_work(objects: &[Object]) -> impl Iterator<Item = &Object> + Clone {
    let folder = |object: &Object| {
        let path = &object.source.path;
        path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"))
    };
    let works: Vec<_> =
        objects.iter().filter(|one| kind_of(one).is_some() || one.is_annotated_hook()).collect();
    let of_work: BTreeSet<_> = works.into_iter().map(folder).collect();
    objects.iter().filter(move |object| {
        let own = folder(object);
        of_work.is_empty()
            || of_work.iter().any(|work| work.starts_with(&own) || own.starts_with(work))
    })
}

/// True for objects of OpenShift Templates alone, which `oc process` fills in and `oc apply` applies: their Helm hooks are
/// ordinary objects.
fn is_for_oc(loaded: &Loaded) -> bool {
    !loaded.objects.is_empty() && loaded.objects.iter().all(|object| object.is_templated)
}

/// Whether at least half of what a chart prints are Applications: it is an app of apps. A chart with a few more may bring Argo CD
/// along, or an example.
fn is_of_apps(objects: &[Object]) -> bool {
    let apps = objects.iter().filter(|object| is_application(object)).count();
    apps > 0 && 2 * apps >= objects.len()
}

/// True for an Application of Argo CD.
fn is_application(object: &Object) -> bool {
    (object.group(), object.kind()) == ("argoproj.io", "Application")
}

/// The deployers of a check of one view: without releases, none renders what is conditional on an upgrade.
pub(crate) fn of_view(unit: &Unit, loaded: &Loaded, settings: &Settings) -> Vec<Deployer> {
    let mut deployers = of_check(unit, loaded, settings);
    deployers.retain(|one| one.has_release() || !loaded.is_upgrade());
    deployers
}

/// The deployers of a forecast; all of them if nothing names one.
pub(crate) fn of_forecast(unit: &Unit, loaded: &Loaded, settings: &Settings) -> Vec<Deployer> {
    if let Some(stated) = stated(unit, loaded, settings) {
        return stated;
    }
    let mut found = evidence(loaded.objects.iter());
    found.retain(|deployer| !deployer.assumed);
    match found.is_empty() {
        true if is_for_oc(loaded) => vec![Deployer::assumed(Tool::Kubectl)],
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
