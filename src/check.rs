//! The pipeline of `joblint check`: paths → units → objects → findings → report.

mod policy;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use helm_render::Pool;
use job_lifecycle::{Object, workload::kind_of};
use rayon::prelude::*;
use yaml_spans::Location;

use crate::{
    admission,
    baseline::{self, Baseline},
    chart,
    context::Context,
    dedupe::{self, Findings},
    deployers,
    diagnostic::Diagnostic,
    discover::{self, Discovered, Request, Root},
    finding::Severity,
    fingerprint,
    fix::Allowance,
    gitops::{self, Resolved},
    kustomize,
    load::{self, FileCache},
    own_rules, placeholders,
    policies::Policies,
    resolve,
    results::{Report, Unchecked},
    rules::{self, Raised, Rule, patch_matches_nothing, unreadable, unrenderable},
    settings::Settings,
    shard::Shard,
    suppress::{self, Suppressed},
    trail,
    unit::{Counts, Failure, Loaded, Problem, Unit, UnitKind},
    verify,
};

/// Checks everything that the request names, hides the findings that the baseline accepts, and makes one of those
/// with the same cause.
pub fn check(request: &Request, settings: &Settings) -> Report {
    grouped(ungrouped(request, settings))
}

/// Sees what each unit is loaded as, before the rules do.
pub(crate) type Observer<'a> = &'a (dyn Fn(&Unit, &[Loaded]) + Sync);

/// The same for an editor, which shows more of the units than their findings.
pub(crate) fn observed(request: &Request, settings: &Settings, observer: Observer<'_>) -> Report {
    grouped(accepted(check_units(request, settings, observer), request, settings))
}

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
    let Discovered { units, walked, excluded, mut notes, errors } = discover::discover(request);
    let mut resolved = gitops::resolve(units, walked, request);
    let policies = Policies::of(&mut resolved, request, settings);
    let Resolved { units, notes: gitops_notes, mut problems, seen, mut secrets, .. } = resolved;
    let settings = &policies.settings(settings);
    notes.extend(gitops_notes);
    notes.extend(policies.notes);
    problems.extend(policies.problems);
    secrets.extend(&request.secrets);
    let pool = chart::limits::pool(Unit::charts(&units));
    let (units, hash) = part_of(units, request);
    request.progress.start(units.len());
    let keeps_trail = request.keeps_trail;
    let run = Run { seen: &seen, keeps_trail, observer, ..Run::new(settings, &pool) };
    let check = |(index, unit): &(usize, Unit)| {
        if request.progress.is_stopped() {
            return Report::default();
        }
        let mut report = run.check(unit);
        report.findings.iter_mut().for_each(|finding| finding.unit_index = *index);
        request.progress.step();
        report
    };
    let parts: Vec<Report> = units.par_iter().map(check).collect();
    // Freeing the trees of a large repository takes a while; nobody waits for it.
    rayon::spawn(move || drop((units, seen)));
    let root = Root::find(&request.base, request.paths.first().map(PathBuf::as_path));
    let trail = excluded.into_iter().map(|path| (path, "excluded".to_owned())).collect();
    let mut report = Report { notes, errors, root, secrets, trail, run: hash, ..Report::default() };
    for part in parts {
        report.add(part);
    }
    let is_first = request.shard.is_none_or(Shard::is_first);
    for problem in problems.iter().filter(|_| is_first) {
        let finding = report.problem(problem, settings);
        report.findings.extend(finding);
    }
    report.findings.extend(policy::undecided(&report.undecided, settings));
    let warnings = policies.warnings.iter();
    report.findings.extend(warnings.map(|(at, label)| policy::warned(at, label, settings)));
    report.findings.retain(|finding| !finding.hidden);
    if covers_settings(request, settings) {
        let unused = suppress::unused_entries(settings, &report.used_entries);
        match request.shard {
            None => report.findings.extend(unused),
            Some(_) => report.entries = unused,
        }
    }
    match request.shard {
        None => report.settle(),
        Some(_) => report.sort(),
    }
    let redactor = &mut report.redactor;
    fingerprint::fill(&mut report.findings, &report.root, redactor);
    fingerprint::fill(&mut report.entries, &report.root, redactor);
    if request.shard.is_none() {
        fingerprint::count(&mut report.findings);
    }
    report
}

/// The units of a shard, or all of them, with their positions; and for a shard the hash of all of them.
fn part_of(units: Vec<Unit>, request: &Request) -> (Vec<(usize, Unit)>, String) {
    let numbered = |units: Vec<Unit>| units.into_iter().enumerate().collect();
    let Some(shard) = request.shard else { return (numbered(units), String::new()) };
    // The shards of a run may be checked in different places.
    let base = std::path::absolute(Path::new(".").join(&request.base)).unwrap_or_default();
    let base = discover::normal(&base);
    let hash = fingerprint::of_run(units.iter().flat_map(|unit| {
        let root = discover::normal(&base.join(&unit.root));
        let title =
            format!("{:?} {}", unit.kind, discover::shown(&discover::relative(&root, &base)));
        let files = unit.files.iter().map(|file| file.shown.clone());
        std::iter::once(title).chain(files)
    }));
    (shard.take(numbered(units)), hash)
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
    keeps_trail: bool,
    observer: Observer<'a>,
}

static NONE_SEEN: LazyLock<FileCache> = LazyLock::new(FileCache::default);

impl<'a> Run<'a> {
    fn new(settings: &'a Settings, pool: &'a Pool) -> Self {
        let active = settings.active_rules();
        let is_visible = |rule: &&Rule| !rule.is_pedantic() || settings.shows_pedantic(rule);
        let visible = active.iter().copied().filter(is_visible).collect();
        let observer: Observer<'_> = &|_, _| {};
        Self { settings, active, visible, seen: &NONE_SEEN, pool, keeps_trail: false, observer }
    }

    fn check(&self, unit: &Unit) -> Report {
        match unit.kind {
            UnitKind::Chart => chart::with_stack(|| {
                check_views(unit, &chart::load_explored(unit, self.settings, self.pool), self)
            })
            .unwrap_or_else(|error| Report {
                errors: vec![error.to_string()],
                ..Report::default()
            }),
            UnitKind::Overlay => check_views(unit, &kustomize::load(unit), self),
            UnitKind::Plain => check_views(unit, &[load::load_seen(unit, self.seen)], self),
        }
    }
}

/// Checks the views of a unit: one, or one per value set. The same finding in several views is reported once, and
/// the ignores of the unit apply to all views together.
fn check_views(unit: &Unit, all: &[Loaded], run: &Run<'_>) -> Report {
    let settings = run.settings;
    (run.observer)(unit, all);
    let mut report = Report::default();
    let mut findings = Findings::default();
    let proofs = verify::Proofs::default();
    for loaded in all {
        report.secrets.extend(&loaded.secrets);
        findings.add_view(loaded);
        for (finding, values) in check_view(unit, all, loaded, run, &proofs, &mut report) {
            match unit.kind {
                UnitKind::Overlay => findings.keep(finding, values),
                UnitKind::Plain | UnitKind::Chart => findings.add(finding, values),
            }
        }
    }
    let overrun =
        chart::limits::budget(all).and_then(|budget| chart::limits::problem(unit, all, &budget));
    let overrun = overrun.and_then(|problem| report.problem(&problem, settings));
    overrun.into_iter().for_each(|finding| findings.add(finding, None));
    // An ignore in one overlay leaves the finding in the others.
    let found = if unit.kind == UnitKind::Overlay { findings.all() } else { findings.merged() };
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
    let root = discover::shown(&unit.root);
    let root: Arc<str> = if root.is_empty() { ".".into() } else { root.into() };
    for finding in &mut report.findings {
        finding.unit = root.clone();
    }
    report.counts.ignored = kept.ignored;
    report.used_entries = kept.used_entries;
    report
}

/// The value set of a finding; `None` when nothing was rendered.
type Values = Option<Arc<str>>;

/// Checks one view of a unit: runs the rules, verifies fixes, and traces findings to the files that people wrote.
fn check_view(
    unit: &Unit,
    all: &[Loaded],
    loaded: &Loaded,
    run: &Run<'_>,
    proofs: &verify::Proofs,
    report: &mut Report,
) -> Vec<(Diagnostic, Values)> {
    let settings = run.settings;
    let mut deployers = deployers::of_check(unit, loaded, settings);
    // A deployer without releases never renders what is conditional on an upgrade.
    deployers.retain(|one| one.has_release() || !loaded.is_upgrade());
    if deployers.is_empty() {
        return Vec::new();
    }
    let policy = settings.policy();
    let drops_hidden = is_without_ignores(unit, loaded, settings);
    let active = if drops_hidden { &run.visible } else { &run.active };
    let context = Context {
        kind: unit.kind,
        objects: &loaded.objects,
        changes: &loaded.changes,
        generated: &loaded.generated,
        deployers: &deployers,
        deployments: loaded.deployments(unit),
        counts: loaded.counts,
        together: unit.together || unit.kind != UnitKind::Plain || !settings.deployers.is_empty(),
        kubernetes: settings.kubernetes.unwrap_or_default(),
        policy: &policy,
        deletions: Default::default(),
    };
    let mut raised = rules::run(&context, active);
    let own = settings.active_own_rules();
    let admission = admission::of_unit(&context, &own);
    let (of_rules, undecided) = own_rules::of_unit(&context, &own);
    raised.extend(admission.raised.into_iter().chain(of_rules));
    report.undecided.extend(admission.undecided);
    report.undecided.extend(undecided);
    if drops_hidden {
        raised.retain(|one| !resolve::is_hidden(one, &context, settings));
    }
    for one in &mut raised {
        if !one.finding.fixes.is_empty() && resolve::is_hidden(one, &context, settings) {
            one.finding.fixes.clear();
        }
    }
    let is_shown = |one: &Raised<'_>| !resolve::is_hidden(one, &context, settings);
    let scope = verify::Scope { unit, all, loaded, context: &context, active, is_shown: &is_shown };
    let mut verified = verify::fixes(raised, &scope, proofs);
    verified.retain(|one| loaded.counts(one.object) && !placeholders::is_artefact(one, loaded));
    let allowance = Allowance::default();
    let resolved = verified.into_iter().map(|one| {
        let values = loaded.values(one.object);
        (resolve::resolve(one, &context, settings, &allowance), values)
    });
    let mut found: Vec<_> = resolved.collect();
    let values = loaded.view();
    let problems = report.add_problems(loaded, settings).into_iter();
    found.extend(problems.map(|problem| (problem, values.clone())));
    let idle = loaded.idle.iter().map(|patch| {
        let label = "selects nothing: kustomize ignores this patch".to_owned();
        resolve::run_finding(&patch_matches_nothing::RULE, patch.clone(), label, settings)
    });
    found.extend(idle.map(|finding| (finding, values.clone())));
    report.add_view(loaded, &context);
    found
}

/// True for plain files that no ignore concerns: what the settings hide need not be matched with ignores.
fn is_without_ignores(unit: &Unit, loaded: &Loaded, settings: &Settings) -> bool {
    unit.kind == UnitKind::Plain
        && settings.ignores.is_empty()
        && !loaded.sources.iter().any(|source| suppress::may_ignore(&source.text))
}

fn is_workload(object: &Object, context: &Context<'_>) -> bool {
    kind_of(object).is_some() || object.is_annotated_hook() || {
        context.deployers.iter().any(|deployer| context.role(object, deployer).hook().is_some())
    }
}

/// The rule that reports a failure.
fn rule_of(failure: Failure) -> &'static Rule {
    match failure {
        Failure::Unreadable => &unreadable::RULE,
        Failure::Unrenderable | Failure::LacksValues | Failure::TooLarge => &unrenderable::RULE,
        Failure::Unnamed => &rules::generate_name::RULE,
        Failure::Policy => &rules::invalid_policy::RULE,
        Failure::NotRendered | Failure::Absent | Failure::Misdeclared => &rules::not_rendered::RULE,
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

    /// Records the problems of a view, and returns a finding for each.
    fn add_problems(&mut self, loaded: &Loaded, settings: &Settings) -> Vec<Diagnostic> {
        loaded.problems.iter().filter_map(|problem| self.problem(problem, settings)).collect()
    }

    /// Records what could not be read or rendered. Returns the finding for it, unless it is no more than a remark.
    pub(crate) fn problem(&mut self, problem: &Problem, settings: &Settings) -> Option<Diagnostic> {
        if problem.is_remark(settings.strict) {
            let remark = (problem.source.clone(), problem.remark());
            if !self.remarks.iter().any(|(_, text)| *text == remark.1) {
                self.remarks.push(remark);
            }
            return None;
        }
        let is_failure = problem.is_failure(settings.strict);
        let location = Location { source: problem.source.clone(), span: problem.span };
        let (path, line) = (problem.source.path.clone(), location.start().line);
        let reason = problem.reason.clone();
        let unchecked = Unchecked { path, line, reason: reason.clone() };
        if is_failure && !self.unchecked.contains(&unchecked) {
            self.unchecked.push(unchecked);
        }
        let mut finding =
            resolve::run_finding(rule_of(problem.failure), location, reason, settings);
        finding.help = problem.help.clone().unwrap_or(finding.help);
        (finding.message, finding.note) = (problem.headline(), problem.note.clone());
        finding.is_absent = problem.failure == Failure::Absent;
        finding.is_gap = problem.is_gap() && !settings.strict;
        if is_failure {
            // Nothing is known to be wrong with a chart that only lacks its dependencies.
            let is_error = settings.strict || !problem.lacks_dependency();
            let least = if is_error { Severity::Error } else { Severity::Warning };
            finding.severity = finding.severity.max(least);
        }
        finding.secondary.extend(problem.labels.iter().cloned());
        Some(finding)
    }
}
