//! The ways in which an upgrade can go: of a release that was upgraded before, of a fresh installation, or without
//! a release.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use file_boundary::Boundary;
use job_lifecycle::Deployer;

use super::{
    ChartRequest,
    error::LoadError,
    leave_out_missing,
    pair::{Pair, pairs},
    stated::Stated,
    version::{Side, Stage, Version, VersionSource, VersionedObject},
};
use crate::{
    context::Context,
    deployers,
    redact::SecretValues,
    settings::Settings,
    unit::{Loaded, Unit, UnitKind},
};

/// Two renders to compare, and the deployers that go from the one to the other.
pub(super) struct Scenario<'a> {
    pub(super) before: &'a Version,
    pub(super) after: &'a Version,
    pub(super) deployers: Vec<Deployer>,
    /// The first upgrade of a release, which until then was only installed.
    pub(super) is_first: bool,
}

/// The renders of both versions of a unit.
pub(super) struct Renders {
    /// As an upgrade. Manifests that are not rendered are always in here.
    upgrade: Option<[Version; 2]>,
    /// As an installation, and for deployers without a release.
    install: Option<[Version; 2]>,
    deployers: Vec<Deployer>,
}

impl Renders {
    /// Loads both versions.
    ///
    /// # Errors
    ///
    /// Nothing is there, or the chart cannot be loaded or rendered.
    pub(super) fn load(
        old: &VersionSource,
        new: &VersionSource,
        chart: &ChartRequest,
        stated: &Stated,
        settings: &Settings,
        secrets: &mut SecretValues,
    ) -> Result<Self, LoadError> {
        let mut load = |stage| {
            let mut before = old.load((Side::Old, stage), chart, settings, secrets)?;
            let mut after = new.load((Side::New, stage), chart, settings, secrets)?;
            leave_out_missing(&mut before, &mut after, [&old.name(), &new.name()]);
            Ok::<_, LoadError>([before, after])
        };
        let is_chart = old.is_chart()? || new.is_chart()?;
        let own = match new {
            VersionSource::Path(path) if settings.deployers.is_empty() => stated.of_chart(path),
            _ => settings.deployers.clone(),
        };
        let deployers_of = |versions: &_| match own.is_empty() {
            true => deployers_of(versions, settings),
            false => own.clone(),
        };
        if is_chart && !own.is_empty() && !own.iter().any(Deployer::has_release) {
            let install = load(Stage::Install)?;
            let deployers = deployers_of(&install);
            return Ok(Self { upgrade: None, install: Some(install), deployers });
        }
        let mut upgrade = load(Stage::Upgrade)?;
        let deployers = deployers_of(&upgrade);
        if !is_chart {
            assign(&mut upgrade, new, stated, settings);
        }
        let install = is_chart.then(|| load(Stage::Install)).transpose();
        let install = install.unwrap_or_else(|error| {
            let text = format!("not compared with a first installation: {error}");
            upgrade[1].loaded.notes.push(text);
            None
        });
        Ok(Self { upgrade: Some(upgrade), install, deployers })
    }

    /// What to compare, the usual upgrade first.
    pub(super) fn scenarios<'a>(&'a self) -> Vec<Scenario<'a>> {
        let scenario = |[before, after]: [_; 2], deployers: &[Deployer], is_first| Scenario {
            before,
            after,
            deployers: deployers.to_vec(),
            is_first,
        };
        let (Some([old, new]), Some([installed, other])) = (&self.upgrade, &self.install) else {
            let only = self.upgrade.iter().chain(&self.install);
            let of_each = |[old, new]: &'a [Version; 2]| {
                let groups = self.groups([old, new]).into_iter();
                groups.map(move |deployers| scenario([old, new], deployers, false))
            };
            return only.flat_map(of_each).collect();
        };
        let (releases, stateless): (Vec<_>, Vec<_>) =
            self.deployers.iter().cloned().partition(Deployer::has_release);
        vec![
            scenario([old, new], &releases, false),
            scenario([installed, other], &stateless, false),
            scenario([installed, new], &releases, true),
        ]
    }

    /// The different deployers of the objects of two versions.
    fn groups<'a>(&'a self, [before, after]: [&'a Version; 2]) -> Vec<&'a [Deployer]> {
        let mut all: Vec<&[Deployer]> = Vec::new();
        for part in after.parts.iter().chain(&before.parts) {
            let own = if part.deployers.is_empty() { &self.deployers } else { &part.deployers };
            if !all.contains(&&own[..]) {
                all.push(own);
            }
        }
        if all.is_empty() {
            all.push(&self.deployers);
        }
        all
    }
}

/// Says for each object of two versions what deploys it, as `check` does of its kustomization or folder. An object of the
/// old version has the deployers of what takes its place.
fn assign(
    [before, after]: &mut [Version; 2],
    new: &VersionSource,
    stated: &Stated,
    settings: &Settings,
) {
    let mut folders: HashMap<Place, Loaded> = HashMap::new();
    for version in [&*after, before] {
        let known: HashSet<_> = folders.keys().cloned().collect();
        for part in version.parts.iter().filter(|part| !known.contains(&folder(part))) {
            folders.entry(folder(part)).or_default().objects.push(part.object.clone());
        }
    }
    let unit = Unit::new(UnitKind::Plain, Vec::new(), Boundary::default());
    let of_folder = |loaded: &Loaded| deployers::of_check(&unit, loaded, settings);
    let of_folder: HashMap<_, _> =
        folders.iter().map(|(folder, loaded)| (folder, of_folder(loaded))).collect();
    let own = |part: &VersionedObject| match (new, &part.kustomization) {
        _ if !settings.deployers.is_empty() => Vec::new(),
        (_, Some(_)) => part.deployers.clone(),
        (VersionSource::Path(root), None) => stated.of_manifest(&root.join(&part.file)),
        (VersionSource::Revision(_), None) => Vec::new(),
    };
    let mut known: HashMap<Place, Vec<Deployer>> = HashMap::new();
    for part in after.parts.iter_mut().chain(&mut before.parts) {
        let place = (part.kustomization.clone(), part.file.clone());
        let found = known.entry(place).or_insert_with(|| match own(part) {
            found if found.is_empty() => of_folder[&folder(part)].clone(),
            found => found,
        });
        part.deployers.clone_from(found);
    }
}

/// A kustomization, or a file or folder of manifests.
type Place = (Option<Arc<str>>, String);

/// What is deployed together with an object: its kustomization, or its folder.
fn folder(part: &VersionedObject) -> Place {
    let folder = part.file.rsplit_once('/').map_or("", |(folder, _)| folder);
    match &part.kustomization {
        Some(_) => (part.kustomization.clone(), String::new()),
        None => (None, folder.to_owned()),
    }
}

/// The deployers of a comparison.
pub(super) fn deployers_of([before, after]: &[Version; 2], settings: &Settings) -> Vec<Deployer> {
    let unit = Unit::new(after.kind.max(before.kind), Vec::new(), Boundary::default());
    deployers::of_check(&unit, &after.loaded, settings)
}

impl<'a> Scenario<'a> {
    /// The only way in which manifests replace each other.
    pub(super) fn only([before, after]: &'a [Version; 2], deployers: Vec<Deployer>) -> Self {
        Self { before, after, deployers, is_first: false }
    }

    pub(super) fn context(
        &'a self,
        settings: &Settings,
        policy: &'a crate::policy::Policy,
    ) -> Context<'a> {
        Context {
            kind: self.after.kind.max(self.before.kind),
            objects: &self.after.loaded.objects,
            before: &self.after.loaded.before,
            changes: &self.after.loaded.changes,
            generated: &self.after.loaded.generated,
            deployers: &self.deployers,
            deployments: &[],
            counts: self.after.loaded.counts,
            together: true,
            deprecated: false,
            tried: false,
            enabled: false,
            upgrading: false,
            bumped: false,
            switched_off: false,
            undeployed: false,
            incomplete: false,
            names: None,
            crds: &self.after.loaded.crds,
            named: &[],
            kubernetes: settings.kubernetes.unwrap_or_default(),
            policy,
            found: Default::default(),
        }
    }

    /// The workloads of both sides; none without a deployer.
    pub(super) fn pairs(&'a self, from_chart: bool) -> Vec<Pair<'a>> {
        let is_its =
            |part: &&VersionedObject| part.deployers.is_empty() || part.deployers == self.deployers;
        let [old, new] = [self.before, self.after].map(|one| one.parts.iter().filter(is_its));
        match self.deployers.is_empty() {
            true => Vec::new(),
            false => pairs(old, new, &self.deployers, from_chart),
        }
    }
}

/// A pair with the deployers of every scenario that has it, and whether only the first upgrade does.
pub(super) struct Joined<'a> {
    pub(super) pair: Pair<'a>,
    pub(super) deployers: Vec<&'a Deployer>,
    /// The index of its first scenario.
    pub(super) scenario: usize,
    pub(super) is_first: bool,
}

/// The different pairs of all scenarios.
pub(super) fn joined<'a>(scenarios: &'a [Scenario<'a>], from_chart: bool) -> Vec<Joined<'a>> {
    let mut all: Vec<Joined<'a>> = Vec::new();
    for (index, scenario) in scenarios.iter().enumerate() {
        for pair in scenario.pairs(from_chart) {
            match all.iter_mut().find(|own| own.scenario != index && own.pair.is_same(&pair)) {
                Some(own) => {
                    let is_new = |one: &&Deployer| !own.deployers.contains(one);
                    let new: Vec<_> = scenario.deployers.iter().filter(is_new).collect();
                    own.deployers.extend(new);
                    own.is_first &= scenario.is_first;
                }
                None => all.push(Joined {
                    pair,
                    deployers: scenario.deployers.iter().collect(),
                    scenario: index,
                    is_first: scenario.is_first,
                }),
            }
        }
    }
    all
}
