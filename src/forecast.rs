//! The pipeline of `joblint forecast`: paths → units → workloads → outcomes under each deployer. Secrets are
//! masked in everything it returns.

mod redacted;

use std::sync::Arc;

use job_lifecycle::{
    Deployer, Event, Object, ObjectName, Outcome, Role, classify,
    forecast::{DeployedWorkload, Forecast, Row},
};
use rayon::prelude::*;
use yaml_spans::{Location, Source};

use crate::{
    beside,
    chart::{self, Shared, ValuesFiles},
    context::Context,
    deployers,
    discover::{Discovered, Request},
    gitops::{self, Resolved, Tree},
    kustomize, load,
    redact::{Redactor, SecretValues},
    settings::Settings,
    unit::{Deployment, Failure, Loaded, Unit, UnitKind},
    words::varying_name,
};

/// The forecasts of a run, in output order.
#[derive(Debug, Default)]
pub struct Outlook {
    /// One block per workload, ordered by location.
    pub blocks: Vec<Block>,
    /// The repository around the run.
    pub tree: Tree,
    /// The deployments that the GitOps objects describe.
    pub deployments: Vec<Arc<Deployment>>,
    /// Notes for standard error.
    pub notes: Vec<String>,
    /// Inputs that could not be read; forecasts may be missing.
    pub errors: Vec<String>,
    /// The secret values of the run; empty once they are masked.
    secrets: SecretValues,
}

/// The forecast of one workload.
#[derive(Debug)]
pub struct Block {
    /// Kind, namespace and name.
    pub name: ObjectName,
    /// The printed name, with `*` for generated parts.
    pub title: String,
    /// Where the workload is written.
    pub location: Location,
    /// One column per deployer.
    pub columns: Vec<Column>,
    /// The value sets that this forecast applies to, if it differs from the first view of the chart or is
    /// missing there.
    pub value_sets: Vec<Arc<str>>,
}

/// The forecast of a workload under one deployer.
#[derive(Debug)]
pub struct Column {
    /// The deployer with its options.
    pub deployer: Deployer,
    /// What the deployer treats the workload as.
    pub role: Role,
    /// The outcome of each requested event that can happen.
    pub events: Vec<(Event, Cell)>,
}

/// The outcome of one event, with secrets masked.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The main outcome.
    pub outcome: Outcome,
    /// Side effects.
    pub also: Vec<Outcome>,
    /// Why; empty if the outcome needs no explanation.
    pub reason: String,
    /// The source of the fact.
    pub fact: &'static str,
    /// The immutable fields that cause a rejection.
    pub fields: Vec<&'static str>,
    /// Related locations with their text.
    pub labels: Vec<(Location, String)>,
}

/// Forecasts all workloads of a request.
pub fn forecast(request: &Request, settings: &Settings, events: &[Event]) -> Outlook {
    let Discovered { units, walked, mut notes, errors, .. } = beside::discover(request);
    let Resolved { units, deployments, notes: unresolved, tree, mut secrets, .. } =
        gitops::resolve(units, walked, request);
    notes.extend(unresolved);
    secrets.extend(&request.secrets);
    request.progress.start(units.len());
    let pool = chart::limits::pool(Unit::charts(&units));
    let elsewhere = ValuesFiles::default();
    let of_unit = |unit: &Unit| {
        let shared = Shared { pool: &pool, cache: Default::default(), elsewhere: &elsewhere };
        let outlook = of_unit(unit, settings, events, &shared);
        request.progress.step();
        outlook
    };
    let parts: Vec<_> = units.par_iter().map(of_unit).collect();
    let mut outlook = Outlook { notes, errors, deployments, tree, secrets, ..Outlook::default() };
    for part in parts {
        outlook.blocks.extend(part.blocks);
        outlook.notes.extend(part.notes);
        outlook.errors.extend(part.errors);
        outlook.secrets.extend(&part.secrets);
    }
    outlook.blocks.sort_by(|a, b| a.location.sort_key().cmp(&b.location.sort_key()));
    outlook.redact();
    outlook
}

/// Forecasts a unit that is loaded, as [`forecast`] does.
pub(crate) fn of_loaded_unit(unit: &Unit, all: &[Loaded], settings: &Settings) -> Outlook {
    let mut outlook = match (unit.kind, all) {
        (UnitKind::Plain, [loaded]) => of_loaded(unit, loaded, settings, &Event::ALL),
        _ => of_views(unit, all, settings, &Event::ALL),
    };
    outlook.blocks.sort_by(|a, b| a.location.sort_key().cmp(&b.location.sort_key()));
    outlook.redact();
    outlook
}

fn of_unit(unit: &Unit, settings: &Settings, events: &[Event], shared: &Shared<'_>) -> Outlook {
    match unit.kind {
        UnitKind::Chart => chart::with_stack(|| {
            of_views(unit, &chart::load_explored(unit, settings, shared), settings, events)
        })
        .unwrap_or_else(|error| Outlook { errors: vec![error.to_string()], ..Outlook::default() }),
        UnitKind::Overlay => of_views(unit, &kustomize::load(unit), settings, events),
        UnitKind::Plain => of_loaded(unit, &load::load(unit), settings, events),
    }
}

/// Forecasts a chart as GitOps objects deploy it, else with its defaults, and adds what differs under other
/// values. Of kustomizations that share files, all count.
fn of_views(unit: &Unit, all: &[Loaded], settings: &Settings, events: &[Event]) -> Outlook {
    let deployed = |loaded: &&Loaded| {
        loaded.rendering.as_ref().is_some_and(|rendering| !rendering.deployments.is_empty())
    };
    let is_deployed = all.iter().any(|loaded| deployed(&loaded));
    let mut outlook = Outlook::default();
    all.iter().for_each(|loaded| outlook.secrets.extend(&loaded.secrets));
    outlook.notes.extend(all.iter().flat_map(|loaded| loaded.notes.iter().cloned()));
    // What becomes of a Job of an entry that joblint made up depends on its fields.
    let is_of_entries =
        |loaded: &Loaded| loaded.rendering.as_ref().is_some_and(|own| own.is_of_entries);
    let views = all.iter().filter(|loaded| !is_deployed || deployed(loaded));
    let views = views.filter(|loaded| !is_of_entries(loaded));
    for (index, loaded) in views.enumerate() {
        let view = of_loaded(unit, loaded, settings, events);
        outlook.errors.extend(view.errors);
        let name = loaded.view();
        if index == 0 {
            outlook.blocks = view.blocks;
            let first = outlook.blocks.iter_mut();
            let first = first.filter(|_| unit.kind == UnitKind::Overlay && all.len() > 1);
            first.for_each(|block| block.value_sets.extend(name.clone()));
            continue;
        }
        for block in view.blocks {
            match outlook.blocks.iter_mut().find(|shown| shown.says_the_same(&block)) {
                Some(shown) if shown.value_sets.is_empty() && unit.kind == UnitKind::Chart => {}
                Some(shown) => shown.value_sets.extend(name.clone()),
                None => {
                    let value_sets = name.clone().into_iter().collect();
                    outlook.blocks.push(Block { value_sets, ..block });
                }
            }
        }
    }
    outlook
}

fn of_loaded(unit: &Unit, loaded: &Loaded, settings: &Settings, events: &[Event]) -> Outlook {
    let (notes, secrets) = (loaded.notes.clone(), loaded.secrets.clone());
    let mut outlook = Outlook { notes, secrets, ..Outlook::default() };
    let mut redactor = Redactor::default();
    for problem in loaded.problems.iter().filter(|problem| problem.failure != Failure::NotRendered)
    {
        if problem.is_remark(settings.strict) {
            outlook.notes.push(hidden(&mut redactor, &problem.source, problem.remark()));
            continue;
        }
        let line = problem.source.position(problem.span.start).line;
        let text = format!("{}:{line}: {}", problem.source.path, problem.reason);
        outlook.errors.push(hidden(&mut redactor, &problem.source, text));
    }
    let together = unit.together || !settings.deployers.is_empty();
    let mut groups: Vec<Vec<&Object>> = Vec::new();
    for object in &loaded.objects {
        let same =
            |group: &&mut Vec<&Object>| together || Arc::ptr_eq(&group[0].source, &object.source);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(object),
            None => groups.push(vec![object]),
        }
    }
    let mut deployers = deployers::of_forecast(unit, loaded, settings);
    // Without a release there is no upgrade, and what only an upgrade renders never exists.
    deployers.retain(|one| one.has_release() || !loaded.is_upgrade());
    if deployers.is_empty() {
        return outlook;
    }
    for group in groups {
        let blocks =
            of_group(&group, loaded, unit.kind, (&deployers, settings), events, &mut redactor);
        let counted = blocks.into_iter().filter(|(object, _)| loaded.counts(object));
        outlook.blocks.extend(counted.map(|(_, block)| block));
    }
    outlook
}

/// Forecasts objects that are deployed together.
fn of_group<'a>(
    objects: &[&'a Object],
    loaded: &'a Loaded,
    kind: UnitKind,
    (deployers, settings): (&[Deployer], &Settings),
    events: &[Event],
    redactor: &mut Redactor,
) -> Vec<(&'a Object, Block)> {
    let from_chart = kind == UnitKind::Chart;
    let work = |object: &'_ Object, deployer: &Deployer| {
        DeployedWorkload::new(object, classify(object, deployer, from_chart), from_chart).is_some()
    };
    let works: Vec<_> = objects
        .iter()
        .copied()
        .filter(|object| deployers.iter().any(|deployer| work(object, deployer)))
        .collect();
    let mut blocks: Vec<_> = works.iter().map(|object| Block::new(object, loaded)).collect();
    let policy = settings.policy();
    let context = Context {
        kind,
        objects: &loaded.objects,
        before: &loaded.before,
        changes: &loaded.changes,
        generated: &loaded.generated,
        deployers,
        deployments: &[],
        counts: loaded.counts,
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
        crds: &loaded.crds,
        named: &[],
        kubernetes: settings.kubernetes.unwrap_or_default(),
        policy: &policy,
        found: Default::default(),
    };
    let is_here = |one: &&Object| objects.iter().any(|own| std::ptr::eq(*own, *one));
    let deleters =
        |object: &Object| context.deleters(object).into_iter().filter(is_here).collect::<Vec<_>>();
    for deployer in deployers {
        // A Pod is a workload only for deployers that treat it as a hook.
        let found = works.iter().enumerate().filter_map(|(index, object)| {
            let role = classify(object, deployer, from_chart);
            let work = DeployedWorkload::new(object, role, from_chart)?;
            let work = work.deleted_by(deleters(object));
            Some((index, (work, loaded.changes.or_edited(object))))
        });
        let (indexes, own): (Vec<_>, Vec<_>) = found.unzip();
        let rows = job_lifecycle::forecast::forecast_unit(&own, objects, deployer, events);
        for ((index, row), (work, _)) in indexes.into_iter().zip(rows).zip(&own) {
            blocks[index].columns.push(Column::new(deployer, row, work.object, redactor));
        }
    }
    works.into_iter().zip(blocks).collect()
}

impl Block {
    fn new(object: &Object, loaded: &Loaded) -> Self {
        let location = object.location().written();
        let (mut name, mut title) = (object.full_name(), object.display_name());
        if let Some(varying) =
            varying_name(object, loaded.changes.of(object).map(|changes| &**changes))
        {
            name.name = Some(varying.clone());
            title = varying;
        }
        Self { name, title, location, columns: Vec::new(), value_sets: Vec::new() }
    }

    /// Returns whether two blocks show the same workload with the same outcomes.
    fn says_the_same(&self, other: &Self) -> bool {
        let same = |own: &Column, other: &Column| {
            let outcomes = |column: &Column| -> Vec<_> {
                column
                    .events
                    .iter()
                    .map(|(at, cell)| (*at, cell.outcome, cell.also.clone()))
                    .collect()
            };
            own.deployer == other.deployer && outcomes(own) == outcomes(other)
        };
        self.title == other.title
            && self.location.sort_key() == other.location.sort_key()
            && self.columns.len() == other.columns.len()
            && self.columns.iter().zip(&other.columns).all(|(own, other)| same(own, other))
    }

    /// Its position and the values it applies to: `templates/job.yaml:2`, `… with ci/ha-values.yaml`.
    pub fn place(&self) -> String {
        let place = format!("{}:{}", self.location.source.path, self.location.start().line);
        match self.value_sets.is_empty() {
            true => place,
            false => format!("{place}  with {}", self.value_sets.join(", ")),
        }
    }
}

impl Column {
    fn new(deployer: &Deployer, row: Row, object: &Object, redactor: &mut Redactor) -> Self {
        let events = row
            .events
            .into_iter()
            .map(|(event, forecast)| (event, Cell::new(forecast, object, redactor)))
            .collect();
        Self { deployer: deployer.clone(), role: row.role, events }
    }

    /// The outcome of an event, if it was requested and can happen.
    pub fn at(&self, event: Event) -> Option<&Cell> {
        self.events.iter().find(|(own, _)| *own == event).map(|(_, cell)| cell)
    }
}

impl Cell {
    fn new(forecast: Forecast, object: &Object, redactor: &mut Redactor) -> Self {
        let labels = forecast.labels.into_iter().map(|label| {
            let text = hidden(redactor, &label.source, label.text);
            (Location { source: label.source, span: label.span }.written(), text)
        });
        Self {
            outcome: forecast.outcome,
            also: forecast.also,
            labels: labels.collect(),
            reason: hidden(redactor, &object.source, forecast.reason),
            fact: forecast.fact,
            fields: forecast.fields,
        }
    }
}

/// Masks the secrets of a source in a text.
fn hidden(redactor: &mut Redactor, source: &Arc<Source>, text: String) -> String {
    redactor.of(source).secrets.hide(&text, |_| false).unwrap_or(text)
}
