//! Evaluates the rules of the user about the workloads of a unit.

mod outcomes;
mod variables;

use admission_policy::Expression;
use job_lifecycle::{Object, Tool};
use kubernetes_cel::{Budget, Evaluated, Outcome, Read, Step, Value, Variables};
use outcomes::Outcomes;

use crate::{
    admission::{self, Place, help},
    context::Context,
    finding::Finding,
    policy::OwnRule,
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
    Unknown(std::collections::BTreeSet<String>),
}

/// Asks the rules about every Job, CronJob and hook Pod of a unit.
pub(crate) fn of_unit<'a>(
    context: &Context<'a>,
    rules: &[&'static Rule],
) -> (Vec<Raised<'a>>, Undecided) {
    let (mut raised, mut undecided) = (Vec::new(), Undecided::default());
    let active = context.policy.own.rules.iter().filter_map(|own| {
        let id = own.finding_id();
        Some((own, *rules.iter().find(|rule| rule.id == id)?))
    });
    let active: Vec<_> = active.collect();
    if active.is_empty() {
        return (raised, undecided);
    }
    let asks = |variable: &str| active.iter().any(|(own, _)| own.mentions(variable));
    let outcomes = if asks("forecast") { Outcomes::of(context) } else { Outcomes::default() };
    let objects = context.objects.iter().enumerate();
    for (index, object) in objects.filter(|(_, object)| admission::is_asked_about(object, context))
    {
        let forecast = outcomes.of_object(index);
        let Some(variables) = variables::of(object, context, forecast.clone(), &asks) else {
            continue;
        };
        for (own, rule) in &active {
            if !is_about(own, object, context) {
                continue;
            }
            match evaluate(&own.expression, &variables) {
                Verdict::Met => {}
                Verdict::Broken(reads, error) => {
                    let finding =
                        finding(own, object, (&variables, &forecast), (&reads, error.as_deref()));
                    raised.push(Raised { rule, object, finding });
                }
                Verdict::Unknown(names) => undecided.add(&own.id, object, &names),
            }
        }
    }
    (raised, undecided)
}

/// Whether one of the deployers of the rule applies the object.
fn is_about(own: &OwnRule, object: &Object, context: &Context<'_>) -> bool {
    own.deployers.is_empty()
        || context.deployers.iter().any(|deployer| {
            own.deployers.contains(&deployer.tool)
                && context.role(object, deployer) != job_lifecycle::Role::Dropped
        })
}

fn evaluate(expression: &Expression, variables: &Variables<'_>) -> Verdict {
    let mut budget = Budget::new(Budget::PER_POLICY);
    let Evaluated { outcome, reads, .. } = expression.program.evaluate(variables, &mut budget);
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
) -> Finding {
    let expression = own.expression.text();
    let mut budget = Budget::new(Budget::PER_POLICY);
    let computed = own.message_expression.as_ref().and_then(|one| {
        match one.program.evaluate(variables, &mut budget).outcome {
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
