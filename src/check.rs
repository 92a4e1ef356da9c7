//! The pipeline of `joblint check`: paths → units → objects → findings → report.

mod draft;
mod kept;
mod last;
mod policy;
mod prepared;
mod problems;

use std::{
    path::Path,
    sync::{Arc, LazyLock},
};

pub(crate) use draft::{Show, edited};
use helm_render::{ChartCache, Pool};
use job_lifecycle::{Deployer, Object, workload::is_work};
pub(crate) use kept::{Kept, Reuse};
use prepared::Prepared;

use crate::{
    baseline::{self, Baseline},
    chart,
    context::Context,
    dedupe::{self, Findings},
    deployers,
    diagnostic::{self, Diagnostic},
    discover::{self, Request},
    fix::Allowance,
    kustomize,
    load::{self, FileCache},
    placeholders,
    policy::Policy,
    raise, resolve,
    results::Report,
    rules::{Raised, Rule, patch_matches_nothing},
    scripts::Scripts,
    settings::Settings,
    suppress::{self, Suppressed},
    trail,
    unit::{Counts, Loaded, Rendering, Unit, UnitKind},
    verify,
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
        }
    }

    fn check(&self, unit: &Unit) -> Report {
        match unit.kind {
            UnitKind::Chart => chart::with_stack(|| {
                let cache = self.cache_of(unit);
                let all = chart::load_explored(unit, self.settings, self.pool, &cache);
                check_views(unit, &all, self)
            })
            .unwrap_or_else(|error| Report {
                errors: vec![error.to_string()],
                ..Report::default()
            }),
            UnitKind::Overlay => check_views(unit, &kustomize::load(unit), self),
            UnitKind::Plain => check_views(unit, &[load::load_seen(unit, self.seen)], self),
        }
    }

    fn cache_of(&self, chart: &Unit) -> ChartCache {
        self.kept.map(|kept| kept.chart_cache(&chart.root)).unwrap_or_default()
    }
}

/// Checks the views of a unit: one, or one per value set. The same finding in several views is reported once, and
/// the ignores of the unit apply to all views together.
fn check_views(unit: &Unit, all: &[Loaded], run: &Run<'_>) -> Report {
    let settings = run.settings;
    (run.observer)(unit, all);
    let mut report = Report::default();
    let mut findings = Findings::default();
    let deployers: Vec<_> =
        all.iter().map(|loaded| deployers::of_view(unit, loaded, settings)).collect();
    let policy = settings.policy();
    let views = all.iter().zip(&deployers);
    let mut renderings = all.iter().filter_map(|loaded| loaded.rendering.as_deref());
    let has_other = renderings.any(is_of_users);
    let views = views.map(|(loaded, deployers)| {
        let rendering = loaded.rendering.as_deref();
        let tried = rendering.is_some_and(|one| is_made_up(one) || has_other && is_for_tests(one));
        view(unit, (loaded, tried), deployers, run, &policy)
    });
    let views: Vec<_> = views.collect();
    let own = settings.active_own_rules();
    let raised = views.iter().map(|view| raised(view, &own, unit, run, &mut report)).collect();
    // Proofs that find the budget used up leave fixes out, and no finding.
    let overrun =
        chart::limits::budget(all).and_then(|budget| chart::limits::problem(unit, all, &budget));
    let scope = verify::Scope { unit, views: &views, settings, own: &own };
    for (view, verified) in views.iter().zip(verify::fixes(raised, scope)) {
        let loaded = view.loaded;
        report.secrets.extend(&loaded.secrets);
        findings.add_view(loaded);
        let Some(context) = &view.context else { continue };
        for (finding, values) in settled(verified, loaded, context, settings, &mut report) {
            match unit.kind {
                UnitKind::Overlay => findings.keep(finding, values),
                UnitKind::Plain | UnitKind::Chart => findings.add(finding, values),
            }
        }
    }
    let overrun = overrun.and_then(|problem| report.problem(&problem, settings));
    overrun.into_iter().for_each(|finding| findings.add(finding, None));
    // An ignore in one overlay leaves the finding in the others.
    let mut found = if unit.kind == UnitKind::Overlay { findings.all() } else { findings.merged() };
    chart::own_name::without_repeated(&mut found);
    let is_quiet = || all.iter().all(|view| is_without_ignores(unit, view, settings));
    let kept = match found.is_empty() && is_quiet() {
        true => Suppressed::default(),
        false => suppress::apply(found, all, &unit.deployments, settings),
    };
    kept.ignored_failures.iter().for_each(|finding| report.forgive(finding));
    if run.keeps_trail {
        report.trail.push(trail::of_unit(unit, all, &report.counts, settings));
    }
    report.findings = match unit.kind {
        UnitKind::Overlay => Findings::merge_overlays(kept.findings, all),
        UnitKind::Plain | UnitKind::Chart => kept.findings,
    };
    report.set_gaps_apart(settings);
    diagnostic::without_origins(report.findings.iter_mut().chain(&mut report.skipped));
    let root = discover::shown(&unit.root);
    let root: Arc<str> = if root.is_empty() { ".".into() } else { root.into() };
    for finding in &mut report.findings {
        finding.unit = root.clone();
    }
    report.counts.ignored = kept.ignored;
    report.used_entries = kept.used_entries;
    report
}

/// Whether joblint chose the values of a chart.
fn is_made_up(rendering: &Rendering) -> bool {
    !rendering.options.overrides.is_empty()
}

/// Whether the values test a chart that nobody deploys with them.
fn is_for_tests(rendering: &Rendering) -> bool {
    rendering.deployments.is_empty() && chart::is_test_set(&rendering.values)
}

/// Whether somebody may deploy the chart as it is rendered here.
fn is_of_users(rendering: &Rendering) -> bool {
    !is_made_up(rendering) && !is_for_tests(rendering) && !rendering.options.is_lint
}

/// The value set of a finding; `None` when nothing was rendered.
type Values = Option<Arc<str>>;

/// What is known about a view of a unit before the rules run.
fn view<'a>(
    unit: &'a Unit,
    (loaded, tried): (&'a Loaded, bool),
    deployers: &'a [Deployer],
    run: &'a Run<'_>,
    policy: &'a Policy,
) -> verify::View<'a> {
    let settings = run.settings;
    let drops_hidden = is_without_ignores(unit, loaded, settings);
    let chart = loaded.rendering.as_ref().map(|rendering| &rendering.chart);
    // A chart that excludes newer versions (`kubeVersion`) is for an older cluster.
    let rendered_for = loaded.rendering.as_ref().map(|rendering| chart::target(&rendering.options));
    let context = Context {
        kind: unit.kind,
        objects: &loaded.objects,
        before: &loaded.before,
        changes: &loaded.changes,
        generated: &loaded.generated,
        deployers,
        deployments: loaded.deployments(unit),
        counts: loaded.counts,
        together: unit.together || unit.kind != UnitKind::Plain || !settings.deployers.is_empty(),
        deprecated: chart.is_some_and(|chart| chart.metadata.deprecated),
        tried,
        upgrading: loaded.rendering.as_ref().is_some_and(|one| one.is_of_upgrades()),
        bumped: unit.bumped,
        switched_off: unit.switched_off,
        crds: &loaded.crds,
        named: &run.named,
        kubernetes: settings.kubernetes.or(rendered_for).unwrap_or_default(),
        policy,
        deletions: Default::default(),
    };
    let active = if drops_hidden { &run.visible } else { &run.active };
    verify::View { loaded, context: (!deployers.is_empty()).then_some(context), active }
}

/// Runs the rules on a view.
fn raised<'a>(
    view: &verify::View<'a>,
    own: &[&'static Rule],
    unit: &Unit,
    run: &Run<'_>,
    report: &mut Report,
) -> Vec<Raised<'a>> {
    let settings = run.settings;
    let Some(context) = &view.context else { return Vec::new() };
    let (mut raised, undecided) = raise::all(context, view.active, own);
    report.undecided.extend(undecided);
    raised.iter_mut().for_each(|one| one.finding.pedantic |= is_aside(one, view, unit, run));
    if is_without_ignores(unit, view.loaded, settings) {
        raised.retain(|one| !resolve::is_hidden(one, context, settings));
    }
    if run.is_draft {
        raised.iter_mut().for_each(|one| one.finding.fixes.clear());
    }
    raised
}

/// True for a field that a script fills in, and for what a dependency from elsewhere does only with values that nobody is
/// known to set: whoever does gets another version of it.
fn is_aside(one: &Raised<'_>, view: &verify::View<'_>, unit: &Unit, run: &Run<'_>) -> bool {
    let Some(context) = &view.context else { return false };
    let rendering = view.loaded.rendering.as_ref().filter(|_| context.tried);
    rendering.is_some_and(|own| chart::is_vendored(own, &one.object.source.path))
        || placeholders::is_filled_in(one, context, |path| run.scripts.fill_in(path, unit))
}

/// Traces the findings of a view to the files that people wrote, and adds those about what was not read.
fn settled(
    mut verified: Vec<Raised<'_>>,
    loaded: &Loaded,
    context: &Context<'_>,
    settings: &Settings,
    report: &mut Report,
) -> Vec<(Diagnostic, Values)> {
    verified.retain(|one| {
        loaded.counts(one.object) && !placeholders::is_artefact(one, loaded, context)
    });
    let allowance = Allowance::default();
    let resolved = verified.into_iter().map(|one| {
        let values = loaded.values(one.object);
        (resolve::resolve(one, context, settings, &allowance), values)
    });
    let mut found: Vec<_> = resolved.collect();
    if let Some(rendering) = &loaded.rendering {
        chart::own_name::blame(&mut found, rendering);
    }
    let values = loaded.view();
    let problems = report.add_problems(loaded, context, settings).into_iter();
    found.extend(problems.map(|problem| (problem, values.clone())));
    let idle = loaded.idle.iter().map(|patch| {
        let (rule, label) = (&patch_matches_nothing::RULE, patch_matches_nothing::label(patch));
        let mut finding = resolve::run_finding(rule, patch.at.clone(), label, settings);
        finding.hidden |=
            patch_matches_nothing::is_pedantic(patch) && !settings.shows_pedantic(rule);
        finding
    });
    found.extend(idle.map(|finding| (finding, values.clone())));
    report.add_view(loaded, context);
    found
}

/// True for plain files that no ignore concerns: what the settings hide need not be matched with ignores.
fn is_without_ignores(unit: &Unit, loaded: &Loaded, settings: &Settings) -> bool {
    unit.kind == UnitKind::Plain
        && settings.ignores.is_empty()
        && !loaded.sources.iter().any(|source| suppress::may_ignore(&source.text))
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
