//! The pipeline of `joblint upgrade`: two versions → pairs of workloads → what each deployer does with them →
//! findings.

mod base;
mod conversion;
mod error;
mod finding;
mod git;
mod judge;
mod kustomizations;
mod pair;
mod refusals;
mod scenario;
mod stated;
mod trace;
mod version;

use std::path::{Component, Path, PathBuf};

use error::LoadError;
use file_boundary::Boundary;
use job_lifecycle::{
    Deployer, Object, Outcome, Role,
    kubernetes::immutable::{self, ImmutableField},
};
use judge::{Verdict, judge};
use pair::Pair;
use scenario::{Joined, Renders, Scenario};
use stated::Stated;
use version::{Version, VersionSource};
use yaml_spans::Location;

use crate::{
    admission,
    context::Context,
    dedupe::grouped,
    diagnostic::Diagnostic,
    discover::{self, Root, walk},
    fingerprint,
    policies::Policies,
    redact::SecretValues,
    resolve,
    results::{Change, Changed, Column, Comparison, Report, Unchecked},
    rules::{Category, unreadable},
    settings::Settings,
    suppress,
    unit::{Failure, File, Loaded},
};

/// The two versions to compare.
#[derive(Clone, Debug)]
pub struct Request {
    /// The old version: a path, or a Git revision of the repository around `path`.
    pub base: String,
    /// The path of the new version.
    pub path: PathBuf,
    /// How charts are rendered.
    pub chart: ChartRequest,
    /// Values that no output may contain, such as those of the environment.
    pub secrets: SecretValues,
}

/// How both versions of a chart are rendered.
#[derive(Clone, Debug, Default)]
pub struct ChartRequest {
    /// The path of the new version. Values files below it are also looked up in the old version.
    pub path: PathBuf,
    /// The release name; the chart's name if absent.
    pub name: Option<String>,
    /// The path of the old version, unless it is a Git revision.
    pub base: Option<PathBuf>,
    /// The namespace of the release.
    pub namespace: String,
}

impl Request {
    /// A comparison of two paths that hold no charts.
    pub fn of_paths(old: &Path, new: &Path) -> Self {
        Self {
            base: format!("{}/", old.display()),
            path: new.to_owned(),
            chart: ChartRequest::default(),
            secrets: SecretValues::default(),
        }
    }
}

/// Compares the two versions. Call it on a thread with a 64 MB stack
/// ([`with_stack`](crate::chart::with_stack)): templates may nest deeply.
pub fn upgrade(request: &Request, settings: &Settings) -> Report {
    let request = &Request { path: chart_around(&plain(&request.path)), ..request.clone() };
    let mut report = Report { secrets: request.secrets.clone(), ..Report::default() };
    let new = VersionSource::Path(request.path.clone());
    report.root = Root::find(&PathBuf::new(), Some(&request.path));
    let checked = discover::Request {
        paths: vec![request.path.clone()],
        secrets: request.secrets.clone(),
        ..discover::Request::default()
    };
    let policies = Policies::find(&checked, settings);
    let settings = &policies.settings(settings);
    for problem in &policies.problems {
        let finding = report.problem(problem, settings).filter(|finding| !finding.hidden);
        report.findings.extend(finding);
    }
    let mut notes = Vec::new();
    let old = VersionSource::of_base(&request.base, &request.path, &mut notes);
    report.notes.extend(notes);
    let compared = old.and_then(|old| {
        let base = match &old {
            VersionSource::Path(base) => Some(base.clone()),
            VersionSource::Revision(_) => None,
        };
        let chart = ChartRequest { base, path: request.path.clone(), ..request.chart.clone() };
        let request = &Request { chart, ..request.clone() };
        let names = Comparison { old: old.name(), new: new.name(), ..Comparison::default() };
        report.comparison = Some(names);
        let stated = match settings.deployers.is_empty() {
            true => Stated::around(&request.path),
            false => Stated::default(),
        };
        compare_all(&old, &new, request, &stated, settings, &mut report)
    });
    if let Err(error) = compared {
        report.errors.push(error.to_string());
        report.comparison = None;
    }
    admission::settle(&mut report, settings);
    let mut report = finish(report);
    report.findings = grouped(std::mem::take(&mut report.findings));
    report
}

/// A path without `.` parts and a slash at its end, so that findings name files alike however it is given.
fn plain(path: &Path) -> PathBuf {
    let is_part = |part: &Component<'_>| !matches!(part, Component::CurDir);
    match path.components().filter(is_part).collect::<PathBuf>() {
        empty if empty.as_os_str().is_empty() => ".".into(),
        path => path,
    }
}

/// The outermost chart that contains a file; any other path unchanged.
fn chart_around(path: &Path) -> PathBuf {
    let holds = |folder: &&Path| {
        folder.join("Chart.yaml").is_file() && walk::belongs_to_chart(folder, path)
    };
    let chart = path.ancestors().skip(1).filter(holds).last().filter(|_| path.is_file());
    match chart {
        Some(chart) if chart.as_os_str().is_empty() => ".".into(),
        chart => chart.unwrap_or(path).to_owned(),
    }
}

/// Compares two sets of manifests by path. Findings show old files below `deployed/`.
pub fn compare_files(old: Vec<File>, new: Vec<File>, settings: &Settings) -> Report {
    let mut report = Report { comparison: Some(Comparison::default()), ..Report::default() };
    let version = |files: Vec<File>, name: &str| {
        let below = |file: File| (file.path.to_string_lossy().into_owned(), file);
        Version::of_files(files.into_iter().map(below).collect(), name, Boundary::default())
    };
    let versions = [version(old, "deployed"), version(new, "")];
    let deployers = scenario::deployers_of(&versions, settings);
    compare_versions(&[Scenario::only(&versions, deployers)], "default", settings, &mut report);
    finish(report)
}

fn finish(mut report: Report) -> Report {
    report.sort();
    fingerprint::fill(&mut report.findings, &report.root, &mut report.redactor);
    fingerprint::count(&mut report.findings);
    report.notes.dedup();
    report
}

/// Compares a chart or a folder of manifests. If the folder contains charts, each is compared with its own
/// old version, then the manifests beside them.
fn compare_all(
    old: &VersionSource,
    new: &VersionSource,
    request: &Request,
    stated: &Stated,
    settings: &Settings,
    report: &mut Report,
) -> Result<(), LoadError> {
    let is_chart = new.is_chart()?;
    let charts = if is_chart || old.is_chart()? { Default::default() } else { new.charts()? };
    if charts.is_empty() {
        return compare(old, new, request, stated, settings, report);
    }
    let before = old.charts()?;
    for chart in &charts {
        match before.contains(chart) {
            true => {
                if let Err(error) =
                    compare(&old.below(chart), &new.below(chart), request, stated, settings, report)
                {
                    report.errors.push(error.to_string());
                }
            }
            false => report.notes.push(format!(
                "chart `{chart}` is not in `{}`: nothing to compare it with",
                old.name()
            )),
        }
    }
    for chart in before.difference(&charts) {
        report.notes.push(format!("chart `{chart}` is only in `{}`", old.name()));
    }
    compare(old, new, request, stated, settings, report)
}

/// Compares one unit.
fn compare(
    old: &VersionSource,
    new: &VersionSource,
    request: &Request,
    stated: &Stated,
    settings: &Settings,
    report: &mut Report,
) -> Result<(), LoadError> {
    let renders = Renders::load(old, new, &request.chart, stated, settings, &mut report.secrets)?;
    compare_versions(&renders.scenarios(), &request.chart.namespace, settings, report);
    Ok(())
}

/// Pairs the workloads of two versions and forecasts each pair.
fn compare_versions(
    scenarios: &[Scenario<'_>],
    namespace: &str,
    settings: &Settings,
    report: &mut Report,
) {
    let Some(usual) = scenarios.first() else { return };
    let policy = settings.policy();
    let contexts: Vec<_> = scenarios.iter().map(|one| one.context(settings, &policy)).collect();
    let mut findings = Vec::new();
    for joined in scenario::joined(scenarios, contexts[0].from_chart()) {
        let (context, loaded) =
            (&contexts[joined.scenario], &scenarios[joined.scenario].after.loaded);
        let values = loaded.rendering.as_ref().map(|rendering| &rendering.values);
        let judged = Judged::new(joined, context, namespace);
        findings.extend(judged.findings(context, settings, values));
        findings.extend(judged.refusals(context, settings, values));
        if let (Some(comparison), Some(changed)) = (&mut report.comparison, judged.changed()) {
            comparison.jobs.push(changed);
        }
    }
    let (before, after) = (usual.before, usual.after);
    report.counts.objects += after.loaded.counts.objects;
    report.counts.files += after.loaded.counts.files;
    report.counts.workloads =
        report.comparison.as_ref().map_or(0, |comparison| comparison.jobs.len());
    for version in [before, after] {
        report.secrets.extend(&version.loaded.secrets);
        report.notes.extend(version.loaded.notes.iter().cloned());
        findings.extend(unreadable(version, settings, report));
    }
    keep_own(findings, &after.loaded, settings, report);
}

/// Applies ignores and adds the findings that belong to a comparison; `check` reports unused ignores.
fn keep_own(findings: Vec<Diagnostic>, loaded: &Loaded, settings: &Settings, report: &mut Report) {
    let outcome = suppress::apply(findings, std::slice::from_ref(loaded), &[], settings);
    let own = |finding: &Diagnostic| {
        matches!(finding.rule.meta().category, Category::Versions | Category::Policy)
            || *finding.rule == unreadable::RULE
    };
    report.findings.extend(outcome.findings.into_iter().filter(own));
    report.counts.ignored += outcome.ignored;
}

/// Findings for the parts of a version that cannot be read.
fn unreadable(version: &Version, settings: &Settings, report: &mut Report) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for problem in version.loaded.problems.iter().filter(|one| one.failure == Failure::Unreadable) {
        if problem.is_remark(settings.strict) {
            report.remarks.push((problem.source.clone(), problem.remark()));
            continue;
        }
        let location = Location { source: problem.source.clone(), span: problem.span };
        let (path, line) = (problem.source.path.clone(), location.start().line);
        report.unchecked.push(Unchecked { path, line, reason: problem.reason.clone() });
        let reason = problem.reason.clone();
        let mut finding = resolve::run_finding(&unreadable::RULE, location, reason, settings);
        finding.message = format!("cannot read this file: {}", problem.reason);
        findings.push(finding);
    }
    findings
}

/// A dependency that is missing from one version is compared in neither.
fn leave_out_missing(old: &mut Version, new: &mut Version, names: [&str; 2]) {
    for (missing, name) in [(old.missing(), names[0]), (new.missing(), names[1])] {
        for dependency in missing {
            let note =
                format!("`{name}` does not contain its dependency `{dependency}`: not compared");
            let below = format!("charts/{dependency}/");
            for version in [&mut *old, &mut *new] {
                version.parts.retain(|part| !part.file.starts_with(&below));
            }
            new.loaded.notes.push(note);
        }
    }
}

/// A pair with the verdict of each deployer.
struct Judged<'a> {
    pair: Pair<'a>,
    fields: Vec<ImmutableField>,
    verdicts: Vec<(&'a Deployer, Verdict<'a>)>,
    namespace: &'a str,
    /// Only the first upgrade after the installation meets it.
    is_first: bool,
}

impl<'a> Judged<'a> {
    fn new(joined: Joined<'a>, context: &Context<'a>, namespace: &'a str) -> Self {
        let Joined { pair, deployers, is_first, .. } = joined;
        let is_job = |object: &Object| object.kind() == "Job";
        let fields = match (pair.old, pair.new) {
            (Some(old), Some(new)) if is_job(&old.object) && !pair.renamed => {
                immutable::changed(&old.object.root, &new.object.root, context.kubernetes)
            }
            _ => Vec::new(),
        };
        let verdict =
            |deployer: &'a Deployer| Some((deployer, judge(&pair, &fields, deployer, context)?));
        let verdicts = deployers.into_iter().filter_map(verdict).collect();
        Self { pair, fields, verdicts, namespace, is_first }
    }

    /// The pair as a row of the comparison; `None` if no deployer applies it.
    fn changed(&self) -> Option<Changed> {
        if self.verdicts.is_empty() {
            return None;
        }
        let object = &self.pair.part().object;
        let columns = self.verdicts.iter().map(|(deployer, verdict)| Column {
            deployer: (*deployer).clone(),
            hook: matches!(verdict.work.role, Role::Hook(_)),
            outcome: verdict.forecast.outcome,
            also: verdict.forecast.also.clone(),
            reason: verdict.reason(),
        });
        let differences = self.fields.iter().flat_map(|field| &field.differences);
        Some(Changed {
            name: object.full_name(),
            title: object.display_name(),
            was: self.pair.old.filter(|_| self.pair.renamed).map(|old| old.object.display_name()),
            change: self.change(),
            is_first: self.is_first,
            fields: differences
                .map(|difference| trace::field_change(&self.pair, difference))
                .collect(),
            columns: columns.collect(),
        })
    }

    fn change(&self) -> Change {
        let any = |holds: fn(&Verdict<'_>) -> bool| {
            self.verdicts.iter().any(|(_, verdict)| holds(verdict))
        };
        match (self.pair.old, self.pair.new) {
            (None, _) => Change::New,
            (_, None) => Change::Removed,
            _ if self.pair.renamed => Change::Renamed,
            _ if any(|verdict| verdict.is_converted()) => Change::Converted,
            _ if any(|verdict| verdict.forecast.outcome == Outcome::Rejected) => Change::Rejected,
            _ if any(|verdict| verdict.forecast.outcome.starts()) => Change::Reruns,
            _ => Change::Unchanged,
        }
    }
}
