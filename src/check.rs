//! The pipeline of `joblint check`: paths → units → objects → findings → report.

use std::{collections::BTreeSet, path::PathBuf};

use rayon::prelude::*;

use crate::{
    baseline::{self, Baseline},
    chart,
    dedupe::Findings,
    deploy::{self, Deployer, Tool},
    discover::{self, Discovered, Request},
    finding::{Finding, Located, RaisedFix, Severity},
    fingerprint,
    gitops::{self, Resolved},
    load::{self, Failure, Loaded, Seen},
    object::Object,
    redact::Redactor,
    report::Root,
    resolve,
    rules::{self, Check, Rule, not_rendered, unreadable, unrenderable},
    settings::Settings,
    suppress, template_fix,
    unit::{Context, Unit, UnitKind},
    upgrade::Comparison,
    workload::{self, Workload},
};
use yaml_spans::Location;

/// What a run found, in output order.
#[derive(Debug, Default)]
pub struct Report {
    pub findings: Vec<Located>,
    pub counts: Counts,
    /// Inputs that could not be checked; each is also a finding.
    pub unchecked: Vec<Unchecked>,
    /// Things the user should know that are no findings; for standard error.
    pub notes: Vec<String>,
    /// Bad paths: findings may be missing.
    pub errors: Vec<String>,
    /// The files that were read in full.
    pub checked: BTreeSet<String>,
    /// The repository around the run.
    pub root: Root,
    /// Indexes of the settings' `ignore:` entries that ignored something.
    pub used_entries: BTreeSet<usize>,
    /// The secrets of the sources that findings point into.
    pub redactor: Redactor,
    /// What `upgrade` compared.
    pub comparison: Option<Comparison>,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub files: usize,
    pub objects: usize,
    /// Jobs, CronJobs and hooks.
    pub workloads: usize,
    pub ignored: usize,
    /// YAML that is no Kubernetes object.
    pub other_yaml: usize,
    /// Templates of tools other than Helm, and Helm's outside a chart.
    pub foreign_templates: usize,
}

/// An input that could not be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    pub path: String,
    pub line: usize,
    pub reason: String,
}

impl Counts {
    /// Adds another view of the same unit: what the views share counts once.
    fn merge(&mut self, other: Counts) {
        self.files = self.files.max(other.files);
        self.objects = self.objects.max(other.objects);
        self.workloads = self.workloads.max(other.workloads);
        self.other_yaml = self.other_yaml.max(other.other_yaml);
        self.foreign_templates = self.foreign_templates.max(other.foreign_templates);
    }
}

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
    if request.covers_settings(settings) {
        report.findings.extend(suppress::unused_entries(settings, &report.used_entries));
    }
    report.findings.sort_by(|a, b| {
        (a.location.sort_key(), a.rule.id).cmp(&(b.location.sort_key(), b.rule.id))
    });
    // A GitOps object that deploys several units is one place.
    report.findings.dedup_by(|a, b| {
        (a.rule.id, a.location.sort_key(), &a.label) == (b.rule.id, b.location.sort_key(), &b.label)
    });
    fingerprint::fill(&mut report.findings, &report.root, &mut report.redactor);
    report
}

/// Checks one unit.
pub fn check_unit(unit: &Unit, settings: &Settings) -> Report {
    check_seen(unit, settings, &Seen::default())
}

fn check_seen(unit: &Unit, settings: &Settings, seen: &Seen) -> Report {
    match unit.kind {
        UnitKind::Chart => {
            chart::with_stack(|| check_loaded(unit, chart::load_explored(unit, settings), settings))
                .unwrap_or_else(|error| Report {
                    errors: vec![error.to_string()],
                    ..Report::default()
                })
        }
        UnitKind::Plain | UnitKind::Overlay => {
            check_loaded(unit, vec![load::load_seen(unit, seen)], settings)
        }
    }
}

/// Checks what a unit holds: once, or once for each set of values.
fn check_loaded(unit: &Unit, all: Vec<Loaded>, settings: &Settings) -> Report {
    let mut report = Report::default();
    let mut findings = Findings::default();
    for loaded in &all {
        findings.view(loaded);
        let deployments = loaded.deployments(unit);
        let mut deployers = deployers(unit, loaded, settings);
        // Who renders without a release never sees what only upgrades hold.
        deployers.retain(|one| one.has_release() || !loaded.is_upgrade());
        if deployers.is_empty() {
            continue;
        }
        let context = Context {
            kind: unit.kind,
            objects: &loaded.objects,
            deployers: &deployers,
            deployments,
            counts: loaded.counts,
            together: unit.together
                || unit.kind == UnitKind::Chart
                || !settings.deployers.is_empty(),
            kubernetes: settings.kubernetes.unwrap_or_default(),
            settings,
        };
        for (rule, object, finding) in proven(unit, &all, loaded, &context) {
            let located = resolve::locate(rule, object, finding, &context);
            findings.add(located, loaded.values(object));
        }
        let values = loaded.rendering.as_ref().map(|rendering| rendering.values.clone());
        for problem in report.add_problems(loaded, settings) {
            findings.add(problem, values.clone());
        }
        let workloads =
            loaded.objects.iter().filter(|object| is_workload(object, &context)).count();
        report.counts.merge(Counts { workloads, ..loaded.counts });
        report.notes.extend(loaded.notes.iter().cloned());
        report.checked.extend(loaded.sources.iter().map(|source| source.path.clone()));
    }
    let outcome = suppress::apply(findings.merged(), &all, &unit.deployments, settings);
    report.findings = outcome.findings;
    report.counts.ignored = outcome.ignored;
    report.used_entries = outcome.entries;
    report
}

/// What the rules raise about the objects of a view that count, of the fixes in templates only the first that
/// holds.
fn proven<'a>(
    unit: &Unit,
    all: &[Loaded],
    loaded: &Loaded,
    context: &Context<'a>,
) -> Vec<(&'static Rule, &'a Object, Finding)> {
    let raised = run_rules(context);
    let fixes = |(rule, object, finding): &(&'static Rule, &Object, Finding)| {
        let mut fixes = finding.fixes.clone();
        if !loaded.counts(object) {
            return fixes;
        }
        let ground = template_fix::Ground { unit, all, loaded, context, raised: &raised };
        let holds =
            |fix: &&RaisedFix| fix.source.is_none() || template_fix::is_proven(&ground, rule, fix);
        let first = fixes.iter().find(holds).cloned();
        if fixes.iter().any(|fix| fix.source.is_some()) {
            fixes = first.into_iter().collect();
        }
        fixes
    };
    let fixes: Vec<_> = raised.iter().map(fixes).collect();
    let with = raised.into_iter().zip(fixes);
    with.map(|((rule, object, finding), fixes)| (rule, object, Finding { fixes, ..finding }))
        .filter(|(rule, object, finding)| {
            loaded.counts(object) && !chart::is_made_up(rule, object, finding, loaded)
        })
        .collect()
}

/// Runs every rule over every object it looks at.
pub fn run_rules<'a>(context: &Context<'a>) -> Vec<(&'static Rule, &'a Object, Finding)> {
    let mut raised = Vec::new();
    let mut found = Vec::new();
    let active: Vec<_> =
        rules::all().iter().copied().filter(|rule| context.settings.runs(rule)).collect();
    for object in context.objects {
        let workload = Workload::new(object, context);
        for rule in &active {
            match (rule.check, &workload) {
                (Check::Workload(check), Some(workload)) => check(workload, &mut found),
                (Check::Object(check), _) => check(object, context, &mut found),
                _ => continue,
            }
            raised.extend(found.drain(..).map(|finding| (*rule, object, finding)));
        }
    }
    let mut across = Vec::new();
    for rule in active {
        if let Check::Unit(check) = rule.check {
            check(context, &mut across);
            raised.extend(across.drain(..).map(|(object, finding)| (rule, object, finding)));
        }
    }
    raised
}

/// The deployers in force for a unit: as stated, else as GitOps objects of the tree say, else those its
/// objects are written for, else assumed from what the unit is. A chart is for Helm whatever else its
/// annotations name, and a kustomization is not for Helm although hooks stand in it.
pub fn deployers(unit: &Unit, loaded: &Loaded, settings: &Settings) -> Vec<Deployer> {
    if !settings.deployers.is_empty() {
        return settings.deployers.clone();
    }
    let found = gitops::deployers(loaded.deployments(unit));
    if !found.is_empty() {
        return found;
    }
    let mut deployers = deploy::evidence(&loaded.objects);
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

fn is_workload(object: &Object, context: &Context<'_>) -> bool {
    workload::kind_of(object).is_some() || object.is_annotated_hook() || {
        context.deployers.iter().any(|deployer| context.role(object, deployer).hook().is_some())
    }
}

/// The rule that speaks of a failure.
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

    /// Takes away what the baseline accepts; says when it accepts what is no longer there.
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
    fn add_problems(&mut self, loaded: &Loaded, settings: &Settings) -> Vec<Located> {
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
