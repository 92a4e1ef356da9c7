//! Ignores findings by comment, annotation or settings. An ignore that matches no finding is a finding itself.

mod comment;
mod fixes;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use comment::{Comment, Line};
use job_lifecycle::Object;
use yaml_spans::{Edit, Location, Source, Span};

use crate::{
    diagnostic::{Diagnostic, Fix},
    fix::Allowance,
    resolve,
    rules::{Category, Check, Rule, ignore_without_reason, missing_ttl, unused_ignore},
    settings::Settings,
    unit::{Deployment, Loaded},
};

/// The annotation that ignores rules for an object: `rule, …: reason`.
const ANNOTATION: &str = "joblint.dev/ignore";
/// The annotation with which kube-linter accepts a Job without a TTL.
const KUBE_LINTER: &str = "ignore-check.kube-linter.io/job-ttl-seconds-after-finished";

/// One rule ignored by a comment or an annotation.
#[derive(Clone)]
struct Ignore {
    rule: String,
    /// The name of the rule in the comment or annotation.
    at: Location,
    scope: Scope,
    has_reason: bool,
    /// Removes the ignore; absent if it names further rules.
    removal: Option<Edit>,
    is_used: bool,
    /// Written for another tool, so never reported as unused.
    is_foreign: bool,
}

/// What an ignore applies to.
#[derive(Clone)]
enum Scope {
    /// Findings on a line of the same text.
    Line(usize),
    /// Findings raised in these objects.
    Objects(Vec<Location>),
}

/// The findings of a unit after ignores.
#[derive(Default)]
pub(crate) struct Suppressed {
    /// The findings that are left, with those about ignores.
    pub(crate) findings: Vec<Diagnostic>,
    /// The number of ignored findings.
    pub(crate) ignored: usize,
    /// Indexes of the entries of `ignore:` that matched a finding.
    pub(crate) used_entries: BTreeSet<usize>,
    /// The ignored findings about inputs that could not be checked.
    pub(crate) ignored_failures: Vec<Diagnostic>,
}

/// True unless a text holds no ignore: no comment or annotation names joblint or kube-linter.
pub(crate) fn may_ignore(text: &str) -> bool {
    ["joblint", "kube-linter"].iter().any(|name| text.contains(name))
}

/// Removes the ignored findings of a unit and adds findings about the ignores themselves.
pub(crate) fn apply(
    findings: Vec<Diagnostic>,
    views: &[Loaded],
    deployments: &[Arc<Deployment>],
    settings: &Settings,
) -> Suppressed {
    let mut suppressed = Suppressed::default();
    if settings.no_ignores {
        suppressed.findings = findings.into_iter().filter(|finding| !finding.hidden).collect();
        return suppressed;
    }
    let mut ignores = ignores(&findings, views, deployments);
    let mut used = BTreeSet::new();
    let gitops_ignores = commented_in_gitops(deployments);
    let index = Index::new(&ignores);
    let gitops_index = Index::new(&gitops_ignores);
    for finding in findings {
        // Whether the comments of a GitOps object are used is reported where its own file is checked.
        let mut ignored = !gitops_index.covering(&finding).is_empty();
        let covering = index.covering(&finding);
        ignored |= !covering.is_empty();
        used.extend(covering);
        for (index, entry) in settings.ignores.iter().enumerate() {
            let path = &finding.location.source.path;
            if entry.covers(finding.rule.id, path, finding.workload.as_ref()) {
                suppressed.used_entries.insert(index);
                ignored = true;
            }
        }
        suppressed.ignored += usize::from(ignored && !finding.hidden);
        match ignored {
            false if !finding.hidden => suppressed.findings.push(finding),
            true if finding.rule.meta().category == Category::Run => {
                suppressed.ignored_failures.push(finding);
            }
            _ => {}
        }
    }
    for number in used {
        ignores[number].is_used = true;
    }
    let (mut near, allowance) = (HashMap::new(), Allowance::default());
    let meant: Vec<_> =
        ignores.iter().filter_map(|ignore| ignore.as_meant(&mut near, settings)).collect();
    fixes::withhold_what_is_meant(&mut suppressed.findings, &Index::new(&meant));
    let own = ignores.iter().flat_map(|ignore| ignore.findings(&mut near, settings, &allowance));
    suppressed.findings.extend(own.filter(|finding| !finding.hidden));
    suppressed
}

/// The ignores in the comments and annotations of a unit.
fn ignores(
    findings: &[Diagnostic],
    views: &[Loaded],
    deployments: &[Arc<Deployment>],
) -> Vec<Ignore> {
    let objects: Vec<&Object> = views.iter().flat_map(|loaded| &loaded.objects).collect();
    let is_gitops =
        |source: &Source| deployments.iter().any(|one| one.object.source.path == source.path);
    let starts = ObjectLines::new(&objects);
    let mut ignores = Vec::new();
    for source in sources(views, findings).iter().filter(|source| !is_gitops(source)) {
        ignores.extend(commented(source, &starts));
    }
    let mut known: HashMap<_, usize> = HashMap::new();
    for ignore in objects.iter().flat_map(|object| annotated(object)) {
        add(&mut ignores, &mut known, ignore);
    }
    ignores
}

/// The objects that start on each line of the files that people wrote, by path and line.
struct ObjectLines(HashMap<(String, usize), Vec<Location>>);

impl ObjectLines {
    fn new(objects: &[&Object]) -> Self {
        let mut lines: HashMap<_, Vec<_>> = HashMap::new();
        for object in objects {
            let place = object.location();
            let written = place.written();
            if written.source.path == object.source.path {
                let key = (written.source.path.clone(), written.start().line);
                lines.entry(key).or_default().push(place);
            }
        }
        Self(lines)
    }

    fn at(&self, path: &str, line: usize) -> Vec<Location> {
        self.0.get(&(path.to_owned(), line)).cloned().unwrap_or_default()
    }
}

/// The texts whose comments can ignore findings: those that were read, those of secondary locations, and other files
/// that findings are about, such as a `Chart.yaml`.
fn sources(views: &[Loaded], findings: &[Diagnostic]) -> Vec<Arc<Source>> {
    let mut sources: Vec<Arc<Source>> = Vec::new();
    let read = views.iter().flat_map(|loaded| &loaded.sources);
    let rendered = findings.iter().filter(|finding| !finding.value_sets.is_empty());
    let named = rendered.flat_map(|finding| finding.secondary.iter().map(|(at, _)| &at.source));
    for source in read.chain(named) {
        if !sources.iter().any(|known| Arc::ptr_eq(known, source)) {
            sources.push(source.clone());
        }
    }
    for source in findings.iter().map(|finding| &finding.location.source) {
        if !sources.iter().any(|known| known.path == source.path) {
            sources.push(source.clone());
        }
    }
    sources
}

/// Adds an ignore. Several value sets render the same annotation; it stays one ignore.
fn add(ignores: &mut Vec<Ignore>, known: &mut HashMap<IgnoreKey, usize>, ignore: Ignore) {
    let (path, start, end) = ignore.at.sort_key();
    let key = (ignore.rule.clone(), path.to_owned(), start, end);
    let number = *known.entry(key).or_insert(ignores.len());
    match (ignores.get_mut(number), ignore.scope) {
        (Some(Ignore { scope: Scope::Objects(known), .. }), Scope::Objects(more)) => {
            known.extend(more)
        }
        (_, scope) => ignores.push(Ignore { scope, ..ignore }),
    }
}

/// Rule and place of an ignore.
type IgnoreKey = (String, String, u32, u32);

/// The ignores in the comments of the files of GitOps objects.
fn commented_in_gitops(deployments: &[Arc<Deployment>]) -> Vec<Ignore> {
    let objects: Vec<_> = deployments.iter().map(|one| &one.object).collect();
    let mut sources: Vec<_> = objects.iter().map(|object| &object.source).collect();
    sources.dedup_by(|a, b| Arc::ptr_eq(a, b));
    let starts = ObjectLines::new(&objects);
    sources.into_iter().flat_map(|source| commented(source, &starts)).collect()
}

/// Findings about the entries of `ignore:`: those that matched nothing although everything they cover was checked,
/// and those without a reason.
pub(crate) fn unused_entries(settings: &Settings, used: &BTreeSet<usize>) -> Vec<Diagnostic> {
    let unused = settings.ignores.iter().enumerate().filter(|(index, _)| !used.contains(index));
    let unused = unused.filter(|(_, entry)| could_match(&entry.rule, settings));
    let without = settings.ignores.iter().filter(|entry| entry.reason.is_none());
    let unused = unused.map(|(_, entry)| {
        let label = format!("ignores no finding of `{}`", entry.rule);
        ignore_finding(&unused_ignore::RULE, entry.location.clone(), label, settings)
    });
    let without = without.map(|entry| {
        let label = format!("does not say why `{}` is fine here", entry.rule);
        ignore_finding(&ignore_without_reason::RULE, entry.location.clone(), label, settings)
    });
    unused.chain(without).filter(|finding| !finding.hidden).collect()
}

/// A finding about an ignore itself. The label says what is wrong with it.
fn ignore_finding(
    rule: &'static Rule,
    at: Location,
    label: String,
    settings: &Settings,
) -> Diagnostic {
    let message = match label.starts_with("there is no") {
        true => format!("this ignore has no effect: {label}"),
        false => format!("this ignore {}", label.replacen("ignores no", "matches no", 1)),
    };
    Diagnostic { message, ..resolve::run_finding(rule, at, label, settings) }
}

/// True when the rule could have raised a finding in this run. Rules about two versions never do in a check of one.
fn could_match(rule: &str, settings: &Settings) -> bool {
    settings.rule(rule).is_some_and(|rule| {
        // The units that a GitOps object deploys are checked separately.
        let meta = rule.meta();
        let elsewhere = meta.category == Category::Gitops && matches!(rule.check, Check::Unit(_))
            || meta.category == Category::Versions;
        !elsewhere && settings.runs(rule) && (settings.deployers.is_empty() || !meta.deployer)
    })
}

/// Finds the ignores that cover a finding, by their numbers.
struct Index<'a> {
    /// Ignores of lines, by rule, text and line.
    lines: BTreeMap<(&'a str, usize, usize), Vec<usize>>,
    /// Ignores of objects, by rule and text.
    objects: HashMap<(&'a str, usize), Vec<(Span, usize)>>,
}

/// Identifies a text.
fn address(source: &Arc<Source>) -> usize {
    Arc::as_ptr(source) as usize
}

impl<'a> Index<'a> {
    fn new(ignores: &'a [Ignore]) -> Self {
        let mut index = Self { lines: BTreeMap::new(), objects: HashMap::new() };
        for (number, ignore) in ignores.iter().enumerate() {
            match &ignore.scope {
                Scope::Line(line) => {
                    let key = (&*ignore.rule, address(&ignore.at.source), *line);
                    index.lines.entry(key).or_default().push(number);
                }
                Scope::Objects(objects) => {
                    for object in objects {
                        let key = (&*ignore.rule, address(&object.source));
                        index.objects.entry(key).or_default().push((object.span, number));
                    }
                }
            }
        }
        index
    }

    fn covering(&self, finding: &Diagnostic) -> Vec<usize> {
        let rule = finding.rule.id;
        let labels = || finding.secondary.iter().map(|(at, _)| at);
        let mut found = Vec::new();
        for at in std::iter::once(&finding.location).chain(labels()) {
            let key = |line: usize| (rule, address(&at.source), line);
            let (first, last) = (at.start().line, at.end().line);
            let lines = self.lines.range(key(first)..=key(last.max(first)));
            found.extend(lines.flat_map(|(_, numbers)| numbers));
        }
        for at in finding.raised_at.iter().chain(labels()) {
            let objects = self.objects.get(&(rule, address(&at.source))).into_iter().flatten();
            let holding = objects.filter(|(object, _)| object.contains(at.span));
            found.extend(holding.map(|(_, number)| number));
        }
        found
    }
}

impl Ignore {
    fn findings(
        &self,
        near: &mut fixes::NearestRules,
        settings: &Settings,
        allowance: &Allowance,
    ) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let mut raise = |rule: &'static Rule, label: String, fix: Option<Fix>| {
            let mut finding = ignore_finding(rule, self.at.clone(), label, settings);
            finding.fixes.extend(fix);
            findings.push(finding);
        };
        if self.is_foreign {
            return findings;
        }
        if settings.rule(&self.rule).is_none() {
            let near = self.nearest(near);
            let fix = near.and_then(|near| self.corrected(near, allowance));
            let near = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            raise(&unused_ignore::RULE, format!("there is no rule `{}`{near}", self.rule), fix);
        } else if !self.is_used && could_match(&self.rule, settings) {
            let label = format!("ignores no finding of `{}`", self.rule);
            raise(&unused_ignore::RULE, label, self.without(allowance));
        }
        if !self.has_reason {
            raise(
                &ignore_without_reason::RULE,
                format!("does not say why `{}` is fine here", self.rule),
                None,
            );
        }
        findings
    }
}

/// The ignores in the comments of a text.
fn commented(source: &Arc<Source>, starts: &ObjectLines) -> Vec<Ignore> {
    let mut ignores = Vec::new();
    for Comment { rules, reason, line, removal } in comment::all(source) {
        let alone = rules.len() == 1;
        for (rule, span) in rules {
            let scope = match line {
                Line::Same(line) => Scope::Line(line),
                Line::Next(line) => match starts.at(&source.path, line) {
                    none if none.is_empty() => Scope::Line(line),
                    objects => Scope::Objects(objects),
                },
            };
            let at = Location { source: source.clone(), span };
            let removal = removal.clone().filter(|_| alone);
            ignores.push(Ignore {
                rule,
                at,
                scope,
                has_reason: reason,
                removal,
                is_used: false,
                is_foreign: false,
            });
        }
    }
    ignores
}

/// The ignores in the annotations of an object.
fn annotated(object: &Object) -> Vec<Ignore> {
    let ignore = |rule: &str, span, has_reason, is_foreign| Ignore {
        rule: rule.to_owned(),
        at: Location { source: object.source.clone(), span }.written(),
        scope: Scope::Objects(vec![object.location()]),
        has_reason,
        removal: None,
        is_used: false,
        is_foreign,
    };
    let mut ignores = Vec::new();
    for entry in object.annotations() {
        let text = entry.value.as_str().unwrap_or_default();
        match &*entry.key {
            KUBE_LINTER => ignores.push(ignore(missing_ttl::RULE.id, entry.key_span, true, true)),
            ANNOTATION => {
                let (rules, reason) = text.split_once(':').unwrap_or((text, ""));
                let named = rules.split(',').map(str::trim).filter(|rule| !rule.is_empty());
                let reason = !reason.trim().is_empty();
                ignores.extend(named.map(|rule| ignore(rule, entry.value.span, reason, false)));
            }
            _ => {}
        }
    }
    ignores
}
