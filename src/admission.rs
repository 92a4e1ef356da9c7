//! Asks the user's admission policies about the workloads of a unit, and makes findings of what they refuse.

mod place;

use admission_policy::{Action, Cause, Denial, Request, Verdict};
use job_lifecycle::{Object, workload::kind_of};
use rayon::prelude::*;
use yaml_spans::{Location, Span};

use crate::{
    context::Context,
    finding::{Finding, Severity},
    policy::{Own, RunCost},
    results::{Report, Undecided},
    rules::{Raised, Rule},
    settings::Settings,
    unit::{Failure, Problem},
    words::titled,
};

pub(crate) use place::Place;

/// How many objects one thread judges at a time. Smaller units stay on their own thread.
pub(crate) const CHUNK: usize = 128;

/// The longest expression that a help repeats, in characters.
const LONGEST: usize = 100;

/// What admission says about a unit.
#[derive(Default)]
pub(crate) struct Admission<'a> {
    /// What the API server refuses, warns about or records.
    pub(crate) raised: Vec<Raised<'a>>,
    /// What cannot be decided without a cluster.
    pub(crate) undecided: Undecided,
}

/// Asks the policies about every Job, CronJob and hook Pod of a unit, as it is created.
pub(crate) fn of_unit<'a>(context: &Context<'a>, rules: &[&'static Rule]) -> Admission<'a> {
    let mut all = Admission::default();
    let own = &context.policy.own;
    if own.admission.is_empty() {
        return all;
    }
    let objects: Vec<_> =
        context.objects.iter().filter(|object| is_asked_about(object, context)).collect();
    let namespace = namespace(context);
    let judged = objects.par_chunks(CHUNK).map(|chunk| {
        let judge = |object: &&Object| judge(own, &Request { object, old: None, namespace });
        chunk.iter().map(judge).collect::<Vec<_>>()
    });
    let verdicts = judged.collect::<Vec<_>>().into_iter().flatten();
    for (object, verdict) in objects.into_iter().zip(verdicts) {
        all.add(object, &verdict, rules);
    }
    all
}

/// The verdict of all policies on a request; an empty one if the run has cost too much already.
fn judge<'a>(own: &'a Own, request: &Request<'_>) -> Verdict<'a> {
    if own.cost.is_exhausted() {
        return Verdict::default();
    }
    let verdict = own.admission.judge(request);
    own.cost.add(verdict.cost);
    verdict
}

impl<'a> Admission<'a> {
    /// Asks the policies about a request for an object.
    pub(crate) fn ask(
        &mut self,
        request: &Request<'_>,
        object: &'a Object,
        own: &Own,
        rules: &[&'static Rule],
    ) {
        self.add(object, &judge(own, request), rules);
    }

    /// Adds the findings of a verdict.
    fn add(&mut self, object: &'a Object, verdict: &Verdict<'_>, rules: &[&'static Rule]) {
        let denials = strictest(&verdict.denials);
        for denial in denials {
            let id = id(&denial.policy.name);
            if let Some(rule) = rules.iter().find(|rule| rule.id == id) {
                let finding = finding(object, denial);
                self.raised.push(Raised { rule, object, finding });
            }
        }
        for unknown in &verdict.unknown {
            self.undecided.add(&unknown.policy.name, object, &unknown.names);
        }
    }
}

/// Replaces what policies and rules say by one finding, if they have cost too much: what was evaluated until then depends
/// on the order of the units.
pub(crate) fn settle(report: &mut Report, settings: &Settings) {
    let own = &settings.own;
    let policies = own.admission.policies.iter().map(|policy| &policy.object);
    let first = policies.chain(own.rules.iter().map(|rule| &rule.object)).next();
    let Some(first) = first.filter(|_| own.cost.is_exhausted()) else { return };
    report.findings.retain(|finding| !settings.own_rules.contains(&finding.rule));
    let at = Location { source: first.source.clone(), span: first.root.span };
    let most = RunCost::MOST / 1_000_000;
    let reason = format!("together they cost more than {most} million of the API server's units");
    let headline = format!("policies and rules are not evaluated: {reason}");
    let problem = Problem::new(Failure::Policy, at.written(), reason);
    let problem = Problem {
        misses_work: true,
        headline: Some(headline),
        help: Some("Make the expressions cheaper, or check fewer objects at once".to_owned()),
        ..problem
    };
    let finding = report.problem(&problem, settings);
    report.findings.extend(finding);
}

/// The id of the rule for a policy.
pub(crate) fn id(policy: &str) -> String {
    format!("policy[{policy}]")
}

/// The namespace of objects that name none; `None` if nothing in the tree states it.
pub(crate) fn namespace<'a>(context: &Context<'a>) -> Option<&'a str> {
    let mut all = context.deployments.iter().map(|one| one.namespace.as_deref());
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

/// Whether policies and rules of the user are asked about an object.
pub(crate) fn is_asked_about(object: &Object, context: &Context<'_>) -> bool {
    let is_hook = |deployer| context.hook(object, deployer).is_some();
    kind_of(object).is_some() || object.kind() == "Pod" && context.deployers.iter().any(is_hook)
}

/// One denial for each validation: several bindings and parameters may refuse the same.
fn strictest<'d, 'a>(denials: &'d [Denial<'a>]) -> Vec<&'d Denial<'a>> {
    let mut all: Vec<&Denial<'_>> = Vec::new();
    for denial in denials {
        let is_same = |other: &&mut &Denial<'_>| {
            let places =
                [other.validation, denial.validation].map(|one| one.map(std::ptr::from_ref));
            other.policy.name == denial.policy.name
                && places[0] == places[1]
                && other.message == denial.message
        };
        match all.iter_mut().find(is_same) {
            Some(other) if other.action() < denial.action() => *other = denial,
            Some(_) => {}
            None => all.push(denial),
        }
    }
    all
}

fn finding(object: &Object, denial: &Denial<'_>) -> Finding {
    let title = titled(object);
    let (will, severity) = match denial.action() {
        Action::Deny => (format!("the API server will refuse {title}"), Severity::Error),
        Action::Warn => (format!("the API server will warn about {title}"), Severity::Warning),
        Action::Audit => {
            (format!("the audit log will record a failure of {title}"), Severity::Info)
        }
    };
    let Place { span, label } = Place::of(object, &denial.reads);
    let finding =
        Finding::new(span, label).message(format!("{will}: {}", denial.message)).severity(severity);
    let policy = &denial.policy.object;
    let Some(validation) = denial.validation else {
        let name = policy.root.at(&["metadata", "name"]).map_or(policy.root.span, |name| name.span);
        let finding = finding.help(format!("Correct the policy `{}`", denial.policy.name));
        let said = match denial.cause {
            Cause::Cost => "this policy costs more than the API server allows",
            _ => "a match condition of this policy fails",
        };
        return finding.label_in(&policy.source, name, said);
    };
    let node = &validation.expression.node;
    let said = match denial.cause {
        Cause::False => "is false",
        Cause::Error | Cause::Cost => "fails",
    };
    finding.help(help(denial.policy.name.as_str(), validation.expression.text())).label_in(
        &policy.source,
        first_line(&policy.source.text, node.span),
        said,
    )
}

/// How to meet an expression.
pub(crate) fn help(policy: &str, expression: &str) -> String {
    match expression.contains('\n') || expression.chars().count() > LONGEST {
        true => format!("Change what the policy `{policy}` refuses"),
        false => format!("Make `{expression}` true"),
    }
}

/// The first line of a span.
pub(crate) fn first_line(text: &str, span: Span) -> Span {
    let written = &text[span.range()];
    let length = written.find(['\n', '\r']).unwrap_or(written.len());
    Span { start: span.start, end: span.start + length as u32 }
}
