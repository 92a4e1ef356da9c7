use job_lifecycle::kubernetes::cron::{each_minute, never_comes};

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "cronjob-each-minute",
    include_str!("../../rules/cronjob-each-minute.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(schedule) = job.running_schedule() else { return };
    let Some(text) = schedule.as_str() else { return };
    let Some(each) = each_minute(text).filter(|_| !never_comes(text)) else { return };
    let when = match each.hours[..] {
        [hour] => format!("60 times between {hour:02}:00 and {hour:02}:59"),
        _ if each.open.len() == 2 => "each minute of the day, not once on it".to_owned(),
        [..] if each.hours.len() == 24 => "each minute, not each hour".to_owned(),
        _ => format!("each minute of {} hours, not once in each of them", each.hours.len()),
    };
    let what = if each.open.len() == 2 { "day" } else { "hour" };
    let mut once = text.to_owned();
    each.open.into_iter().rev().for_each(|field| once.replace_range(field, "0"));
    let label = format!("`*` is each minute of the {what}; `{once}` is its start");
    let message = format!("{} runs {when}", job.title());
    found.push(Finding::new(schedule.span, label).message(message));
}
