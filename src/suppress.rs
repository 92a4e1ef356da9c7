//! Findings that somebody chose to ignore: by comment, annotation or settings. What ignores nothing
//! is a finding itself.

mod comment;

use std::{collections::BTreeSet, sync::Arc};

use comment::{Comment, Scope};
use job_lifecycle::{Object, suggest::nearest};
use yaml_spans::{Edit, Location, Source};

use crate::{
    diagnostic::{Diagnostic, Fix},
    finding::Applicability,
    resolve,
    rules::{self, Category, Check, Rule, ignore_without_reason, missing_ttl, unused_ignore},
    settings::Settings,
    unit::{Deployment, Loaded},
};

/// Rules to ignore for the whole object, then a colon and the reason.
pub const ANNOTATION: &str = "joblint.dev/ignore";
/// kube-linter's way to accept a Job without a TTL.
const KUBE_LINTER: &str = "ignore-check.kube-linter.io/job-ttl-seconds-after-finished";

/// A rule that somebody ignores in one place.
struct Ignore {
    rule: String,
    /// Where the rule is named.
    at: Location,
    reach: Reach,
    reason: bool,
    /// Takes the ignore out, when it names no other rule.
    removal: Option<Edit>,
    used: bool,
    /// Another tool's word: never judged.
    foreign: bool,
}

/// What an ignore covers.
enum Reach {
    /// What stands on a line of the text of the ignore.
    Line(usize),
    /// What rules saw in these objects.
    Objects(Vec<Location>),
}

/// What is left of a unit's findings, and what ignoring them taught.
#[derive(Default)]
pub struct Outcome {
    pub findings: Vec<Diagnostic>,
    pub ignored: usize,
    /// Indexes of the entries of `ignore:` that were of use.
    pub entries: BTreeSet<usize>,
}

/// The texts that can hold comments about findings: those that were read, and those that a finding points to.
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
    sources
}

/// Adds an ignore; what several sets of values render from one place is one ignore.
fn add(ignores: &mut Vec<Ignore>, ignore: Ignore) {
    let same = |other: &&mut Ignore| {
        other.rule == ignore.rule && other.at.sort_key() == ignore.at.sort_key()
    };
    match (ignores.iter_mut().find(same), ignore.reach) {
        (Some(Ignore { reach: Reach::Objects(known), .. }), Reach::Objects(more)) => {
            known.extend(more)
        }
        (_, reach) => ignores.push(Ignore { reach, ..ignore }),
    }
}

/// Takes the ignored findings of a unit away and adds those about ignores.
pub fn apply(
    findings: Vec<Diagnostic>,
    views: &[Loaded],
    deployments: &[Arc<Deployment>],
    settings: &Settings,
) -> Outcome {
    let mut outcome = Outcome::default();
    if settings.no_ignores {
        outcome.findings = findings.into_iter().filter(|finding| !finding.hidden).collect();
        return outcome;
    }
    let objects: Vec<&Object> = views.iter().flat_map(|loaded| &loaded.objects).collect();
    let mut ignores = Vec::new();
    let foreign = elsewhere(deployments);
    let is_foreign =
        |source: &Source| deployments.iter().any(|one| one.object.source.path == source.path);
    for source in sources(views, &findings).iter().filter(|source| !is_foreign(source)) {
        ignores.extend(commented(source, &objects));
    }
    for ignore in objects.iter().flat_map(|object| annotated(object)) {
        add(&mut ignores, ignore);
    }
    for finding in findings {
        let mut ignored = is_ignored_elsewhere(&finding, &foreign);
        for ignore in ignores.iter_mut().filter(|ignore| ignore.covers(&finding)) {
            ignore.used = true;
            ignored = true;
        }
        for (index, entry) in settings.ignores.iter().enumerate() {
            let path = &finding.location.source.path;
            if entry.covers(finding.rule.id, path, finding.workload.as_ref()) {
                outcome.entries.insert(index);
                ignored = true;
            }
        }
        match (ignored, finding.hidden) {
            (_, true) => {}
            (true, false) => outcome.ignored += 1,
            (false, false) => outcome.findings.push(finding),
        }
    }
    let own = ignores.iter().flat_map(|ignore| ignore.findings(settings));
    outcome.findings.extend(own.filter(|finding| !finding.hidden));
    outcome
}

/// True for a finding that a comment in a GitOps object's own file ignores. Whether such comments are of use is
/// judged where that file is checked.
fn is_ignored_elsewhere(finding: &Diagnostic, ignores: &[Ignore]) -> bool {
    ignores.iter().any(|ignore| ignore.covers(finding))
}

/// The comments in the files of the GitOps objects.
fn elsewhere(deployments: &[Arc<Deployment>]) -> Vec<Ignore> {
    let objects: Vec<_> = deployments.iter().map(|one| &one.object).collect();
    let mut sources: Vec<_> = objects.iter().map(|object| &object.source).collect();
    sources.dedup_by(|a, b| Arc::ptr_eq(a, b));
    sources.into_iter().flat_map(|source| commented(source, &objects)).collect()
}

/// The findings about entries of `ignore:` that ignored nothing in a run over everything they could.
pub fn unused_entries(settings: &Settings, used: &BTreeSet<usize>) -> Vec<Diagnostic> {
    let unused = settings.ignores.iter().enumerate().filter(|(index, _)| !used.contains(index));
    let judged = unused.filter(|(_, entry)| is_judged(&entry.rule, settings));
    let without = settings.ignores.iter().filter(|entry| entry.reason.is_none());
    let unused = judged.map(|(_, entry)| {
        let label = format!("ignores no finding of `{}`", entry.rule);
        resolve::of_the_run(&unused_ignore::RULE, entry.place.clone(), label, settings)
    });
    let without = without.map(|entry| {
        let label = format!("does not say why `{}` is fine here", entry.rule);
        resolve::of_the_run(&ignore_without_reason::RULE, entry.place.clone(), label, settings)
    });
    unused.chain(without).filter(|finding| !finding.hidden).collect()
}

/// An ignore is judged only when its rule could have spoken; those about two versions never do in a check of one.
fn is_judged(rule: &str, settings: &Settings) -> bool {
    rules::find(rule).is_some_and(|rule| {
        // What a GitOps object deploys is checked elsewhere.
        let meta = rule.meta();
        let elsewhere = meta.category == Category::Gitops && matches!(rule.check, Check::Unit(_))
            || meta.category == Category::Versions;
        !elsewhere && settings.runs(rule) && (settings.deployers.is_empty() || !meta.deployer)
    })
}

impl Ignore {
    fn covers(&self, finding: &Diagnostic) -> bool {
        let labels = || finding.secondary.iter().map(|(at, _)| at);
        let here = match &self.reach {
            Reach::Line(line) => {
                let mut places = std::iter::once(&finding.location).chain(labels());
                places.any(|at| {
                    Arc::ptr_eq(&at.source, &self.at.source)
                        && (at.start().line..=at.end().line).contains(line)
                })
            }
            Reach::Objects(objects) => finding.raised.iter().chain(labels()).any(|at| {
                let holds = |object: &Location| {
                    Arc::ptr_eq(&at.source, &object.source) && object.span.contains(at.span)
                };
                objects.iter().any(holds)
            }),
        };
        here && self.rule == finding.rule.id
    }

    fn findings(&self, settings: &Settings) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let mut raise = |rule: &'static Rule, label: String| {
            let mut finding = resolve::of_the_run(rule, self.at.clone(), label, settings);
            if let (Some(edit), true, true) =
                (&self.removal, *rule == unused_ignore::RULE, self.at.source.editable)
            {
                finding.fixes.push(Fix {
                    title: "remove it".to_owned(),
                    applicability: Applicability::Safe,
                    source: self.at.source.clone(),
                    edits: vec![edit.clone()],
                });
            }
            findings.push(finding);
        };
        if self.foreign {
            return findings;
        }
        if rules::find(&self.rule).is_none() {
            let near = nearest(&self.rule, rules::all().iter().map(|rule| rule.id));
            let near = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            raise(&unused_ignore::RULE, format!("there is no rule `{}`{near}", self.rule));
        } else if !self.used && is_judged(&self.rule, settings) {
            raise(&unused_ignore::RULE, format!("ignores no finding of `{}`", self.rule));
        }
        if !self.reason {
            raise(
                &ignore_without_reason::RULE,
                format!("does not say why `{}` is fine here", self.rule),
            );
        }
        findings
    }
}

/// The ignores in the comments of a text.
fn commented(source: &Arc<Source>, objects: &[&Object]) -> Vec<Ignore> {
    let mut ignores = Vec::new();
    for Comment { rules, reason, scope, removal } in comment::all(source) {
        let at_line = |line: usize| -> Vec<Location> {
            let own = objects.iter().filter(|object| object.source.path == source.path);
            let places = own.map(|object| object.location());
            let starts = |place: &Location| {
                let written = place.written();
                written.source.path == source.path && written.start().line == line
            };
            places.filter(starts).collect()
        };
        let alone = rules.len() == 1;
        for (rule, span) in rules {
            let reach = match scope {
                Scope::Same(line) => Reach::Line(line),
                Scope::Next(line) => match at_line(line) {
                    none if none.is_empty() => Reach::Line(line),
                    objects => Reach::Objects(objects),
                },
            };
            let at = Location { source: source.clone(), span };
            let removal = removal.clone().filter(|_| alone);
            ignores.push(Ignore { rule, at, reach, reason, removal, used: false, foreign: false });
        }
    }
    ignores
}

/// The ignores in the annotations of an object.
fn annotated(object: &Object) -> Vec<Ignore> {
    let ignore = |rule: &str, span, reason, foreign| Ignore {
        rule: rule.to_owned(),
        at: Location { source: object.source.clone(), span }.written(),
        reach: Reach::Objects(vec![object.location()]),
        reason,
        removal: None,
        used: false,
        foreign,
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
