//! The pipeline of `joblint check`: paths → units → objects → findings → report.

mod draft;
mod filled;
mod kept;
mod last;
mod policy;
mod prepared;
mod problems;
mod scripted;
mod undeployed;
mod views;

use std::{
    path::Path,
    sync::{Arc, LazyLock},
};

pub(crate) use draft::{Show, edited};
use helm_render::Pool;
use job_lifecycle::{Object, workload::is_work};
pub(crate) use kept::{Kept, Reuse};
use prepared::Prepared;
use views::check_views;

use crate::{
    baseline::{self, Baseline},
    chart::{self, Shared, ValuesFiles},
    context::Context,
    dedupe,
    deploying::Deploying,
    diagnostic::Diagnostic,
    discover::{self, Request},
    kustomize,
    load::{self, FileCache},
    mentions::Mentions,
    readmes::Readmes,
    results::Report,
    rules::Rule,
    scripts::Scripts,
    settings::Settings,
    unit::{Counts, Loaded, Unit, UnitKind},
};

/// Checks everything that the request names, hides the findings that the baseline accepts, and makes one of those
/// with the same cause.
pub fn check(request: &Request, settings: &Settings) -> Report {
    grouped(ungrouped(request, settings))
}

/// Sees what each unit is loaded as, before the rules do.
pub(crate) type Observer<'a> = &'a (dyn Fn(&Unit, &[Loaded]) + Sync);

/// The same with one finding for each object.
pub(crate) fn ungrouped(request: &Request, settings: &Settings) -> Report {
    accepted(check_all(request, settings), request, settings)
}

/// Checks the units of a shard. Returns the fingerprints of the baseline too, which are compared when those of all
/// shards are known.
pub(crate) fn shard(request: &Request, settings: &Settings) -> (Report, Vec<String>) {
    let mut report = asked(check_all(request, settings), request);
    let accepted = match baseline::read(settings) {
        Ok(baseline) => baseline.findings.into_keys().collect(),
        Err(error) => {
            report.errors.push(error.to_string());
            Vec::new()
        }
    };
    (report, accepted)
}

/// Hides the findings that the baseline accepts, and keeps the fixes of the files that the request names.
fn accepted(mut report: Report, request: &Request, settings: &Settings) -> Report {
    match baseline::read(settings) {
        Ok(baseline) => report.accept(&baseline),
        Err(error) => report.errors.push(error.to_string()),
    }
    report.errors.sort();
    asked(report, request)
}

/// Keeps the fixes of the files that the request names.
fn asked(mut report: Report, request: &Request) -> Report {
    for finding in &mut report.findings {
        finding.fixes.retain(|fix| request.asks_for(&fix.source.path));
    }
    report
}

/// Makes one finding of those with the same cause.
pub(crate) fn grouped(report: Report) -> Report {
    Report { findings: dedupe::grouped(report.findings), ..report }
}

/// Checks everything that the request names, without a baseline: one finding for each object. Units are checked in
/// parallel.
pub fn check_all(request: &Request, settings: &Settings) -> Report {
    check_units(request, settings, &|_, _| {})
}

fn check_units(request: &Request, settings: &Settings, observer: Observer<'_>) -> Report {
    let prepared = Prepared::of(request, settings);
    let report = prepared.check(request, observer, None);
    // Freeing the trees of a large repository takes a while; nobody waits for it.
    rayon::spawn(move || drop(prepared));
    report
}

/// True when the checked paths contain the folder of the settings file, so that every entry of `ignore:` had
/// its chance to apply.
fn covers_settings(request: &Request, settings: &Settings) -> bool {
    let Some(folder) = settings.sources.first().map(|source| Path::new(&source.path).parent())
    else {
        return false;
    };
    let absolute = |path: &Path| {
        std::path::absolute(Path::new(".").join(&request.base).join(path))
            .map(|path| discover::normal(&path))
            .ok()
    };
    let folder = absolute(folder.unwrap_or(Path::new("")));
    request.paths.iter().any(|path| {
        absolute(path)
            .zip(folder.as_ref())
            .is_some_and(|(path, folder)| path.is_dir() && folder.starts_with(path))
    })
}

/// Checks one unit, without a baseline.
pub fn check_unit(unit: &Unit, settings: &Settings) -> Report {
    Run::new(settings, &chart::limits::pool(1)).check(unit)
}

/// What the checks of all units share.
struct Run<'a> {
    settings: &'a Settings,
    /// The rules that run.
    active: Vec<&'static Rule>,
    /// Those of them whose findings can be seen.
    visible: Vec<&'static Rule>,
    seen: &'a FileCache,
    pool: &'a Pool,
    /// The folders that the user named, as the start of printed paths.
    named: Vec<String>,
    keeps_trail: bool,
    /// Fixes wait for the whole run, which proves them.
    is_draft: bool,
    observer: Observer<'a>,
    /// What an editor's earlier runs have kept.
    kept: Option<&'a Kept>,
    scripts: Scripts,
    readmes: Readmes,
    mentions: Mentions,
    deploying: Arc<Deploying>,
    elsewhere: ValuesFiles,
}

static NONE_SEEN: LazyLock<FileCache> = LazyLock::new(FileCache::default);

impl<'a> Run<'a> {
    fn new(settings: &'a Settings, pool: &'a Pool) -> Self {
        let active = settings.active_rules();
        let is_visible = |rule: &&Rule| !rule.is_pedantic() || settings.shows_pedantic(rule);
        let visible = active.iter().copied().filter(is_visible).collect();
        let observer: Observer<'_> = &|_, _| {};
        let (seen, keeps_trail, is_draft) = (&*NONE_SEEN, false, false);
        let (named, kept, scripts) = (Vec::new(), None, Scripts::default());
        let (readmes, mentions) = (Readmes::default(), Mentions::default());
        let deploying = Arc::default();
        let elsewhere = ValuesFiles::default();
        Self {
            settings,
            active,
            visible,
            seen,
            pool,
            named,
            keeps_trail,
            is_draft,
            observer,
            kept,
            scripts,
            readmes,
            mentions,
            deploying,
            elsewhere,
        }
    }

    fn check(&self, unit: &Unit) -> Report {
        match unit.kind {
            UnitKind::Chart => chart::with_stack(|| {
                let all = chart::load_explored(unit, self.settings, &self.shared(unit));
                if self.pool.is_stopped() {
                    Report::default()
                } else {
                    check_views(unit, &all, self)
                }
            })
            .unwrap_or_else(|error| Report {
                errors: vec![error.to_string()],
                ..Report::default()
            }),
            UnitKind::Overlay => check_views(unit, &kustomize::load(unit), self),
            UnitKind::Plain => check_views(unit, &[load::load_seen(unit, self.seen)], self),
        }
    }

    fn shared(&self, chart: &Unit) -> Shared<'_> {
        let cache = self.kept.map(|kept| kept.chart_cache(&chart.root)).unwrap_or_default();
        Shared { pool: self.pool, cache, elsewhere: &self.elsewhere }
    }
}

fn is_workload(object: &Object, context: &Context<'_>) -> bool {
    is_work(object) || {
        context.deployers.iter().any(|deployer| context.role(object, deployer).hook().is_some())
    }
}

impl Report {
    fn add(&mut self, part: Report) {
        self.findings.extend(part.findings);
        self.skipped.extend(part.skipped);
        let set_apart =
            [(&mut self.unnamed, part.unnamed), (&mut self.undeployed, part.undeployed)];
        for (all, own) in set_apart {
            own.into_iter().for_each(|(path, findings)| *all.entry(path).or_default() += findings);
        }
        self.said_by_readmes.extend(part.said_by_readmes);
        self.unchecked.extend(part.unchecked);
        self.remarks.extend(part.remarks);
        self.trail.extend(part.trail);
        self.notes.extend(part.notes);
        self.errors.extend(part.errors);
        self.used_entries.extend(part.used_entries);
        self.checked.extend(part.checked);
        self.secrets.extend(&part.secrets);
        self.undecided.extend(part.undecided);
        self.counts.add(part.counts);
        self.is_searched |= part.is_searched;
        self.is_of_repository |= part.is_of_repository;
    }

    /// Moves the findings about what the run left out to [`Report::skipped`]: nothing is known to be wrong there. They
    /// stay findings where the user asks for them.
    fn set_gaps_apart(&mut self, settings: &Settings) {
        let stays = |one: &Diagnostic| !one.is_gap || settings.shows_pedantic(one.rule);
        let all = std::mem::take(&mut self.findings).into_iter();
        (self.findings, self.skipped) = all.partition(stays);
    }

    /// Adds the counts, notes and files of a view.
    fn add_view(&mut self, loaded: &Loaded, context: &Context<'_>) {
        let workloads = loaded.objects.iter().filter(|object| is_workload(object, context)).count();
        let counts = Counts { workloads, ..loaded.counts };
        match loaded.overlay {
            // Kustomizations have different objects, although they share files.
            Some(_) => self.counts.add(counts),
            None => self.counts.merge(counts),
        }
        self.is_searched |= loaded.is_searched;
        self.notes.extend(loaded.notes.iter().cloned());
        self.checked.extend(loaded.sources.iter().map(|source| source.path.clone()));
    }

    /// Hides the findings that the baseline accepts, and notes how many of its entries no longer occur.
    fn accept(&mut self, baseline: &Baseline) {
        let mut stale = baseline.findings.clone();
        for finding in self.hide(|fingerprint| baseline.findings.contains_key(fingerprint)) {
            stale.remove(&finding.fingerprint);
        }
        stale.retain(|_, accepted| self.checked.contains(&accepted.path));
        if !stale.is_empty() {
            let count = stale.len();
            self.notes.push(format!(
                "{count} of the accepted findings no longer occur; `joblint baseline` removes them"
            ));
        }
    }
}
