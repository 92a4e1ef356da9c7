//! The pipeline of `joblint check`: paths → units → objects → findings → report.

use std::path::{Path, PathBuf};

use job_lifecycle::{Object, workload::kind_of};
use rayon::prelude::*;
use yaml_spans::Location;

use crate::{
    baseline::{self, Baseline},
    chart,
    context::Context,
    dedupe::Findings,
    deployers,
    diagnostic::Diagnostic,
    discover::{self, Discovered, Request, Root},
    finding::Severity,
    fingerprint,
    gitops::{self, Resolved},
    load::{self, FileCache},
    made_up, prove, resolve,
    results::{Report, Unchecked},
    rules::{self, Rule, not_rendered, unreadable, unrenderable},
    settings::Settings,
    suppress,
    unit::{Counts, Failure, Loaded, Unit, UnitKind},
};

/// Checks everything that the request names, less what the baseline accepts.
pub fn check(request: &Request, settings: &Settings) -> Report {
    let mut report = check_all(request, settings);
    match baseline::read(settings) {
        Ok(baseline) => report.accept(&baseline),
        Err(error) => report.errors.push(error),
    }
    report
}

/// Checks everything that the request names.
pub fn check_all(request: &Request, settings: &Settings) -> Report {
    let Discovered { units, walked, mut notes, errors } = discover::discover(request);
    let Resolved { units, notes: told, seen, .. } = gitops::resolve(units, walked, request);
    notes.extend(told);
    let check = |unit: &Unit| check_seen(unit, settings, &seen);
    let parts: Vec<Report> = units.par_iter().map(check).collect();
    let root = Root::find(&request.base, request.paths.first().map(PathBuf::as_path));
    let mut report = Report { notes, errors, root, ..Report::default() };
    for part in parts {
        report.add(part);
    }
    if covers_settings(request, settings) {
        report.findings.extend(suppress::unused_entries(settings, &report.used_entries));
    }
    report.sort();
    // A GitOps object that deploys several units is one place.
    report.findings.dedup_by(|a, b| {
        (a.rule.id, a.location.sort_key(), &a.label) == (b.rule.id, b.location.sort_key(), &b.label)
    });
    fingerprint::fill(&mut report.findings, &report.root, &mut report.redactor);
    report
}

/// True when a whole folder is checked that holds everything its settings file speaks of.
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

/// Checks one unit.
pub fn check_unit(unit: &Unit, settings: &Settings) -> Report {
    check_seen(unit, settings, &FileCache::default())
}

fn check_seen(unit: &Unit, settings: &Settings, seen: &FileCache) -> Report {
    match unit.kind {
        UnitKind::Chart => {
            chart::with_stack(|| check_views(unit, &chart::load_explored(unit, settings), settings))
                .unwrap_or_else(|error| Report {
                    errors: vec![error.to_string()],
                    ..Report::default()
                })
        }
        UnitKind::Plain | UnitKind::Overlay => {
            check_views(unit, &[load::load_seen(unit, seen)], settings)
        }
    }
}

/// Checks what a unit holds: once, or once for each set of values. What the views have in common is one finding,
/// and the ignores of the unit are applied to all of them together.
fn check_views(unit: &Unit, all: &[Loaded], settings: &Settings) -> Report {
    let mut report = Report::default();
    let mut findings = Findings::default();
    for loaded in all {
        findings.view(loaded);
        for (finding, values) in check_view(unit, all, loaded, settings, &mut report) {
            findings.add(finding, values);
        }
    }
    let kept = suppress::apply(findings.merged(), all, &unit.deployments, settings);
    report.findings = kept.findings;
    report.counts.ignored = kept.ignored;
    report.used_entries = kept.entries;
    report
}

/// The values that a finding holds for; `None` where nothing was rendered.
type Values = Option<std::sync::Arc<str>>;

/// One view of a unit, step by step: rules → proven fixes → places that a person wrote.
fn check_view(
    unit: &Unit,
    all: &[Loaded],
    loaded: &Loaded,
    settings: &Settings,
    report: &mut Report,
) -> Vec<(Diagnostic, Values)> {
    let mut deployers = deployers::of_check(unit, loaded, settings);
    // A deployer that renders without a release never sees what only upgrades hold.
    deployers.retain(|one| one.has_release() || !loaded.is_upgrade());
    if deployers.is_empty() {
        return Vec::new();
    }
    let (policy, active) = (settings.policy(), settings.active_rules());
    let context = Context {
        kind: unit.kind,
        objects: &loaded.objects,
        changes: &loaded.changes,
        deployers: &deployers,
        deployments: loaded.deployments(unit),
        counts: loaded.counts,
        together: unit.together || unit.kind == UnitKind::Chart || !settings.deployers.is_empty(),
        kubernetes: settings.kubernetes.unwrap_or_default(),
        policy: &policy,
    };
    let raised = rules::run(&context, &active);
    let mut proven = prove::fixes(raised, unit, (all, loaded), &context, &active);
    proven.retain(|one| loaded.counts(one.object) && !made_up::is_made_up(one, loaded));
    let resolved = proven.into_iter().map(|one| {
        let values = loaded.values(one.object);
        (resolve::resolve(one, &context, settings), values)
    });
    let mut found: Vec<_> = resolved.collect();
    let values = loaded.rendering.as_ref().map(|rendering| rendering.values.clone());
    let problems = report.add_problems(loaded, settings).into_iter();
    found.extend(problems.map(|problem| (problem, values.clone())));
    report.add_view(loaded, &context);
    found
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
        Failure::Unrenderable => &unrenderable::RULE,
        Failure::NotRendered => &not_rendered::RULE,
    }
}

impl Report {
    fn add(&mut self, part: Report) {
        self.findings.extend(part.findings);
        self.unchecked.extend(part.unchecked);
        self.notes.extend(part.notes);
        self.errors.extend(part.errors);
        self.used_entries.extend(part.used_entries);
        self.checked.extend(part.checked);
        let (all, part) = (&mut self.counts, part.counts);
        all.files += part.files;
        all.objects += part.objects;
        all.workloads += part.workloads;
        all.ignored += part.ignored;
        all.other_yaml += part.other_yaml;
        all.foreign_templates += part.foreign_templates;
    }

    /// Counts what a view of a unit holds.
    fn add_view(&mut self, loaded: &Loaded, context: &Context<'_>) {
        let workloads = loaded.objects.iter().filter(|object| is_workload(object, context)).count();
        self.counts.merge(Counts { workloads, ..loaded.counts });
        self.notes.extend(loaded.notes.iter().cloned());
        self.checked.extend(loaded.sources.iter().map(|source| source.path.clone()));
    }

    /// Hides the findings that the baseline accepts; notes entries of it that no longer occur.
    fn accept(&mut self, baseline: &Baseline) {
        let mut stale = baseline.findings.clone();
        let before = self.findings.len();
        self.findings.retain(|finding| {
            stale.remove(&finding.fingerprint);
            !baseline.findings.contains_key(&finding.fingerprint)
        });
        self.counts.ignored += before - self.findings.len();
        stale.retain(|_, accepted| self.checked.contains(&accepted.path));
        if !stale.is_empty() {
            let count = stale.len();
            self.notes.push(format!(
                "{count} of the baseline no longer occur; `joblint baseline` drops them"
            ));
        }
    }

    /// Notes what could not be read, and makes findings of it.
    fn add_problems(&mut self, loaded: &Loaded, settings: &Settings) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        for problem in &loaded.problems {
            let is_failure = problem.failure != Failure::NotRendered || settings.strict;
            let location = Location { source: problem.source.clone(), span: problem.span };
            let (path, line) = (problem.source.path.clone(), location.start().line);
            let reason = problem.reason.clone();
            let unchecked = Unchecked { path, line, reason: reason.clone() };
            if is_failure && !self.unchecked.contains(&unchecked) {
                self.unchecked.push(unchecked);
            }
            let mut finding =
                resolve::of_the_run(rule_of(problem.failure), location, reason, settings);
            if is_failure {
                finding.severity = Severity::Error;
            }
            finding.secondary.extend(problem.labels.iter().cloned());
            findings.push(finding);
        }
        findings
    }
}
