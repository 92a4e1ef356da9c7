use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "cronjob-uneven-step",
    include_str!("../../rules/cronjob-uneven-step.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(schedule) = job.running_schedule() else { return };
    let fields: Vec<_> = schedule.as_str().unwrap_or_default().split_whitespace().collect();
    let [minute, hour, ..] = fields[..] else { return };
    let step = [(minute, MINUTES), (hour, HOURS)]
        .into_iter()
        .find_map(|(field, unit)| Some((field, uneven(field, unit.number)?, unit)));
    let Some((field, step, unit)) = step.filter(|_| fields.len() == FIELDS) else { return };
    let Unit { unit, whole, .. } = unit;
    let label = format!("`{field}` is {unit} 0 and {unit} {step} of each {whole}");
    let message = format!(
        "{} runs at {unit} 0 and {unit} {step} of each {whole}, not every {step} {unit}s",
        job.title()
    );
    found.push(Finding::new(schedule.span, label).message(message));
}

/// How many fields a schedule has.
const FIELDS: usize = 5;

/// What a field of a schedule counts.
#[derive(Clone, Copy)]
struct Unit {
    unit: &'static str,
    whole: &'static str,
    /// How many there are in the whole.
    number: u32,
}

const MINUTES: Unit = Unit { unit: "minute", whole: "hour", number: 60 };
const HOURS: Unit = Unit { unit: "hour", whole: "day", number: 24 };

/// The step of a field that is longer than half of the whole, so that it fits once: `*/59`.
fn uneven(field: &str, number: u32) -> Option<u32> {
    let step = field.strip_prefix("*/")?.parse().ok()?;
    (2 * step > number && step < number).then_some(step)
}
