//! Evaluates the rules of the user about the workloads of a unit.

mod outcomes;
mod variables;

use std::collections::BTreeSet;

use admission_policy::Expression;
use job_lifecycle::{Object, Tool};
use kubernetes_cel::{Budget, Evaluated, Outcome, Read, Step, Value, Variables};
use outcomes::Outcomes;
use rayon::prelude::*;

use crate::{
    admission::{self, CHUNK, Place, help},
    context::Context,
    finding::Finding,
    policy::{OwnRule, RunCost},
    results::Undecided,
    rules::{Raised, Rule},
    words::titled,
};

/// What a rule says about a workload.
enum Verdict {
    /// It is met, or not about the workload.
    Met,
    /// It is not met, or fails with this error.
    Broken(Vec<Read>, Option<String>),
    /// Only a cluster knows.
    Unknown(BTreeSet<String>),
}

/// What a rule says about a workload that does not meet it.
enum Answer {
    Broken(Finding),
    Unknown(BTreeSet<String>),
}

/// Asks the rules about every Job, CronJob and hook Pod of a unit.
pub(crate) fn of_unit<'a>(
    context: &Context<'a>,
    rules: &[&'static Rule],
) -> (Vec<Raised<'a>>, Undecided) {
    let (mut raised, mut undecided) = (Vec::new(), Undecided::default());
    let Some(questions) = Questions::new(context, rules) else { return (raised, undecided) };
    let objects = context.objects.iter().enumerate();
    let objects: Vec<_> =
        objects.filter(|(_, object)| admission::is_asked_about(object, context)).collect();
    let asked = objects.par_chunks(CHUNK).map(|chunk| {
        let ask = |(index, object): &(usize, &Object)| questions.ask(*index, object);
        chunk.iter().map(ask).collect::<Vec<_>>()
    });
    let answers = asked.collect::<Vec<_>>().into_iter().flatten();
    for ((_, object), answers) in objects.into_iter().zip(answers) {
        for (own, rule, answer) in answers {
            match answer {
                Answer::Broken(finding) => raised.push(Raised { rule, object, finding }),
                Answer::Unknown(names) => undecided.add(&own.id, object, &names),
            }
        }
    }
    (raised, undecided)
}

/// The rules to ask, and what they need to know about the unit.
struct Questions<'c, 'a> {
    context: &'c Context<'a>,
    rules: Vec<(&'c OwnRule, &'static Rule)>,
    outcomes: Outcomes,
}

impl<'c, 'a> Questions<'c, 'a> {
    /// `None` if there is nothing to ask.
    fn new(context: &'c Context<'a>, rules: &[&'static Rule]) -> Option<Self> {
        let active = context.policy.own.rules.iter().filter_map(|own| {
            let id = own.finding_id();
            Some((own, *rules.iter().find(|rule| rule.id == id)?))
        });
        let rules: Vec<_> = active.collect();
        let is_forecast = rules.iter().any(|(own, _)| own.mentions("forecast"));
        let outcomes = if is_forecast { Outcomes::of(context) } else { Outcomes::default() };
        (!rules.is_empty()).then_some(Self { context, rules, outcomes })
    }

    /// The answers of the rules that an object does not meet.
    fn ask(&self, index: usize, object: &Object) -> Vec<(&'c OwnRule, &'static Rule, Answer)> {
        let context = self.context;
        let asks = |variable: &str| self.rules.iter().any(|(own, _)| own.mentions(variable));
        let forecast = self.outcomes.of_object(index);
        let Some(variables) = variables::of(object, context, forecast.clone(), &asks) else {
            return Vec::new();
        };
        let about = self.rules.iter().filter(|(own, _)| is_about(own, object, context));
        let answers = about.filter_map(|(own, rule)| {
            let cost = &context.policy.own.cost;
            let answer = match verdict(&own.expression, &variables, cost) {
                Verdict::Met => return None,
                Verdict::Broken(reads, error) => Answer::Broken(finding(
                    own,
                    object,
                    (&variables, &forecast),
                    (&reads, error.as_deref()),
                    cost,
                )),
                Verdict::Unknown(names) => Answer::Unknown(names),
            };
            Some((*own, *rule, answer))
        });
        answers.collect()
    }
}

/// Whether one of the deployers of the rule applies the object.
fn is_about(own: &OwnRule, object: &Object, context: &Context<'_>) -> bool {
    own.deployers.is_empty()
        || context.deployers.iter().any(|deployer| {
            own.deployers.contains(&deployer.tool)
                && context.role(object, deployer) != job_lifecycle::Role::Dropped
        })
}

/// Evaluates an expression and counts what it costs the run.
fn evaluate(expression: &Expression, variables: &Variables<'_>, cost: &RunCost) -> Evaluated {
    let mut budget = Budget::new(Budget::PER_POLICY);
    let evaluated = expression.program.evaluate(variables, &mut budget);
    cost.add(budget.spent());
    evaluated
}

fn verdict(expression: &Expression, variables: &Variables<'_>, cost: &RunCost) -> Verdict {
    if cost.is_exhausted() {
        return Verdict::Met;
    }
    let Evaluated { outcome, reads, .. } = evaluate(expression, variables, cost);
    match outcome {
        Outcome::Value(Value::Bool(true)) => Verdict::Met,
        Outcome::Value(_) => Verdict::Broken(reads, None),
        Outcome::Unknown(names) => Verdict::Unknown(names),
        // A rule about a deployer does not concern what others deploy.
        Outcome::Error(_) if reads.iter().any(is_other_deployer) => Verdict::Met,
        Outcome::Error(error) => Verdict::Broken(reads, Some(error)),
        Outcome::Exhausted => Verdict::Broken(reads, Some(Budget::EXHAUSTED.to_owned())),
    }
}

fn is_other_deployer(read: &Read) -> bool {
    let is_tool = |name: &String| Tool::ALL.iter().any(|tool| tool.name() == name);
    let first = read.steps.first();
    read.root == "forecast"
        && read.present == 0
        && matches!(first, Some(Step::Field(name)) if is_tool(name))
}

fn finding(
    own: &OwnRule,
    object: &Object,
    (variables, forecast): (&Variables<'_>, &Value),
    (reads, error): (&[Read], Option<&str>),
    cost: &RunCost,
) -> Finding {
    let expression = own.expression.text();
    let computed = own.message_expression.as_ref().and_then(|one| {
        match evaluate(one, variables, cost).outcome {
            Outcome::Value(Value::String(text)) if !text.trim().is_empty() => {
                text.trim().lines().next().map(str::to_owned)
            }
            _ => None,
        }
    });
    let title = titled(object);
    let message = match (error, computed.or_else(|| own.message.clone())) {
        (Some(error), _) => format!("{title}: the rule `{}` fails: {error}", own.id),
        (None, Some(message)) => format!("{title}: {message}"),
        (None, None) => format!("{title} does not meet the rule `{}`", own.id),
    };
    let Place { span, label } = variables::place(object, reads, forecast);
    let said = if error.is_some() { "fails" } else { "is false" };
    let source = &own.object.source;
    let at = admission::first_line(&source.text, own.expression.node.span);
    Finding::new(span, label)
        .message(message)
        .severity(own.severity)
        .help(own.help.clone().unwrap_or_else(|| help(&own.id, expression)))
        .label_in(source, at, said)
}
