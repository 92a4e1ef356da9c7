use job_lifecycle::kubernetes::cron::{ImpossibleDay, impossible_day};

use super::{Check, Rule};
use crate::{finding::Finding, words::joined, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "cronjob-impossible-day",
    include_str!("../../rules/cronjob-impossible-day.yaml"),
    Check::Workload(check),
);

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(schedule) = job.running_schedule() else { return };
    let Some(impossible) = schedule.as_str().and_then(impossible_day) else { return };
    let (days, when) = words(&impossible);
    let label = format!("{days}, so only the day of the week counts: each {when}");
    let message = format!("{} runs on each {when}: {days}", job.title());
    found.push(Finding::new(schedule.span, label).message(message));
}

/// The days that never come, and when the CronJob runs instead.
fn words(impossible: &ImpossibleDay) -> (String, String) {
    let named = |names: &[&str], values: &[u64], from: u64| -> Vec<String> {
        let name = |value: &u64| Some((*names.get((value - from) as usize)?).to_owned());
        values.iter().filter_map(name).collect()
    };
    let months = joined(&named(&MONTHS, &impossible.months, 1));
    let weekdays = match impossible.weekdays.len() {
        7 => "day".to_owned(),
        _ => joined(&named(&WEEKDAYS, &impossible.weekdays, 0)),
    };
    let numbers: Vec<_> = impossible.days.iter().map(u64::to_string).collect();
    let (day, comes) = if numbers.len() == 1 { ("day", "comes") } else { ("days", "come") };
    (
        format!("{day} {} never {comes} in {months}", joined(&numbers)),
        format!("{weekdays} in {months}"),
    )
}
